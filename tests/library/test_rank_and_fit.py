"""`sw.seam.rank` and `sw.dolce.fit` give what the commands print, and name the row that they cannot use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.pipeline.errors import UsageError
from tests.conftest import Call
from tests.library.conftest import ran
from tests.library.test_frames import stored
from tests.library.test_library_page import SNIPPETS

SCORES = [
    *({"model": "a", "dataset": "musique", "run": run, "score": 40.0 + run} for run in range(3)),
    *({"model": "b", "dataset": "musique", "run": run, "score": 50.0 - 7 * run} for run in range(3)),
    *({"model": "c", "dataset": "musique", "run": run, "score": 41.0} for run in range(2)),
    {"model": "a", "dataset": "sci_co", "mean": 20.0, "std": 2.5},
    {"model": "b", "dataset": "sci_co", "mean": None, "std": None},
]
OBSERVED = [
    {"task": task, "problem": f"{task}-{number}", "units": 20, "length": length, "outcome": outcome, "count": count}
    for task in ("one", "two")
    for number in range(4)
    for length in (1, 5, 20)
    for outcome, count in (("1", length // 2 + number), ("0", 3), ("idk", 20 // length))
]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file of JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_ranking_is_another_than_the_commands(call: Call, tmp_path: Path) -> None:
    status, out, err = call("seam", "rank", "--scores", str(lines(tmp_path / "scores.jsonl", SCORES)), "--json")
    assert status == 0, err
    for given in (SCORES, pl.DataFrame(SCORES), pl.LazyFrame(SCORES)):
        found = sw.seam.rank(given)
        printed = [
            {
                "model": row["model"],
                "ar": row["ar"],
                "arsd": row["arsd"],
                "ranks": {name: row[f"rank_{name}"] for name in ("musique", "sci_co")},
                "means": {name: row[f"mean_{name}"] for name in ("musique", "sci_co")},
                "stds": {name: row[f"std_{name}"] for name in ("musique", "sci_co")},
            }
            for row in found.iter_rows(named=True)
        ]
        assert printed == json.loads(out)["models"]
        assert found.select("model", "runs_musique", "runs_sci_co").rows() == [
            ("a", 3, None), ("b", 3, 0), ("c", 2, 0),
        ]  # fmt: skip


def test_a_fit_is_another_than_the_commands(call: Call, tmp_path: Path) -> None:
    path = lines(tmp_path / "observed.jsonl", OBSERVED)
    status, out, err = call("dolce", "fit", "--observations", str(path), "--json")
    assert status == 0, err
    found = sw.dolce.fit(pl.DataFrame(OBSERVED))
    assert found.equals(sw.dolce.fit(OBSERVED))
    wanted = [
        (
            task["task"], task["scenario"], one["problem"], one["units"],
            None if one["lambda"] == "inf" else one["lambda"], one["k"], one["weight"], one["likelihood"], one["category"],
            one["undecided"], one["solved"], *one["probabilities"].values(),
        )
        for task in json.loads(out)["tasks"]
        for one in task["problems"]
    ]  # fmt: skip
    assert found.rows() == wanted
    assert len(wanted) == 8


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sw.seam.rank([{**SCORES[0]}, {**SCORES[1], "score": "high"}]), 'scores, row 2: field "score"'),
        (lambda: sw.seam.rank([]), "scores, there is no row to rank"),
        (lambda: sw.dolce.fit([{**OBSERVED[0], "length": 21}]), 'observations, row 1: field "length" is 21'),
        (lambda: sw.dolce.fit([]), "observations, there is no row"),
        (lambda: sw.dolce.fit(OBSERVED, tau=2), "tau lies between 0 and 1, not at 2"),
        (lambda: sw.dolce.fit(OBSERVED, scenario="owl"), "the scenario is cow, pig or auto, not 'owl'"),
    ],
)
def test_a_row_or_a_setting_is_not_named(call: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call()


@pytest.mark.slow
def test_windows_of_a_home_give_another_fit_than_its_run(tmp_path: Path) -> None:
    """By the function that docs/library.md defines."""
    ran(tmp_path, "dolce", models=("planted:noise=0.2",), tasks=("leval_quality",), limit=2)
    names: dict[str, Any] = {"pl": pl, "sw": sw}
    (defined,) = [snippet for snippet in SNIPPETS if "def observations" in snippet]
    exec(
        defined,
        {"pl": pl, "sw": sw, "prompt": ["suite", "task", "split", "example_id", "draw", "arm", "profile"]},
        names,
    )
    found = sw.dolce.fit(names["observations"](sw.open(tmp_path)))
    columns = ("example_id", "scenario", "units", "complexity", "redundancy", "category", "undecided")
    wanted = sorted(tuple(row[name] for name in columns) for row in stored(tmp_path, "complexity", "complexity"))
    assert len(wanted) > 1
    assert sorted(found.select("problem", *columns[1:]).rows()) == wanted
