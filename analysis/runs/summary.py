"""Summary of a task's scores over several runs (SEAM; fact sheet seam.md 7).

The score of a run is the metric's headline over the run's inputs; the task's value is the mean over runs, its spread
their population standard deviation, its interval Student's for the mean of runs, as inputs, prompts and decoding vary
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import fsum, sqrt
from statistics import fmean, pstdev, stdev

from scrollwork.analysis.comparison.summary import Derive, Inputs, Labels, Member, nothing_derived, run_of, summarize
from scrollwork.analysis.statistics.intervals import LEVEL, Headline
from scrollwork.analysis.statistics.student import quantile
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate, Coverage


@dataclass(frozen=True)
class Summary:
    """A row for each member and one for the family, and the runs behind each."""

    aggregates: list[Aggregate]
    runs: list[RunScore]


def summarize_runs(
    labels: Labels,
    inputs: Inputs,
    members: Mapping[str, Member],
    headline: Headline,
    manifests: Mapping[int, str],
    derive: Derive = nothing_derived,
) -> Summary:
    """Summarise a task over its runs. derive: as for `summarize`.

    manifests: digest of what each run drew; its keys are the runs.
    """
    rows: dict[str, list[RunScore]] = {}
    found: dict[str, list[Aggregate]] = {}
    for run, manifest in sorted(manifests.items()):
        clusters = {name: cluster for name, cluster in inputs.clusters.items() if run_of(name) == run}
        asked = Inputs(clusters, frozenset(name for name in inputs.truncated if name in clusters))
        own = {name: of_run(member, run) for name, member in members.items()}
        for row in summarize(labels, asked, own, headline, derive):
            said = [own[row.model]] if row.model in own else list(own.values())
            found.setdefault(row.model, []).append(row)
            rows.setdefault(row.model, []).append(_run_score(row, run, manifest, said))
    return Summary([_over_runs(of) for of in found.values()], [row for of in rows.values() for row in of])


def of_run(member: Member, run: int) -> Member:
    """Return what a member did in a run."""
    return Member(
        {name: scores for name, scores in member.scores.items() if run_of(name) == run},
        {name for name in member.failed if run_of(name) == run},
        {name: reason for name, reason in member.ended.items() if run_of(name) == run},
        {name: ok for name, ok in member.in_format.items() if run_of(name) == run},
        {name for name in member.masked if run_of(name) == run},
    )


def _run_score(row: Aggregate, run: int, manifest: str, members: list[Member]) -> RunScore:
    readable = [ok for member in members for ok in member.in_format.values()]
    return RunScore(
        row.suite,
        row.task,
        row.split,
        row.model,
        row.arm,
        row.metric,
        run,
        row.value,
        row.components,
        100.0 * fmean(readable) if readable else None,
        manifest,
        row.coverage,
    )


def _over_runs(rows: list[Aggregate]) -> Aggregate:
    values = [row.value for row in rows if row.value is not None]
    interval = mean_interval(values)
    names = sorted({name for row in rows for name in row.components})
    return replace(
        rows[0],
        value=fmean(values) if values else None,
        value_missing_as_zero=fmean([row.value_missing_as_zero for row in rows]),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        spread=pstdev(values) if len(values) > 1 else None,
        components={name: _mean([row.components[name] for row in rows if name in row.components]) for name in names},
        clusters=None,
        coverage=Coverage(
            **{one.name: sum(getattr(row.coverage, one.name) for row in rows) for one in fields(Coverage)}
        ),
    )


def _mean(values: list[float]) -> float:
    return fsum(values) / len(values)


def mean_interval(values: list[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Compute Student's interval of the mean of independent runs, within 0 to 100; None for fewer than two."""
    if len(values) < 2:
        return None
    half = quantile((1 + level) / 2, len(values) - 1) * stdev(values) / sqrt(len(values))
    return max(0.0, fmean(values) - half), min(100.0, fmean(values) + half)
