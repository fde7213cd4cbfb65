"""From the scores of a task to what is said of it: value, spread over seeds, interval, coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.intervals import Floats, Headline, clustered_interval
from records.score import Aggregate, Coverage


@dataclass(frozen=True)
class Labels:
    """To what an aggregate belongs."""

    suite: str
    task: str
    split: str
    model: str
    arm: str
    metric: str


def summarize(
    labels: Labels,
    members: Sequence[str],
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
    clusters: Mapping[str, str],
    headline: Headline,
    coverage: Coverage,
) -> list[Aggregate]:
    """One row a member, and one of the family (the mean over its members) where it has several.

    scores: member -> input -> component -> value, answered inputs only. clusters: document group by input.
    coverage: of the whole family; each member has an equal share of it.
    """
    rows = []
    if len(members) > 1:
        rows = [
            _row(
                replace_model(labels, member),
                [member],
                scores,
                clusters,
                headline,
                _own(coverage, scores[member], members),
            )
            for member in members
        ]
    return [*rows, _row(labels, members, scores, clusters, headline, coverage)]


def replace_model(labels: Labels, model: str) -> Labels:
    """The same labels for one member."""
    return Labels(labels.suite, labels.task, labels.split, model, labels.arm, labels.metric)


def _own(coverage: Coverage, answered: Mapping[str, object], members: Sequence[str]) -> Coverage:
    """A member's coverage. Failures are not kept by member: what it did not answer counts as missing here."""
    expected = coverage.expected // len(members)
    found = len(answered)
    truncated = coverage.truncated // len(members)
    return Coverage(
        expected, found, found, 0, expected - found, truncated, min(found, coverage.length_cut // len(members))
    )


def _row(
    labels: Labels,
    members: Sequence[str],
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
    clusters: Mapping[str, str],
    headline: Headline,
    coverage: Coverage,
) -> Aggregate:
    answering = [member for member in members if scores[member]]
    each = [values_of(scores[member], headline) for member in answering]
    values = [value for value, _, _ in each]
    zeros = [zero_filled(sums, coverage.expected / len(members), headline) for _, _, sums in each]
    interval = _interval(answering, scores, clusters, headline)
    names = sorted(each[0][1]) if each else []
    return Aggregate(
        suite=labels.suite,
        task=labels.task,
        split=labels.split,
        model=labels.model,
        arm=labels.arm,
        metric=labels.metric,
        value=float(np.mean(values)) if values else None,
        value_missing_as_zero=float(np.sum(zeros) / len(members)) if zeros else 0.0,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        spread=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        seeds=len(members),
        components={name: float(np.mean([means[name] for _, means, _ in each])) for name in names},
        coverage=coverage,
    )


def values_of(
    by_input: Mapping[str, Mapping[str, float]], headline: Headline
) -> tuple[float, dict[str, float], dict[str, float]]:
    """(headline value, means, sums) of one member's answered inputs."""
    rows = list(by_input.values())
    sums = {name: float(np.sum([row[name] for row in rows])) for name in rows[0]}
    means = {name: total / len(rows) for name, total in sums.items()}
    return scalar(headline, means), means, sums


def zero_filled(sums: Mapping[str, float], expected: float, headline: Headline) -> float:
    """The value if every unanswered input scored 0."""
    return scalar(headline, {name: total / expected for name, total in sums.items()})


def scalar(headline: Headline, means: Mapping[str, float]) -> float:
    """The headline of plain numbers."""
    return float(headline({name: np.asarray(value, dtype=np.float64) for name, value in means.items()}))


def _interval(
    members: Sequence[str],
    scores: Mapping[str, Mapping[str, Mapping[str, float]]],
    clusters: Mapping[str, str],
    headline: Headline,
) -> tuple[float, float] | None:
    """Over the inputs that every member answered."""
    if not members:
        return None
    inputs = [example for example in scores[members[0]] if all(example in scores[member] for member in members)]
    if not inputs:
        return None
    components: dict[str, Floats] = {
        name: np.array([[scores[member][example][name] for example in inputs] for member in members])
        for name in scores[members[0]][inputs[0]]
    }
    return clustered_interval(components, [clusters[example] for example in inputs], headline)
