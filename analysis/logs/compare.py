"""Compare systems by their logs: every two of them, task by task and metric by metric, on the items that both have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from scrollwork.analysis.logs.difference import PairedScores, permutation_test, sign_test, top_of_scale
from scrollwork.analysis.logs.items import Items, exact_mean, items_of
from scrollwork.analysis.logs.log import Floats, Log
from scrollwork.analysis.logs.note import Note, some
from scrollwork.analysis.logs.pair_warnings import different_scales, warnings_of
from scrollwork.analysis.logs.pairing import Pairing, pair_items
from scrollwork.analysis.logs.power import clusters_to_decide, detectable_difference, items_in, power_of
from scrollwork.analysis.logs.systems import CompareOptions, System, unknown_name
from scrollwork.analysis.statistics.paired import ALPHA, Permuted, holm
from scrollwork.records.comparison import few_clusters

POINTS = 100.0
NO_MARGIN = "scores go neither to 1 nor to 100: nothing is called equal, unless a margin in their own unit is given"


@dataclass(frozen=True)
class TaskComparison:
    """A minus B on one task by one metric, in the scale of the logs.

    items: paired items that both have a score for; the other numbers of items say what is missing and why. paired_by:
    pairs by rung of the ladder. mean_a, mean_b: on the paired items; all_a, all_b: (scored items, mean) of each log.
    interval, p, standard_error: None with fewer than two clusters. mcnemar, both_right, both_wrong: None unless all
    scores are 0 or 1, or 0 or 100. margin: in the scale of the logs. equivalent: whether the true difference was shown
    to lie within the margin. power: chance to find a true difference as large as the margin. clusters_to_decide,
    items_to_decide: as `power.clusters_to_decide`, and the items in so many. not_compared: why there are no numbers.
    """

    task: str
    metric: str
    items: int = 0
    clusters: int = 0
    only_a: int = 0
    only_b: int = 0
    changed: int = 0
    unscored: int = 0
    contradictory: int = 0
    paired_by: Mapping[str, int] = field(default_factory=dict)
    all_a: tuple[int, float | None] = (0, None)
    all_b: tuple[int, float | None] = (0, None)
    mean_a: float | None = None
    mean_b: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    standard_error: float | None = None
    test: Permuted | None = None
    p_holm: float | None = None
    won: int = 0
    lost: int = 0
    tied: int = 0
    both_right: int | None = None
    both_wrong: int | None = None
    mcnemar: float | None = None
    lower_is_better: bool = False
    margin: float | None = None
    equivalence_p: float | None = None
    power: float | None = None
    detectable: float | None = None
    clusters_to_decide: int | None = None
    items_to_decide: int | None = None
    not_compared: str = ""

    @property
    def p(self) -> float | None:
        """Return p of the permutation test, not corrected for several tasks."""
        return None if self.test is None else self.test.p

    @property
    def equivalent(self) -> bool | None:
        """Return whether equivalence within the margin is shown at 5 %; None where it cannot be tested."""
        return None if self.equivalence_p is None else self.equivalence_p < ALPHA

    @property
    def unknown_scale(self) -> bool:
        """Return whether there are numbers and no margin, as nobody gave one in the scale of these scores."""
        return self.difference is not None and self.margin is None

    @property
    def significant(self) -> bool:
        """Return whether a difference is found at 5 % after Holm's correction."""
        return self.p_holm is not None and self.p_holm < ALPHA


@dataclass(frozen=True)
class PairComparison:
    """Two systems. a, b: their names."""

    a: str
    b: str
    tasks: Sequence[TaskComparison]


@dataclass(frozen=True)
class Compared:
    """Every two systems, and what a reader should know before believing the numbers."""

    pairs: Sequence[PairComparison]
    notes: Sequence[Note]

    @property
    def warnings(self) -> list[str]:
        """The notes as sentences, each with its pair, task and metric."""
        return list(dict.fromkeys(map(str, self.notes)))


def compare_systems(systems: Sequence[System], options: CompareOptions) -> Compared:
    """Compare every two systems. Raises ValueError with fewer than two, UnknownName."""
    if len(systems) < 2:
        raise ValueError(f"two systems are needed, {len(systems)} found")
    if problem := unknown_name(systems, options):
        raise problem
    known = lru_cache(maxsize=None)(items_of)
    notes: list[Note] = []
    pairs = []
    for a, b in combinations(systems, 2):
        found, said = compare_pair(a, b, options, known)
        pairs.append(found)
        notes += [replace(note, pair=(a.name, b.name)) for note in said]
    if len(pairs) > 1:
        notes.append(Note(f"p is corrected over the tasks of a pair, not over the {len(pairs)} pairs"))
    return Compared(pairs, list(dict.fromkeys(notes)))


