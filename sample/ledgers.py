"""L-Eval's layouts of QuALITY and MultiNews, with planted evidence (sample/planting.py): what makes each problem easy
or hard is known, all five categories of Dolce (arXiv 2409.06338) in COW and in PIG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Voice, capital, rows, table, write_lines
from scrollwork.sample.planting import NAMES, Ledger, placed

LETTERS = "ABCD"
LEDGERS = 6
SENTENCES = (150, 180)  # of a context of COW; thresholds are 5 and 50
# (lambda, k), of each category in turn, for contexts with an even and an odd number; None: all units, once
COW = (
    ((0, 0), (1, 50), (1, 1), (20, 1), (None, 1)),
    ((0, 0), (2, 20), (2, 1), (10, 2), (100, 1)),
)
REPORTS = 3
LONGER = (230, 260)  # units of a context of PIG; thresholds are 5 and 50
PIG = ((0, 0), (5, 10), (5, 2), (20, 2), (100, 1))
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
    """A file of six ledgers with five questions each, and one of three with five that have partial points."""
    write_lines(
        out / "leval/LEval-data/Closed-ended-tasks/quality.jsonl",
        [_record(number, SENTENCES, COW[number % len(COW)], "letter") for number in range(LEDGERS)],
    )
    write_lines(
        out / "leval/LEval-data/Open-ended-tasks/news_summ.jsonl",
        [_record(number, LONGER, PIG, "") for number in range(REPORTS)],
    )


def planted(size: int, pairs: Sequence[tuple[int | None, int]], kind: str, number: int) -> list[Ledger]:
    """The problems of a context of so many units. kind: of answers, "" for partial points."""
    return [
        Ledger(f"{NAMES[at]}{number}", size if lam is None else lam, copies, kind or "word", not kind)
        for at, (lam, copies) in enumerate(pairs)
    ]


def _record(number: int, sizes: tuple[int, int], pairs: Sequence[tuple[int | None, int]], kind: str) -> dict[str, Any]:
    voice = Voice(f"ledgers/{kind}/{number}", ("names",))
    size = voice.between(*sizes)
    problems = planted(size, pairs, kind, number)
    lines = placed(voice, size, problems).lines
    return {
        "instructions": [one.question + (_options() if kind else "") for one in problems],
        "outputs": [f"({one.answer}) It says {one.answer}." if kind else one.answer for one in problems],
        "input": " ".join(lines.get(place) or _doing(voice) for place in range(size)),
        "source": "scrollwork sample",
        "evaluation": "exam" if kind else "rouge",
    }


def _options() -> str:
    return "\n" + "".join(f"\n ({letter}) It says {letter}. " for letter in LETTERS)


def _doing(voice: Voice) -> str:
    name, other = (row["name"] for row in voice.pick(rows("names", "given"), 2))
    (place,) = voice.pick(table("names")["town"], 1) if "town" in table("names") else ("Orrin",)
    (line,) = voice.pick(DOINGS, 1)
    return f"{capital(line.format(name=name, other=other, place=place))}."
