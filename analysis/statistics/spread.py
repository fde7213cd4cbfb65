"""How far apart an output's content is in its input (SCROLLS, section 6.4 of the fact sheet).

Each bigram of the output counts once, at its first occurrence in the input: the word index of its first word. The score
is the standard deviation of these positions, in words. The paper does not say what a word is, which deviation it takes,
and what becomes of outputs with fewer than two bigrams found; our choices are in docs/fidelity.md#statistics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

LETTER = re.compile(r"[^\W_]")  # or digit, of any script
WORD = re.compile(r"[^\W_]+")  # as ROUGE splits English
ASCII = bytes(range(128))
SPACED = bytes(byte if byte > 127 or LETTER.match(chr(byte)) else ord(" ") for byte in range(256))
FEWEST = 2  # positions; one alone has no spread
MARKS = 20  # different ones outside ASCII, each replaced by itself; of more the regular expression is faster
SEARCHED = 16  # bigrams that are looked for in the text of an input before all of its bigrams are listed

Bigram = tuple[str, str]


@dataclass(frozen=True)
class FoundBigrams:
    """An output's bigrams. bigrams: number of different ones. positions: of those found, in ascending order."""

    bigrams: int
    positions: tuple[int, ...]

    @property
    def spread(self) -> float | None:
        """Return the population standard deviation of the positions, in words; None if under two bigrams are found."""
        return deviation(self.positions) if len(self.positions) >= FEWEST else None


def words(text: str) -> list[str]:
    """Return the lower-cased runs of letters and digits: what `[^\\W_]+` finds, three times as fast."""
    data = text.lower().encode("utf-8")
    if not data.isascii():
        marks = [one for one in set(data.translate(None, ASCII).decode("utf-8")) if not LETTER.match(one)]
        if len(marks) > MARKS:
            return WORD.findall(text.lower())
        for mark in marks:
            data = data.replace(mark.encode("utf-8"), b" ")
    return data.translate(SPACED).decode("utf-8").split()


class Index:
    """An input, read once for any number of outputs: its words in one line, and the first position of each bigram,
    which are listed when many have been looked for. words: number of words."""

    def __init__(self, texts: Iterable[str]) -> None:
        found = [word for text in texts for word in words(text)]
        self.words = len(found)
        self._line = f" {' '.join(found)} "
        self._first: Mapping[Bigram, int] | None = None
        self._searched = 0

    def find(self, output: str) -> FoundBigrams:
        """Return where the output's bigrams are."""
        wanted = bigrams(words(output))
        self._searched += len(wanted)
        if self._first is None and self._searched > SEARCHED:
            self._first = first_positions(self._line.split())
        if self._first is None:
            found = [self._position(bigram) for bigram in wanted]
            return FoundBigrams(len(wanted), tuple(sorted(place for place in found if place >= 0)))
        positions = sorted(self._first[bigram] for bigram in wanted if bigram in self._first)
        return FoundBigrams(len(wanted), tuple(positions))

    def _position(self, bigram: Bigram) -> int:
        """Return the word index of a bigram's first occurrence, -1 if there is none."""
        at = self._line.find(f" {bigram[0]} {bigram[1]} ")
        return at if at < 0 else self._line.count(" ", 0, at)

    def holds(self, output: str) -> bool:
        """Return whether the input contains the output's words in one piece; False for an output without words."""
        needle = words(output)
        if not needle or (self._first is not None and not all(bigram in self._first for bigram in pairwise(needle))):
            return False
        return f" {' '.join(needle)} " in self._line


def bigrams(listed: Sequence[str]) -> set[Bigram]:
    """Return the different pairs of neighbouring words."""
    return set(pairwise(listed))


def first_positions(listed: Sequence[str]) -> Mapping[Bigram, int]:
    """Return the word index of the first occurrence of each bigram."""
    backwards = listed[::-1]  # from the end, so that the first occurrence is written last and stays
    pairs = zip(backwards[1:], backwards, strict=False)
    return dict(zip(pairs, range(len(listed) - 2, -1, -1), strict=False))


def deviation(positions: Sequence[int]) -> float:
    """Return the population standard deviation. Sums are whole numbers, so the order does not matter."""
    count, total = len(positions), sum(positions)
    squares = sum(position * position for position in positions)
    return sqrt(count * squares - total * total) / count
