"""The option of a multiple-choice question that a passage supports best."""

from __future__ import annotations

from scrollwork.models.baselines.choices import options, question
from scrollwork.models.extractive.document_index import Text
from scrollwork.models.extractive.passages import passages_of
from scrollwork.models.extractive.sentences import words

QUESTION = 0.25  # weight of the question's score beside the option's


def best_supported_option(text: Text, query: str, never: str = "") -> str:
    """Return the letter of the option whose words, together with the question's, best fit one passage; ties: the first.

    never: letter of an option that is ignored, because it says nothing about the document. "A" for a query without
    options.
    """
    index = passages_of(text).index
    asked = QUESTION * index.bm25(words(question(query)))
    best, letter = -1.0, "A"
    for name, option in options(query).items():
        score = float(max(index.bm25(words(option)) + asked, default=0.0))
        if name != never and score > best + 1e-9:
            best, letter = score, name
    return letter
