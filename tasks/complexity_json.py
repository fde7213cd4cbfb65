"""What problems need, as `run dolce --json` prints it: the form of `dolce fit --json`, with the model of each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from records.complexity import CATEGORIES

Row = Mapping[str, Any]
SAME = ("task", "split", "model", "arm", "scenario")
INF = "inf"


def complexity_json(mixtures: Sequence[Row], problems: Sequence[Row], observed: Sequence[Row]) -> dict[str, Any]:
    """Rows of stage complexity as plain values. A task that was fitted in two parts stands twice."""
    return {"tasks": [document(row, [one for one in problems if same(one, row)], observed) for row in mixtures]}


def same(row: Row, mixture: Row) -> bool:
    """Whether a problem is of a fit."""
    return all(row[name] == mixture[name] for name in SAME)


def document(mixture: Row, problems: Sequence[Row], observed: Sequence[Row]) -> dict[str, Any]:
    """Of one fit."""
    ends = zip(CATEGORIES, mixture["share_lows"], mixture["share_highs"], strict=True)
    return {
        **{name: mixture[name] for name in SAME},
        "noise": list(mixture["noise"]) or None,
        "shares": dict(zip(CATEGORIES, mixture["shares"], strict=True)),
        "expected_shares": dict(zip(CATEGORIES, mixture["expected"], strict=True)),
        "share_intervals": {name: [low, high] for name, low, high in ends},
        "thresholds": {"low": mixture["low"], "high": mixture["high"]},
        **{name: mixture[name] for name in ("undecided", "windows", "answered", "declined")},
        "problems": [
            {
                "problem": one["example_id"],
                "lambda": INF if one["complexity"] is None else one["complexity"],
                "k": one["redundancy"],
                **{name: one[name] for name in ("weight", "category", "undecided", "units", "windows", "likelihood")},
                "probabilities": dict(zip(CATEGORIES, one["probabilities"], strict=True)),
                "full_context": one["full"],
            }
            for one in problems
        ],
        "lengths": [
            {name: one[name] for name in ("length", "windows", "right", "wrong", "declined", "score")}
            for one in observed
            if all(one[name] == mixture[name] for name in SAME[:-1])
        ],
    }
