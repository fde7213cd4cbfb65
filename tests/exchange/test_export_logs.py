"""What was scored as files of other tools: every number is there, every row can be followed back, nothing is made up."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.logs.log import ReadOptions
from scrollwork.exchange.logs.inspect_ai import reader as inspect_ai
from scrollwork.exchange.logs.lm_eval import reader as lm_eval
from scrollwork.records.example import Example
from scrollwork.records.response import Response
from scrollwork.storage.folder import files_below
from scrollwork.storage.home import Home
from tests.conftest import Call

TASKS = ("quality", "qasper", "squality")
ONLY = [word for task in TASKS for word in ("--task", task)]
HOSTILE = '</script>\u2028"=1+1"\r\n\x00\u202e' + "a" * 5000


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which naive:seed=0 is scored on three tasks of the sample, and what came of another system's log:
    a hostile answer, an error, an input without a sample."""
    global _home
    if _home is None or not _home.is_dir():
        _home = tmp_path_factory.mktemp("exchange") / "home"
    return _home


_home: Path | None = None


@pytest.fixture
def ran(call: Call, home: Path, tmp_path: Path) -> Call:
    """The command in that home."""
    call.home = home
    if not home.is_dir():
        arguments = ("--sample", "--engine", "inline", *ONLY)
        status, _, err = call("--quiet", "run", "zeroscrolls", "--model", "naive:seed=0", *arguments)
        assert status == 0, err
        status, _, err = call("--quiet", "import", "zeroscrolls", str(theirs(home, tmp_path)), "--name", "theirs", *arguments[:3])  # fmt: skip
        assert status == 1, err
        assert "missing: quality, test: 1 ids have no prediction" in err
        assert "failed: theirs: 1 ended with an error where it ran: timed out" in err
    return call


def theirs(home: Path, folder: Path) -> Path:
    """A log of inspect with answers to quality."""
    first, second, _, *rest = [row.example_id for row in rows(home, "sample", "examples", Example, "quality")]
    samples: list[dict[str, Any]] = [{"id": first, "epoch": 1, "output": {"completion": HOSTILE + " (A)"}}]
    samples += [{"id": second, "epoch": 1, "output": {"choices": []}, "error": {"message": "timed out"}}]
    samples += [{"id": name, "epoch": 1, "output": {"completion": "B"}} for name in rest]
    path = folder / "log.json"
    path.write_text(json.dumps({"version": 2, "eval": {"task": "zero_scrolls_quality"}, "samples": samples}))
    return path


def rows(home: Path, stage: str, table: str, kind: Any, task: str) -> list[Any]:
    """The rows of a stage's artifact of a task."""
    for artifact in Home(str(home)).artifacts.everything():
        made = artifact.manifest.ingredients
        if made.stage == stage and f".{task}." in f".{made.slot}.":
            return list(artifact.rows(table, kind))
    raise AssertionError(f"no {stage} of {task}")


def export(call: Call, kind: str, out: Path, *arguments: str, model: str = "naive:seed=0") -> tuple[int, Any, str]:
    """(exit status, document, standard error) of an export."""
    only = ONLY if model.startswith("naive") else ("--task", "quality")
    more = ("--sample", "--model", model, *only, "--out", str(out), "--json", *arguments)
    status, text, err = call("--quiet", "export", kind, "zeroscrolls", *more)
    return status, json.loads(text) if text else None, err


def scores(call: Call) -> dict[str, float]:
    """The model's value by task, as the leaderboard has it."""
    more = ("--sample", "--engine", "inline", "--json", *ONLY)
    _, text, _ = call("--quiet", "run", "zeroscrolls", "--model", "naive:seed=0", *more)
    return {row["task"]: row["value"] for row in json.loads(text)["tasks"]}


def sample_rows(folder: Path) -> list[dict[str, Any]]:
    """All lines of the samples files in a folder."""
    return [json.loads(row) for path in sorted(folder.rglob("*samples*.jsonl")) for row in path.read_bytes().split(b"\n") if row]  # fmt: skip


