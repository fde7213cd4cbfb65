"""ROUGE-Lsum: for each line of a reference, the union of its common subsequences with all lines of a prediction.

Lin 2004, section 3.2; each token of the prediction counts once, as in ROUGE 1.5.5. The union depends on which of
several longest common subsequences is taken: here rouge-score's, found on bit vectors instead of its tables.

A row of its table rises by 0 or 1 from column to column; a row is one integer here, with a 0 bit where it rises (Hyyro
2004). All lines of the prediction are side by side in that integer, each between two 0 bits that stop carries, so that
a token of the reference costs a dozen integer operations, however many lines there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np

from scrollwork.scoring.rouge.reference import Reference
from scrollwork.scoring.rouge.vocabulary import Numbers

HELD_BITS = 1 << 27  # of rows and of masks at a time: 16 MB each
BACKWARDS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def union_hits(codes: Numbers, lines: Sequence[int], reference: Reference, counts: Numbers) -> int:
    """Return the number of the prediction's tokens that ROUGE-Lsum counts as found.

    codes: of the prediction's tokens, -1 for tokens that the reference does not have. lines: tokens per line. counts:
    how often each token of the reference occurs in the prediction, by code.
    """
    columns = _Columns(list(_lines(codes, lines)))
    bounds = pairwise(accumulate(reference.text.lines, initial=0))
    rows = reference.codes.tolist()
    covered = np.array([code for begin, end in bounds for code in columns.covered(rows[begin:end])], dtype=np.intp)
    return int(np.minimum(np.bincount(covered, minlength=len(counts)), counts).sum())


def _lines(codes: Numbers, lines: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the distinct lines of the prediction, keeping one token of each run of unknown ones to stand for all.

    A run at the start of a line is never reached and dropped; a repeated line would only find the same again.
    """
    known = codes >= 0
    before = np.concatenate([[False], known[:-1]])
    before[np.cumsum(lines, dtype=np.intp)[:-1]] = False
    kept = known | before
    upto = np.concatenate([[0], np.cumsum(kept)])[np.cumsum([0, *lines])].tolist()
    left = codes[kept].tolist()
    found = dict.fromkeys(tuple(left[begin:end]) for begin, end in pairwise(upto))
    found.pop((), None)
    return iter(found)


class _Columns:
    """The lines of a prediction as columns of one table."""

    def __init__(self, lines: Sequence[tuple[int, ...]]) -> None:
        self._places: dict[int, list[int]] = {}
        stops = [0]
        for line in lines:
            for place, code in enumerate(line, start=stops[-1] + 1):
                if code >= 0:
                    self._places.setdefault(code, []).append(place)
            stops.append(stops[-1] + len(line) + 1)
        self._bytes = stops[-1] // 8 + 1
        self._masks: dict[int, tuple[int, int]] = {}
        stopped = self._integer(stops)
        self._first = (1 << stops[-1]) - 1 & ~stopped
        self._end = self._back(self._integer([stop - 1 for stop in stops[1:]]))
        self._unstopped = ~self._back(stopped)

    def covered(self, line: Sequence[int]) -> list[int]:
        """Return the tokens of a reference line that are in the union, last first."""
        rows = [code for code in line if code in self._places]
        at_once = max(1, HELD_BITS // (8 * self._bytes))
        begins = range(0, len(rows), at_once)
        starts = [self._first]
        for begin in begins[:-1]:  # rows are recomputed on the way back rather than kept
            for state, _ in self._rises(starts[-1], rows[begin : begin + at_once]):
                last = state
            starts.append(last)
        found: list[int] = []
        ends = self._end
        for begin, start in zip(reversed(begins), reversed(starts), strict=False):
            some = rows[begin : begin + at_once]
            rises = [rise for _, rise in self._rises(start, some)]
            for code, rise in zip(reversed(some), reversed(rises), strict=True):
                # A line's backtracking takes this row if its column matches, or if the row above is lower there; then
                # it moves to the left of the nearest match, else up. Columns are reversed, so left is the direction of
                # carries.
                mask = self._mask(code)[1]
                taken = ends & (mask | self._back(rise))
                if taken:
                    found.append(code)
                    passed = mask ^ (mask - taken)
                    ends = (ends ^ taken | (passed + taken)) & self._unstopped
        return found

    def _rises(self, row: int, codes: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield (row, columns in which it is higher than the row above) for each token, starting from `row`."""
        unstopped = self._first
        for code in codes:
            matched = row & self._mask(code)[0]
            below = row + matched | row - matched
            yield below & unstopped, below - row
            row = below & unstopped

    def _mask(self, code: int) -> tuple[int, int]:
        """Return the columns of a token, forwards and backwards."""
        found = self._masks.get(code)
        if found is None:
            if len(self._masks) * self._bytes * 16 > HELD_BITS:
                self._masks.clear()
            mask = self._integer(self._places[code])
            found = self._masks[code] = mask, self._back(mask)
        return found

    def _integer(self, places: Sequence[int]) -> int:
        bits = bytearray(self._bytes)
        for place in places:
            bits[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(bits, "little")

    def _back(self, columns: int) -> int:
        return int.from_bytes(columns.to_bytes(self._bytes, "little").translate(BACKWARDS), "big")
