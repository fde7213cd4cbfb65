"""A ranking over runs of the bundled SEAM: what is stored and printed beside the scores that it comes from."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from scrollwork.records.ranking import LENGTH
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Score
from scrollwork.reporting.boards.ranks import TABLES, Ranks
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.tasks.rank.tables import read_ranks
from tests.conftest import Scrollwork

ASK = ("--quiet", "run", "seam", "--sample", "--engine", "inline", "--json")
TASKS = ("--task", "musique", "--task", "fuse_reviews", "--task", "ecb_plus")
MODELS = ("--model", "naive:seed=0", "--model", "lead", "--model", "one-cluster")
RUNS = 4


def artifacts(home: Path, stage: str) -> list[Artifact]:
    return [one for one in Home(str(home)).artifacts.everything() if one.manifest.ingredients.stage == stage]


def ranking(home: Path) -> Ranks:
    (found,) = artifacts(home, "rank")
    return read_ranks(found)


@pytest.fixture(scope="module")
def home(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a run of three models, and what `run --json` printed in `printed.json`. Read it."""
    work = Scrollwork(house, tmp_path_factory.mktemp("ranked") / "home")
    done = work(*ASK, *TASKS, *MODELS, "--runs", str(RUNS))
    (work.home / "printed.json").write_text(done.out, encoding="utf-8")
    return work.home


def printed(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / "printed.json").read_text(encoding="utf-8"))
    return found


def test_ranks_or_deviations_are_not_those_of_the_runs(home: Path) -> None:
    """Worked out anew from the scores of runs, without a module of ours."""
    scores: dict[str, dict[str, list[float]]] = {}
    for artifact in artifacts(home, "aggregate"):
        for row in artifact.rows("runs", RunScore):
            assert row.value is not None
            scores.setdefault(row.task, {}).setdefault(row.model, []).append(row.value)
    models = {"naive:seed=0", "lead", "one-cluster"}
    ranks: dict[str, list[float]] = {model: [] for model in models}
    for by_model in scores.values():
        means = {model: fmean(values) for model, values in by_model.items()}
        for model in models:
            above = sum(mean > means[model] for mean in means.values()) if model in means else len(means)
            alike = sum(mean == means[model] for mean in means.values()) if model in means else 3 - len(means)
            ranks[model].append(above + (alike + 1) / 2)
    found = {row["model"]: row for row in printed(home)["seam"]["models"]}
    assert {model: row["ar"] for model, row in found.items()} == pytest.approx(
        {model: fmean(own) for model, own in ranks.items()}
    )
    for task, by_model in scores.items():
        for model, values in by_model.items():
            assert found[model]["means"][task] == pytest.approx(fmean(values))
            assert found[model]["stds"][task] == pytest.approx(pstdev(values), abs=1e-9)
    assert found["one-cluster"]["means"]["musique"] is None


def test_run_prints_another_ranking_than_seam_rank(home: Path, tmp_path: Path, house: Path) -> None:
    own = printed(home)["seam"]
    rows = [
        {"model": row.model, "dataset": row.task, "run": row.run, "score": row.value}
        for artifact in artifacts(home, "aggregate")
        for row in artifact.rows("runs", RunScore)
    ]
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    other = json.loads(
        Scrollwork(house, tmp_path / "home")("seam", "rank", "--scores", str(path), "--detail", "--json").out
    )
    assert set(other) <= set(own)
    assert other["models"] == own["models"]
    assert sorted(other["dominance"], key=str) == sorted(own["dominance"], key=str)
    for name in ("robustness", "dataset_arsd", "variance"):
        assert other[name] == own[name]


def test_every_table_can_be_read_back(home: Path) -> None:
    found = ranking(home)
    empty = {name for name in TABLES if not getattr(found, name)}
    assert empty == {"variances"}
    assert {row.kind for row in found.left_out} == {"na"}
    assert found.compared() == ["musique", "ecb_plus"]


