"""L-Eval's layout of QuALITY, with planted evidence: a ledger whose notes say what each case sums up to.

A note is one sentence, "Note 2 of 5 on the Salt case adds 7." Who sees all notes of a case knows its sum; so how many
units hold them (lambda), and how often they stand there (k), is known for every problem: the five kinds of problem that
Dolce tells apart (arXiv 2409.06338).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sample._kit import Voice, rows, table, write_lines

LETTERS = "ABCD"
LEDGERS = 6
SENTENCES = (150, 180)  # of a ledger
CASES = ("Lantern", "Salt", "Harbour", "Feather", "Quarry")  # one of each kind in every ledger, in this order
TOLD, OFTEN, ONCE, STRETCH, ALL = range(5)
COPIES = 45
DOINGS = (
    "{name} swept the yard before the bell",
    "{name} counted the barrels and found one too many",
    "a cart from {place} waited at the gate until noon",
    "{name} wrote to {place} and had no reply",
    "the clerk of {place} asked for ink, and {name} lent some",
    "rain kept {name} from the road to {place}",
    "{name} mended the scales that {other} had dropped",
    "{other} and {name} played chess while the kettle sang",
    "no ship came in from {place}, to the grief of {name}",
    "{name} bought candles, and {other} paid for them later",
)


def ledgers(out: Path) -> None:
    """A test file of six ledgers with five questions each."""
    write_lines(
        out / "leval/LEval-data/Closed-ended-tasks/quality.jsonl", [_ledger(number) for number in range(LEDGERS)]
    )


def _ledger(number: int) -> dict[str, Any]:
    voice = Voice(f"ledgers/{number}", ("names",))
    size = voice.between(*SENTENCES)
    lines: list[str | None] = [None] * size
    asked = []
    for kind, case in enumerate(CASES):
        parts = _parts(voice, kind)
        places = _places(voice, kind, lines, len(parts))
        notes = [f"Note {at} of {len(parts)} on the {case} case adds {part}." for at, part in enumerate(parts, 1)]
        for place, note in zip(places, notes * (len(places) // len(notes)), strict=True):
            lines[place] = note
        asked.append(_question(voice, case, sum(parts), notes[0] if kind == TOLD else ""))
    text = " ".join(line or _doing(voice) for line in lines)
    instructions, outputs = zip(*asked, strict=True)
    return {
        "instructions": list(instructions),
        "outputs": list(outputs),
        "input": text,
        "source": "scrollwork sample",
        "evaluation": "exam",
    }


def _parts(voice: Voice, kind: int) -> list[int]:
    """What the notes of a case add."""
    return [voice.between(2, 9) for _ in range({STRETCH: 6, ALL: 12}.get(kind, 1))]


def _places(voice: Voice, kind: int, lines: Sequence[str | None], notes: int) -> list[int]:
    """Sentences that are still free: none, many, one, some within a stretch of 20, some from end to end."""
    free = [place for place, line in enumerate(lines) if line is None]
    if kind == TOLD:
        return []
    if kind == OFTEN:
        return sorted(voice.pick(free, COPIES))
    if kind == ONCE:
        return [free[voice.below(len(free))]]
    if kind == STRETCH:
        first = voice.between(20, len(lines) - 60)
        inside = [place for place in free if first <= place < first + 20]
        return [inside[0], *sorted(voice.pick(inside[1:-1], notes - 2)), inside[-1]]
    step = (len(free) - 1) / (notes - 1)
    return [free[round(step * at)] for at in range(notes)]


def _question(voice: Voice, case: str, total: int, told: str) -> tuple[str, str]:
    """(question with its options, the right one)"""
    wrong = voice.pick([total + off for off in (-9, -6, -4, -1, 1, 3, 5, 8)], 3)
    options = voice.shuffled([total, *wrong])
    listed = "".join(
        f"\n (A) {one}. ".replace("(A)", f"({letter})") for letter, one in zip(LETTERS, options, strict=True)
    )
    right = LETTERS[options.index(total)]
    before = f"{told} " if told else ""
    return f"{before}What do the notes on the {case} case add up to?\n{listed}", f"({right}) {total}."


def _doing(voice: Voice) -> str:
    name, other = (row["name"] for row in voice.pick(rows("names", "given"), 2))
    (place,) = voice.pick(table("names")["town"], 1) if "town" in table("names") else ("Orrin",)
    (line,) = voice.pick(DOINGS, 1)
    said = line.format(name=name, other=other, place=place)
    return f"{said[:1].upper()}{said[1:]}."
