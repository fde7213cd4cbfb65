"""The complexity of problems as `run dolce --json` prints it: like `dolce fit --json`, with the model of each task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.analysis.windows.category_shares import shares_json
from scrollwork.records.complexity import CATEGORIES
from scrollwork.tasks.report.ledger import Ledger

Row = Mapping[str, Any]
SAME = ("task", "split", "model", "arm", "scenario")
INF = "inf"


def run_json(ledger: Ledger) -> dict[str, Any]:
    """Return what `run --json` prints about the problems behind scores; empty if none were fitted."""
    return complexity_json(ledger.plain(ledger.tables)) if ledger.tables["mixtures"] else {}


def complexity_json(rows: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Return the document. rows: of stage complexity and of agreements, by table. A task that was fitted in two parts
    is listed twice."""
    problems: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for one in rows["complexity"]:
        problems[fit_of(one)].append(one)
    return {
        "tasks": [document(row, problems[fit_of(row)], rows["observed"]) for row in rows["mixtures"]],
        "agreements": [agreement(row) for row in rows["agreements"]],
    }


def fit_of(row: Row) -> tuple[str, ...]:
    """Return the key of the fit that a row belongs to."""
    return tuple(row[name] for name in SAME)


def agreement(row: Row) -> dict[str, Any]:
    """Return the agreement of two models on one task, with the names of `dolce compare --json`."""
    return {
        **{name: row[name] for name in (*SAME, "other", "other_arm", "other_scenario", "problems")},
        "left_out": "I" if row["without_first"] else None,
        "rc_lambda": row["rc_complexity"],
        "rho_lambda": row["rho_complexity"],
        "rc_k": row["rc_redundancy"],
        "rho_k": row["rho_redundancy"],
        "kl": row["kl"],
        "same_category": row["same"],
    }


def document(mixture: Row, problems: Sequence[Row], observed: Sequence[Row]) -> dict[str, Any]:
    """Return the document of one fit."""
    ends = zip(CATEGORIES, mixture["share_lows"], mixture["share_highs"], strict=True)
    return {
        **{name: mixture[name] for name in SAME},
        "noise": list(mixture["noise"]) or None,
        **shares_json(
            mixture["shares"], mixture["decided"], mixture["holistic"], mixture["undecided"] / mixture["problems"]
        ),
        "expected_shares": dict(zip(CATEGORIES, mixture["expected"], strict=True)),
        "share_intervals": {name: [low, high] for name, low, high in ends},
        "thresholds": {"low": mixture["low"], "high": mixture["high"], "twins": list(mixture["twins"])},
        **{name: mixture[name] for name in ("undecided", "windows", "answered", "declined")},
        "problems": [
            {
                "problem": one["example_id"],
                "lambda": INF if one["complexity"] is None else one["complexity"],
                "k": one["redundancy"],
                **{name: one[name] for name in ("weight", "category", "undecided", "solved")},
                **{name: one[name] for name in ("units", "windows", "likelihood")},
                "probabilities": dict(zip(CATEGORIES, one["probabilities"], strict=True)),
                "full_context": one["full"],
                "dip": dict(zip(("dip", "p"), one["dip"], strict=True)) if one["dip"] else None,
            }
            for one in problems
        ],
        "lengths": [
            {name: one[name] for name in ("length", "windows", "right", "wrong", "declined", "score")}
            for one in observed
            if all(one[name] == mixture[name] for name in SAME[:-1])
        ],
    }
