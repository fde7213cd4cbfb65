"""Decide whether a text contradicts a claim: one of the claim and the sentence that fits it best is negated."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrollwork.models.extractive.document_index import Text, ranking
from scrollwork.models.extractive.sentences import words
from scrollwork.models.extractive.sentiment_words import NEGATIONS

ASKED = re.compile(r",?\s*\bTrue or False\b", re.IGNORECASE)


def claim_of(query: str) -> str:
    """Return the claim of a query, without the question "True or False" and the text after it."""
    found = ASKED.search(query)
    return query[: found.start()].strip() if found else query.strip()


def negation_agrees(text: Text, query: str) -> bool:
    """Return whether the best sentence by BM25 has a negation if and only if the claim has one.

    True for no sentences.
    """
    asked = words(claim_of(query))
    if not text.sentences:
        return True
    best = ranking(text.index.bm25(asked))[0]
    return has_denial(text.words[best]) == has_denial(asked)


def has_denial(found: Iterable[str]) -> bool:
    """Return whether one of the words is a negation."""
    return not NEGATIONS.isdisjoint(word.replace("’", "'") for word in found)
