"""The share of positive reviews, by counting words of praise and complaint (SpaceDigest, ZeroSCROLLS 3.1.3).

A word counts 1, or 2 after an intensifier. A negation among the three words before it reverses and halves its value, as
"not good" is bad, but "not bad" is hardly good.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrollwork.models.extractive.document_index import Floats, Text
from scrollwork.models.extractive.sentences import sentences, words
from scrollwork.models.extractive.sentiment_words import BAD, GOOD, NEGATIONS, STRONG, TURNS

REACH = 3  # words after a negation that it affects


def positive_share(reviews: Sequence[str]) -> str:
    """Return the percentage of reviews with no more complaint than praise, such as "64%"; half a percent is rounded up.

    So a review without such words, or with equally much of both, is positive, as most hotel reviews are. "0%" for none.
    """
    positive = sum(tone(review) >= 0 for review in reviews)
    total = max(1, len(reviews))
    return f"{(200 * positive + total) // (2 * total)}%"


def tone(review: str) -> float:
    """Return praise minus complaint of a review; above 0 if praise prevails."""
    return sum(tone_of_sentence(words(sentence.replace("’", "'"))) for sentence in sentences(review))


def tone_of_sentence(tokens: Sequence[str]) -> float:
    """Return praise minus complaint of a sentence. A word such as "but" halves what was counted before it."""
    total = 0.0
    for place, token in enumerate(tokens):
        if token in TURNS:
            total /= 2
        value = (token in GOOD) - (token in BAD)
        if value:
            before = tokens[max(0, place - REACH) : place]
            weight = 2.0 if before and before[-1] in STRONG else 1.0
            total += -value * weight / 2 if NEGATIONS.intersection(before) else value * weight
    return total


def opinions(text: Text, query: str) -> Floats:
    """Return how much each sentence says about what reviews judge: its number of words of praise and complaint.

    The number is multiplied by 1 to 2, by how well the sentence fits the query compared with the best sentence.
    """
    judged = np.array([sum(word in GOOD or word in BAD for word in found) for found in text.words], dtype=np.float64)
    fits = text.index.bm25(words(query))
    return judged * (1.0 + fits / max(1e-9, float(np.max(fits, initial=0.0))))
