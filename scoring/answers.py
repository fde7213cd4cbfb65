"""Scores of a task's answers, one row per answer."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from scrollwork.records.base import InvalidRow
from scrollwork.records.response import scored_text
from scrollwork.records.score import Score
from scrollwork.scoring.batches import Item, outcomes
from scrollwork.scoring.outcome import PRIVATE, GoldError, Metric
from scrollwork.scoring.reading.extraction import answer_in

Read = Callable[[str, str], tuple[str, Mapping[str, bool]]]  # (example id, reply) to (answer, flags)
# Columns of answers (records/response.py) that are read: the labels of a Score, and what is scored.
SCORED = (*("suite", "task", "split", "example_id", "draw", "model", "arm"), "text", "scored_characters")
EXAMPLE = SCORED.index("example_id")


def gold_problem(metric: Metric, references: Sequence[str]) -> str:
    """Return why no answer to an input can be scored, or "" if it can be.

    Either the references are private (there are none), or the metric cannot read one of them (a released QuALITY
    reference without a letter). Such inputs do not count as expected.
    """
    if not references:
        return PRIVATE
    try:
        metric.score("", references)
    except GoldError as error:
        return str(error)
    return ""


def in_tag(text: str, tag: str) -> str:
    """Return the text inside <tag>, which the Claude variant asks for, or all of it without a tag (fact sheet 3.5).

    The prompt may already have opened the tag, so text before a closing tag counts. A model that reasons first puts its
    answer last, so the last tag counts.
    """
    answer: str | None = None
    start: int | None = 0  # where the current tag's content begins; None between a closing tag and the next opening one
    for found in re.finditer(rf"<(/?){re.escape(tag)}>", text, re.IGNORECASE):
        if not found[1]:
            start = found.end()
        elif start is not None:
            answer, start = text[start : found.start()], None
    return text[start:] if answer is None else answer


def scored_part(text: str, tag: str = "", cue: str = "", empty: str = "") -> str:
    """Return the part of a reply that is scored.

    tag: the tag that the prompt asks for. cue, empty: what the prompt ends with, and what stands for an empty answer,
    in tasks that have them (scrollwork.scoring.reading.extraction).
    """
    found = in_tag(text, tag) if tag else text
    return answer_in(found, cue, empty) if cue or empty else found


def scores(
    metric: Metric,
    answers: Iterable[Sequence[Any]],
    references: Mapping[str, Sequence[str]],
    tag: str = "",
    cue: str = "",
    empty: str = "",
    read: Read | None = None,
) -> Iterator[Score]:
    """Yield a Score for each answer, in order.

    answers: the values of SCORED. references: by example id. tag, cue, empty: see `scored_part`. read: extracts the
    answer from the scored part and returns it with flags for the score, for benchmarks that do so. Raises GoldError
    naming the task and the example, InvalidRow for an answer that is no text.
    """

    def item(given: Sequence[Any]) -> Item[tuple[Sequence[Any], Mapping[str, bool]]]:
        *_, reply, limit = given
        if not isinstance(reply, str):
            raise InvalidRow(f"Response.text: expected text, got {type(reply).__name__}")
        example_id = given[EXAMPLE]
        text = scored_part(scored_text(reply, limit), tag, cue, empty)
        answer, told = read(example_id, text) if read else (text, {})
        return (given, told), answer, {"references": references[example_id]}

    name = metric.NAME
    for (given, told), outcome in outcomes(metric, map(item, answers), _unscored):
        suite, task, split, example_id, draw, model, arm, _, _ = given
        yield Score(
            suite=suite,
            task=task,
            split=split,
            example_id=example_id,
            draw=draw,
            model=model,
            arm=arm,
            metric=name,
            value=outcome.value,
            components=outcome.stored,
            flags={**outcome.flags, **told},
            parsed=outcome.parsed,
        )


def _unscored(key: tuple[Sequence[Any], Mapping[str, bool]], error: GoldError) -> GoldError:
    _, task, _, example_id, *_ = key[0]
    return GoldError(f"{task}, example {example_id}: {error}")
