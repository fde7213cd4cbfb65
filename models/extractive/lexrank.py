"""LexRank (Erkan & Radev 2004, continuous, section 3.3): the sentences most similar to all others, in linear time.

The matrix of similarities is never built: if the rows of X have unit length, the similarities are X X', and a step of
the power iteration is two products with the sparse X.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scrollwork.models.extractive.document_index import STOP, Floats, Text, ranking, stem

DAMPING = 0.85
STEPS = 40  # 0.85**40 is 0.0015: further steps hardly change the ranks
FEWEST_WORDS = 6  # shorter sentences ("Yeah, right.") are similar to one another, and say nothing
ALIKE = 0.6  # cosine: a sentence that is at least this similar to a chosen one adds nothing


def lexrank(text: Text) -> Iterator[int]:
    """Yield sentence numbers, the most central sentence first, without sentences that repeat a better one.

    If no sentence can be ranked, all are yielded in the order of the text.
    """
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
        """Return X (X' vector)."""
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
    """Return 1 for each sentence that may be chosen, else 0: long enough, and the first of equal sentences."""
    seen: set[tuple[str, ...]] = set()
    found = np.zeros(len(text.sentences))
    for number, words in enumerate(text.words):
        if len(words) >= FEWEST_WORDS and (key := tuple(words)) not in seen:
            seen.add(key)
            found[number] = 1.0
    return found


def without_repeats(text: Text, values: Floats, ranked: list[int]) -> Iterator[int]:
    """Yield the ranked sentences that are not too similar to one yielded before. They are computed as they are taken.

    values: the entries of X. ranked: sentence numbers, the best first.
    """
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
