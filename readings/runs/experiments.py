"""Designed experiments of a home: runs in which only one variable differed (`run seam --vary VARIABLE`), or only the
model's own sampling (`--vary generation`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from scrollwork.analysis.runs.rank_rows import model_label
from scrollwork.analysis.runs.scores import RunScores
from scrollwork.analysis.runs.variance import GENERATION, SOURCES
from scrollwork.readings.home_scores import aggregates_of, settings_of
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.tasks.aggregate.run import STAGE as AGGREGATE
from scrollwork.tasks.rank.ranking import Designed, runs_of

VARIED = ("vary", "runs")  # settings in which an experiment may differ from ordinary runs


def experiments(home: Home, suite: str) -> Designed:
    """Return scores of runs by split, (model, data set) and variable, from the newest run of each experiment.

    All other settings must be those of the model's newest ordinary run, or without one those of its newest experiment.
    Incomplete runs are left out.
    """
    settings: dict[str, dict[str, Any]] = {}
    found: dict[str, dict[tuple[str, str], dict[str, RunScores]]] = defaultdict(lambda: defaultdict(dict))
    of_suite = [run for run in reversed(home.runs()) if run["request"]["suite"] == suite]
    for run in sorted(of_suite, key=lambda run: bool(run["request"].get("vary"))):  # ordinary runs decide the settings
        varied = run["request"].get("vary") or []
        own = {name: value for name, value in settings_of(run["request"]).items() if name not in VARIED}
        for artifact in scored_by(home, run):
            shown = aggregates_of(artifact)[-1]
            if (
                settings.setdefault(shown.model, own) != own
                or len(varied) != 1
                or varied[0] not in (*SOURCES, GENERATION)
            ):
                continue
            sources = found[shown.split][model_label(shown.model, shown.arm), shown.task]
            whole = {
                row.run: row.value
                for row in runs_of(shown, artifact)
                if row.value is not None and row.coverage.complete
            }
            sources.setdefault(varied[0], RunScores(whole))
    return found


def scored_by(home: Home, run: Mapping[str, Any]) -> list[Artifact]:
    """List the aggregates of a run that still exist."""
    slots = [(name.partition("/"), key) for name, key in run["keys"].items()]
    found = [home.artifacts.find(stage, slot, key) for (stage, _, slot), key in slots if stage == AGGREGATE]
    return [artifact for artifact in found if artifact is not None]
