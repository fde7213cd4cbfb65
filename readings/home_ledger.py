"""The ledger of a home: everything that it has scored for a suite, also models that no single run had together."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.errors import StageFailed
from scrollwork.readings.home_scores import HomeScores, scores_in
from scrollwork.records.base import Row
from scrollwork.records.comparison import Average
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.epochs import told
from scrollwork.storage.home import Home
from scrollwork.tasks.compare import JudgedArtifact, compare
from scrollwork.tasks.judge.run import STAGE as JUDGE
from scrollwork.tasks.report.behind_scores import ByContent, ScoredTask
from scrollwork.tasks.report.known_files import known_of
from scrollwork.tasks.report.ledger import COMPARED, Ledger, Tables, judged_of, tables_of, unreadable_tasks
from scrollwork.tasks.report.parameters import compare_parameters

# keys of a design's modules: its stage after each score; a module with `rank(home, scores, tasks)`
AFTER_EACH_SCORE, RANKING = "report: stage after each score", "report: ranking"


@dataclass(frozen=True)
class HomeLedger:
    """The ledger of a home. suite: its name. tasks: the artifacts behind the scores. remarks: sentences on what is not
    shown, and why. epochs: as of `epochs_of`."""

    suite: str
    ledger: Ledger
    tasks: Sequence[ScoredTask]
    remarks: Sequence[str]
    epochs: Mapping[str, str]


def ledger_in(home: Home, suite: str, whole: bool = True) -> HomeLedger:
    """Collect everything that is scored. whole: all that a page shows, else only what a table needs.

    Raises UsageError; StageFailed if nothing is scored.
    """
    home = home.one_look()
    everything = list(home.artifacts.everything())
    scores = scores_in(home, suite, everything)
    if not scores.rows:
        raise StageFailed(f"nothing is scored for {suite} in {home.url}; run `scrollwork run` first")
    tasks = ByContent(everything).tasks(scores.artifacts)
    epochs = epochs_of(tasks)
    params = {**scores.params, "run": epochs, "raw": known_of(tasks, scores.params["upstream_files"])}
    remarks = [f"not shown, {sentence}" for sentence in scores.left_out]
    known = design_of(scores.suite).modules
    modules = {name: importlib.import_module(known[name]) for name in (AFTER_EACH_SCORE, RANKING) if name in known}
    ranks = modules[RANKING].rank(home, scores, tasks if whole else []) if RANKING in modules else Ranks()
    tables: Tables = {}
    if whole:
        stages = (JUDGE, modules[AFTER_EACH_SCORE].STAGE if AFTER_EACH_SCORE in modules else "")
        judged, fitted = ([one for one in everything if one.manifest.ingredients.stage == stage] for stage in stages)
        tables = tables_of(params, scores.artifacts, judged, fitted, compare_home(scores, judged))
        if old := unreadable_tasks(params, scores.artifacts, fitted):
            made = "fitted by an earlier version, so not shown; `scrollwork run` fits anew and asks nothing"
            remarks.append(f"{made}: {', '.join(old)}")
        if lacking := len(scores.artifacts) - len(tasks):
            remarks.append(
                f"{lacking} of {len(scores.artifacts)} scores are shown without their examples, which are not in this "
                "home any more"
            )
    ledger = Ledger(params, scores.rows, scores.subsets, tables, ranks)
    return HomeLedger(scores.suite.name, ledger, tasks, remarks, epochs)


def epochs_of(tasks: Sequence[ScoredTask]) -> dict[str, str]:
    """Describe when models were asked anew, as in the head of the page of a run: {"answers of MODEL": text}.

    Models without an epoch are left out. A model's tasks are named where they are not all of one epoch.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        for answers in task.answers:
            params = answers.manifest.ingredients.params
            name = str(params.get("epoch", ""))
            text = told(name, (params.get("reuse") or {}).get("since")) if name else "of no epoch"
            found.setdefault(f"answers of {task.model}", {}).setdefault(text, []).append(task.task)
    named = {label: texts for label, texts in found.items() if any(text != "of no epoch" for text in texts)}
    return {
        label: next(iter(texts))
        if len(texts) == 1
        else "; ".join(f"{', '.join(sorted(set(own)))}: {text}" for text, own in sorted(texts.items()))
        for label, texts in named.items()
    }


def compare_home(scores: HomeScores, judged: Sequence[Artifact]) -> Tables:
    """Compare all models of a home, as stage compare does for those of one request. Return tables of rows by name."""
    models = list(dict.fromkeys(row.model for row, _ in scores.artifacts))
    parameters = compare_parameters(scores.suite, models, scores.params.get("upper_bounds", ()))
    found = [
        JudgedArtifact(row.split, row.model, row.arm, row.task, artifact)
        for row, artifact in judged_of(scores.artifacts, judged)
    ]
    tables: dict[str, list[Row]] = {name: [] for name in COMPARED}
    for one in compare(scores.suite.name, parameters, found):
        if isinstance(one, Average):
            tables["averages"].append(one)
        else:
            tables["comparisons"] += one.rows
    return tables
