"""The small world that all logs in shared data/logs are of: its truth, computed from the world and not from the logs."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scrollwork.analysis.logs.log import Log, ReadOptions

OPTIONS = ReadOptions()


@dataclass(frozen=True)
class Truth:
    """What is true of one answer. values: by metric, NaN where the tool failed."""

    id: str
    cluster: str
    prompt: str
    values: Mapping[str, float]


def truth_of(folder: Path, model: str) -> dict[str, Truth]:
    """The true answers of a model by id."""
    with (folder / "truth_scores.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["model"] == model]
    assert rows, f"no truth of {model} in {folder}"
    return {
        row["id"]: Truth(
            row["id"],
            row["cluster"],
            row["prompt_sha256"],
            {name: float(row[name]) if row[name] else math.nan for name in ("exact", "f1")},
        )
        for row in rows
    }


def same(one: float, other: float) -> bool:
    """Whether two scores are the same, both missing included."""
    return (math.isnan(one) and math.isnan(other)) or abs(one - other) < 1e-12


def check(log: Log, truth: Mapping[str, Truth], names: Mapping[str, str], ids: Sequence[str] | None = None) -> None:
    """Every score, id, cluster and prompt of a log. names: its metrics by those of the truth. ids: in place of its own."""
    found = log.ids if ids is None else ids
    assert found is not None
    assert sorted(found) == sorted(truth)
    for row, name in enumerate(found):
        true = truth[name]
        for metric, own in names.items():
            assert same(float(log.scores[own][row]), true.values[metric]), (log.source, name, own)
        assert (row in log.failures) == math.isnan(true.values["exact"]), (log.source, name)
        if log.clusters is not None:
            assert log.clusters[row] == true.cluster, (log.source, name)
        if log.prompts is not None:
            assert log.prompts[row] == true.prompt, (log.source, name)


def by_model(logs: Sequence[Log], task: str = "") -> dict[str, Log]:
    """Logs by the last part of the model's name; of one task where one is named."""
    found = {log.model.rpartition("/")[2]: log for log in logs if not task or log.task == task}
    assert len(found) == len([log for log in logs if not task or log.task == task]), "two logs of one model"
    return found


def paired(one: Log, other: Log, metric: str) -> tuple[int, int, int, float]:
    """(pairs, won, lost, mean difference) of two logs by id, where both have a score: as in truth_pairs.json."""
    assert one.ids is not None
    assert other.ids is not None
    theirs = dict(zip(other.ids, other.scores[metric].tolist(), strict=True))
    differences = [
        value - theirs[name]
        for name, value in zip(one.ids, one.scores[metric].tolist(), strict=True)
        if name in theirs and not math.isnan(value - theirs[name])
    ]
    won, lost = sum(value > 0 for value in differences), sum(value < 0 for value in differences)
    return len(differences), won, lost, sum(differences) / len(differences)
