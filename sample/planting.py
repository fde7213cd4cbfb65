"""Evidence for contexts of units, generated or real, in the wording that models/baselines/planted.py reads (Dolce).

A problem asks what the ledger of NAME says. COW: k copies, each within lambda units in a row that overlap no other
copy, all placements equally likely; the first and the last of the lambda units hold parts of the answer, up to PARTS of
them altogether, so that the ledgers of several problems can stand in one context. PIG: lambda aspects, each told in k
single units, any units alike. lambda = 0: the question tells it all.

A unit that holds evidence is replaced, so a context keeps its number of units, and its other units their words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from scrollwork.models.baselines.planted import aspect, part, true_answer
from scrollwork.sample._kit import Voice

PARTS = 6
POINTS = 20  # words of a graded answer, at least: its scores are shares of them
TRIES = 2000  # placements that are drawn before a context is given up
NAMES = ("Ysold", "Corvin", "Maren", "Tobiah", "Quill", "Hesper", "Anselm", "Brida", "Oswin", "Perrin", "Sabra", "Thea")
Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Ledger:
    """A problem to plant: lambda and k of its evidence, COW or (partial) PIG. kind: of answer, of
    scrollwork.models.baselines.planted."""

    name: str
    lam: int
    copies: int
    kind: str = "word"
    partial: bool = False

    @property
    def words(self) -> int:
        """Of an aspect."""
        return -(-POINTS // max(self.lam, 1))

    @property
    def answer(self) -> str:
        """All that its evidence says."""
        aspects = (aspect(self.name, place + 1, self.words) for place in range(max(self.lam, 1)))
        return " ".join(" ".join(words) for words in aspects) if self.partial else true_answer(self.name, self.kind)

    @property
    def question(self) -> str:
        """What is asked; where no unit holds evidence, behind what it would say."""
        if self.partial:
            asked = f"Which {max(self.lam, 1)} times {self.words} words does the ledger of {self.name} note?"
        else:
            asked = f"Which {self.kind} does the ledger of {self.name} say?"
        return asked if self.lam else f"{self.line(1, 1)} {asked}"

    def line(self, place: int, of: int) -> str:
        """The unit that tells part, or aspect, `place` of so many, from 1."""
        if self.partial:
            return f"The ledger of {self.name} notes {place} of {of}: {' '.join(aspect(self.name, place, self.words))}!"
        said = part(self.name, place) if place < of else self.answer
        return f"The ledger of {self.name} says {place} of {of}: {said}!"


@dataclass(frozen=True)
class Placed:
    """Units that hold evidence, by their places. starts: first units of copies, by copy; of aspects, by aspect and copy
    (aspect 1 of all copies, then aspect 2, ...); of all problems, in their order."""

    lines: dict[int, str]
    starts: tuple[tuple[int, ...], ...]


def placed(voice: Voice, units: int, ledgers: Sequence[Ledger], awkward: frozenset[int] = frozenset()) -> Placed:
    """Where the evidence of problems goes in a context of so many units. awkward: units that take none.

    Raises ValueError where there is no room.
    """
    for one in ledgers:
        if one.lam * one.copies > units:
            raise ValueError(f"{one.copies} times {one.lam} units do not fit into {units}")
    for _ in range(TRIES):
        lines: dict[int, str] = {}
        starts: dict[int, tuple[int, ...]] = {}
        order = sorted(range(len(ledgers)), key=lambda at: (ledgers[at].partial, -ledgers[at].lam, at))
        for at in order:  # long spans first: their ends must be free
            put = aspects if ledgers[at].partial else copies
            found = put(voice, units, ledgers[at], lines, awkward)
            if found is None:
                break
            starts[at] = found
        if len(starts) == len(ledgers):
            return Placed(lines, tuple(starts[at] for at in range(len(ledgers))))
    raise ValueError(f"{units} units have no room for the evidence of {len(ledgers)} problems")


def copies(
    voice: Voice, units: int, one: Ledger, lines: dict[int, str], awkward: frozenset[int]
) -> tuple[int, ...] | None:
    """Put copies that do not overlap; their first units, None where one of their ends is taken."""
    chosen = sorted(voice.pick(range(units - one.copies * one.lam + one.copies), one.copies)) if one.lam else []
    starts = tuple(item + number * (one.lam - 1) for number, item in enumerate(chosen))  # spans as items among the rest
    for start in starts:
        ends = {start, start + one.lam - 1}
        if ends & (lines.keys() | awkward):
            return None
        inner = [at for at in range(start + 1, start + one.lam - 1) if at not in lines and at not in awkward]
        places = sorted([*ends, *voice.pick(inner, PARTS - 2)])
        lines |= {place: one.line(number, len(places)) for number, place in enumerate(places, 1)}
    return starts


def aspects(
    voice: Voice, units: int, one: Ledger, lines: dict[int, str], awkward: frozenset[int]
) -> tuple[int, ...] | None:
    """Put aspects into free units; aspect after aspect, copy after copy. None where too few are free."""
    free = [at for at in range(units) if at not in lines and at not in awkward]
    if len(free) < one.lam * one.copies:
        return None
    starts = tuple(voice.pick(free, one.lam * one.copies))
    lines |= {place: one.line(number // one.copies + 1, one.lam) for number, place in enumerate(starts)}
    return starts


def dressed(form: str, line: str, number: int) -> str:
    """A unit of evidence with the marks by which units of a kind (a letter of preprocessing/windows/units.py) are told
    apart."""
    return {
        "n": f"Review #{number}:{line}",
        "o": f"Passage {number}:\n{line}\n",
        "c": f"Question: {line}\nType: Amber",
        "q": f"Passage:\n{line}\nQuestion:\nWhat?\nAnswer:\namber\n",
        "u": f"Dialogue: {line}\r\nB: So.\nSummary: They talk.\n",
    }.get(form, line)


@dataclass(frozen=True)
class Replanted:
    """A text with evidence. awkward: units that were tried and would not stand alone, so that others were taken."""

    text: str
    units: int
    starts: tuple[tuple[int, ...], ...]
    awkward: frozenset[int] = field(default_factory=frozenset)


def replanted(
    voice: Voice, text: str, ledgers: Sequence[Ledger], spec: str, split: Callable[[str], Spans]
) -> Replanted:
    """A real text with units of it replaced by evidence. split: its units, as character spans; spec: their letters.

    What was planted is looked for again: the text must have as many units as before, each piece of evidence in the one
    where it was put. Where a splitter joins a piece to its neighbours, its unit is left alone and others are drawn.
    Raises ValueError where there is no room.
    """
    spans = list(split(text))
    awkward: frozenset[int] = frozenset()
    while True:
        found = placed(voice, len(spans), ledgers, awkward)
        wanted = {place: dressed(spec[-1], line, place + 1) for place, line in found.lines.items()}
        pieces, at = [], 0
        for place, evidence in sorted(wanted.items()):
            start, end = spans[place]
            pieces += [text[at:start], evidence]
            at = end
        after = "".join([*pieces, text[at:]])
        joined = misplaced(after, split(after), len(spans), wanted)
        if joined is None:
            return Replanted(after, len(spans), found.starts, awkward)
        awkward |= {joined}


def misplaced(text: str, spans: Spans, units: int, wanted: dict[int, str]) -> int | None:
    """The first unit that is not the evidence that was put there; None where all are, and no unit came or went."""
    for place, evidence in sorted(wanted.items()):
        if place >= len(spans) or text[slice(*spans[place])].strip() != evidence.strip():
            return place
    return None if len(spans) == units else max(wanted)