def compare_pair(
    a: System, b: System, options: CompareOptions, items: Callable[[Log], Items] = items_of
) -> tuple[PairComparison, list[Note]]:
    """Compare two systems on the tasks that both have; return the comparison and notes, without the pair's names."""
    named, notes = shared_tasks(a, b, options)
    rows: list[TaskComparison] = []
    asked = {name for pair in options.metrics for name in pair}
    for task, (log_a, log_b) in named.items():
        side_a, side_b = items(log_a), items(log_b)
        pairing = pair_items(side_a, side_b, allow_changed=options.allow_changed)
        metrics = shared_metrics(log_a, log_b, options.metrics)
        said = [*warnings_of(side_a, side_b, pairing, options.allow_changed, asked, (a.name, b.name))]
        if not metrics:
            has = "; ".join(
                f"{side} has {some(list(log.scores)) or 'none'}" for side, log in (("A", log_a), ("B", log_b))
            )
            said.append(Note(f"no metric in common: {has}; say --metric NAME_IN_A=NAME_IN_B"))
        for metric_a, metric_b in metrics:
            row = compare_metric(task, (metric_a, metric_b), side_a, side_b, pairing, options.margin)
            rows.append(row)
            said += [
                Note(sentence, metric=row.metric)
                for sentence in (row.not_compared, few_clusters(row.clusters, row.items), NO_MARGIN * row.unknown_scale)
                if sentence
            ]
        notes += [replace(note, task=task) for note in said]
    return PairComparison(a.name, b.name, list(corrected(rows))), notes


def shared_tasks(a: System, b: System, options: CompareOptions) -> tuple[dict[str, tuple[Log, Log]], list[Note]]:
    """Return the logs of the tasks that both have, by the task's name in A, and what one alone has."""
    wanted = options.tasks or [(task, task) for task in a.logs if task in b.logs]
    if not wanted and len(a.logs) == len(b.logs) == 1:
        wanted = [(next(iter(a.logs)), next(iter(b.logs)))]
    found = {one: (a.logs[one], b.logs[other]) for one, other in wanted if one in a.logs and other in b.logs}
    notes = [Note(f"task {one} of A is compared with {other} of B") for one, other in wanted if one != other]
    for system, taken in ((a, [one for one, _ in wanted]), (b, [other for _, other in wanted])):
        left = [task for task in system.logs if task not in taken] if not options.tasks else []
        absent = [task for task in taken if task not in system.logs]
        if left:
            notes.append(Note("tasks that only ", (system.name,), f" has, not compared: {some(left)}"))
        if absent:
            notes.append(Note("not in ", (system.name,), f": {some(absent)}; it has {some(list(system.logs))}"))
    return found, notes