def read_log(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(header, samples) of an .eval archive."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[-1] == "header.json"
        found = [json.loads(archive.read(name)) for name in names if name.startswith("samples/")]
        assert len(json.loads(archive.read("summaries.json"))) == len(found)
        return json.loads(archive.read("header.json")), found


def test_other_numbers_reach_the_files_than_the_leaderboard(ran: Call, tmp_path: Path) -> None:
    ours = scores(ran)
    assert [export(ran, kind, tmp_path / kind)[0] for kind in ("inspect", "lm-eval", "eee")] == [0, 0, 0]
    logs = [read_log(path)[0] for path in (tmp_path / "inspect").rglob("*.eval")]
    named = {log["eval"]["task"].partition("/")[2]: log for log in logs}
    assert {task: log["results"]["scores"][0]["metrics"]["value"]["value"] for task, log in named.items()} == ours
    assert {log["status"] for log in logs} == {"success"}

    (path,) = (tmp_path / "lm-eval").glob("*/results_*.json")
    results = json.loads(path.read_text())
    metrics = {"quality": "accuracy", "qasper": "f1", "squality": "rouge_geo"}
    got = {task: results["results"][f"zeroscrolls_{task}"][f"{name},none"] for task, name in metrics.items()}
    assert got == ours
    assert results["n-samples"]["zeroscrolls_qasper"] == {"original": 27, "effective": 27}

    (path,) = (tmp_path / "eee/data/zeroscrolls/scrollwork/naive-seed=0").glob("*[0-9a-f].json")
    record = json.loads(path.read_text())
    details = {one["evaluation_name"].partition("/")[2]: one["score_details"] for one in record["evaluation_results"]}
    assert {task: one["score"] for task, one in details.items()} == ours
    interval = details["qasper"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] <= ours["qasper"] <= interval["upper"]
    own = record["detailed_evaluation_results"]
    data = (tmp_path / "eee" / own["file_path"]).read_bytes()
    assert (own["checksum"], own["total_rows"]) == (hashlib.sha256(data).hexdigest(), data.count(b"\n"))


def test_means_of_the_rows_are_not_the_score(ran: Call, tmp_path: Path) -> None:
    ours = scores(ran)
    for kind in ("inspect", "lm-eval", "eee"):
        export(ran, kind, tmp_path / kind)
    (log,) = (tmp_path / "inspect").rglob("*qasper*.eval")
    values = [one["scores"]["f1"]["value"] for one in read_log(log)[1]]
    lines = [row["f1"] for row in sample_rows(tmp_path / "lm-eval") if row["metrics"] == ["f1"]]
    eee = [r["evaluation"]["score"] for r in sample_rows(tmp_path / "eee") if r["evaluation_name"].endswith("qasper")]
    assert sorted(values) == sorted(lines) == sorted(eee)
    assert sum(values) / len(values) == pytest.approx(ours["qasper"], abs=1e-9)


@pytest.mark.parametrize(("kind", "reader"), [("inspect", inspect_ai), ("lm-eval", lm_eval)])
def test_reader_of_logs_gets_other_scores_than_ours(ran: Call, home: Path, tmp_path: Path, kind: str, reader: Any) -> None:  # fmt: skip
    export(ran, kind, tmp_path / kind)
    (folder,) = {path.parent for path in (tmp_path / kind).rglob("*") if path.is_file() and reader.recognizes(path)}
    logs = {log.task.removeprefix("zeroscrolls")[1:]: log for log in reader.read(folder, ReadOptions())}
    assert logs.keys() == set(TASKS)
    for task, log in logs.items():
        assert set(log.ids or ()) == {row.example_id for row in rows(home, "sample", "examples", Example, task)}
    (qasper,) = (column for metric, column in logs["qasper"].scores.items() if metric.split(",")[0] == "f1")
    assert qasper.mean() == pytest.approx(scores(ran)["qasper"], abs=1e-9)


@pytest.mark.parametrize("kind", ["inspect", "lm-eval", "eee"])
def test_row_cannot_be_followed_back(ran: Call, home: Path, tmp_path: Path, kind: str) -> None:
    export(ran, kind, tmp_path)
    keys = {row.request_key: row.text for task in TASKS for row in rows(home, "generate", "responses", Response, task)}
    if kind == "inspect":
        found = [
            (one["metadata"], one["output"]["completion"], one["input"])
            for path in tmp_path.rglob("*.eval")
            for one in read_log(path)[1]
        ]
    elif kind == "lm-eval":
        texts = [(row, row["arguments"]["gen_args_0"]["arg_0"]) for row in sample_rows(tmp_path)]
        found = [(row["doc"], row["resps"][0][0], text) for row, text in texts]
        assert all(row["prompt_hash"] == hashlib.sha256(text.encode()).hexdigest() for row, text in texts)
    else:
        found = [(row["metadata"], row["output"]["raw"][0], row["input"]["raw"]) for row in sample_rows(tmp_path)]
    assert len(found) == len(keys) == 48
    stages = {a.content: a.manifest.ingredients.stage for a in Home(str(home)).artifacts.everything()}
    for trace, answer, prompt in found:
        assert keys[trace["request_key"]] == answer
        assert trace["prompt_sha256"] == hashlib.sha256(prompt.encode()).hexdigest()
        made = trace["artifacts"] if isinstance(trace["artifacts"], dict) else json.loads(trace["artifacts"])
        assert [stages[made[name]] for name in ("prompts", "answers", "scores")] == ["prompt", "generate", "score"]


def test_unanswered_inputs_are_scored_as_nothing(ran: Call, tmp_path: Path) -> None:
    for kind in ("inspect", "lm-eval", "eee"):
        status, document, err = export(ran, kind, tmp_path / kind, model="theirs")
        assert status == 1, err
        assert document["unanswered"] == {"theirs, quality": 2}
        assert "unanswered: theirs, quality: 2 inputs without an answer" in err
    (path,) = (tmp_path / "inspect/elsewhere/theirs").glob("*.eval")
    log, samples = read_log(path)
    assert (log["status"], log["error"]["message"][:26]) == ("error", "2 of 11 inputs are not ans")
    assert log["results"]["completed_samples"], log["results"]["total_samples"] == (9, 11)
    (failed,) = [one for one in samples if "error" in one]
    assert (failed["error"]["message"], failed["output"]["choices"], failed["scores"]) == ("timed out", [], {})
    (path,) = (tmp_path / "lm-eval/elsewhere__theirs").glob("results_*.json")
    assert json.loads(path.read_text())["n-samples"]["zeroscrolls_quality"] == {"original": 11, "effective": 9}
    assert len(sample_rows(tmp_path / "lm-eval")) == len(sample_rows(tmp_path / "eee")) == 9
    texts = [row["output"]["raw"][0] for row in sample_rows(tmp_path / "eee")]
    assert HOSTILE + " (A)" in texts


def test_task_without_a_scored_answer_has_an_empty_file_of_samples(ran: Call, home: Path, tmp_path: Path) -> None:
    path = theirs(home, tmp_path)
    log = json.loads(path.read_text())
    log["samples"] = [one | {"output": {"choices": []}, "error": {"message": "timed out"}} for one in log["samples"]]
    path.write_text(json.dumps(log))
    status, _, err = ran("--quiet", "import", "zeroscrolls", str(path), "--name", "failing", "--sample", "--engine", "inline", "--task", "quality")  # fmt: skip
    assert status == 1, err
    for kind in ("lm-eval", "eee"):
        _, document, err = export(ran, kind, tmp_path / kind, model="failing")
        assert document["unanswered"] == {"failing, quality": 11}, err
        files = [one for one in files_below(tmp_path / kind) if one.endswith((".json", ".jsonl"))]
        assert len(files) == 1, files
        assert "samples" not in files[0]


def test_line_separator_in_an_answer_breaks_a_line_of_eee(ran: Call, tmp_path: Path) -> None:
    export(ran, "eee", tmp_path, model="theirs")
    (path,) = tmp_path.rglob("*_samples.jsonl")
    assert len(path.read_text(encoding="utf-8").splitlines()) == 9  # as its validator cuts them


@pytest.mark.slow
def test_second_export_has_other_bytes(ran: Call, tmp_path: Path) -> None:
    for kind in ("inspect", "lm-eval", "eee", "submission"):
        digests = []
        for name in ("one", "two"):
            export(ran, kind, tmp_path / kind / name)
            folder = tmp_path / kind / name
            digests.append(
                {one: hashlib.sha256((folder / one).read_bytes()).hexdigest() for one in files_below(folder)}
            )
        assert digests[0] == digests[1]
        sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines()[1:])
        assert sums == {name: digest for name, digest in digests[0].items() if name != "SHA256SUMS"}
        assert export(ran, kind, folder)[0] == export(ran, kind, tmp_path / kind / "one")[0]
        (folder / "notes.txt").write_text("mine")
        status, _, err = export(ran, kind, folder)
        assert (status, "holds files that are no export (notes.txt)" in err) == (1, True)


