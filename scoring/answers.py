"""Scores of a task's answers, one row an answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from records.response import Response
from records.score import Score
from scoring.outcome import PRIVATE, GoldError, Metric


def gold_problem(metric: Metric, references: Sequence[str]) -> str:
    """Why no answer to an input can be scored, "" where it can: its references are private, or the metric cannot read
    one of them (a released QuALITY gold without a letter). Such inputs are no part of what is expected."""
    if not references:
        return PRIVATE
    try:
        metric.score("", references)
    except GoldError as error:
        return str(error)
    return ""


def scores(metric: Metric, responses: Iterable[Response], references: Mapping[str, Sequence[str]]) -> Iterator[Score]:
    """A Score for each response, in order. references: by example id. Raises GoldError naming the example."""
    for response in responses:
        try:
            outcome = metric.score(response.text, references[response.example_id])
        except GoldError as error:
            raise GoldError(f"{response.task}, example {response.example_id}: {error}") from error
        yield Score(
            suite=response.suite,
            task=response.task,
            split=response.split,
            example_id=response.example_id,
            draw=response.draw,
            model=response.model,
            arm=response.arm,
            metric=metric.NAME,
            value=outcome.value,
            components=outcome.components,
            flags=outcome.flags,
            parsed=outcome.parsed,
        )
