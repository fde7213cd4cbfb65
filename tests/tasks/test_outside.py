"""Systems that ran elsewhere: their predictions in the place of answers, in the same tables as a model's."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.home_scores import scores_in
from scrollwork.readings.verify import verify
from scrollwork.storage.home import Home
from scrollwork.suites.outside_systems import files_of, sorted_out
from tests.conftest import Call

TASKS = ("quality", "qasper")


@pytest.fixture
def answers(call: Call) -> dict[str, dict[str, str]]:
    """By task and id what naive:seed=0 answers to the sample, which is scored in the home of `call`."""
    tasks = [word for task in TASKS for word in ("--task", task)]
    status, _, err = call(
        "--quiet", "run", "zeroscrolls", "--sample", "--model", "naive:seed=0", "--engine", "inline", *tasks
    )
    assert status == 0, err
    found: dict[str, dict[str, str]] = {}
    for artifact in Home(str(call.home)).artifacts.everything():
        if artifact.manifest.ingredients.stage == "generate":
            for row in artifact.columns("responses", ["task", "example_id", "text"]):
                found.setdefault(row["task"], {})[row["example_id"]] = row["text"]
    assert sorted(found) == sorted(TASKS)
    return found


@pytest.fixture
def score(call: Call):  # type: ignore[no-untyped-def]
    """Scores predictions against the sample: (exit status, document, standard error)."""

    def score(path: Path, *arguments: str, name: str = "theirs", suite: str = "zeroscrolls") -> tuple[int, Any, str]:
        named = () if "--name" in arguments else ("--name", name)
        more = ("--sample", "--engine", "inline", "--predictions", str(path), *named, *arguments)
        status, out, err = call("--quiet", "--json", "score", suite, *more)
        return status, json.loads(out), err

    return score


def as_csv(path: Path, answers: dict[str, dict[str, str]]) -> Path:
    """A submission as the official code writes it."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Task", "ID", "Prediction"])
        writer.writerows([task, name, text] for task, own in answers.items() for name, text in own.items())
    return path


def values(document: Any) -> dict[str, float]:
    """Value by task."""
    return {row["task"]: row["value"] for row in document["tasks"]}


