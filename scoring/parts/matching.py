"""difflib's ratio of two texts, in a time that a hostile line cannot blow up.

`SequenceMatcher.find_longest_match` visits all pairs of equal characters in Python: 1 MB of one letter against a
reference of 100 takes half a minute, and longer with every block found. Here a block costs one pass of numpy over the
longer text for each character of the reference. Results are equal (tests/scoring/test_matching.py).
"""

from __future__ import annotations

from difflib import Match, SequenceMatcher

import numpy as np
import numpy.typing as npt

LONG_LINE = 4096  # characters from which numpy is faster
# From 200 characters on, difflib itself ignores frequent characters of the reference, so few pairs are left.
SHORT_REFERENCE = 200

Codes = npt.NDArray[np.uint32]


def ratio(line: str, reference: str) -> float:
    """Return `difflib.SequenceMatcher(None, line, reference).ratio()`: 2 M / (characters of both), for M matches."""
    hostile = len(line) >= LONG_LINE and len(reference) < SHORT_REFERENCE
    return (LongMatcher if hostile else SequenceMatcher)(None, line, reference).ratio()


class LongMatcher(SequenceMatcher[str]):
    """A SequenceMatcher of texts, without a junk function, whose first text may be very long."""

    a: str
    b: str
    b2j: dict[str, list[int]]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """Return the longest block as difflib does: of equal ones the first in a, of those the first in b."""
        a, b = self.a, self.b
        ahi = len(a) if ahi is None else ahi
        bhi = len(b) if bhi is None else bhi
        size, end_a, end_b = self._longest(alo, ahi, blo, bhi)
        begin_a, begin_b = (end_a - size, end_b - size) if size else (alo, blo)
        # frequent characters of a long reference start no block, but may extend one
        while begin_a > alo and begin_b > blo and a[begin_a - 1] == b[begin_b - 1]:
            begin_a, begin_b, size = begin_a - 1, begin_b - 1, size + 1
        while begin_a + size < ahi and begin_b + size < bhi and a[begin_a + size] == b[begin_b + size]:
            size += 1
        return Match(begin_a, begin_b, size)

    def _longest(self, alo: int, ahi: int, blo: int, bhi: int) -> tuple[int, int, int]:
        """Return (size, end in a, end in b) of the longest block of characters that may start one."""
        best = (0, alo, blo)
        codes = self._codes[alo:ahi]
        runs = np.zeros(len(codes) + 1, dtype=np.int32)  # runs[i + 1]: length of the block that ends at a[i] and b[j]
        if not len(codes):
            return best
        for j in range(blo, bhi):
            if self.b[j] not in self.b2j:
                runs[:] = 0
                continue
            runs[1:] = (runs[:-1] + 1) * (codes == ord(self.b[j]))
            end = int(runs.argmax())
            size = int(runs[end])
            if size and (size > best[0] or (size == best[0] and alo + end < best[1])):
                best = (size, alo + end, j + 1)
        return best

    @property
    def _codes(self) -> Codes:
        text = self.a
        if self.__dict__.get("_of") is not text:
            self._of = text
            self._as_codes: Codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        return self._as_codes
