"""The command `compare` on logs that the tools themselves wrote, against the truth of their world."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Call

# folder of the logs: (A, B, metrics by the truth's names, how the items are paired)
RUNS = {
    "plain": ("alpha.csv", "beta.jsonl", {"exact": "score"}, "id", False),
    "inspect": ("plain/alpha.eval", "plain/beta.eval", {"exact": "exact", "f1": "f1"}, "id", True),
    "inspect_0.3.50": ("old/alpha.eval", "old/beta.eval", {"exact": "exact", "f1": "f1"}, "id", True),
    "lm_eval": ("alpha", "beta", {"exact": "exact,raw"}, "content", True),
    "lm_eval_0.4.2": ("alpha", "beta", {"exact": "exact,raw"}, "id", True),
    "lighteval": ("details/alpha", "details/beta", {"exact": "exact", "f1": "f1"}, "id", True),
    "helm": ("runs", "", {"exact": "quasi_exact_match"}, "id", True),
}


def truth(shared: Path, tool: str) -> dict[str, Any]:
    return dict(json.loads((shared / "logs" / tool / "truth_pairs.json").read_text())["alpha vs beta"])


def compared(call: Call, *arguments: str) -> tuple[int, dict[str, Any], str]:
    status, out, err = call("compare", *arguments, "--json")
    return status, json.loads(out), err


@pytest.mark.parametrize("tool", RUNS)
def test_alpha_and_beta_differ_from_the_truth(call: Call, shared: Path, tool: str) -> None:
    a, b, metrics, _, has_prompts = RUNS[tool]
    sources = [str(shared / "logs" / tool / name) for name in (a, b) if name]
    status, found, err = compared(call, *sources)
    assert status == 0, err
    pair = next(one for one in found["pairs"] if "alpha" in one["a"] and "beta" in one["b"])
    expected = truth(shared, tool)
    for name, metric in metrics.items():
        row = next(one for one in pair["tasks"] if one["metric"] == metric and one["task"] in ("facts", ""))
        own = expected["same_id_and_prompt" if has_prompts else "all_same_id"]
        assert row["n"] == own["n"]
        assert row["difference"] == pytest.approx(own[name]["diff_a_minus_b"], abs=1e-12)
        assert (row["won"], row["lost"], row["tied"]) == tuple(own[name][key] for key in ("won", "lost", "tied"))
        assert row["changed"] == (len(expected["other_prompt"]) if has_prompts else 0)
        assert (row["only_a"], row["only_b"]) == (len(expected["only_a"]), len(expected["only_b"]))


def test_rows_of_runs_without_ids_are_joined_by_their_number(call: Call, shared: Path) -> None:
    """Ids of inspect's own making: the naive join has 57 pairs, all of them wrong."""
    folder = shared / "logs/inspect/noid"
    status, found, _ = compared(call, str(folder / "alpha.eval"), str(folder / "beta.eval"))
    row = next(one for one in found["pairs"][0]["tasks"] if one["metric"] == "exact")
    assert (status, row["n"], row["paired_by"]) == (0, 55, "prompt")
    assert row["difference"] == pytest.approx(truth(shared, "inspect")["same_id_and_prompt"]["exact"]["diff_a_minus_b"])


def test_changed_prompts_are_compared_unasked(call: Call, shared: Path) -> None:
    folder = shared / "logs/inspect/plain"
    sources = (str(folder / "alpha.eval"), str(folder / "beta.eval"))
    plain = compared(call, *sources, "--metric", "exact")[1]
    allowed = compared(call, *sources, "--metric", "exact", "--allow-changed-prompts")[1]
    (one,), (other,) = plain["pairs"][0]["tasks"], allowed["pairs"][0]["tasks"]
    assert (one["n"], other["n"], other["paired"]) == (55, 57, {"id": 55, "changed prompt": 2})
    assert any("another prompt" in warning for warning in plain["warnings"])


def test_tools_are_not_compared_with_each_other(call: Call, shared: Path) -> None:
    """One world, two tools: alpha's answers in inspect are alpha's answers in lm-eval."""
    sources = [str(shared / "logs" / name) for name in ("inspect/plain/alpha.eval", "lm_eval/alpha")]
    status, found, err = compared(call, *sources, "--metric", "exact=exact,raw", "--task", "facts=facts")
    assert status == 0, err
    (row,) = found["pairs"][0]["tasks"]
    assert (row["n"], row["difference"], row["tied"]) == (60, 0.0, 60)