def shared_metrics(a: Log, b: Log, wanted: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the metrics of both, without auxiliary ones; those that were asked for if any were.

    In A's order; where B has another one, in an order that does not change if the two are exchanged.
    """
    asked = wanted or [(name, name) for name in a.scores if name not in a.auxiliary | b.auxiliary]
    found = [(one, other) for one, other in asked if one in a.scores and other in b.scores]
    places = [{name: place for place, name in enumerate(log.scores)} for log in (a, b)]
    return found if wanted else sorted(found, key=lambda pair: (places[0][pair[0]] + places[1][pair[1]], pair))


def compare_metric(
    task: str, metric: tuple[str, str], a: Items, b: Items, pairing: Pairing, margin: float | None
) -> TaskComparison:
    """Compare the paired items by one metric. margin: as in `CompareOptions`."""
    name = metric[0] if metric[0] == metric[1] else f"{metric[0]} = {metric[1]}"
    own_a, own_b = a.scores[metric[0]], b.scores[metric[1]]
    counted = TaskComparison(
        task,
        name,
        only_a=len(pairing.only_a),
        only_b=len(pairing.only_b),
        changed=sum(max(len(rows_a), len(rows_b)) for rows_a, rows_b in pairing.changed),
        contradictory=len(a.contradictory) + len(b.contradictory),
        paired_by=dict(pairing.by),
        all_a=scored_mean(own_a),
        all_b=scored_mean(own_b),
        lower_is_better=metric[0] in a.log.lower_is_better or metric[1] in b.log.lower_is_better,
    )
    scores_a, scores_b, clusters = paired_values(own_a, own_b, a, b, pairing)
    scored = ~(np.isnan(scores_a) | np.isnan(scores_b))
    counted = replace(counted, unscored=int(np.count_nonzero(~scored)))
    if problem := different_scales(own_a, own_b):
        return replace(counted, not_compared=problem)
    if not scored.any():
        changed = "all common items have another prompt (--allow-changed-prompts)" if pairing.changed else ""
        why = "no pair has two scores" if len(scored) else changed or "no item of one is in the other"
        return replace(counted, not_compared=f"nothing to compare: {why}")
    kept = None if clusters is None else [clusters[row] for row in np.flatnonzero(scored)]
    scores = PairedScores.of(scores_a[scored], scores_b[scored], kept)
    return measured(counted, scores, margin_in_scale(own_a, own_b, margin), test_name((task, b.log.task), metric))


def test_name(tasks: tuple[str, str], metrics: tuple[str, str]) -> str:
    """Name the random numbers of a test, whichever log is called A. tasks, metrics: (name in A, name in B)."""
    return "\x1f".join(" = ".join(sorted(set(names))) for names in (tasks, metrics))


def margin_in_scale(a: Floats, b: Floats, margin: float | None) -> float | None:
    """Return the margin in the scale of the logs. margin: in points of 100, or None for one point of a known scale.

    In a scale that is not known only a margin that was asked for counts, in its own unit.
    """
    top = top_of_scale(max(float(np.nanmax(np.abs(values))) for values in (a, b)))
    return margin if top is None else (1.0 if margin is None else margin) * top / POINTS


def measured(row: TaskComparison, scores: PairedScores, margin: float | None, name: str) -> TaskComparison:
    """Fill in the statistics. margin: in the scale of the logs; None for none. name: of the random numbers."""
    differences = -scores.differences if row.lower_is_better else scores.differences
    won, lost = int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0))
    error = scores.standard_error
    right = scores.right
    wanted = clusters_to_decide(
        len(scores), scores.clusters, error, scores.mean, margin or 0.0, scores.full, scores.step
    )
    good = 0.0 if row.lower_is_better else right
    return replace(
        row,
        items=len(scores),
        clusters=scores.clusters,
        mean_a=float(scores.a.mean()),
        mean_b=float(scores.b.mean()),
        difference=scores.mean,
        interval=scores.interval(),
        standard_error=error,
        test=permutation_test(scores.sums, name) if scores.clusters > 1 else None,
        won=won,
        lost=lost,
        tied=len(scores) - won - lost,
        both_right=None if right is None else int(np.count_nonzero((scores.a == good) & (scores.b == good))),
        both_wrong=None if right is None else int(np.count_nonzero((scores.a != good) & (scores.b != good))),
        mcnemar=None if right is None else sign_test(won, lost),
        margin=margin,
        equivalence_p=None if margin is None else scores.equivalence(margin),
        power=None if error is None or margin is None else power_of(margin, error, scores.clusters),
        detectable=None if error is None else detectable_difference(error, scores.clusters),
        clusters_to_decide=wanted,
        items_to_decide=items_in(wanted, len(scores), scores.clusters),
    )


def paired_values(
    own_a: Floats, own_b: Floats, a: Items, b: Items, pairing: Pairing
) -> tuple[Floats, Floats, list[str] | None]:
    """Return the scores of both sides by pair, and the cluster of each pair; None where no log has clusters."""
    values = []
    for own, place in ((own_a, 0), (own_b, 1)):
        found = own[np.fromiter((group[place][0] for group in pairing.groups), np.intp, len(pairing.groups))]
        for number, group in enumerate(pairing.groups):
            if len(group[place]) > 1:
                found[number] = exact_mean(own[list(group[place])])
        values.append(found)
    return values[0], values[1], clusters_of(a, b, pairing)


def clusters_of(a: Items, b: Items, pairing: Pairing) -> list[str] | None:
    """Return the cluster of each pair, by the log with the fewer clusters; an item without one is its own."""
    sides = []
    for items, place in ((a, 0), (b, 1)):
        if items.clusters is not None:
            names = [items.clusters[group[place][0]] for group in pairing.groups]
            sides.append([name or f"\x1f{number}" for number, name in enumerate(names)])
    return min(sides, key=lambda names: (len(set(names)), names)) if sides else None


def scored_mean(values: Floats) -> tuple[int, float | None]:
    """Return (number, mean) of the values that are not NaN."""
    count = int(np.count_nonzero(~np.isnan(values)))
    return count, exact_mean(values) if count else None


def corrected(rows: Collection[TaskComparison]) -> Iterator[TaskComparison]:
    """Correct p by Holm over the tasks, separately for each metric.

    Metrics that not every task has are taken by their place: the first of each task together, then the second.
    """
    by_task: dict[str, list[TaskComparison]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    common = set.intersection(*({row.metric for row in each} for each in by_task.values())) if by_task else set()
    families: dict[str | int, list[TaskComparison]] = {}
    for each in by_task.values():
        others = [row.metric for row in each if row.metric not in common]
        for row in each:
            family = row.metric if row.metric in common else others.index(row.metric)
            families.setdefault(family, []).append(row)
    adjusted: dict[tuple[str, str], float] = {}
    for family_rows in families.values():
        ps = {row.task: row.p for row in family_rows if row.p is not None}
        found = holm({task: p for task, p in ps.items() if p is not None})
        adjusted |= {(row.task, row.metric): found[row.task] for row in family_rows if row.task in found}
    for row in rows:
        yield replace(row, p_holm=adjusted.get((row.task, row.metric)))
