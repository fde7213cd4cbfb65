"""What all functions of the library share: signatures with options, errors in the words of Python, one line of them."""

from __future__ import annotations

import inspect
import traceback
from pathlib import Path
from typing import Any

import nbformat
import polars as pl
import pytest
from nbclient import NotebookClient

import scrollwork as sw
from scrollwork.library.calls import LONGEST, in_keywords
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.options import every_option

ONE = {"sample": True, "tasks": "squality"}
KNOWN = ["raw", "sample", "tasks", "way", "budget", "strategy", "suite", "id"]


@pytest.mark.parametrize(
    ("flags", "keywords"),
    [
        ("--raw and --sample exclude each other", "raw= and sample=True exclude each other"),
        (
            "try `scrollwork fetch --raw x`, --raw DIR or --sample",
            "try `scrollwork fetch --raw x`, raw=DIR or sample=True",
        ),
        ("--raw /a b: no", "raw= /a b: no"),
        ("--raw /a: no", "raw='/a': no"),
        ("name it with --id)", "name it with id=)"),
        ("--budget '1$': write", "budget='1$': write"),
        ("only --task squality; --other stays, a--raw too", "only tasks='squality'; --other stays, a--raw too"),
        ("--strategy take:20 asks", "strategy='take:20' asks"),
        ("a file: --suite FILE", "a file: suite=FILE"),
    ],
)
def test_a_message_speaks_of_flags_or_of_words_that_are_none(flags: str, keywords: str) -> None:
    assert in_keywords(flags, KNOWN) == keywords


def test_a_signature_hides_options_or_their_defaults() -> None:
    shown = inspect.signature(sw.run).parameters
    declared = every_option()
    assert {name for name in declared if name in shown} == set(declared)
    assert all(shown[name].default == one.default for name, one in declared.items())
    assert not any(one.kind is one.VAR_KEYWORD for one in shown.values())
    assert shown["limit"].annotation == "int | None"
    assert shown["raw"].annotation == "str | PathLike[str] | None"
    assert not [one.name for one in shown.values() if one.default is None and "None" not in str(one.annotation)]
    assert "max_input_tokens: cut prompts to N tokens" in str(sw.run.__doc__)
    assert "models" not in inspect.signature(sw.build).parameters
    assert {"tasks", "splits"}.isdisjoint(inspect.signature(sw.dataset).parameters)


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda home: sw.run("zeroscroll", models="bm25", home=home, **ONE), "zeroscrolls"),
        (lambda home: sw.run("zeroscrolls", models="bm2", home=home, **ONE), "bm25"),
        (lambda home: sw.run("zeroscrolls", models="bm25", home=home, sample=True, tasks="squalit"), "squality"),
        (lambda home: sw.run("zeroscrolls", models="bm25", home=home, **ONE, splits="tset"), "test"),
        (lambda home: sw.compare(home, bye="x"), "by"),
        (lambda home: sw.open(home, stor="x"), "store"),
        (lambda home: sw.score("rouge_go", ["a"], ["b"]), "rouge_geo"),
    ],
)
def test_a_slip_of_the_pen_is_not_named(tmp_path: Path, call: Any, near: str) -> None:
    with pytest.raises(ValueError, match=f"; did you mean '{near}'\\?$"):
        call(tmp_path / "home")


def test_a_metric_of_compare_is_not_named() -> None:
    frame = pl.DataFrame({"id": ["1", "2"], "score": [1.0, 0.0]})
    with pytest.raises(UsageError, match="did you mean 'score'"):
        sw.compare(frame, frame.clone(), metrics="scor")


