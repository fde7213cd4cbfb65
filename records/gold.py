"""References as a model is asked to write them, for data sets that store more than that, as JSON (SEAM).

Statistics of references are of these texts, which demonstrations show (fact sheet seam.md 1.2, 2).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from scrollwork.records.example import Example

Text = Callable[[Example], tuple[str, ...]]


def written_references(example: Example, metric: str) -> tuple[str, ...]:
    """Return the references as texts that a model would write; () if only what measures them is known.

    metric: of the task.
    """
    return KEPT[metric][0](example) if metric in KEPT else example.references


def findable_answers(example: Example, metric: str) -> tuple[str, ...]:
    """Return the answers that may occur in a document: without what surrounds them, and no lists of ids."""
    return KEPT[metric][1](example) if metric in KEPT else example.references


def answer_objects(example: Example) -> tuple[str, ...]:
    """Return MuSiQue's dict as Python prints it, without the aliases."""
    return tuple(
        str({"is_answerable": gold["is_answerable"], "answer_content": gold["answer_content"]})
        for gold in map(json.loads, example.references)
    )


def answers(example: Example) -> tuple[str, ...]:
    """Return MuSiQue's answers alone, also of unanswerable questions."""
    return tuple(str(json.loads(reference)["answer_content"]) for reference in example.references)


def clusters(example: Example) -> tuple[str, ...]:
    """Return the list of clusters of SciCo and ECB+ as Python prints it."""
    return tuple(str(json.loads(reference)) for reference in example.references)


def summary(example: Example) -> tuple[str, ...]:
    """Return FuseReviews' summary, if there is one; scores are against spans of the reviews."""
    text = example.facts.get("summary_text")
    return (str(text),) if text else ()


def no_texts(example: Example) -> tuple[str, ...]:
    """Return no text."""
    return ()


KEPT: Mapping[str, tuple[Text, Text]] = {  # by metric: functions for `written_references` and `findable_answers`
    "musique_output": (answer_objects, answers),
    "conll": (clusters, no_texts),
    "fic_proxy": (summary, summary),
    "fic": (summary, summary),
}
