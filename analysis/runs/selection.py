"""Which run scores may be ranked together: those of the same draws, and of whole runs (fact sheet seam.md 3 and 7).

Models whose manifests differ are not compared: for each data set and run, the manifest that most models have counts (if
equally many, that of the model named first). A model with another one is left out of the whole ranking, because its
ranks on the other data sets would make no AR. A run with unanswered inputs is a mean over other instances than the
others': it does not count, and a model without any whole run of a data set has no score there (NA).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scrollwork.analysis.runs.rank_rows import RankingLabels, model_and_arm, model_label
from scrollwork.analysis.runs.scores import RunScores, ScoreTable
from scrollwork.records.ranking import NO_RANK, NO_SCORE, REFUSED, RUN_OUT, LeftOut
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import UPPER_BOUND

NAMED = 5  # models in a remark, at most
NOT_ASKED = "not asked"
NO_RUN = "no run is whole"


@dataclass(frozen=True)
class Selected:
    """What counts in a ranking. rows: run scores. table: of these; data sets in the given order, models with a score.

    reasons: of NA, by (name in the table, data set).
    """

    rows: list[RunScore]
    table: ScoreTable
    left_out: list[LeftOut]
    reasons: Mapping[tuple[str, str], str]


def select(
    rows: Sequence[RunScore],
    of: RankingLabels,
    datasets: Sequence[str],
    bounds: Collection[str] = (),
    failures: Mapping[tuple[str, str], str] | None = None,
) -> Selected:
    """Select the run scores that count. rows: of one split, models in the order in which they were asked.

    bounds: models that read the references. failures: why a model has no score, by (name, data set).
    """
    out = [
        LeftOut(of.suite, of.split, "", model, arm, NO_RANK, (), UPPER_BOUND)
        for model, arm in dict.fromkeys((row.model, row.arm) for row in rows)
        if model in bounds
    ]
    asked = [row for row in rows if row.model not in bounds]
    refused = of_other_drawings(asked, of)
    names = {(one.model, one.arm) for one in refused}
    same = [row for row in asked if (row.model, row.arm) not in names]
    whole = [row for row in same if row.coverage.complete and row.value is not None]
    out += [*refused, *unanswered(same, of)]
    scores: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for row in whole:
        if row.value is not None:
            scores[model_label(row.model, row.arm), row.task][row.run] = row.value
    ranked = dict.fromkeys(model_label(row.model, row.arm) for row in same)
    scored = {name for name, _ in scores}
    out += [
        LeftOut(of.suite, of.split, "", *model_and_arm(name), NO_RANK, (), "no score on any data set")
        for name in ranked
        if name not in scored
    ]
    table = ScoreTable(
        tuple(dataset for dataset in datasets if any(task == dataset for _, task in scores)),
        tuple(sorted(scored)),
        {names: RunScores(runs) for names, runs in scores.items()},
    )
    tried = {(model_label(row.model, row.arm), row.task) for row in same}
    reasons = {
        (name, dataset): (failures or {}).get((name, dataset), NO_RUN if (name, dataset) in tried else NOT_ASKED)
        for dataset in table.datasets
        for name in table.models
        if (name, dataset) not in scores
    }
    out += [
        LeftOut(of.suite, of.split, dataset, *model_and_arm(name), NO_SCORE, (), reason)
        for (name, dataset), reason in reasons.items()
    ]
    return Selected(whole, table, out, reasons)


def of_other_drawings(rows: Sequence[RunScore], of: RankingLabels) -> list[LeftOut]:
    """Return a row for each model and data set with a run whose manifest is not the one that counts.

    It names the runs, and models that have the other manifest.
    """
    held: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for row in rows:
        held[row.task, row.run][model_label(row.model, row.arm)] = row.manifest
    runs: dict[tuple[str, str], list[int]] = defaultdict(list)
    others: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for (task, run), manifests in held.items():
        counted = Counter(manifests.values()).most_common(1)[0][0]  # of equally many, the first one met
        for name, manifest in manifests.items():
            if manifest != counted:
                runs[name, task].append(run)
                others[name, task] |= {other: None for other, its in manifests.items() if its == counted}
    return [
        LeftOut(
            *(of.suite, of.split, task, *model_and_arm(name), REFUSED, tuple(sorted(found))),
            f"drew other prompts than {first_names([label(other) for other in others[name, task]])}",
        )
        for (name, task), found in runs.items()
    ]


def unanswered(rows: Sequence[RunScore], of: RankingLabels) -> list[LeftOut]:
    """Return a row for each model and data set with runs that are not whole."""
    found: dict[tuple[str, str, str], list[RunScore]] = defaultdict(list)
    for row in rows:
        if not row.coverage.complete or row.value is None:
            found[row.model, row.arm, row.task].append(row)
    return [
        LeftOut(
            *(of.suite, of.split, task, model, arm, RUN_OUT, tuple(sorted(row.run for row in lacking))),
            f"{sum(row.coverage.expected - row.coverage.answered for row in lacking):,} of "
            f"{sum(row.coverage.expected for row in lacking):,} inputs are unanswered",
        )
        for (model, arm, task), lacking in found.items()
    ]


def label(name: str) -> str:
    """Return a name of the table as people see it."""
    model, arm = model_and_arm(name)
    return model if name == model else f"{model} ({arm})"


def first_names(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
