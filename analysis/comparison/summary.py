"""Summary of a task's scores: value, spread over seeds, interval, coverage."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np

from scrollwork.analysis.statistics.intervals import Floats, Headline, clustered_interval
from scrollwork.records.score import SUM, Aggregate, Coverage


@dataclass(frozen=True)
class Labels:
    """The labels of an aggregate."""

    suite: str
    task: str
    split: str
    model: str
    arm: str
    metric: str


@dataclass(frozen=True)
class Inputs:
    """The inputs of a task: the document group of each, and those whose prompt was cut."""

    clusters: Mapping[str, str]
    truncated: frozenset[str] = frozenset()


MASKED = "masked"  # counted beside the finish reasons


@dataclass
class Member:
    """What one model or seed did.

    scores: components by answered input, 0-100. failed: inputs whose call failed. ended: finish reasons of answers that
    are not complete (scrollwork.records.response.FINISH_REASONS). in_format: whether an answer had the form asked for.
    masked: inputs from whose answer a key was removed.
    """

    scores: dict[str, Mapping[str, float]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    ended: dict[str, str] = field(default_factory=dict)
    in_format: dict[str, bool] = field(default_factory=dict)
    masked: set[str] = field(default_factory=set)


Derive = Callable[[Mapping[str, float]], Mapping[str, Any]]


def nothing_derived(means: Mapping[str, float]) -> Mapping[str, Any]:
    """Return nothing: most metrics derive no values."""
    return {}


def summarize(
    labels: Labels,
    inputs: Inputs,
    members: Mapping[str, Member],
    headline: Headline,
    derive: Derive = nothing_derived,
) -> list[Aggregate]:
    """Make a row for all members, the mean over them, after a row for each if there are several.

    derive: returns the metric's derived values from the means; they are among the row's components, counts are not.
    """
    rows = [
        _row(replace(labels, model=name), inputs, [member], headline, derive)
        for name, member in members.items()
        if len(members) > 1
    ]
    return [*rows, _row(labels, inputs, list(members.values()), headline, derive)]


def document_group(document_ids: Sequence[str]) -> str:
    """Name a set of documents, in any order: inputs on the same documents form one cluster."""
    return hashlib.sha256("+".join(sorted(set(document_ids))).encode("utf-8")).hexdigest()[:16]


def input_name(example_id: str, draw: int) -> str:
    """Name an input: an example in a draw."""
    return f"{draw}\x1f{example_id}"


def run_of(name: str) -> int:
    """Read the draw from the name of an input."""
    return int(name.partition("\x1f")[0])


def coverage(inputs: Inputs, members: Sequence[Member]) -> Coverage:
    """Count inputs: answered by every member; failed if a member's call failed; missing if a call was never made."""
    failed = {name for member in members for name in member.failed if name in inputs.clusters}
    answered = sum(all(name in member.scores for member in members) for name in inputs.clusters)
    expected = len(inputs.clusters)
    ended = {(reason, name) for member in members for name, reason in member.ended.items()}
    ended |= {(MASKED, name) for member in members for name in member.masked}
    by_reason = Counter(reason for reason, name in ended if all(name in member.scores for member in members))
    return Coverage(
        expected=expected,
        attempted=answered + len(failed),
        answered=answered,
        failed=len(failed),
        missing=expected - answered - len(failed),
        truncated=len(inputs.truncated),
        length_cut=by_reason["length"],
        refused=by_reason["refused"],
        filtered=by_reason["filtered"],
        context=by_reason["context"],
        masked=by_reason[MASKED],
    )


def _row(labels: Labels, inputs: Inputs, members: Sequence[Member], headline: Headline, derive: Derive) -> Aggregate:
    answering = [member for member in members if member.scores]
    each = [means_of(member.scores) for member in answering]
    values = [scalar_headline(headline, means) for means in each]
    expected = len(inputs.clusters)
    zeros = [zero_filled(member.scores, expected, headline) for member in answering]
    shared = sorted(
        name for name in inputs.clusters if answering and all(name in member.scores for member in answering)
    )
    interval = _interval(answering, shared, inputs.clusters, headline, labels.task)
    covered = coverage(inputs, members)
    return Aggregate(
        suite=labels.suite,
        task=labels.task,
        split=labels.split,
        model=labels.model,
        arm=labels.arm,
        metric=labels.metric,
        value=float(np.mean(values)) if values and covered.answered else None,
        value_missing_as_zero=float(np.sum(zeros) / len(members)) if zeros else 0.0,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        spread=float(np.std(values, ddof=1)) if len(values) > 1 else None,
        seeds=len(members),
        components=_told([{**without_counts(means), **derive(means)} for means in each]),
        coverage=covered,
        clusters=len({inputs.clusters[name] for name in shared}),
    )


def without_counts(means: Mapping[str, float]) -> dict[str, float]:
    """Return the components without the counts."""
    return {name: value for name, value in means.items() if not name.startswith(SUM)}


def _told(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average over the members the values that all of them have."""
    names = [name for name in (each[0] if each else ()) if all(name in one for one in each)]
    return {name: float(np.mean([one[name] for one in each])) for name in names}


def means_of(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Average each component over one member's answered inputs."""
    rows = list(scores.values())
    # fsum: the mean does not depend on the order of the answers
    return {name: fsum(row[name] for row in rows) / len(rows) for name in sorted(rows[0])}


def zero_filled(scores: Mapping[str, Mapping[str, float]], expected: int, headline: Headline) -> float:
    """Compute the value if every unanswered input scored 0; for ratios of counts, value times share answered."""
    share, means = len(scores) / expected, means_of(scores)
    if len(without_counts(means)) < len(means):
        return share * scalar_headline(headline, means)
    return scalar_headline(headline, {name: mean * share for name, mean in means.items()})


def scalar_headline(headline: Headline, means: Mapping[str, float]) -> float:
    """Compute the headline from plain numbers."""
    return float(headline({name: np.asarray(value, dtype=np.float64) for name, value in means.items()}))


def _interval(
    members: Sequence[Member], shared: Sequence[str], clusters: Mapping[str, str], headline: Headline, task: str
) -> tuple[float, float] | None:
    """Compute the interval over the inputs that every member answered (shared); None without any."""
    if not shared:
        return None
    components: dict[str, Floats] = {
        name: np.array([[member.scores[one][name] for one in shared] for member in members])
        for name in sorted(members[0].scores[shared[0]])
    }
    return clustered_interval(components, [clusters[name] for name in shared], headline, name=task)
