"""What a wrong call of the library is told: one line that says what to do instead; and what is no mistake is taken."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.analysis.logs.log import LogError
from scrollwork.library.calls import STOPPED, in_keywords
from scrollwork.pipeline.errors import StageFailed, UsageError
from tests.conftest import environment
from tests.some_slow import one_in

ONE: dict[str, Any] = {"sample": True, "tasks": "squality", "limit": 2}
ALWAYS = functools.partial(sw.run, "zeroscrolls", models="bm25")


def mine(prompt: str) -> str:
    """A model that says yes."""
    return "yes"


def two(prompt: str, documents: str) -> str:
    """A function that wants more than a prompt."""
    return prompt


def nothing() -> str:
    """A function that takes no prompt."""
    return "yes"


def pieces(prompt: str) -> Iterator[str]:
    """A generator."""
    yield "yes"


async def later_pieces(prompt: str) -> AsyncIterator[str]:
    """A generator that is awaited."""
    yield "yes"


class Pieces:
    """An object that is called and yields."""

    def __call__(self, prompt: str) -> Iterator[str]:
        yield "yes"


class Object:
    """An object that is called, and has a method."""

    def __call__(self, prompt: str) -> str:
        return "yes"

    def answer(self, prompt: str) -> str:
        """Say yes."""
        return "yes"


@functools.wraps(two)
def filled(prompt: str) -> str:
    """Looks as if it wanted two arguments, to those who follow `__wrapped__`."""
    return two(prompt, "")


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> sw.RunResult:
    """A run of one model, given alone, on one task of ten."""
    home = tmp_path_factory.mktemp("what") / "home"
    return sw.run("zeroscrolls", models=sw.model(mine, name="mine", revision="1"), home=home, **ONE)


def test_a_function_alone_is_iterated_over(tmp_path: Path) -> None:
    for models in (mine, [mine]):
        with pytest.raises(UsageError, match=r"make it a model first, sw\.model\(f, name=\.\.\., revision=\.\.\.\)$"):
            sw.run("zeroscrolls", models=models, home=tmp_path, **ONE)  # type: ignore[call-overload, arg-type]
    with pytest.raises(UsageError, match=r"a name or what sw\.model made is wanted, not 3$"):
        sw.run("zeroscrolls", models=3, home=tmp_path, **ONE)  # type: ignore[arg-type]


def test_an_open_home_is_no_home_for_a_run(result: sw.RunResult, tmp_path: Path) -> None:
    home = sw.open(Path(shutil.copytree(result.home, tmp_path / "home")))
    again = sw.run("zeroscrolls", models="function:mine@1", home=home, **ONE)
    assert again.home == str(tmp_path / "home")
    assert set(sw.plan("zeroscrolls", models="function:mine@1", home=home, **ONE)["state"]) == {"reused"}
    assert sw.verify(home).ok
    assert len(sw.build("zeroscrolls", home=home, **ONE).tasks) == 1
    assert len(sw.fetch("zeroscrolls", tasks="squality", home=home, list=True)) > 0
    assert repr(sw.open(home)) == repr(home)


def test_the_store_of_an_open_home_is_forgotten(result: sw.RunResult, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere.db"
    home = sw.open(Path(shutil.copytree(result.home, tmp_path / "home")), store=f"sqlite:///{place}")
    other = sw.model(mine, name="other", revision="1")
    sw.run("zeroscrolls", models=other, home=home, **ONE)
    assert place.is_file()
    assert len(sw.open(home).answers(models="other").collect()) == 2


def test_a_result_is_opened_by_its_repr(result: sw.RunResult) -> None:
    assert repr(sw.open(result)) == repr(sw.open(result.home))
    assert sw.open(result).scores().collect().height == 2


@pytest.mark.parametrize("wrong", [3, ["home"]])
def test_what_is_no_home_is_a_name_of_one(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"^home must be a folder, a URL, .*; home='\.scrollwork'$"):
        sw.open(wrong)


STOPPING = """
import os, signal
import scrollwork as sw

seen = []
def slow(prompt):
    seen.append(prompt)
    if len(seen) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    return "yes"