def test_export_of_what_did_not_run_makes_up_numbers(ran: Call, tmp_path: Path) -> None:
    status, _, err = export(ran, "eee", tmp_path / "out", model="naive:seed=7")
    assert (status, "nothing of it is scored: run `scrollwork run zeroscrolls`" in err) == (1, True)
    status, document, err = export(ran, "eee", tmp_path / "out", "--task", "musique")
    assert status == 1
    assert "lacking: musique, test, naive:seed=0: not scored" in err
    assert document["lacking"] == ["musique, test, naive:seed=0: not scored"]
    status, _, err = ran("export", "lm-eval", "zeroscrolls", "--sample", "--out", str(tmp_path / "no"))
    assert (status, "needs --model M" in err, "naive:seed=0" in err) == (2, True, True)
    status, _, err = ran("export", "hf", "zeroscrolls", "--sample", "--model", "naive", "--out", str(tmp_path / "no"))
    assert (status, "leave out --model" in err) == (2, True)


# ---- submissions


def submitted(path: Path) -> list[tuple[str, str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        header, *found = csv.reader(stream)
    assert header == ["Task", "ID", "Prediction"]
    return [(task, name, text) for task, name, text in found]


def check(call: Call, path: Path, *arguments: str) -> tuple[int, Any, str]:
    status, text, err = call("--quiet", "check-submission", "zeroscrolls", str(path), "--sample", "--json", *arguments)
    return status, json.loads(text), err


def test_submission_of_some_tasks_passes_for_whole(ran: Call, home: Path, tmp_path: Path) -> None:
    status, document, err = export(ran, "submission", tmp_path / "out")
    assert status == 1
    path = tmp_path / "out/zero_scrolls_predictions.csv"
    assert document["files"][0] == str(path)
    assert sorted(document["absent"]) == sorted(
        ["gov_report", "summ_screen_fd", "qmsum", "narrative_qa", "musique", "space_digest", "book_sum_sort"]
    )
    assert "tasks that are not in the file: gov_report" in err
    listed = json.loads((tmp_path / "out/zero_scrolls_predictions.missing.json").read_text())
    assert listed["absent"] == document["absent"]
    found = submitted(path)
    assert list(dict.fromkeys(task for task, _, _ in found)) == ["squality", "qasper", "quality"]  # official order
    given = {
        (task, r.example_id): r.text for task in TASKS for r in rows(home, "generate", "responses", Response, task)
    }
    assert {(task, name): text for task, name, text in found} == given
    traced = [json.loads(row) for row in (tmp_path / "out/zero_scrolls_predictions.provenance.jsonl").open()]
    assert [(row["task"], row["id"]) for row in traced] == [(task, name) for task, name, _ in found]
    assert check(ran, path, *ONLY)[:2] == (0, {"ok": True, "errors": [], "rows": 48, "expected": {"squality": 10, "qasper": 27, "quality": 11}})  # fmt: skip
    status, verdict, err = check(ran, path)
    assert (status, verdict["ok"], verdict["errors"][0]["kind"]) == (1, False, "tasks")
    assert "tasks without a row: gov_report, summ_screen_fd" in err


def test_missing_answer_is_lost_or_invented(ran: Call, tmp_path: Path) -> None:
    out = tmp_path / "theirs.csv"
    status, document, err = export(ran, "submission", out, model="theirs")
    assert status == 1
    assert (document["rows"], document["answered"], len(document["missing"]["quality"])) == (9, 9, 2)
    assert "missing: quality: 2 inputs without an answer" in err
    assert submitted(out)[0][2] == HOSTILE + " (A)"
    status, verdict, _ = check(ran, out, "--task", "quality")
    (error,) = verdict["errors"]
    assert (status, error["kind"], error["ids"]) == (1, "missing", document["missing"]["quality"])
    assert error["message"] == "There are missing example IDs."

    status, document, err = export(ran, "submission", out, "--allow-missing", model="theirs")
    assert status == 0, err
    filled = {name: text for _, name, text in submitted(out)}
    assert [filled[name] for name in document["missing"]["quality"]] == ["", ""]
    assert check(ran, out, "--task", "quality")[0] == 0
    assert json.loads(out.with_suffix(".missing.json").read_text())["filled"] is True


def test_whole_submission_is_refused_or_a_fault_in_it_passes(ran: Call, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    export(ran, "submission", out)
    whole = out.read_bytes()
    for change, kind in (
        (whole.replace(b"quality,90001_AB12CD34_1,", b"quality,other,"), ["missing", "redundant"]),
        (whole + whole.splitlines(keepends=True)[-1], ["duplicate"]),
        (whole.replace(b"Task,ID,Prediction", b"Task,Id,Prediction"), ["columns"]),
        (b"\xef\xbb\xbf" + whole, []),
        (b"", ["empty"]),
        (gzip.compress(whole), ["encoding"]),
        (whole.decode().encode("utf-16"), ["encoding"]),
        (b"\r\n\n" + whole, []),
    ):
        out.write_bytes(change)
        status, verdict, _ = check(ran, out, *ONLY)
        assert ([error["kind"] for error in verdict["errors"]], status) == (kind, int(bool(kind)))
    status, _, err = ran("check-submission", "zeroscrolls", str(tmp_path / "none.csv"), "--sample")
    assert (status, "there is no such file" in err) == (2, True)
    status, _, err = ran("check-submission", "zeroscrolls", str(tmp_path), "--sample")
    assert (status, "is a folder; name the CSV in it" in err) == (2, True)


def test_seeds_of_a_family_are_put_into_one_submission(call: Call, tmp_path: Path) -> None:
    only = ("--sample", "--task", "space_digest")
    assert call("--quiet", "run", "zeroscrolls", "--model", "naive", "--engine", "inline", *only)[0] == 0
    more = ("--model", "naive", *only, "--out", str(tmp_path / "out"))
    status, _, err = call("export", "submission", "zeroscrolls", *more)
    assert (status, "naive is a family of 20; run and export one: --model naive:seed=0" in err) == (2, True)
    status, text, _ = call("export", "inspect", "zeroscrolls", *more, "--json")
    logs = [Path(name) for name in json.loads(text)["files"] if name.endswith(".eval")]
    assert call("--quiet", "run", "zeroscrolls", "--model", "naive:seed=0", "--engine", "inline", *only)[0] == 0
    twice = call("export", "inspect", "zeroscrolls", *more, "--model", "naive:seed=0")
    assert (twice[0], "naive:seed=0 stands in two of the models" in twice[2]) == (2, True)
    assert (status, len(logs), len({path.parent.name for path in logs})) == (0, 20, 20)


# ---- the way back


@pytest.mark.parametrize("kind", ["inspect", "lm-eval"])
def test_exported_log_gets_other_scores_when_it_comes_back(ran: Call, home: Path, tmp_path: Path, kind: str) -> None:
    export(ran, kind, tmp_path / "out")
    folder = next((tmp_path / "out").rglob("*.eval" if kind == "inspect" else "results_*.json")).parent
    ran.home = Path(shutil.copytree(home, tmp_path / "home"))
    ours = scores(ran)
    arguments = ("--sample", "--engine", "inline", "--name", f"back from {kind}", "--json")
    status, text, err = ran("--quiet", "import", "zeroscrolls", str(folder), *arguments)
    assert status == 0, err
    document = json.loads(text)
    assert {row["task"]: row["value"] for row in document["tasks"]} == ours
    assert all(not row["missing"] and not row["unknown"] for row in document["ids"])
    status, text, _ = ran("verify", "--json")
    assert (status, json.loads(text)["broken"]) == (0, [])


def test_task_of_another_name_is_taken_for_one_of_ours(ran: Call, tmp_path: Path) -> None:
    path = tmp_path / "samples_mmlu_2026-01-01T00-00-00.000001.jsonl"
    path.write_text(json.dumps({"doc_id": 0, "doc": {"id": "x"}, "resps": [["A"]]}) + "\n")
    arguments = ("--sample", "--engine", "inline", "--name", "x")
    status, _, err = ran("import", "zeroscrolls", str(path), *arguments)
    assert (status, "name it with --task" in err) == (1, True)
    status, _, err = ran("import", "zeroscrolls", str(tmp_path), *arguments)
    assert (status, "is of no task of zeroscrolls" in err) == (2, True)