def test_answers_from_a_file_get_other_scores_than_from_a_model(call: Call, answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    status, by_csv, err = score(as_csv(tmp_path / "sub.csv", answers))
    assert status == 0, err
    assert [row["model"] for row in by_csv["tasks"]] == ["theirs"] * 2
    assert "squality" in by_csv["tasks_without_predictions"]
    (tmp_path / "all.json").write_text(json.dumps(answers))
    folder = tmp_path / "folder"
    folder.mkdir()
    for task, own in answers.items():
        (folder / f"preds_{task}.json").write_text(json.dumps(own))
    assert values(score(tmp_path / "all.json", name="two")[1]) == values(by_csv)
    assert values(score(folder, name="three")[1]) == values(by_csv)
    one = score(folder / "preds_quality.json", name="four")[1]
    assert values(one) == {"quality": values(by_csv)["quality"]}

    found = scores_in(Home(str(call.home)), "zeroscrolls")
    rows, params = found.rows, found.params
    assert params["models"] == ["four", "naive:seed=0", "theirs", "three", "two"]
    assert "ran elsewhere; its answers were read from sub.csv (sha256" in params["decoding"]["theirs"]
    own = {(row.model, row.task): (row.value, row.low, row.high) for row in rows}
    for task in TASKS:
        assert own["theirs", task] == own["three", task] == own["naive:seed=0", task]


def test_ids_without_a_partner_are_lost(answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    gone, *rest = answers["quality"]
    changed = {name: answers["quality"][name] for name in rest} | {"no such id": "A"}
    status, document, err = score(as_csv(tmp_path / "sub.csv", {"quality": changed}))
    assert status == 1
    (row,) = document["ids"]
    assert (row["missing"], row["unknown"], row["left_out"]) == ([gone], ["no such id"], 0)
    (scores,) = document["tasks"]
    assert (scores["coverage"]["missing"], scores["coverage"]["answered"]) == (1, len(rest))
    assert f"missing: quality, test: 1 ids have no prediction: {gone}" in err
    assert "unknown: quality, test: 1 ids are no input of it: no such id" in err


def test_predictions_for_inputs_that_were_not_chosen_are_unknown(answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = as_csv(tmp_path / "sub.csv", answers)
    status, document, err = score(path, "--task", "quality", "--limit", "3")
    assert status == 0, err
    assert document["ids"][0]["left_out"] == len(answers["quality"]) - 3
    assert document["tasks"][0]["coverage"]["expected"] == 3


def test_empty_prediction_is_missing(answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    status, document, _ = score(as_csv(tmp_path / "sub.csv", {"qasper": dict.fromkeys(answers["qasper"], "")}))
    assert status == 0
    assert document["tasks"][0]["value"] == 0.0
    assert document["tasks"][0]["coverage"]["answered"] == len(answers["qasper"])


def test_other_predictions_under_the_same_name_keep_the_scores(answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    first = score(as_csv(tmp_path / "sub.csv", {"qasper": answers["qasper"]}))[1]
    again = score(tmp_path / "sub.csv")
    assert again[1] == first
    assert "nothing was to be done" in again[2]
    changed = score(as_csv(tmp_path / "sub.csv", {"qasper": dict.fromkeys(answers["qasper"], "")}))[1]
    assert values(changed) == {"qasper": 0.0} != values(first)


@pytest.mark.slow
def test_page_of_models_gives_way_to_that_of_a_system(call: Call, answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    pages = call.home / "reports"
    before = (pages / "zeroscrolls.html").read_bytes()
    file = as_csv(tmp_path / "sub.csv", {"qasper": answers["qasper"]})
    written = {name: Path(score(file, name=name)[1]["report"]).name for name in ("theirs", "a/b", "a b", "\u00e9" * 80)}
    assert written["theirs"] == "zeroscrolls-predictions-theirs.html"
    assert len(set(written.values())) == 4
    for name, page in written.items():
        assert name in (pages / page).read_text("utf-8")
    assert (pages / "zeroscrolls.html").read_bytes() == before


def test_byte_of_the_predictions_that_changed_is_not_found(call: Call, answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    score(as_csv(tmp_path / "sub.csv", {"qasper": answers["qasper"]}))
    home = Home(str(call.home))
    assert verify(home, "")["broken"] == []
    (copy,) = (path for path in (home.folder / "predictions").iterdir() if path.suffix != ".json")
    copy.write_bytes(copy.read_bytes().replace(b"Task", b"task", 1))
    (broken,) = verify(home, "")["broken"]
    assert copy.name in broken
    status, _, err = score(tmp_path / "sub.csv", "--limit", "3")
    assert status == 0, err  # the file was taken in again
    assert verify(home, "")["broken"] == []


def test_note_of_which_files_a_system_is_changes_unseen(call: Call, answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    score(as_csv(tmp_path / "sub.csv", {"qasper": answers["qasper"]}))
    home = Home(str(call.home))
    (note,) = (home.folder / "predictions").glob("*.json")
    before = note.read_bytes()
    assert verify(home, "")["broken"] == []
    for changed in (before.replace(b"sub.csv", b"sup.csv"), before + b"\n", before[:-2], None):
        note.unlink() if changed is None else note.write_bytes(changed)
        (broken,) = verify(home, "")["broken"]
        assert str(note) in broken
        status, _, err = call("--quiet", "report", "zeroscrolls", "--format", "csv")
        assert status == 0, err
    status, _, err = score(tmp_path / "sub.csv")
    assert status == 0, err
    assert note.read_bytes() == before
    assert verify(home, "")["broken"] == []


@pytest.mark.parametrize(
    ("file", "text", "arguments", "status", "message"),
    [
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\nquality,a,b\n", (), 1, 'sub.csv: line 3: quality, id "a" has'),
        ("sub.csv", "Task,ID,Prediction\n", (), 1, "holds no prediction"),
        (
            "sub.csv",
            "Task,ID,Prediction\nno_task,a,b\n",
            (),
            1,
            "zeroscrolls has no task 'no_task'; it has: gov_report",
        ),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--task", "qasper"), 2, "has nothing for qasper"),
        ("some.json", '{"a": "b"}', (), 1, "name it with --task"),
        ("preds_quality.jsonl", '{"a": "b"}\n{"a": "b"}', (), 1, "`score leval` and `score longbench`"),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--name", "naive"), 2, "is a model of config/models.toml"),
        (
            "sub.csv",
            "Task,ID,Prediction\nquality,a,b\n",
            ("--name", "naive:seed=0"),
            2,
            "is a model of config/models.toml",
        ),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--name", "predictions:a"), 2, "leave that out"),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--name", "a~b"), 2, "1 to 80 characters"),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--name", " "), 2, "1 to 80 characters"),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--name", "a\u202eb"), 2, "1 to 80 characters"),
        ("sub.csv", "Task,ID,Prediction\nquality,a,b\n", ("--metric", "f1"), 2, "are for --pairs"),
    ],
)
def test_what_cannot_be_scored_is_not_said(score, tmp_path: Path, file, text, arguments, status, message) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / file).write_text(text)
    ended, document, _ = score(tmp_path / file, *arguments)
    assert ended == status
    assert message in document["error"]


def test_folder_of_other_files_is_guessed_at(score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert score(tmp_path / "none")[0] == 2
    (tmp_path / "squality_v2.json").write_text("{}")
    status, document, _ = score(tmp_path)
    assert status == 2
    assert "squality_v2.json is of no task of zeroscrolls" in document["error"]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("narrativeqa.json", "narrative_qa"),
        ("QuALITY.JSON", "quality"),
        ("zero_scrolls_quality.json", "quality"),
        ("test_quality_predictions.json", "quality"),
        ("gov-report.preds.json", "gov_report"),
        ("preds_quality_test.json", "quality"),
        ("quality.jsonl", "quality"),
        ("gpt4_quality.json", ""),
        ("qualitys.json", ""),
        ("zeroscrolls.json", ""),
        ("quality.csv", ""),
    ],
)
def test_name_of_a_file_says_another_task(tmp_path: Path, name: str, task: str) -> None:
    (tmp_path / name).write_text("{}")
    ((_, found),) = files_of(tmp_path / name, "zeroscrolls", ())
    assert found == task


def test_files_that_are_not_read_are_passed_over_in_silence(answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "quality.json").write_text(json.dumps(answers["quality"]))
    (folder / "qasper.json.gz").write_bytes(b"")
    (folder / "musique").mkdir()
    status, document, err = score(folder)
    assert (status, document["not_read"]) == (0, ["musique/", "qasper.json.gz"])
    assert "not read in the folder: musique/, qasper.json.gz" in err
    (folder / "quality.json").unlink()
    status, document, _ = score(folder)
    assert status == 2
    assert "there is none, only musique/, qasper.json.gz; folders in it are not looked into" in document["error"]


def test_our_own_submission_cannot_be_scored(call: Call, answers, score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    more = ("--sample", "--model", "naive:seed=0", "--task", "quality", "--out", str(tmp_path / "out"))
    assert call("--quiet", "export", "submission", "zeroscrolls", *more)[0] == 1
    assert len(list((tmp_path / "out").iterdir())) == 4
    status, document, err = score(tmp_path / "out")
    assert status == 0, err
    assert (list(values(document)), document["not_read"]) == (["quality"], [])


def test_objects_in_place_of_texts_are_told_as_unknown_tasks_only(score, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "quality.json").write_text('{"a1": {"prediction": "B"}}')
    status, document, _ = score(tmp_path / "quality.json", "--task", "quality")
    assert status == 1
    assert "no task 'a1'" in document["error"]
    assert "where these are ids, each must have a string, not an object" in document["error"]


def test_scores_of_lm_eval_are_asked_for_their_task(tmp_path: Path) -> None:
    path = tmp_path / "results_2026-11-21T23-45-07.759864.json"
    path.write_text("{}")
    with pytest.raises(UsageError, match="its answers are in samples_TASK_WHEN"):
        files_of(path, "zeroscrolls", ())


def test_lists_of_logs_are_taken_for_logs(tmp_path: Path) -> None:
    for name in ("one.eval", "logs.json", "eval-set.json", "quality.json"):
        (tmp_path / name).write_text("{}")
    files, others = sorted_out(tmp_path)
    assert ([path.name for path in files], others) == (["one.eval", "quality.json"], ["eval-set.json", "logs.json"])


def test_system_scored_file_by_file_is_exported_by_its_last_file_only(
    call: Call, answers, score, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    older = as_csv(tmp_path / "older.csv", {task: dict.fromkeys(own, "no") for task, own in answers.items()})
    assert score(older)[0] == 0
    for task, own in answers.items():
        (tmp_path / f"{task}.json").write_text(json.dumps(own))
        assert score(tmp_path / f"{task}.json")[0] == 0
    found = scores_in(Home(str(call.home)), "zeroscrolls")
    rows, params = found.rows, found.params
    assert {row.task for row in rows if row.model == "theirs"} == set(TASKS)
    assert all(f"{task}.json" in params["decoding"]["theirs"] for task in TASKS)
    assert "older.csv" not in params["decoding"]["theirs"]
    more = ("--sample", "--model", "theirs", "--task", "quality", "--task", "qasper")
    status, _, err = call("--quiet", "export", "submission", "zeroscrolls", *more, "--out", str(tmp_path / "out.csv"))
    assert (status, "missing:" in err) == (1, False), err
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as stream:
        _, *cells = csv.reader(stream)
    assert {(task, name): text for task, name, text in cells} == {
        (task, name): text for task, own in answers.items() for name, text in own.items()
    }
    status, _, err = call("--quiet", "export", "eee", "zeroscrolls", "--sample", "--model", "theirs", "--model", "naive:seed=0", "--task", "qasper", "--task", "quality", "--out", str(tmp_path / "eee"), "--json")  # fmt: skip
    assert status == 0, err
    records = [json.loads(path.read_text()) for path in (tmp_path / "eee").rglob("*.json")]
    assert [len(record["evaluation_results"]) for record in records] == [2, 2]
