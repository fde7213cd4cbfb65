"""A function that changed under the same name and revision: its stored answers are read, and that is said."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import scrollwork as sw
from scrollwork.library.function_code import FILE, PYTHON, code_of

ONE: dict[str, Any] = {"sample": True, "tasks": "squality"}
NOTE = "model 'mine': this home has answers of revision 1 by other code of the function, and they are read"


def first() -> Callable[[str], str]:
    """The function as it was."""

    def answer(prompt: str) -> str:
        return "yes"

    return answer


def told_otherwise() -> Callable[[str], str]:
    """The same code."""

    def answer(prompt: str) -> str:
        """Say yes."""
        # whatever
        return "yes"

    return answer


def other() -> Callable[[str], str]:
    """Other code."""

    def answer(prompt: str) -> str:
        return "no"

    return answer


def ran(home: Path, function: Callable[[str], str], revision: str = "1", limit: int = 2) -> list[str]:
    """Run it; the warnings."""
    mine = sw.model(function, name="mine", revision=revision)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert sw.run("zeroscrolls", models=["bm25", mine], home=home, limit=limit, **ONE).complete
    return [str(one.message) for one in caught]


@pytest.mark.slow
def test_answers_of_other_code_are_read_without_a_word(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert ran(home, first()) == []
    assert ran(home, told_otherwise()) == []
    (note,) = ran(home, other())
    assert note == f"{NOTE}, not asked again; give another revision to ask again"
    assert set(sw.open(home).answers(models="mine").collect()["text"]) == {"yes"}
    assert ran(home, first()) == []  # nothing was asked of the other code
    assert ran(home, other(), limit=3)[0].startswith(NOTE)  # one answer is of the other code
    assert set(sw.open(home).answers(models="mine").collect()["text"]) == {"yes", "no"}
    assert ran(home, first(), limit=3)[0].startswith(NOTE)
    assert ran(home, other(), revision="2") == []
    assert ran(tmp_path / "another", other()) == []


def test_a_note_of_another_python_or_a_torn_one_stops_a_run_or_is_believed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    ran(home, first())
    noted = json.loads((home / FILE).read_text())
    assert noted == {"function:mine@1": {code_of(told_otherwise()): PYTHON}}
    (home / FILE).write_text(json.dumps({"function:mine@1": {"0" * 64: "3.1"}}))
    assert ran(home, other()) == []
    for torn in ("[1", '{"function:mine@1": 3}', json.dumps({"function:mine@1": [{}]})):
        (home / FILE).write_text(torn)
        assert ran(home, other()) == []


def test_a_note_without_answers_warns(tmp_path: Path) -> None:
    """A run that was stopped before the first answer leaves one."""
    home = tmp_path / "home"
    (home / FILE).parent.mkdir(parents=True)
    (home / FILE).write_text(json.dumps({"function:mine@1": {"0" * 64: PYTHON}}))
    assert ran(home, first()) == []
    assert ran(home, first(), limit=3) == []


@pytest.mark.parametrize("function", [lambda prompt: "yes", partial(print), print, first().__class__])
def test_what_has_no_text_of_its_own_has_a_digest(function: Any) -> None:
    assert code_of(function) is None
    assert code_of(first()) != code_of(other())
