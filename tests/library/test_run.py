"""sw.run, build, plan and estimate: the commands as functions, in a notebook, in threads, with wrong keywords."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
import threading
import types
import zipfile
from pathlib import Path
from typing import Any, get_type_hints

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.cli.main import main
from scrollwork.library import display
from scrollwork.library.keywords import BuildOptions, RunOptions
from scrollwork.pipeline import progress
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.suites.options import BUILD, every_option

ONE = {"sample": True, "tasks": "squality"}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, sw.RunResult]:
    """A home with a run of two baselines, and the result."""
    home = tmp_path_factory.mktemp("run") / "home"
    return home, sw.run("zeroscrolls", models=["bm25", "lead"], home=home, **ONE)


def test_a_run_gives_no_board_or_other_numbers_than_the_home(first: tuple[Path, sw.RunResult]) -> None:
    home, result = first
    assert result.complete
    assert result.board["model"].to_list() == ["bm25", "lead"]
    assert result.report is not None
    assert result.report.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert result.spent["amount"] == 0
    there = sw.open(home).aggregates("zeroscrolls").select("model", "value", "low", "high").collect()
    own = result.board.select("model", "value", "low", "high")
    assert own.sort("model").equals(there.sort("model"))
    assert set(result.board["answered"]) == set(result.board["expected"]) == {10}


def test_a_second_run_or_its_plan_does_work_again(first: tuple[Path, sw.RunResult]) -> None:
    home, result = first
    planned = sw.plan("zeroscrolls", models=["bm25", "lead"], home=home, **ONE)
    assert set(planned["state"]) == {"reused"}
    assert {"curate", "generate", "report"} <= set(planned["stage"])
    again = sw.run("zeroscrolls", models=("bm25", "lead"), home=str(home), **ONE)
    assert again.board.equals(result.board)
    other = sw.plan("zeroscrolls", models="oracle", home=home, **ONE)
    assert set(other.filter(pl.col("stage") == "generate")["state"]) == {"missing"}


def test_a_build_gives_no_rows(first: tuple[Path, sw.RunResult]) -> None:
    built = sw.build("zeroscrolls", home=first[0], **ONE)
    assert built.complete
    assert built.tasks.select("task", "split", "examples", "errors").rows() == [("squality", "test", 10, 0)]
    assert built.report is not None
    assert "<td>squality</td>" in built._repr_html_()


def test_a_run_or_an_estimate_fails_in_a_running_event_loop(first: tuple[Path, sw.RunResult]) -> None:
    async def cell() -> tuple[sw.RunResult, pl.DataFrame]:
        run = sw.run("zeroscrolls", models=["bm25", "lead"], home=first[0], **ONE)
        return run, sw.estimate("zeroscrolls", models="anthropic:claude-opus-4-8", home=first[0], **ONE)

    run, estimated = asyncio.run(cell())
    assert run.board.equals(first[1].board)
    assert estimated.select("task", "requests").rows() == [("squality", 10)]
    assert estimated["usd_online"][0] > 0


def test_an_estimate_of_ways_is_another_than_the_commands(first: tuple[Path, sw.RunResult], capsys: Any) -> None:
    claude = {"models": "anthropic:claude-opus-4-8", "home": first[0], **ONE}
    ways = sw.estimate("zeroscrolls", ways=True, **claude)
    plain = sw.estimate("zeroscrolls", **claude)
    words = ["--sample", "--task", "squality", "--model", claude["models"], "--home", str(first[0]), "--json"]
    assert main(["estimate", "zeroscrolls", *words, "--ways"]) == 0
    assert ways.to_dicts() == json.loads(capsys.readouterr().out)
    assert main(["estimate", "zeroscrolls", *words]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert plain["usd_batch"].to_list() == [told["price"]["batch"]]
    free = sw.estimate("zeroscrolls", **{**claude, "models": "bm25"})
    assert free.columns == plain.columns
    assert free.is_empty()
    with pytest.raises(UsageError, match="ways and strategies: one at a time"):
        sw.estimate("zeroscrolls", ways=True, strategies=True, **claude)


def test_a_release_is_not_compared_or_a_broken_one_not_told(first: tuple[Path, sw.RunResult], tmp_path: Path) -> None:
    place = tmp_path / "squality.zip"
    with zipfile.ZipFile(place, "w") as archive:
        row = {"id": "70001_1", "pid": "70001_1_0", "input": "other", "output": None}
        archive.writestr("squality/test.jsonl", json.dumps(row) + "\n")
    told = sw.build("zeroscrolls", home=first[0], against=str(place), **ONE).against["squality", "test"]
    assert told["equal_ids"] < 1
    assert sw.build("zeroscrolls", home=first[0], **ONE).against == {}
    place.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(MalformedFile, match=r"squality\.zip: is no whole zip archive"):
        sw.build("zeroscrolls", home=first[0], against=[str(tmp_path)], **ONE)


def test_two_threads_disturb_each_other(tmp_path: Path) -> None:
    found: dict[str, Any] = {}

    def work(model: str) -> None:
        found[model] = sw.run("zeroscrolls", models=model, home=tmp_path / model, limit=2, **ONE)

    threads = [threading.Thread(target=work, args=(model,)) for model in ("bm25", "lead")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert {name: one.board["model"].to_list() for name, one in found.items()} == {"bm25": ["bm25"], "lead": ["lead"]}


def test_something_is_printed_where_no_terminal_is(first: tuple[Path, sw.RunResult], capfd: Any) -> None:
    sw.run("zeroscrolls", models=["bm25", "lead"], home=first[0], **ONE)
    sw.plan("zeroscrolls", home=first[0], **ONE)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"models": ["bm25"], "task": ["squality"]}, "sw.run has no option 'task'; did you mean 'tasks'?"),
        ({"models": ["bm25"], "limits": 3}, "sw.run has no option 'limits'; did you mean 'limit'?"),
        ({"models": ["bm25"], "hom": "x"}, "sw.run has no option 'hom'; did you mean 'home'?"),
        ({"models": ["bm25"], "limit": "3"}, "limit= must be a whole number, not '3'"),
        ({"models": ["bm25"], "limit": True}, "limit must be a whole number, not True"),
        ({"models": ["bm25"], "engine": "ray"}, "there is no engine 'ray'; there are: prefect, inline, dask"),
        ({"models": [print]}, "models: a name or what sw.model made is wanted, not a function"),
        ({}, "sw.run needs a model"),
        ({"models": ["bm25"], "runs": 3}, "runs: zeroscrolls does not draw its prompts anew in runs"),
    ],
)
def test_a_wrong_keyword_is_taken_or_the_right_one_not_named(tmp_path: Path, given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        sw.run("zeroscrolls", **{"home": tmp_path / "home", **ONE, **given})
    assert says in str(raised.value)


def test_a_build_takes_options_of_models(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"sw\.build has no option 'models'"):
        sw.build("zeroscrolls", home=tmp_path, models=["bm25"], **ONE)  # type: ignore[call-arg]


def test_a_plan_takes_an_engine(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        sw.plan("zeroscrolls", home=tmp_path, engine="inline", **ONE)  # type: ignore[call-arg]
    assert str(raised.value) == "sw.plan has no option 'engine'"
    with pytest.raises(UsageError, match="suite must be the name of a suite or its file, not a int"):
        sw.plan(3, home=tmp_path)  # type: ignore[arg-type]


def test_a_declared_option_is_no_keyword_for_type_checkers() -> None:
    known = every_option()
    assert set(get_type_hints(RunOptions)) == set(known)
    assert set(get_type_hints(BuildOptions)) == {name for name, one in known.items() if one.scope == BUILD}


def test_an_interrupt_ends_all_later_calls_of_a_notebook(first: tuple[Path, sw.RunResult]) -> None:
    STOP.set("stopped by Ctrl-C")
    with pytest.raises(KeyboardInterrupt):
        sw.run("zeroscrolls", models=["bm25", "lead"], home=first[0], **ONE)
    assert sw.run("zeroscrolls", models=["bm25", "lead"], home=first[0], **ONE).complete


def test_hostile_text_acts_in_a_notebook(first: tuple[Path, sw.RunResult]) -> None:
    bad = "<script>alert(1)</script>\x1b[31m\u202e" + "x" * 5000
    board = first[1].board.with_columns(model=pl.lit(bad), task=pl.lit("<img src=x>"))
    failure = {"kind": "transient", "task": bad, "model": bad, "example_id": bad, "message": bad}
    failures = pl.DataFrame([failure], schema=first[1].failures.schema)
    html = dataclasses.replace(first[1], board=board, failures=failures, suite=bad, notes=(bad,))._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "&lt;script&gt;" in html
    assert len(html) < 20_000


class Shown:
    """Stands for the handle of a notebook's output: IPython is not installed here."""

    def __init__(self, found: Any) -> None:
        self.all = [found._repr_html_()]

    def update(self, found: Any) -> None:
        """Take what is shown now."""
        self.all.append(found._repr_html_())


def test_a_notebook_shows_no_progress_or_runs_markup(
    first: tuple[Path, sw.RunResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    handles: list[Shown] = []

    def displayed(found: Any, display_id: bool) -> Shown:
        handles.append(Shown(found))
        return handles[-1]

    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=displayed))
    monkeypatch.setattr(display, "EVERY_S", 0.0)
    sw.run("zeroscrolls", models=["bm25", "lead"], home=first[0], **ONE)
    assert "stages (starting)" in handles[0].all[0]
    assert "reused" in handles[0].all[-1]
    with display.shown_progress(None, 2):
        progress.started("score <b>\x1b[31m")
        progress.tell("score <b>\x1b[31m", 3, 10)
        progress.ended("other", "built")
    line = handles[1].all[-2]
    assert "1 of 2 stages (1 built)" in line
    assert "&lt;b&gt;" in line
    assert "3 of 10" in line
    assert "\x1b" not in line
    sw.run("zeroscrolls", models=["bm25", "lead"], home=first[0], progress=False, **ONE)
    assert len(handles) == 2
