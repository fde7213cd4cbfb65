"""The contract of the command line: exit statuses, standard output and error, --json, what a wrong call is told."""

from __future__ import annotations

import gc
import json
import os
import re
import shlex
import socket
from pathlib import Path

import pytest

from scrollwork.cli.main import parser, spare_cpu
from scrollwork.cli.options import COMMANDS
from tests.conftest import Call

SMALL = ("--task", "musique")


# ---- help


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_command_has_no_help_or_an_example_that_is_refused(call, command):
    status, out, _ = call(command, "--help")
    assert status == 0
    _, _, example = " ".join(out.split()).partition("example: ")
    name, *arguments = shlex.split(example)
    assert name == "scrollwork"
    assert parser(arguments).parse_args(arguments).command == command
    assert "--home" in out
    assert "--json" in out


def test_help_leaves_a_command_out(call):
    status, out, _ = call("--help")
    assert status == 0
    assert [name for name in COMMANDS if name not in out] == []
    assert "example:" in out


def test_no_command_is_taken_for_success(call):
    status, out, _ = call()
    assert status == 2
    assert "COMMAND" in out


# ---- wrong calls

WRONG = [
    (
        ("plan", "zeroscrolls", "--max-input-tokens", "512", "--max-input-tokens", "1024"),
        ["argument --max-input-tokens: given twice; it takes one value"],
    ),
    (("plan", "zeroscrolls", "--limit", "3", "--max-in", "5", "--limit=3"), ["argument --limit: given twice"]),
    (("plan", "zeroscrolls", "--home", "elsewhere"), ["argument --home: given twice"]),  # and before the command
    (("run", "zeroscrolls", "--modle", "naive"), ["scrollwork run", "arguments: --modle naive; did you mean --model?"]),
    (("dolce", "units", "--qqqq"), ["scrollwork dolce units", "unrecognized arguments: --qqqq\n"]),
    (
        ("run", "zeroskrolls", "--sample", "--model", "naive"),
        ["zeroskrolls", "there are: dolce, scrolls, seam, zeroscrolls"],
    ),
    (("build", "zeroscrolls", "--sample", "--task", "musik"), ["'musik'", "gov_report", "book_sum_sort"]),
    (("plan", "zeroscrolls", "--sample", "--task", "musik"), ["'musik'", "gov_report", "book_sum_sort"]),
    (("build", "zeroscrolls", "--sample", "--split", "dev"), ["'dev'", "validation", "test"]),
    (("run", "zeroscrolls", "--sample", "--model", "gpt-9"), ["'gpt-9'", "there are: ", "naive"]),
    (("run", "zeroscrolls", "--sample", "--model", "naive:temperature=1"), ["temperature=1", "naive:seed=7"]),
    (("run", "zeroscrolls", "--sample"), ["--model naive"]),
    (("build", "zeroscrolls", "--sample", "--set", "squality.version=1"), ["'version'", "there are: release"]),
    (("build", "zeroscrolls", "--sample", "--set", "musique.release=1"), ["'release'", "there are: none"]),
    (("build", "zeroscrolls", "--sample", "--set", "nothing.release=1"), ["'nothing'", "musique"]),
    (("build", "zeroscrolls", "--sample", "--set", "release"), ["TASK.OPTION=VALUE"]),
    (
        ("build", "zeroscrolls", "--sample", "--set", "squality.release=v1-2", "--set", "squality.release=v1-3"),
        ["--set squality.release is given twice"],
    ),
    (("build", "zeroscrolls", "--sample", "--limit", "-1"), ["limit"]),
    (("build", "zeroscrolls", "--sample", "--limit", "many"), ["--limit", "many"]),
    (("build", "zeroscrolls", "--raw", "nowhere"), ["--raw nowhere", "no such folder"]),
    (("build", "zeroscrolls", "--raw", ".", "--sample"), ["--raw", "--sample", "exclude"]),
    (("build", "zeroscrolls"), ["--raw DIR", "--sample"]),
    (("run", "zeroscrolls", "--sample", "--model", "naive", "--models", "none.toml"), ["--models", "none.toml"]),
    (("run", "zeroscrolls", "--sample", "--model", "naive", "--frobnicate"), ["--frobnicate"]),
    (("run", "zeroscrolls", "--sample", "--model", "naive", "--engine", "ray"), ["'ray'", "prefect", "inline"]),
    (("frobnicate",), ["frobnicate", "verify"]),
    (("score", "--metric", "bleu", "--pairs", "-"), ["bleu", "rouge_geo", "concordance"]),
    (("score", "--metric", "f1", "--pairs", "none.jsonl"), ["none.jsonl", "No such file"]),
    (("score", "--metric", "f1"), ["--pairs"]),
    (("score", "zeroscrolls", "--predictions", "sub.csv"), ["--name"]),
    (("score", "zeroscrolls", "--predictions", "none.csv", "--name", "x", "--sample"), ["none.csv", "no such file"]),
    (
        ("run", "zeroscrolls", "--sample", "--model", "predictions:x~0123456789abcdef"),
        ["predictions:x", "--predictions"],
    ),
    (("report", "zeroskrolls"), ["zeroskrolls", "zeroscrolls"]),
    (("up", "--port", "many"), ["--port"]),
]