sw.run("zeroscrolls", models=sw.model(slow, name="slow", revision="1"), sample=True, tasks="squality", home="home")
"""


@pytest.mark.parametrize(
    ("asked", "has"), one_in(2, [(2, r"\d+ answer\(s\) are stored"), (1, "its first stages stand")])
)
def test_a_stopped_first_run_is_nothing_that_ran(tmp_path: Path, asked: int, has: str) -> None:
    """In a plain Python, whose traceback ends in what to do."""
    script = STOPPING.replace("== 2", f"== {asked}").replace("sample=True", f"sample=True, concurrency={asked}")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == -signal.SIGINT, done.stderr
    assert done.stderr.rstrip().endswith(f"KeyboardInterrupt: {STOPPED}")
    home = tmp_path / "home"
    told = f"a run in this home was stopped before it ended: {has}; run the same again to go on$"
    with pytest.raises(StageFailed, match=told):
        sw.open(home).answers()
    with pytest.raises(LogError, match=told):
        sw.compare(home)
    assert sorted(os.listdir(home / "artifacts"))  # it is a home, and stays one


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"models": ["mine"]}, "^only mine was chosen by models=, and a comparison needs two; there are: mine$"),
        ({"models": ["function:x@1", "mine"]}, "^models='function:x@1': no log is of that model; there are: mine"),
        ({"by": ["metadata.document_id"]}, r"^sw\.compare: by must be the name of one column, a text, not \['metadata"),
        ({"id": 3}, "^sw.compare: id must be the name of one column, a text, not 3$"),
        ({"out": "p.html"}, r"has no option 'out'; the result writes its page: sw\.compare\(\.\.\.\)\.save\("),
        ({"allow_changed_prompts": "no"}, "^allow_changed_prompts must be True or False, not 'no'$"),
    ],
)
def test_a_wrong_comparison_says_no_way_out(result: sw.RunResult, wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        sw.compare(result.home, **wrong)


def test_the_quote_of_a_name_ends_in_its_middle() -> None:
    names = {
        "--model function:x@1: no": "models='function:x@1': no",
        "(--model openai:gpt-6)": "(models='openai:gpt-6')",
    }
    assert {text: in_keywords(text, ["models"]) for text in names} == names


@pytest.mark.parametrize("call", [sw.compare, sw.seam.rank, sw.dolce.fit])
def test_a_frame_of_pandas_is_a_frame_without_a_name(call: Any) -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(UsageError, match=r"not one of pandas: give pl\.from_pandas\(frame\)"):
        call(pandas.DataFrame({"id": ["1", "2"], "score": [1.0, 0.0]}))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda home: ALWAYS(home=home, tasks="squality", sample="yes"), "sample"),
        (lambda home: ALWAYS(home=home, **ONE, progress="no"), "progress"),
        (lambda home: sw.dataset("zeroscrolls", "squality", sample=True, home=home, prompts="yes"), "prompts"),
        (lambda home: sw.fetch("zeroscrolls", home=home, list="no"), "list"),
    ],
)
def test_a_text_is_true(tmp_path: Path, call: Any, name: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be True or False, not '(yes|no)'$"):
        call(tmp_path / "home")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (two, r"two\(.*documents.* cannot be \(missing a required argument: 'documents'\)"),
        (nothing, r"nothing\(\).* cannot be \(too many positional arguments\)"),
        (lambda: "yes", r"<lambda>\(\) cannot be"),
        (Object, r"Object\(\) cannot be"),
        *((one, "the function yields") for one in (pieces, later_pieces, Pieces(), functools.partial(pieces))),
    ],
)
def test_a_function_that_fails_at_every_prompt_is_a_model(function: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        sw.model(function, name="own", revision="1")


@pytest.mark.parametrize(
    "function",
    [
        mine,
        filled,
        Object(),
        Object().answer,
        functools.partial(two, documents=""),
        functools.lru_cache(mine),
        lambda prompt, *more, **named: "yes",
        "".join,
        str,
    ],
)
def test_a_function_of_one_text_is_refused(function: Any) -> None:
    assert sw.model(function, name="own", revision="1").spec == "function:own@1"


@pytest.mark.parametrize("wrong", ["10", True, 0, float("nan"), 1j])
def test_a_timeout_of_no_number_names_no_argument(wrong: Any) -> None:
    with pytest.raises(UsageError, match="timeout_s must be a number of seconds above 0, not "):
        sw.model(mine, name="own", revision="1", timeout_s=wrong)


def test_an_average_is_null_without_a_reason(result: sw.RunResult) -> None:
    assert result.averages.rows() == [("mine", None, "1 of 10 tasks")]
    assert "; no average: 1 of 10 tasks; report: " in repr(result)
    assert "<p>no average: 1 of 10 tasks</p>" in result._repr_html_()


def test_a_reason_is_said_of_models_that_have_another() -> None:
    from scrollwork.library.results import AVERAGES, without_average

    rows = [
        ("a", None, "1 of 2 tasks"),
        ("b", 3.0, None),
        ("c", None, "1 of 2 tasks"),
        ("d", None, "ranked; no average"),
    ]
    assert without_average(pl.DataFrame(rows, schema=AVERAGES, orient="row")) == [
        "no average: 1 of 2 tasks (a, c)",
        "ranked; no average (d)",
    ]
