"""LexRank (Erkan & Radev 2004, continuous, section 3.3): the sentences that are most like all others, in linear time.

The graph's matrix is never built: with rows of unit length in X, similarities are X X', and a step of the power
iteration is two products with the sparse X.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scrollwork.models.extractive.document_index import STOP, Floats, Text, ranking, stem

DAMPING = 0.85
STEPS = 40  # 0.85**40 is 0.0015: ranks no longer move
FEWEST_WORDS = 6  # shorter sentences ("Yeah, right.") are like each other, and say nothing
ALIKE = 0.6  # a sentence that is this similar to a chosen one adds nothing


def lexrank(text: Text) -> Iterator[int]:
    """Sentences from the most central on, without those that repeat a better one."""
    index = text.index
    candidates = representatives(text)
    if not candidates.any():
        yield from range(len(text.sentences))
        return
    idf = index.idf.copy()
    idf[[index.numbers[one] for one in map(stem, STOP) if one in index.numbers]] = 0.0
    weights = index.counts * idf[index.stems] * candidates[index.rows]
    lengths = np.sqrt(np.bincount(index.rows, weights**2, index.size))
    values = np.divide(weights, lengths[index.rows], out=np.zeros_like(weights), where=lengths[index.rows] > 0)

    def alike(vector: Floats) -> Floats:
        """X (X' vector)."""
        by_stem = np.bincount(index.stems, values * vector[index.rows], len(index.numbers))
        return np.bincount(index.rows, values * by_stem[index.stems], index.size).astype(np.float64)

    active = (lengths > 0).astype(np.float64)
    degree = alike(active)
    inverse = np.divide(1.0, degree, out=np.zeros_like(degree), where=degree > 1e-12)
    start = active / max(1.0, active.sum())
    rank = start
    for _ in range(STEPS):
        rank = (1 - DAMPING) * start + DAMPING * alike(inverse * rank)
    ranked = [row for row in ranking(rank) if active[row]]
    yield from without_repeats(text, values, ranked) if ranked else range(len(text.sentences))


def representatives(text: Text) -> Floats:
    """1 for sentences that may be chosen: long enough, and the first of equal ones."""
    seen: set[tuple[str, ...]] = set()
    found = np.zeros(len(text.sentences))
    for number, words in enumerate(text.words):
        if len(words) >= FEWEST_WORDS and (key := tuple(words)) not in seen:
            seen.add(key)
            found[number] = 1.0
    return found


def without_repeats(text: Text, values: Floats, ranked: list[int]) -> Iterator[int]:
    """Those that are not too similar to one before them; whoever asks stops when it has enough."""
    index = text.index
    by_row = np.argsort(index.rows, kind="stable")
    ends = np.searchsorted(index.rows[by_row], np.arange(index.size + 1))
    chosen: list[Floats] = []
    for number in ranked:
        entries = by_row[ends[number] : ends[number + 1]]
        stems, own = index.stems[entries], values[entries]
        if all(float(vector[stems] @ own) < ALIKE for vector in chosen):
            vector = np.zeros(len(index.numbers))
            vector[stems] = own
            chosen.append(vector)
            yield number
