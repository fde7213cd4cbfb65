"""What predictions share with their references: words, bigrams, longest common subsequences.

Many pairs of texts are joined in one array, so that numpy is called once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from scrollwork.scoring.rouge.reference import Reference
from scrollwork.scoring.rouge.vocabulary import Numbers

CHARACTERS = 0x110000  # number of code points that a str can hold


class Matches:
    """Matches of predictions with one reference each: `words`, `pairs` (bigrams) and `longest`, shape (predictions,).

    predictions: the codes of their tokens, -1 for tokens that the reference does not have.
    """

    def __init__(self, predictions: Sequence[Numbers], references: Sequence[Reference]) -> None:
        self._tokens = _upto(len(reference.tokens) for reference in references)
        first, sizes = self._tokens[:-1], [len(codes) for codes in predictions]
        self._codes = np.concatenate(predictions)
        self._known = self._codes >= 0
        self._rows = self._codes + first.repeat(sizes)  # the token's place among all references' tokens
        self._counts = np.bincount(self._rows[self._known], minlength=self._tokens[-1])
        wanted = np.concatenate([reference.counts for reference in references])
        self.words = _sums(np.minimum(self._counts, wanted), self._tokens)
        self.pairs = self._pairs(_upto(sizes), references)
        self.longest = self._longest(_upto(sizes), references)

    def counts(self, place: int) -> Numbers:
        """Return how often each token of a reference occurs in its prediction, by code."""
        return self._counts[self._tokens[place] : self._tokens[place + 1]]

    def _pairs(self, upto: Numbers, references: Sequence[Reference]) -> Numbers:
        neighbours = self._known[1:] & self._known[:-1]
        bounds = upto[(upto > 0) & (upto < upto[-1])]
        neighbours[bounds - 1] = False  # the last token of one text and the first of the next
        both = np.flatnonzero(neighbours)
        most = int(np.diff(self._tokens).max())
        found = self._rows[both] * most + self._codes[both + 1]
        sizes = [len(reference.heads) for reference in references]
        heads = np.concatenate([reference.heads for reference in references]) + self._tokens[:-1].repeat(sizes)
        known = heads * most + np.concatenate([reference.tails for reference in references])
        if not len(known):
            return np.zeros(len(references), dtype=np.intp)
        place = known.searchsorted(found)
        place = place[known.take(place, mode="clip") == found]
        wanted = np.concatenate([reference.pair_counts for reference in references])
        return _sums(np.minimum(np.bincount(place, minlength=len(known)), wanted), _upto(sizes))

    def _longest(self, upto: Numbers, references: Sequence[Reference]) -> Numbers:
        """Return LCS lengths by rapidfuzz's bit vectors (Hyyro 2004), of tokens in both texts: others do not matter."""
        sizes = [len(reference.codes) for reference in references]
        theirs = np.concatenate([reference.codes for reference in references])
        shared = self._counts.take(theirs + self._tokens[:-1].repeat(sizes)) > 0
        left, right = _cut(self._codes, self._known, upto), _cut(theirs, shared, _upto(sizes))
        # the first becomes bit vectors, the second is scanned: either order takes the same time, but not the same
        # memory
        turned = [(a, b) if len(a) < len(b) else (b, a) for a, b in zip(left, right, strict=True)]
        found: Numbers = process.cpdist(*zip(*turned, strict=True), scorer=LCSseq.similarity, dtype=np.int64)
        return found


def _upto(sizes: Iterable[int]) -> Numbers:
    """Return where each stretch begins, and where the last one ends."""
    return np.cumsum([0, *sizes], dtype=np.intp)


def _sums(values: Numbers, upto: Numbers) -> Numbers:
    """Return the sum of each stretch."""
    sums: Numbers = np.diff(np.concatenate([upto[:1], np.cumsum(values)]).take(upto))
    return sums


def _cut(codes: Numbers, kept: np.ndarray, upto: Numbers) -> Sequence[Sequence[int] | str]:
    """Return the codes to keep, by stretch, in the form that rapidfuzz reads fastest."""
    left = codes[kept]
    places = np.concatenate([upto[:1], np.cumsum(kept)]).take(upto).tolist()
    bound = int(left.max(initial=0))
    listed: bytes | str | list[int]
    if bound < 256:
        listed = left.astype(np.uint8).tobytes()
    elif bound < CHARACTERS:
        listed = str(left.astype("<u4").tobytes(), "utf-32-le", "surrogatepass")
    else:
        listed = [int(code) for code in left]
    return [listed[begin:end] for begin, end in pairwise(places)]