@pytest.mark.parametrize(
    ("arguments", "told"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_wrong_call_is_not_told_what_would_be_right(call, arguments, told):
    status, out, err = call(*arguments)
    assert status == 2
    assert out == ""
    assert [text for text in told if text not in err] == []
    assert "Traceback" not in err
    assert not call.home.joinpath("artifacts").exists()


def test_a_wrong_call_with_json_prints_no_document(call):
    status, out, err = call("--json", "build", "zeroscrolls", "--sample", "--task", "musik")
    assert (status, "musik" in json.loads(out)["error"], "musik" in err) == (2, True, True)


def test_a_broken_file_of_models_is_a_crash(call, tmp_path):
    (tmp_path / "own.toml").write_text("[naive\n")
    status, _, err = call("plan", "zeroscrolls", "--sample", "--model", "naive", "--models", "own.toml")
    assert (status, "Traceback" in err) == (2, False)
    assert "own.toml" in err


def test_a_failing_command_is_taken_for_success(call):
    status, out, err = call("report", "zeroscrolls")
    assert (status, out) == (1, "")
    assert "nothing is scored" in err
    assert "scrollwork run" in err
    status, out, err = call("--json", "verify", "abc")
    assert status == 1
    assert json.loads(out)["broken"] == ["no artifact has a key that begins with abc"]


def test_a_taken_port_starts_a_server_elsewhere(call):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, out, err = call("up", "--port", str(port))
    assert (status, out) == (1, "")
    assert f"port {port} is taken" in err
    assert "--port" in err
    assert not (call.home / "prefect" / "server.json").exists()


# ---- what is printed where

# the command without the --home that `scrollwork` puts before its arguments
WITHOUT_HOME = ("-c", "import sys; from scrollwork.cli.main import main; sys.exit(main(sys.argv[3:]))")


@pytest.mark.parametrize("place", ["before", "after"])
def test_global_options_count_only_on_one_side_of_the_command(scrollwork, tmp_path, place):
    home = tmp_path / "other"
    options = ("--home", str(home), "--json", "--quiet")
    command = ("build", "zeroscrolls", "--sample", *SMALL, "--engine", "inline")
    alone = scrollwork.with_(prefix=WITHOUT_HOME)
    done = alone(*options, *command) if place == "before" else alone(*command, *options)
    assert done.document[0]["task"] == "musique"
    assert done.err == ""
    assert (home / "artifacts").is_dir()
    assert not scrollwork.home.exists()


def test_home_of_the_environment_is_overlooked(scrollwork, tmp_path):
    named = scrollwork.with_(home=tmp_path / "unused", env={"SCROLLWORK_HOME": str(tmp_path / "named")})
    process = named.with_(prefix=WITHOUT_HOME)
    done = process("--json", "status")
    assert done.document["home"] == str(tmp_path / "named")


def test_json_of_some_command_is_not_one_document_or_not_what_was_promised(scrollwork):
    built = scrollwork("build", "zeroscrolls", "--sample", *SMALL, "--engine", "inline", "--json").document
    (row,) = built
    names = {"task", "split", "examples", "documents", "references", "mean_words", "dropped", "errors", "artifact"}
    assert names <= set(row)
    assert row["examples"] > 5
    assert row["mean_words"] > 100
    assert {"words_out", "spread_median", "published", "difference", "statistics"} <= set(row)
    assert row["statistics"]["words_in"]["mean"] == pytest.approx(row["mean_words"])

    plan = scrollwork("plan", "zeroscrolls", "--sample", "--model", "naive:seed=3", *SMALL, "--json").document
    assert [{"stage", "task", "model", "state", "why", "key"} <= set(row) for row in plan] == [True] * 10
    assert {row["state"] for row in plan} == {"reused", "missing"}

    ran = scrollwork.run(*SMALL, "--json", model="naive:seed=3")
    result = ran.document
    assert set(result) >= {"tasks", "averages", "report", "spent"}
    (task,) = result["tasks"]
    wanted = {"task", "model", "arm", "metric", "value", "value_missing_as_zero", "ci", "spread", "coverage"}
    assert wanted <= set(task)
    assert set(task["coverage"]) >= {
        "expected",
        "attempted",
        "answered",
        "failed",
        "missing",
        "truncated",
        "length_cut",
        "refused",
        "filtered",
        "context",
    }
    assert task["coverage"]["answered"] == task["coverage"]["expected"] == row["examples"]
    assert 0 <= task["ci"][0] <= task["value"] <= task["ci"][1] <= 100
    assert (result["spent"]["currency"], result["spent"]["amount"], result["spent"]["calls"]) == ("USD", 0.0, 0)
    assert scrollwork.run(*SMALL, "--json", model="naive:seed=3").document == result

    out = scrollwork("report", "--out", str(scrollwork.home / "page.html"), "--json").document["out"]
    assert "<html" in Path(out).read_text(encoding="utf-8").lower()

    found = scrollwork("verify", "--json").document
    assert (found["ok"], found["broken"]) == (True, [])
    assert found["checked"] > 10

    status = scrollwork("status", "--json").document
    assert status["artifacts"] == dict.fromkeys(
        (
            *("curate", "sample", "prompt", "statistics", "overview", "generate", "score", "aggregate", "tokens"),
            *("judge", "compare", "report"),
        ),
        1,
    )
    assert status["answers"] == {"naive:seed=3": row["examples"]}
    assert (status["failures"], len(status["runs"]), status["server"]) == ({}, 3, None)

    assert scrollwork("down", "--json").document == {"stopped": False}


def test_progress_or_logs_stand_on_standard_output(scrollwork):
    built = scrollwork("build", "zeroscrolls", "--sample", *SMALL, "--engine", "inline")
    assert re.search(r"^built: 1 curate, 1 sample, .* \(\d+\.\d s\)$", built.err, re.M)
    assert "curate" not in built.out
    assert "musique" in built.out
    ran = scrollwork.run(*SMALL, "--quiet")
    assert "built:" not in ran.err
    assert "MuSQ" in ran.out or "musique" in ran.out


def test_a_closed_pipe_is_a_traceback(scrollwork):
    process = scrollwork.start("plan", "zeroscrolls", "--sample", "--model", "naive")
    process.stdout.close()
    process.wait(timeout=60)
    err = process.stderr.read()
    process.stderr.close()
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.parametrize("engine", ["inline", pytest.param("prefect", marks=pytest.mark.slow)])
def test_a_closed_pipe_of_messages_ends_a_run(scrollwork, engine):
    """As of `2>&1 | head -1`."""
    process = scrollwork.start("run", "zeroscrolls", "--sample", *SMALL, "--model", "naive", "--engine", engine)
    process.stderr.close()
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert "musique" in out or "MuSQ" in out
    assert list(scrollwork.home.glob("artifacts/report/*"))


@pytest.mark.slow
def test_output_needs_a_terminal_that_shows_every_character(scrollwork, tmp_path):
    plain = scrollwork.with_(env={"PYTHONIOENCODING": "ascii"}, home=tmp_path / "h\u00f6me")
    done = plain.run(*SMALL)
    assert "MuSQ" in done.out
    assert plain.run(*SMALL, "--json").document["report"].startswith(str(plain.home))


def test_status_says_nothing_of_runs_and_errors(scrollwork, raw):
    (raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl").unlink()
    scrollwork.run("--raw", str(raw), "--task", "qmsum", *SMALL, status=1)
    out = scrollwork("status").out
    assert str(scrollwork.home) in out
    assert "no raw file" in out
    assert "not running" in out


@pytest.mark.slow
def test_report_writes_half_a_page_or_elsewhere(finished, tmp_path):
    page = tmp_path / "new" / "page.html"
    done = finished("report", "zeroscrolls", "--out", str(page))
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert "naive" in done.out
    assert str(page) in done.err
    finished("report")
    assert (finished.home / "reports" / "zeroscrolls-all.html").read_bytes() == page.read_bytes()
    page.chmod(0o644)
    blocked = tmp_path / "file"
    blocked.write_text("")
    failed = finished("report", "--out", str(blocked / "page.html"), status=1)
    assert "Traceback" not in failed.err


# ---- score --pairs

PAIRS = {
    "rouge_geo": ("The cat sat on the mat.", "The cat was sitting on the mat."),
    "f1": ("It is in Paris, France.", "Paris"),
    "f1_scrolls": ("It is in Paris, France.", "Paris"),
    "em": ("Paris", "Paris"),
    "accuracy": ("The answer is (B).", "B"),
    "es": ("About 60% are positive", "50%"),
    "concordance": ("2, 1, 3", "1, 2, 3"),
    "leval_exam": ("(B) because", "B"),
    "leval_exam_multi": ("A. one", "AC"),
    "longbench_qa_f1": ("It is in Paris, France.", "Paris"),
    "longbench_rouge_l": ("The cat sat. On the mat.", "The cat was sitting on the mat."),
    "longbench_classification": ("x or y", "x"),
    "longbench_retrieval": ("2 or 3", "Paragraph 2"),
    "longbench_count": ("2 or 3", "2"),
    "longbench_code": ("return a", "return b"),
    "rouge_gm": ("a fog on the quay", "a fog on quay three"),
    "musique_output": ("the fog", '{"answer_content": "fog bank", "is_answerable": true}'),
    "conll": ("[[1, 2], [3, 4]] of [5, 6", "[[1, 2], [3, 4, 5]]"),
    "dolce_accuracy": ("$1,046.", "1046.0"),
    # scored as an answer too, sentence by sentence: hence the stops
    "fic_proxy": ("few highlights", '{"highlights": [[". highlights alignments. "]], "alignments": ["highlights"]}'),
}


@pytest.mark.parametrize("metric", PAIRS)
def test_a_metric_cannot_score_pairs_of_the_command_line(call, tmp_path, metric):
    from scrollwork.scoring.names import MODULES

    assert set(PAIRS) == set(MODULES)
    prediction, reference = PAIRS[metric]
    rows = [
        {"id": "a\u2028b", "prediction": f"{prediction}\u2028", "references": [reference], "options": ["x", "y"]},
        {"id": "c", "prediction": reference, "references": [reference], "options": ["x", "y"], "more": 1},
    ]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    assert "\u2028" in lines[0]
    plain, marked = tmp_path / "plain.jsonl", tmp_path / "marked.jsonl"
    plain.write_bytes("\n".join([*lines, ""]).encode())
    marked.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*lines, "", ""]).encode())
    found = []
    for path in (plain, marked):
        status, out, err = call("score", "--metric", metric, "--pairs", str(path), "--json")
        assert (status, err) == (0, "")
        found.append(json.loads(out))
    assert found[0] == found[1]
    result = found[0]
    assert (result["metric"], result["n"]) == (metric, 2)
    assert [row["id"] for row in result["per_instance"]] == ["a\u2028b", "c"]
    assert result["per_instance"][1]["value"] == pytest.approx(100)
    assert 0 < result["value"] <= 100
    status, out, _ = call("score", "--metric", metric, "--pairs", str(plain))
    assert (status, f"{result['value']:.4f} over 2" in out) == (0, True)


