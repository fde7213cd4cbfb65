"""Outcomes of many answers, by the metric's own `batch` if it has one, else one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from scrollwork.scoring.outcome import GoldError, Metric, Outcome

AT_ONCE = 256  # answers in a batch
CHARACTERS_AT_ONCE = 4_000_000

Key = TypeVar("Key")
Item = tuple[Key, str, Mapping[str, Sequence[str]]]  # (key, prediction, gold: the fields that the metric needs)


def outcomes(
    metric: Metric, items: Iterable[Item[Key]], problem: Callable[[Key, GoldError], Exception]
) -> Iterator[tuple[Key, Outcome]]:
    """Yield (key, outcome) for each (key, prediction, gold), in order, holding one batch at a time.

    A metric may set AT_ONCE, its number of answers in a batch, in place of this module's. Raises what `problem` returns
    for the first key whose references cannot be scored, and TypeError if the metric returns something other than
    outcomes.
    """
    batch = getattr(metric, "batch", None)
    for some in _portions(items, getattr(metric, "AT_ONCE", AT_ONCE)):
        if batch is not None:
            try:
                found = batch([prediction for _, prediction, _ in some], [gold["references"] for _, _, gold in some])
            except GoldError:
                pass  # score them one by one, to find the key
            else:
                yield from zip(
                    (key for key, _, _ in some), (checked_outcome(metric, one) for one in found), strict=True
                )
                continue
        for key, prediction, gold in some:
            try:
                outcome = metric.score(prediction, **gold)
            except GoldError as error:
                raise problem(key, error) from error
            yield key, checked_outcome(metric, outcome)


def checked_outcome(metric: Metric, outcome: object) -> Outcome:
    """Return the outcome unchanged. Raises TypeError for anything else that a metric from outside may return."""
    if not isinstance(outcome, Outcome):
        given = type(outcome).__name__
        raise TypeError(f"metric {metric.NAME} gave a {given}, not an Outcome (scrollwork.scoring.outcome)")
    return outcome


def _portions(items: Iterable[Item[Key]], at_once: int) -> Iterator[list[Item[Key]]]:
    some: list[Item[Key]] = []
    size = 0
    for item in items:
        some.append(item)
        size += len(item[1]) if isinstance(item[1], str) else 0
        if len(some) >= at_once or size >= CHARACTERS_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some
