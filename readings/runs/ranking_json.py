"""A ranking over runs as `run --json` prints it: under the key of the suite, as `seam rank --json --detail` does."""

from __future__ import annotations

from typing import Any

from scrollwork.analysis.runs.dominance import Dominance
from scrollwork.analysis.runs.rank_rows import model_label
from scrollwork.analysis.runs.ranking import Standing
from scrollwork.analysis.runs.ranking_json import as_json, detail_json
from scrollwork.analysis.runs.robustness import Sureness
from scrollwork.analysis.runs.scores import NA, RunScores, ScoreTable
from scrollwork.analysis.runs.selection import label
from scrollwork.analysis.runs.stability import Stability
from scrollwork.analysis.runs.variance import Source, Split
from scrollwork.records.ranking import COMPUTED, PUBLISHED
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.reporting.boards.ranks import label as shown
from scrollwork.tasks.report.ledger import Ledger


def run_json(ledger: Ledger) -> dict[str, Any]:
    """Return what `run --json` prints about the ranking; empty if it failed."""
    return ranking_json(ledger.ranks) if ledger.ranks else {}


def ranking_json(ranks: Ranks) -> dict[str, Any]:
    """Return the document of the first split (the test split if there is one), with the others in `other_splits`.

    Fields beyond those of `seam rank`: compared (AR and ARSD over the data sets that may be compared with the paper's,
    and which these are), proxies, left_out.
    """
    documents = [{"split": split, **document(ranks.of(split))} for split in ranks.splits]
    first, *others = documents or [{"models": [], "dominance": []}]
    return {**first, **({"other_splits": others} if others else {})}


def document(ranks: Ranks) -> dict[str, Any]:
    """Return the document of one split."""
    table = table_of(ranks)
    rows = ranks.ranked()
    over = [
        Dominance(
            one.task,
            model_label(one.better, one.better_arm),
            model_label(one.worse, one.worse_arm),
            one.eps,
            one.eps_min,
        )
        for one in ranks.dominance
    ]
    sure = [
        Sureness(
            model_label(row.model, row.arm),
            None if row.ar_low is None or row.ar_high is None else (row.ar_low, row.ar_high),
            None if row.arsd_low is None or row.arsd_high is None else (row.arsd_low, row.arsd_high),
            row.best,
        )
        for row in rows
    ]
    arsd = {one.task: one.arsd for one in ranks.spreads if one.source == COMPUTED}
    curve = [Stability(one.runs, one.same, one.tau) for one in ranks.stability]
    return {
        **as_json(table, standings_of(ranks), over, label),
        **detail_json(table, sure, arsd, curve, ranks.runs_needed(), splits_of(ranks), label),
        "compared": compared(ranks),
        "proxies": ranks.proxies(),
        "left_out": [
            {
                "model": shown(one.model, one.arm),
                "dataset": one.task or None,
                "kind": one.kind,
                "runs": list(one.runs),
                "reason": one.reason,
            }
            for one in ranks.left_out
        ],
    }


def compared(ranks: Ranks) -> dict[str, Any]:
    """Return AR and ARSD of our and of the paper's models, over the comparable data sets that both tables have."""
    return {
        "datasets": ranks.compared(),
        **{
            source: [
                {"model": shown(row.model, row.arm), "ar": row.compared_ar, "arsd": row.compared_arsd}
                for row in ranks.ranked(source)
                if row.compared
            ]
            for source in (COMPUTED, PUBLISHED)
        },
    }


def table_of(ranks: Ranks) -> ScoreTable:
    """Return the scores that were ranked; runs are numbered by their order."""
    rows = [row for row in ranks.tasks if row.source == COMPUTED]
    return ScoreTable(
        tuple(dict.fromkeys(row.task for row in rows)),
        tuple(model_label(row.model, row.arm) for row in ranks.ranked()),
        {
            (model_label(row.model, row.arm), row.task): RunScores(dict(enumerate(row.scores))) if row.scores else NA
            for row in rows
        },
    )


def standings_of(ranks: Ranks) -> list[Standing]:
    """Return the standings of the ranked models."""
    return [
        Standing(
            model_label(row.model, row.arm),
            {one.task: one.rank for one in ranks.of_model(row)},
            row.ar,
            {one.task: one.relative_std for one in ranks.of_model(row) if one.relative_std is not None},
            row.arsd,
        )
        for row in ranks.ranked()
    ]


def splits_of(ranks: Ranks) -> dict[tuple[str, str], Split]:
    """Return the variances of designed experiments, by (model, data set)."""
    found: dict[tuple[str, str], Split] = {}
    for row in ranks.variances:
        source = Source(row.vary, row.runs, row.mean, row.variance, (row.low, row.high), row.own, row.share)
        name = model_label(row.model, row.arm), row.task
        before = found[name].sources if name in found else ()
        found[name] = Split((*before, source), row.draws, row.total, row.rest)
    return found
