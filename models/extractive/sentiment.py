"""The share of positive reviews by counting words of praise and complaint (SpaceDigest, ZeroSCROLLS 3.1.3).

A word counts 1, 2 after a strengthening one; a negation among the three words before it turns it round and halves it
(what is "not good" is bad, what is "not bad" is hardly good).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrollwork.models.extractive.document_index import Floats, Text
from scrollwork.models.extractive.sentences import sentences, words
from scrollwork.models.extractive.sentiment_words import BAD, GOOD, NEGATIONS, STRONG, TURNS

REACH = 3  # words that a negation reaches


def positive_share(reviews: Sequence[str]) -> str:
    """ "64%": the share of reviews in which praise outweighs complaint, half a percent rounded up.

    A review without any such word, or with as much of both, counts as positive: most reviews of a hotel are.
    """
    positive = sum(tone(review) >= 0 for review in reviews)
    total = max(1, len(reviews))
    return f"{(200 * positive + total) // (2 * total)}%"


def tone(review: str) -> float:
    """Praise less complaint; above 0 where praise prevails."""
    return sum(tone_of_sentence(words(sentence.replace("’", "'"))) for sentence in sentences(review))


def tone_of_sentence(tokens: Sequence[str]) -> float:
    """Praise less complaint of a sentence; what stands before a "but" counts half."""
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
    """How much each sentence says of what reviews judge: its words of praise and complaint, up to twice that where it
    fits the query best of all."""
    judged = np.array([sum(word in GOOD or word in BAD for word in found) for found in text.words], dtype=np.float64)
    fits = text.index.bm25(words(query))
    return judged * (1.0 + fits / max(1e-9, float(np.max(fits, initial=0.0))))