def test_instances_have_another_score_or_length_than_their_answers(home: Path) -> None:
    found = [one for one in ranking(home).lengths if (one.task, one.model) == ("musique", "lead")]
    values: dict[str, list[float]] = {}
    for artifact in artifacts(home, "score"):
        for row in artifact.rows("scores", Score):
            if (row.task, row.model) == ("musique", "lead"):
                values.setdefault(row.example_id, []).append(row.value)
    every = [value for own in values.values() for value in own]
    low, high = min(every), max(every)
    assert {one.instance: one.score for one in found} == pytest.approx(
        {name: fmean((value - low) / ((high - low) or 1) for value in own) for name, own in values.items()}
    )
    words: dict[str, int] = {}
    for artifact in sorted(artifacts(home, "prompt"), key=lambda one: one.manifest.ingredients.slot):
        if "musique" in artifact.manifest.ingredients.slot:
            for row in artifact.columns("prompts", ["example_id", "words"]):
                words.setdefault(row["example_id"], row["words"])
    assert {one.instance: one.length for one in found} == words
    assert {row.unit for row in ranking(home).correlations if row.against == LENGTH} == {"words"}
    assert "ecb_plus" not in {one.task for one in ranking(home).lengths}, "a run has one score there"


def test_run_has_an_average_over_data_sets(home: Path) -> None:
    document = printed(home)
    assert set(document["averages"].values()) == {None}
    assert document["average_intervals"] == []
    assert {row["task"] for row in document["comparisons"]} <= {"musique", "fuse_reviews", "ecb_plus"}


def test_same_command_ranks_again(home: Path, house: Path) -> None:
    done = Scrollwork(house, home)(*ASK, *TASKS, *MODELS, "--runs", str(RUNS))
    assert "nothing was to be done" in done.err
    assert json.loads(done.out)["seam"] == printed(home)["seam"]


@pytest.mark.slow
def test_report_ranks_models_of_other_drawings_or_says_nothing(house: Path, tmp_path: Path) -> None:
    work = Scrollwork(house, tmp_path / "home")
    tasks = ("--task", "musique")
    work(*ASK, *tasks, "--model", "lead", "--model", "naive:seed=0", "--runs", "2")
    work(*ASK, *tasks, "--model", "naive:seed=1", "--runs", "2", "--seed", "7")
    done = work("report", "seam")
    page = (work.home / "reports" / "seam-all.html").read_text(encoding="utf-8")
    core = json.loads(page.partition('id="core">')[2].partition("</script>")[0])
    assert {row["task"] for row in core["comparisons"]} == {"musique"}, "each of its own runs with the other's"
    assert "naive:seed=1" in done.out
    remark = " ".join(done.out.split())
    assert "not ranked: musique, runs 0, 1: drew other prompts than lead, naive:seed=0" in remark
    files = json.loads(work("report", "seam", "--format", "csv", "--json").out)["files"]
    assert files == ["seam-all.csv", "seam-all-ranks.csv"]
    rows = list(csv.DictReader(io.StringIO((work.home / "reports" / files[1]).read_text(encoding="utf-8"))))
    assert {row["model"] for row in rows if row["source"] == "computed"} == {"lead", "naive:seed=0"}


@pytest.mark.slow
def test_experiment_takes_the_place_of_the_benchmark_or_is_not_shown(house: Path, tmp_path: Path) -> None:
    work = Scrollwork(house, tmp_path / "home")
    ask = (*ASK, "--task", "musique", "--model", "naive:seed=0", "--runs", "3")
    first = json.loads(work(*ask).out)["seam"]["models"]
    for variable in ("instances", "mention-ids", "generation"):
        work(*ask, "--vary", variable)
    page = tmp_path / "all.html"
    work("report", "seam", "--out", str(page))
    text = page.read_text(encoding="utf-8")
    assert "Where the spread comes from" in text
    assert "<td>instances</td><td>3</td>" in text
    assert "<td>mention-ids</td><td>3</td>" in text
    assert '<th scope="col">own draws</th>' in text
    assert "<td>generation</td>" not in text, "no variable of the prompts"
    assert f"<b>{first[0]['ar']:.2f}</b>" in text
    rows = csv.DictReader(io.StringIO(csv_of(work)))
    (own,) = [row for row in rows if (row["source"], row["data_set"]) == ("computed", "musique")]
    assert float(own["mean"]) == pytest.approx(first[0]["means"]["musique"]), "not the experiment's"


def csv_of(work: Scrollwork) -> str:
    work("report", "seam", "--format", "csv")
    return (work.home / "reports" / "seam-all-ranks.csv").read_text(encoding="utf-8")
