"""Texts of logs act nowhere: not in a terminal, Markdown, JSON, on a page, nor in a notebook."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.exchange.compared.cells import COLUMNS
from tests.conftest import Call

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = f"=cmd()|{SCRIPT}`{{{{7*7}}}}`\x1b[31m\r\nnew \u202eline\u2066 \x00\x9b\u200b [a](javascript:b) \ud800"
ACTING = ("\x1b", "\u202e", "\u2066", "\x00", "\x9b", "\u200b", "\ud800", "\r")
LONG = "m" * 1_000_000


def written(folder: Path, name: str | bytes, shift: int, **more: str) -> str:
    """A log of twelve items in a file of any name, with texts that act, if anything lets them."""
    row = {"task": HOSTILE, "model": HOSTILE, **more}
    rows = [
        {"id": f"{HOSTILE}{item}", HOSTILE: (item + shift) % 2, "cluster": f"{HOSTILE}{item // 3}", **row}
        for item in range(12)
    ]
    place = os.path.join(os.fsencode(folder), os.fsencode(name))
    with open(place, "w", encoding="ascii") as stream:
        stream.write("".join(json.dumps(one) + "\n" for one in rows[shift:]))
    return os.fsdecode(place)


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    """Two files whose names act, too: a line break, a direction, an escape code, and bytes that are no UTF-8."""
    return [written(tmp_path, f"=cmd(){name}<b>\n\u202e\x1b[31m".encode() + b"\xff.jsonl", name) for name in (0, 1)]


def quiet(text: str) -> None:
    """Nothing in a text acts on who shows it."""
    assert not [sign for sign in ACTING if sign in text]
    text.encode("utf-8")


def test_a_terminal_is_acted_on(call: Call, logs: list[str]) -> None:
    status, out, err = call("compare", *logs)
    assert status == 0, err
    quiet(out + err)
    assert "only in A" in err
    assert all(line.startswith("note: ") for line in err.splitlines())  # no text begins a line of its own
    assert len({len(line) for line in out.splitlines() if line[:1] in "┏┃┡│└"}) == 1


def test_json_is_cut_off_by_a_lone_surrogate(call: Call, logs: list[str]) -> None:
    status, out, err = call("compare", *logs, "--json")
    assert status == 0, err
    quiet(out)
    found = json.loads(out)
    assert found["pairs"][0]["tasks"][0]["n"] == 11
    assert any("1 item only in" in note["note"] for note in found["notes"])


def test_markdown_has_cells_links_or_code_of_a_log(call: Call, logs: list[str], tmp_path: Path) -> None:
    assert call("compare", *logs, "--out", str(tmp_path / "o.md"))[0] == 0
    text = (tmp_path / "o.md").read_text(encoding="utf-8")
    quiet(text)
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == len(COLUMNS) + 1
        assert not re.search(r"(?<!\\)(?:\\\\)*[<`\[\]]", line.replace("&lt;", "")), line
    assert "7\\*7" in text


def test_the_page_runs_or_shows_markup_of_a_log(call: Call, logs: list[str], tmp_path: Path) -> None:
    assert call("compare", *logs, "--out", str(tmp_path / "o.html"))[0] == 0
    text = (tmp_path / "o.html").read_text(encoding="utf-8")
    quiet(text)
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;" in text
    assert "49" not in text.partition("<body>")[2].partition("<h2")[0]


def test_a_notebook_runs_or_shows_markup_of_a_log(logs: list[str]) -> None:
    found = sw.compare(*logs)
    shown = found._repr_html_()
    for text in (shown, repr(found), repr(found.table), *found.warnings, *found.table["a"], *found.table["task"]):
        quiet(text)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "only in A" in shown


def test_models_whose_long_names_begin_alike_are_one(call: Call, tmp_path: Path) -> None:
    """A megabyte, and the last character tells them apart: cut to the same, their items would be one model's."""
    one, other = (
        [{"id": f"q{item}", "score": (item + shift) % 2, "model": f"{LONG}{shift}", "task": LONG} for item in range(12)]
        for shift in (0, 1)
    )
    (tmp_path / "both.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*one, *other]), encoding="utf-8")
    status, out, err = call("compare", str(tmp_path / "both.jsonl"), "--json")
    assert status == 0, err
    (pair,) = json.loads(out)["pairs"]
    assert pair["a"] != pair["b"]
    assert (pair["tasks"][0]["n"], pair["tasks"][0]["won"], pair["tasks"][0]["lost"]) == (12, 6, 6)
    assert len(out) < 50_000
    for kind in ("md", "html"):
        assert call("compare", str(tmp_path / "both.jsonl"), "--out", str(tmp_path / f"o.{kind}"))[0] == 0
        assert (tmp_path / f"o.{kind}").stat().st_size < 50_000


def test_an_error_names_a_megabyte(call: Call, tmp_path: Path) -> None:
    rows = [{"id": f"q{item}", "score": 1, "model": f"{LONG}{item}"} for item in range(30)]
    (tmp_path / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    status, _, err = call("compare", str(tmp_path / "many.jsonl"))
    assert status == 2
    assert "30 models are too many" in err
    assert len(err) < 5_000
