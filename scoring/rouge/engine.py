"""ROUGE-1, -2, -L and -Lsum of many predictions at once, equal to rouge-score 0.1.2 to the last bit.

Lin, "ROUGE: a package for automatic evaluation of summaries" (2004), as implemented in rouge-score. Texts become
numbers (vocabulary.py), references are prepared once and kept (reference.py), n-grams are counted in numpy, common
subsequences come from rapidfuzz (matches.py) and, for ROUGE-Lsum, line by line from union.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from scrollwork.scoring.rouge import union
from scrollwork.scoring.rouge.matches import Matches
from scrollwork.scoring.rouge.reference import Reference, prepared_reference
from scrollwork.scoring.rouge.vocabulary import Numbers, Text, Vocabulary

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
MEASURES = ("precision", "recall", "fmeasure")
AT_ONCE = 256  # predictions in a batch
CHARACTERS_AT_ONCE = 4_000_000
TOKENS_AT_ONCE = 1 << 13  # their arrays fit into the processor's cache
KEPT = 64_000_000  # bytes of words and references that an engine keeps; beyond that it starts anew

Measures = npt.NDArray[np.float64]


class Engine:
    """A scorer that keeps words, stems and references for later texts, up to KEPT bytes. Threads may share it."""

    def __init__(self, stem: bool = False) -> None:
        self.stem = stem
        self._lock = Lock()
        self._forget()

    def score(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Measures:
        """Return the measures of each prediction against its references, 0 to 1, shape (predictions, TYPES, MEASURES).

        Of several references each type takes the first with the highest F-measure, like `score_multi` of rouge-score.
        Raises ValueError if a prediction has no reference.
        """
        if len(predictions) != len(references) or not all(references):
            raise ValueError("each prediction must have a reference at least")
        found = [self._some(*some) for some in _portions(predictions, references)]
        return np.concatenate(found) if found else np.zeros((0, len(TYPES), len(MEASURES)))

    @property
    def size(self) -> int:
        """Return the approximate bytes of the words and references that are kept."""
        return self._vocabulary.size + self._references_size

    def _some(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Measures:
        with self._lock:
            if self.size > KEPT:
                self._forget()
            self._prepare(references)
            texts = self._vocabulary.read(predictions)
            each = [len(some) for some in references]
            ours = [text for text, count in zip(texts, each, strict=True) for _ in range(count)]
            theirs = [self._references[one] for some in references for one in some]
            hits = self._hits(ours, theirs)
        return _best(_measures(hits, ours, theirs), each)

    def _forget(self) -> None:
        self._vocabulary = Vocabulary(self.stem)
        self._references: dict[str, Reference] = {}
        self._references_size = 0
        self._code_of: Numbers = np.full(0, -1, dtype=np.intp)  # by number: code in the current reference, -1 for none

    def _prepare(self, references: Sequence[Sequence[str]]) -> None:
        new = [one for one in dict.fromkeys(one for some in references for one in some) if one not in self._references]
        for one, text in zip(new, self._vocabulary.read(new), strict=True):
            made = self._references[one] = prepared_reference(text)
            self._references_size += made.size + 4 * len(one)

    def _hits(self, ours: Sequence[Text], theirs: Sequence[Reference]) -> Numbers:
        """Return the number of matches, shape (pairs, TYPES)."""
        if len(self._code_of) < len(self._vocabulary):
            self._code_of = np.full(2 * len(self._vocabulary), -1, dtype=np.intp)
        found = []
        for begin, end in _stretches([len(text.numbers) for text in ours]):
            references = theirs[begin:end]
            codes = [self._codes(text.numbers, one) for text, one in zip(ours[begin:end], references, strict=True)]
            matches = Matches(codes, references)
            by_line = matches.longest.copy()  # with one line each, the union is just that subsequence
            for place, (text, reference) in enumerate(zip(ours[begin:end], references, strict=True)):
                if len(text.lines) > 1 or len(reference.text.lines) > 1:
                    by_line[place] = union.union_hits(codes[place], text.lines, reference, matches.counts(place))
            found.append(np.stack([matches.words, matches.pairs, matches.longest, by_line], axis=1))
        return np.concatenate(found)

    def _codes(self, numbers: Numbers, reference: Reference) -> Numbers:
        """Return the tokens as codes of the reference, -1 for tokens that it does not have."""
        self._code_of[reference.tokens] = np.arange(len(reference.tokens))
        codes = self._code_of.take(numbers)
        self._code_of[reference.tokens] = -1
        return codes


def _stretches(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    begin, size = 0, 0
    for end, tokens in enumerate(sizes, start=1):
        size += tokens
        if size >= TOKENS_AT_ONCE or end == len(sizes):
            yield begin, end
            begin, size = end, 0


def _measures(hits: Numbers, ours: Sequence[Text], theirs: Sequence[Reference]) -> Measures:
    """Return precision, recall and F-measure, computed operation by operation as in rouge-score."""
    sizes = np.array([[len(text.numbers) for text in ours], [len(one.codes) for one in theirs]], dtype=np.intp)
    fewer = np.array([0, 1, 0, 0])  # n tokens have n - 1 bigrams
    precision, recall = (hits / np.maximum(size[:, None] - fewer, 1) for size in sizes)
    total = precision + recall
    fmeasure = 2 * precision * recall / np.where(total > 0, total, 1.0)
    return np.stack([precision, recall, fmeasure], axis=-1)


def _best(measures: Measures, each: Sequence[int]) -> Measures:
    if len(measures) == len(each):
        return measures
    best = []
    for begin, count in zip(np.cumsum([0, *each]).tolist(), each, strict=False):
        some = measures[begin : begin + count]
        best.append(some[np.argmax(some[:, :, 2], axis=0), np.arange(len(TYPES))])
    return np.stack(best)


def _portions(
    predictions: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[tuple[Sequence[str], Sequence[Sequence[str]]]]:
    """Yield a few hundred predictions at a time, and not too much text."""
    begin, size = 0, 0
    for end in range(len(predictions)):
        size += len(predictions[end]) + sum(map(len, references[end]))
        if end + 1 - begin >= AT_ONCE or size >= CHARACTERS_AT_ONCE:
            yield predictions[begin : end + 1], references[begin : end + 1]
            begin, size = end + 1, 0
    if begin < len(predictions):
        yield predictions[begin:], references[begin:]
