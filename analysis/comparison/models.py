"""All models of a suite compared: averages with intervals, and every pair on the inputs that both answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Headline, interval, resampled_headlines
from scrollwork.analysis.statistics.paired import Pair, Paired, holm, paired_averages, paired_comparison
from scrollwork.records.comparison import Average, Comparison
from scrollwork.records.prompt import CLOSED_BOOK, FULL
from scrollwork.records.score import UPPER_BOUND, why_no_average

Who = tuple[str, str]  # model, arm


@dataclass(frozen=True)
class Measured:
    """One suite and split. tasks: metric by task, of the whole suite. headlines: by task.

    outcomes: by (model, arm) and task, if it was scored. added: tasks that enter no average.
    """

    suite: str
    split: str
    tasks: Mapping[str, str]
    headlines: Mapping[str, Headline]
    outcomes: Mapping[Who, Mapping[str, Outcomes]]
    added: Collection[str] = ()

    @property
    def averaged(self) -> list[str]:
        """Return the tasks over which averages are taken."""
        return [task for task in self.tasks if task not in self.added]


def averages(measured: Measured, left_out: Collection[str] = ()) -> Iterator[Average]:
    """Yield the average of each model and arm, withheld by the leaderboard's rule.

    left_out: models that read the references.
    """
    for (model, arm), scored in measured.outcomes.items():
        tasks = {task: one for task, one in scored.items() if task not in measured.added}
        reason = (
            UPPER_BOUND
            if model in left_out
            else why_no_average(len(measured.averaged), {task: (one.asked, len(one)) for task, one in tasks.items()})
        )
        value = low = high = None
        if not reason:
            value = float(np.mean([one.value(measured.headlines[task]) for task, one in tasks.items()]))
        if not reason and all(len(one.grouped) > 1 for one in tasks.values()):
            low, high = interval(
                [
                    resampled_headlines(one.components, one.grouped, measured.headlines[task], task)
                    for task, one in sorted(tasks.items())
                ]
            )
        yield Average(measured.suite, measured.split, model, arm, value, low, high, len(measured.averaged), reason)


def pairs(whos: Sequence[Who], left_out: Collection[str] = ()) -> Iterator[tuple[Who, Who]]:
    """Yield every two models of one arm, in order, and each model with its documents and without them.

    left_out: models that are not compared.
    """
    compared = [who for who in whos if who[0] not in left_out]
    yield from ((one, other) for one, other in combinations(compared, 2) if one[1] == other[1])
    yield from (
        ((model, FULL), (model, CLOSED_BOOK))
        for model, arm in compared
        if arm == CLOSED_BOOK and (model, FULL) in compared
    )


def comparisons(measured: Measured, pair: tuple[Who, Who]) -> list[Comparison]:
    """Compare two models on every task where both answered an input, and on the averages if neither is withheld."""
    ours, theirs = (measured.outcomes[who] for who in pair)
    sides = {
        task: Pair.of(ours[task], theirs[task], measured.headlines[task], task)
        for task in measured.tasks
        if task in ours and task in theirs
    }
    found = {task: result for task, side in sides.items() if (result := paired_comparison(side)) is not None}
    adjusted = holm({task: one.test.p for task, one in found.items() if one.test is not None})
    rows = [row(measured, pair, task, one, adjusted.get(task)) for task, one in found.items()]
    own = measured.averaged
    counts = ({task: (one.asked, len(one)) for task, one in side.items() if task in own} for side in (ours, theirs))
    if not any(why_no_average(len(own), count) for count in counts):
        whole = paired_averages([side for task, side in sides.items() if task in own])
        if whole is not None:
            rows.append(row(measured, pair, "", whole, None))
    return rows


def row(measured: Measured, pair: tuple[Who, Who], task: str, found: Paired, p_holm: float | None) -> Comparison:
    """Make the row of a comparison."""
    (model, arm), (other, other_arm) = pair
    ends = found.interval or (None, None)
    tested: dict[str, Any] = asdict(found.test) if found.test is not None else {}
    return Comparison(
        suite=measured.suite,
        task=task,
        split=measured.split,
        metric=measured.tasks.get(task, ""),
        model=model,
        arm=arm,
        other=other,
        other_arm=other_arm,
        value=found.ours,
        other_value=found.theirs,
        difference=found.difference,
        inputs=found.inputs,
        left_out=found.left_out,
        clusters=found.clusters,
        low=ends[0],
        high=ends[1],
        p_holm=p_holm,
        standard_error=found.standard_error,
        detectable=found.detectable,
        **tested,
    )
