"""Passages of a document, found by BM25: runs of sentences of about 120 words that overlap by half."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from scrollwork.models.extractive.document_index import PLACES, Floats, Index, Text
from scrollwork.models.extractive.sentences import words

LENGTH = 120  # words: a passage ends with the sentence that reaches this length, or with its document
NEAR = 0.5  # share of its neighbours' relevance that is added to a sentence's own


class Passages:
    """The indexed passages of a text. The header of a document (its title) counts as words of each of its passages."""

    def __init__(self, text: Text) -> None:
        self.spans = list(spans(text))
        titles = [words(header) for header in text.headers] or [[]] * (max(text.document, default=0) + 1)
        self.index = Index(
            [
                [*titles[text.document[first]], *(word for one in text.words[first:last] for word in one)]
                for first, last in self.spans
            ]
        )


@lru_cache(maxsize=4)  # as many as the texts that are kept (document_index.py)
def passages_of(text: Text) -> Passages:
    """Return the indexed passages of a text."""
    return Passages(text)


def spans(text: Text) -> Iterator[tuple[int, int]]:
    """Yield (first, last) for each passage: the sentences first..last - 1 of one document."""
    count = len(text.sentences)
    start = 0
    while start < count:
        end, size = start, 0
        half = start + 1
        while end < count and size < LENGTH and text.document[end] == text.document[start]:
            size += text.sizes[end]
            end += 1
            if size <= LENGTH // 2:
                half = end
        yield start, end
        if end == count:
            return
        start = half if text.document[end] == text.document[start] else end


def smooth_scores(scores: Floats) -> Floats:
    """Return each sentence's score plus half of each neighbour's, as answers often stand next to the query's words."""
    found = scores.copy()
    found[1:] += NEAR * scores[:-1]
    found[:-1] += NEAR * scores[1:]
    return found


def relevance(text: Text, passages: Passages, query: Sequence[str]) -> Floats:
    """Return each sentence's relevance for a query of words.

    It is the sentence's own score, half of each neighbour's, and that of the best passage that contains it.
    """
    best = np.zeros(len(text.sentences))
    for (first, last), score in zip(passages.spans, passages.index.bm25(query), strict=True):
        best[first:last] = np.maximum(best[first:last], score)
    return np.round(smooth_scores(text.index.bm25(query)) + best, PLACES)