def test_a_field_that_one_tool_lacks_ends_the_comparison(call: Call, shared: Path) -> None:
    sources = [str(shared / "logs" / name) for name in ("inspect/plain/alpha.eval", "lm_eval/beta")]
    asked = ("--metric", "exact=exact,raw", "--task", "facts=facts", "--by")
    status, found, err = compared(call, *sources, *asked, "metadata.document_id")
    assert status == 0, err
    assert found["pairs"][0]["tasks"][0]["clusters"] == 12
    assert any("clusters are not taken from" in warning for warning in found["warnings"])
    assert call("compare", *sources, *asked, "nowhere")[0] == 1


def test_clusters_are_not_taken_from_the_field_that_is_named(call: Call, shared: Path) -> None:
    folder = shared / "logs/inspect/plain"
    sources = (str(folder / "alpha.eval"), str(folder / "beta.eval"), "--metric", "exact")
    (row,) = compared(call, *sources, "--by", "metadata.document_id")[1]["pairs"][0]["tasks"]
    assert (row["n"], row["clusters"]) == (55, 12)


@pytest.mark.parametrize("kind", ["md", "html"])
def test_the_file_lacks_what_the_terminal_shows(call: Call, shared: Path, tmp_path: Path, kind: str) -> None:
    out = tmp_path / f"compared.{kind}"
    folder = shared / "logs/plain"
    status, shown, err = call("compare", str(folder / "all_long.csv"), "--out", str(out))
    assert status == 0, err
    text = out.read_text(encoding="utf-8")
    for word in ("alpha", "beta", "gamma", "A is better", "17 / 4 / 36", "57 in 12"):
        assert word in text
        assert word in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("gone.csv", "a.csv"), "gone.csv: no such file or folder"),
        (("a.csv", "a.csv"), "a.csv is named twice"),
        (("a.csv",), "two models or two logs are needed"),
        (("a.csv", "b.csv", "--margin", "0"), "a number of points above 0"),
        (("a.csv", "b.csv", "--margin", "nan"), "a number of points above 0"),
        (("a.csv", "b.csv", "--metric", "x="), "write NAME, or NAME_IN_A=NAME_IN_B"),
        (("a.csv", "b.csv", "--model", "nobody"), "no log is of that model"),
        (
            ("a.csv", "b.csv", "--model", "m (b.csv)"),
            "only m (b.csv) was chosen by --model, and a comparison needs two",
        ),
        (("a.csv", "b.csv", "--out", "x.pdf"), ".html or .md"),
    ],
)
def test_a_wrong_call_ends_otherwise_than_with_a_sentence(
    call: Call, tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("id,score,model\n1,0.5,m\n")
    status, _, err = call("compare", *arguments)
    assert status == 2
    assert says in err


def test_models_are_compared_in_another_order_than_asked(call: Call, shared: Path) -> None:
    source = str(shared / "logs/plain/all_long.csv")
    for one, other in (("beta", "alpha"), ("alpha", "beta")):
        _, found, _ = compared(call, source, "--model", one, "--model", other)
        assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [(one, other)]


def test_fields_that_could_be_named_are_not(call: Call, shared: Path) -> None:
    folder = shared / "logs/inspect/plain"
    status, _, err = call("compare", str(folder / "alpha.eval"), str(folder / "beta.eval"), "--by", "metadata.document")
    assert status == 1
    assert "metadata.document_id" in err


def test_notes_of_other_tasks_hide_the_result(call: Call, shared: Path) -> None:
    sources = [str(shared / "logs/lm_eval" / name) for name in ("alpha", "beta")]
    found = compared(call, *sources, "--task", "facts_mc")[1]
    assert {row["task"] for row in found["pairs"][0]["tasks"]} == {"facts_mc"}
    assert not any("facts_rep" in warning for warning in found["warnings"])


def test_nothing_in_common_is_a_success(call: Call, shared: Path) -> None:
    folder = shared / "logs/plain"
    status, found, _ = compared(call, str(folder / "alpha.csv"), str(folder / "other_task.json"))
    assert status == 1
    assert all(row["not_compared"] for pair in found["pairs"] for row in pair["tasks"])


def test_hostile_names_reach_the_page_or_the_terminal(call: Call, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\x1b[31m|`{{7*7}}`"
    rows = "\n".join(json.dumps({"id": f"{hostile}{n}", "score": n % 2, "model": hostile}) for n in range(8))
    (tmp_path / "a.jsonl").write_text(rows)
    (tmp_path / "b.csv").write_text("id,score\n" + "\n".join(f"x{n},1" for n in range(8)) + '\n"<b>y\u202e",0\n')
    for kind in ("html", "md"):
        out = tmp_path / f"c.{kind}"
        _, shown, err = call("compare", "a.jsonl", "b.csv", "--out", str(out))
        text = out.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert all(sign not in text + shown + err for sign in ("\x1b[31m", "\u202e"))
        assert "49" not in text


@pytest.mark.slow
def test_a_narrow_terminal_folds_numbers_away_from_their_heads(shared: Path) -> None:
    """Eighty columns: lines that are short enough, with every number of the table."""
    lines = in_terminal(
        80, "compare", *(str(shared / "logs/inspect/plain" / name) for name in ("alpha.eval", "beta.eval"))
    )
    assert not any(mark in line for line in lines for mark in "│┃")
    shown = [line for line in lines if not line.startswith("note: ")]
    assert max(map(len, shown)) <= 80
    at = shown.index("facts, exact: A is better")
    assert shown[at + 1] == "  A 0.8545, B 0.6182, A − B +0.2364 (95 %: +0.0806 to +0.3921)"
    assert shown[at + 2] == "  p (Holm) .0072; won / lost / tied 17 / 4 / 34 of 55 items"
    wide = in_terminal(
        250, "compare", *(str(shared / "logs/inspect/plain" / name) for name in ("alpha.eval", "beta.eval"))
    )
    assert any("│" in line and "+0.0806 to +0.3921" in line for line in wide)


def in_terminal(columns: int, *command: str) -> list[str]:
    """What the command prints in a terminal of this width, without colours."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    ran = subprocess.Popen(
        [sys.executable, "-m", "scrollwork.cli.main", *command],
        stdin=follower, stdout=follower, stderr=follower, env={**environment, "TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    shown = b""
    with suppress(OSError):  # the end of a terminal is an error
        while part := os.read(leader, 65536):
            shown += part
    os.close(leader)
    assert ran.wait() == 0, shown.decode()
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "").splitlines()


def test_a_home_says_otherwise_than_its_board(call: Call) -> None:
    """The mean difference on the paired answers is that of the board, where the headline is a mean."""
    arguments = ("--sample", "--engine", "inline", "--quiet", "--task", "quality", "--task", "musique")
    status, out, err = call("run", "zeroscrolls", "--model", "bm25", "--model", "naive", *arguments, "--json")
    assert status == 0, err
    values = {(row["task"], row["model"]): row["value"] for row in json.loads(out)["tasks"]}
    status, found, err = compared(call, "home")
    assert status == 0, err
    (pair,) = found["pairs"]
    assert {pair["a"], pair["b"]} == {"bm25", "naive"}
    assert {row["task"] for row in pair["tasks"]} == {"quality", "musique"}
    for row in pair["tasks"]:
        expected = values[row["task"], pair["a"]] - values[row["task"], pair["b"]]
        assert row["difference"] == pytest.approx(expected, abs=1e-9)
        assert row["paired_by"] == "id"
        assert row["only_a"] == row["only_b"] == row["changed"] == row["unscored"] == 0
    clusters = {row["task"]: (row["clusters"], row["n"]) for row in pair["tasks"]}
    assert clusters["quality"] == (2, 11)
    assert "of all answers together" not in str(found["warnings"])


@pytest.mark.slow
def test_value_of_a_board_that_is_no_mean_is_taken_for_one(call: Call) -> None:
    """rouge_geo: the board's difference and the one of the answers have other values, so a note says it once."""
    arguments = (
        "--sample",
        "--engine",
        "inline",
        "--quiet",
        "--task",
        "qmsum",
        "--task",
        "squality",
        "--task",
        "musique",
    )
    status, _, err = call("run", "zeroscrolls", "--model", "bm25", "--model", "naive", *arguments)
    assert status == 0, err
    status, found, err = compared(call, "home")
    assert status == 0, err
    about = [note for note in found["warnings"] if "of all answers together" in note]
    assert about == [
        "home: rouge_geo on the board is of all answers together; the means of answers that are compared here are other "
        "numbers, and may order models otherwise"
    ]
