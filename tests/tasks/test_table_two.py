"""SCROLLS, table 2: QuALITY on all and on its hard questions (EM-T/H), ROUGE-1, 2 and L; in every format, in no average."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.readings.home_scores import scores_in
from scrollwork.records.example import Example
from scrollwork.records.score import SUBSETS, Aggregate, Score
from scrollwork.storage.home import Home
from scrollwork.tasks.aggregate.members import has_flag
from tests.conftest import Call

TASKS = ("quality", "qmsum")
HARD = 6  # of the 11 questions of the sample


@pytest.fixture
def ran(call: Call) -> dict[str, Any]:
    """`run scrolls --json` of the naive baseline."""
    tasks = [word for task in TASKS for word in ("--task", task)]
    ask = ("--quiet", "--json", "run", "scrolls", "--sample", "--engine", "inline", *tasks, "--model", "naive")
    status, out, err = call(*ask)
    assert status == 0, err
    document: dict[str, Any] = json.loads(out)
    return document


def row_of(document: dict[str, Any], metric: str) -> dict[str, Any]:
    (row,) = [row for row in document["tasks"] if row["metric"] == metric]
    return row


def test_hard_questions_are_read_by_nothing(call: Call, ran: dict[str, Any]) -> None:
    whole, hard = row_of(ran, "em"), row_of(ran, "em_hard")
    assert (whole["task"], hard["task"]) == ("quality", "quality")
    assert (whole["coverage"]["expected"], hard["coverage"]["expected"]) == (11, HARD)
    assert hard["coverage"]["answered"] == HARD
    values: dict[str, dict[str, float]] = {}
    flagged: set[str] = set()
    for artifact in Home(str(call.home)).artifacts.everything():
        if artifact.manifest.ingredients.stage == "sample":
            flagged |= {one.example_id for one in artifact.rows("examples", Example) if one.facts.get("hard")}
        if artifact.manifest.ingredients.stage == "score":
            for score in artifact.rows("scores", Score):
                if score.task == "quality":
                    values.setdefault(score.model, {})[score.example_id] = score.value
    assert len(flagged) == HARD
    means = [sum(own[name] for name in flagged) / HARD for own in values.values()]
    assert hard["value"] == pytest.approx(sum(means) / len(means))
    assert hard["value"] != whole["value"]


def test_hard_questions_enter_an_average_or_stand_without_the_papers_values(ran: dict[str, Any]) -> None:
    assert ran["averages"] == {"naive": None}
    printed = row_of(ran, "em_hard")["published"]
    assert [(one["model"], one["tokens"], one["value"]) for one in printed] == [
        ("Naive", None, 26.1),
        ("BART", 256, 25.8),
        ("BART", 512, 27.4),
        ("BART", 1024, 25.9),
        ("LED", 1024, 27.2),
        ("LED", 4096, 27.3),
        ("LED", 16384, 25.4),
    ]


def test_a_format_lacks_what_table_2_prints(call: Call, ran: dict[str, Any], tmp_path: Path) -> None:
    (qmsum,) = [row for row in scores_in(Home(str(call.home)), "scrolls").rows if row.task == "qmsum"][-1:]
    rouge = "/".join(f"{qmsum.components[name]:.1f}" for name in ("rouge1", "rouge2", "rougeL"))
    both = f"{row_of(ran, 'em')['value']:.1f}/{row_of(ran, 'em_hard')['value']:.1f}"
    terminal = call("--quiet", "report", "scrolls")[1]
    kinds = ("markdown", "latex", "csv", "html")
    files = {kind: tmp_path / f"report.{kind}" for kind in kinds}
    for kind, file in files.items():
        assert call("--quiet", "report", "scrolls", "--format", kind, "--out", str(file))[0] == 0
    for text in (terminal, files["markdown"].read_text(), files["latex"].read_text(), files["html"].read_text()):
        for told in (rouge, both, "45.3/17.9/20.8", "14.2/2.0/9.3", "25.2/26.1", "R-1/2/L", "all/hard"):
            assert told in text, told
    on = "(11/11, 6/6)"
    for text in (terminal, files["markdown"].read_text(), files["latex"].read_text()):
        assert f"{both} {on}" in text
        assert f"{rouge} ({qmsum.coverage.answered}/{qmsum.coverage.expected})" in text
    assert f"<small>{on.strip('()')}</small>" in files["html"].read_text()
    page = next((call.home / "reports").glob("scrolls.html")).read_text()
    assert both in page
    rows = list(csv.DictReader(files["csv"].open()))
    told = {(row["task"], row["metric"]): row for row in rows}
    assert float(told["quality", "em_hard"]["value"]) == pytest.approx(row_of(ran, "em_hard")["value"])
    assert told["quality", "em_hard"]["expected"] == str(HARD)
    for name in ("rouge1", "rouge2", "rougeL"):
        assert float(told["qmsum", name]["value"]) == pytest.approx(qmsum.components[name])


def test_a_suite_without_such_a_table_has_rows_of_subsets(call: Call) -> None:
    ask = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--task", "quality", "--model", "naive:seed=0")
    status, out, _ = call("--quiet", "--json", *ask)
    assert (status, [row["metric"] for row in json.loads(out)["tasks"]]) == (0, ["accuracy"])
    assert "all/hard" not in call("--quiet", "report", "zeroscrolls")[1]
    kept = Home(str(call.home)).artifacts.everything()
    assert not [row for one in kept for row in one.rows(SUBSETS, Aggregate)]


@pytest.mark.parametrize(
    ("metadata", "hard"),
    [
        ('{"hard":true}', True),
        ('{"hard":false}', False),
        ("{}", False),
        ('{"fields":{"is_hard":true}}', True),
        ('{"fields":{"hard":1}}', True),
        ('{"fields":{"is_hard":false}}', False),
        ('{"fields":{"is_hard":"false"}}', False),
        ('{"fields":{"is_hard":[1]}}', False),
    ],
)
def test_flag_of_a_released_row_is_misread(metadata: str, hard: bool) -> None:
    example = Example("quality", "test", "e", ("d",), ("x",), metadata=metadata)
    assert has_flag(example, "hard") is hard
