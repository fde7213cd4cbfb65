"""Whether a text says what a claim does: the sentence that fits it best denies what it affirms, or the other way."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrollwork.models.extractive.document_index import Text, ranking
from scrollwork.models.extractive.sentences import words
from scrollwork.models.extractive.sentiment_words import NEGATIONS

ASKED = re.compile(r",?\s*\bTrue or False\b", re.IGNORECASE)


def claim_of(query: str) -> str:
    """The claim without the question whether it is true, and what follows that."""
    found = ASKED.search(query)
    return query[: found.start()].strip() if found else query.strip()


def claim_holds(text: Text, query: str) -> bool:
    """Whether the best sentence by BM25 has a word of denial exactly where the claim has one; True for no sentence."""
    asked = words(claim_of(query))
    if not text.sentences:
        return True
    best = ranking(text.index.bm25(asked))[0]
    return has_denial(text.words[best]) == has_denial(asked)


def has_denial(found: Iterable[str]) -> bool:
    """Whether a word of denial is among them."""
    return not NEGATIONS.isdisjoint(word.replace("’", "'") for word in found)