GOOD = '{"id": "a", "prediction": "x", "references": ["x"]}'


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ('{"id": "b", "prediction": "x", "references": ["x"]', "line 2"),
        ('["b", "x", ["x"]]', "line 2"),
        ("", "line 2"),
        ('{"id": "b", "prediction": "x"}', 'row 2: field "references"'),
        ('{"id": "b", "prediction": null, "references": ["x"]}', 'row 2: field "prediction"'),
        ('{"id": "b", "prediction": "x", "references": "x"}', 'row 2: field "references"'),
        ('{"id": "b", "prediction": "x", "references": []}', 'row 2: field "references"'),
        ('{"id": "a", "prediction": "x", "references": ["x"]}', 'row 2: field "id"'),
        ('{"id": "b\udcff", "prediction": "x", "references": ["x"]}', "line 2: not UTF-8"),
    ],
)
def test_a_bad_row_of_pairs_is_scored_or_not_named(call, tmp_path, second, told):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(f"{GOOD}\n{second}\n{GOOD.replace('a', 'c', 1)}\n".encode("utf-8", "surrogateescape"))
    status, out, err = call("score", "--metric", "f1", "--pairs", str(path))
    assert (status, out) == (1, "")
    assert told in err
    assert str(path) in err
    assert "Traceback" not in err
    status, out, err = call("--json", "score", "--metric", "f1", "--pairs", str(path))
    assert status == 1
    assert told in json.loads(out)["error"]


