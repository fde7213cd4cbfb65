"""What a notebook and a terminal show of results: the columns that matter, links, one line each; text acts on nothing."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import signal
import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.library.display import shown_progress
from scrollwork.library.results import BOARD
from scrollwork.library.views import Board, page_path
from scrollwork.pipeline import progress

ONE: dict[str, Any] = {"sample": True, "tasks": ["squality"], "limit": 2}
BAD = "<img src=x onerror=alert(1)>\n\x1b[31m\u202e\x07"
FIRST = ["task", "model", "value", "low", "high", "answered", "expected", "complete"]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> sw.RunResult:
    """A run of a baseline."""
    return sw.run("zeroscrolls", models=["bm25"], home=tmp_path_factory.mktemp("views") / "home", **ONE)


def quiet(text: str) -> bool:
    """Whether a text is on one line and holds nothing that acts on a terminal."""
    return not {"\n", "\x1b", "\u202e", "\x07"} & set(text)


def test_a_narrow_terminal_hides_a_value(result: sw.RunResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shape, *table, others = repr(result.board).split("\n")
    assert shape == "shape: (1, 17)"
    assert max(map(len, table)) <= 80
    assert [cell.strip() for cell in table[1].strip("│").split("┆")] == FIRST
    assert (
        others
        == "and the columns split, arm, metric, failed, missing, spread, value_missing_as_zero, clusters, interval_note"
    )
    monkeypatch.setenv("COLUMNS", "300")
    for name in BOARD:
        assert f" {name} " in str(result.board)
        assert f"<th>{name}</th>" in result.board._repr_html_()
    monkeypatch.setenv("COLUMNS", "3")
    assert "squality" in repr(result.board)


def test_a_board_is_another_frame_than_its_columns(result: sw.RunResult) -> None:
    plain = pl.DataFrame(result.board.to_dict())
    assert result.board.equals(plain)
    assert type(result.board.head(1)) is Board
    for other in (pickle.loads(pickle.dumps(result.board)), copy.deepcopy(result.board)):
        assert other.equals(plain)
    assert repr(result.board.head(0)).startswith("shape: (0, 17)")


def test_text_of_a_board_acts_on_a_terminal_or_a_page(result: sw.RunResult) -> None:
    board = Board(result.board.with_columns(model=pl.lit(BAD), task=pl.lit(None, dtype=pl.String)).to_dict())
    assert quiet(repr(board).replace("\n", ""))
    assert len(repr(board.head(1)).split("\n")) == len(repr(result.board).split("\n"))
    html = board._repr_html_()
    assert "<img" not in html
    assert not {"\x1b", "\u202e"} & set(html)


def test_a_page_is_no_path_or_no_link(result: sw.RunResult, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = result.report
    assert page is not None
    plain = Path(page)
    assert (page == plain, hash(page), os.fspath(page), repr(page)) == (True, hash(plain), str(plain), repr(plain))
    assert page.read_bytes() == plain.read_bytes()
    assert pickle.loads(pickle.dumps(page)) == plain
    assert f'href="{plain.as_uri()}"' in page._repr_html_()  # type: ignore[attr-defined]
    assert f'href="{plain.as_uri()}"' in result._repr_html_()
    monkeypatch.chdir(plain.parents[1])
    assert 'href="reports/zeroscrolls.html"' in page._repr_html_()  # type: ignore[attr-defined]
    hostile: Any = page_path(tmp_path / '"><img src=x>\x1b.html')
    assert "<img" not in hostile._repr_html_()
    assert "\x1b" not in hostile._repr_html_()
    assert quiet(repr(hostile))


def test_a_repr_says_nothing_or_acts_on_a_terminal(result: sw.RunResult, tmp_path: Path) -> None:
    mine = sw.model(lambda prompt: "yes", name="mine <b>", revision="2")
    assert repr(mine) == (
        "function as a model: mine <b>, revision 2; 1 call(s) at once, at most 600 s each; in requests function:mine <b>@2"
    )
    home = sw.open(result.home)
    assert repr(home) == f"home {result.home}: 1 run(s)"
    place = tmp_path / BAD.replace("/", "")
    (place / "runs").mkdir(parents=True)
    checked = sw.verify(result.home)
    assert repr(checked).startswith("whole: ")
    built = sw.build("zeroscrolls", home=result.home, **ONE)
    for shown in (
        sw.open(place),
        dataclasses.replace(result, suite=BAD, report=place / "x.html"),
        dataclasses.replace(built, suite=BAD, report=place / "x.html"),
        dataclasses.replace(checked, ok=False, broken=(BAD, BAD)),
    ):
        assert quiet(repr(shown)), repr(shown)
        html = getattr(shown, "_repr_html_", str)()
        assert "<img" not in html


def test_two_runs_in_threads_share_a_line(
    result: sw.RunResult, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that waits in another thread is shown; one beside it counts nothing there."""
    asked, go = threading.Event(), threading.Event()

    def answer(prompt: str) -> str:
        asked.set()
        assert go.wait(60)
        return "yes"

    told: list[tuple[str, str]] = []
    mine = sw.model(answer, name="mine", revision="1")
    home = tmp_path / "home"
    first = threading.Thread(target=lambda: sw.run("zeroscrolls", models=mine, home=home, progress=True, **ONE))
    first.start()
    assert asked.wait(60)
    shown = progress._listener
    original = shown.ended
    shown.ended = lambda title, how: told.append((title, how)) or original(title, how)  # type: ignore
    for wanted in (True, False, None):
        sw.run("zeroscrolls", models=["lead"], home=tmp_path / "other", progress=wanted, **ONE)
        assert progress._listener is shown
    assert told == []
    go.set()
    first.join(60)
    assert ("generate squality, mine", "built") in told
    assert "lead" not in capsys.readouterr().err
    with shown_progress(True, 1):
        assert progress._listener is not shown


def test_a_stopped_stage_is_told_as_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def answer(prompt: str) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
        return "yes"

    mine = sw.model(answer, name="mine", revision="1")
    with pytest.raises(KeyboardInterrupt):
        sw.run("zeroscrolls", models=mine, home=tmp_path, progress=True, **ONE)
    told = capsys.readouterr().err
    assert "built: " in told
    assert "failed" not in told