def test_hostile_names_act_or_fill_the_screen(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        sw.run("z\x1b[31m\0\u202e" + "x" * 1_000_000, models="bm25", home=tmp_path, **ONE)
    text = str(raised.value)
    assert len(text) <= LONGEST
    assert not {"\x1b", "\0", "\u202e"} & set(text)


@pytest.mark.slow
def test_results_of_one_home_are_compared_with_all_that_it_holds(tmp_path: Path) -> None:
    home = tmp_path / "home"
    sw.run("zeroscrolls", models=["oracle"], home=home, **ONE)

    def shouting(prompt: str) -> str:
        return prompt[-200:].upper()

    mine = sw.model(shouting, name="mine", revision="1")
    first = sw.run("zeroscrolls", models=["bm25", mine], home=home, **ONE)
    second = sw.run("zeroscrolls", models=["lead"], home=home, **ONE)
    assert sw.compare(first).table.select("a", "b").rows() == [("bm25", "mine")]
    both = sw.compare(first, second).table
    assert set(both["a"]) | set(both["b"]) == {"bm25", "mine", "lead"}
    with pytest.raises(UsageError, match="and there is one: lead"):
        sw.compare(second)


def test_a_failing_function_is_tried_again_or_its_board_looks_whole(tmp_path: Path) -> None:
    asked = []

    def fails(prompt: str) -> str:
        asked.append(prompt)
        if len(asked) % 2:
            raise KeyError("<script>\x1b[31m" + "x" * 1_000_000)
        return "text"

    mine = sw.model(fails, name="mine", revision="1")
    result = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path / "home", **ONE)
    assert len(asked) == 10
    assert set(result.failures["kind"]) == {"function"}
    message = result.failures["message"][0]
    assert message.startswith("the function raised KeyError (test_calls.py, line ")
    assert len(message) <= 1000
    assert dict(result.board.select("model", "complete").rows()) == {"bm25": True, "mine": False}
    html = result._repr_html_()
    assert "⚠ 5 of 10 inputs answered" in html
    assert "<script" not in html


CELLS = {
    "wrong": "import scrollwork as sw\none = dict(sample=True, tasks='squality', home='h')\nsw.run('zeroscroll', **one)",
    "model": "sw.run('zeroscrolls', models='bm2', **one)",
    "completed": """
from IPython.core.completer import provisionalcompleter
typed = 'sw.run("zeroscrolls", max_inp'
with provisionalcompleter():  # what a kernel answers Tab with
    print([one.text for one in get_ipython().Completer.completions(typed, len(typed))])""",
    "interrupted": """
import os, signal
seen = []
def slow(prompt):
    seen.append(prompt)
    if len(seen) == 4:
        os.kill(os.getpid(), signal.SIGINT)
    return 'x'
mine = sw.model(slow, name='slow', revision='1')
sw.run('zeroscrolls', models=mine, **one)""",
    "resumed": "print(sw.run('zeroscrolls', models=mine, **one).complete, len(seen))",
    "own": "1 / 0",
}


@pytest.mark.slow
def test_a_notebook_shows_tracebacks_or_forgets_answers(tmp_path: Path) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS.values()])
    place = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=300, kernel_name="python3", allow_errors=True, resources=place).execute()
    shown = {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}
    errors = {name: [one for one in found if one.output_type == "error"] for name, found in shown.items()}
    (wrong,), (model,), (stopped,), (own,) = (errors[name] for name in ("wrong", "model", "interrupted", "own"))
    assert "\n".join(wrong.traceback).count("\n") == 0
    assert "did you mean 'zeroscrolls'?" in wrong.traceback[0]
    assert len(model.traceback) == 1
    assert stopped.ename == "KeyboardInterrupt"
    assert "run it again to go on" in stopped.traceback[0]
    line = "".join(str(one.get("data", {})) for one in shown["interrupted"])
    assert "1 stopped" in line
    assert "failed" not in line
    assert len(own.traceback) > 1
    told = {name: "".join(one.get("text", "") for one in found) for name, found in shown.items()}
    assert "max_input_tokens=" in told["completed"]
    complete, asked = told["resumed"].split()
    assert complete == "True"
    assert int(asked) <= 12  # ten inputs; those that were in flight are asked again


def test_an_expected_error_shows_the_frames_of_the_house_or_a_fault_hides_them(tmp_path: Path) -> None:
    def frames(models: object) -> list[str]:
        with pytest.raises(Exception) as caught:
            sw.run("zeroscrolls", models=models, sample=True, tasks="squality", limit=1, home=tmp_path)  # type: ignore[arg-type]
        return [Path(frame.filename).name for frame in traceback.extract_tb(caught.value.__traceback__)]

    assert frames(["bm52"]) == ["test_calls.py", "calls.py"]
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("scrollwork.library.running.chain_of", lambda *_: 1 / 0)
        assert frames(["bm25"])[-1] == "test_calls.py", "a fault of ours, with all frames"