def test_an_empty_file_of_pairs_is_scored(call, tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\n\n")
    status, out, err = call("score", "--metric", "f1", "--pairs", str(path))
    assert (status, out, "there is no row" in err) == (1, "", True)


def test_pairs_cannot_come_from_standard_input(scrollwork, tmp_path):
    (tmp_path / "pairs.jsonl").write_text(f"{GOOD}\n")
    with (tmp_path / "pairs.jsonl").open() as stream:
        process = scrollwork.with_().start("score", "--metric", "em", "--pairs", "-", "--json", input_from=stream)
        out, _ = process.communicate(timeout=60)
    assert json.loads(out)["value"] == 100


def test_number_of_numpys_threads_that_a_user_sets_is_overlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    before = gc.get_threshold()
    try:
        spare_cpu()
        assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
        spare_cpu()
        assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    finally:
        gc.set_threshold(*before)


@pytest.mark.slow
def test_the_demo_needs_a_word_more_or_shows_no_board(call: Call) -> None:
    status, out, err = call("demo", "--quiet")
    assert status == 0, err
    assert "naive" in out
    assert "bm25" in out
    assert "report: " in err
    again, out, _ = call("demo", "--json")
    found = json.loads(out)
    assert (again, found["spent"]["amount"]) == (0, 0)
    assert {row["model"] for row in found["tasks"]} == {"naive", "bm25"}
    assert Path(found["report"]).is_file()


def test_a_folder_that_is_no_home_is_whole(call: Call, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    status, _, err = call("verify")
    assert status == 2
    assert "is no home of scrollwork" in err
