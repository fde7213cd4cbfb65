"""A comparison of logs as one JSON document: numbers as they are, null where there is none."""

from __future__ import annotations

import math
from typing import Any

from scrollwork.analysis.logs.compare import Compared, TaskComparison
from scrollwork.analysis.logs.note import Note
from scrollwork.records.comparison import few_clusters


def compared_json(compared: Compared) -> dict[str, Any]:
    """Return {pairs: [{a, b, tasks: [...]}], warnings: [...], notes: [...]}.

    Differences are A minus B in the scale of the logs. warnings: all notes as sentences. notes: each with a and b, task
    and metric (null where it holds for all), and about: the models or the file that it is on.
    """
    return {
        "pairs": [
            {"a": pair.a, "b": pair.b, "tasks": [task_json(row) for row in pair.tasks]} for pair in compared.pairs
        ],
        "warnings": compared.warnings,
        "notes": [note_json(note) for note in compared.notes],
    }


def note_json(note: Note) -> dict[str, Any]:
    """Return one note."""
    a, b = note.pair or (None, None)
    place = {"a": a, "b": b, "task": note.task or None, "metric": note.metric or None}
    return {**place, "about": list(note.names), "note": note.sentence}


def task_json(row: TaskComparison) -> dict[str, Any]:
    """Return one row. n: paired items with two scores; paired_by: rungs of the ladder, in order, with their counts."""
    facts: dict[str, Any] = {
        "task": row.task,
        "metric": row.metric,
        "n": row.items,
        "clusters": row.clusters,
        "only_a": row.only_a,
        "only_b": row.only_b,
        "changed": row.changed,
        "unscored": row.unscored,
        "contradictory": row.contradictory,
        "paired_by": ", ".join(row.paired_by),
        "paired": dict(row.paired_by),
        "mean_a": row.mean_a,
        "mean_b": row.mean_b,
        "all_a": {"n": row.all_a[0], "mean": row.all_a[1]},
        "all_b": {"n": row.all_b[0], "mean": row.all_b[1]},
        "lower_is_better": row.lower_is_better,
        "difference": row.difference,
        "ci": None if row.interval is None else list(row.interval),
        "standard_error": row.standard_error,
        "p": row.p,
        "p_holm": row.p_holm,
        "permutations": None if row.test is None else row.test.permutations,
        "exact": None if row.test is None else row.test.exact,
        "won": row.won,
        "lost": row.lost,
        "tied": row.tied,
        "both_right": row.both_right,
        "both_wrong": row.both_wrong,
        "mcnemar_p": row.mcnemar,
        "margin": row.margin,
        "equivalent": row.equivalent,
        "equivalence_p": row.equivalence_p,
        "power": row.power,
        "detectable": row.detectable,
        "clusters_to_decide": row.clusters_to_decide,
        "items_to_decide": row.items_to_decide,
        "interval_note": few_clusters(row.clusters, row.items) or None,
        "not_compared": row.not_compared or None,
    }
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in facts.items()
    }
