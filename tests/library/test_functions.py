"""sw.model: a function is a model like any other; what it does wrong costs one input, and no answer is asked twice."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.models import function_calls
from scrollwork.models.base import Answer, Ask, Call, CallFailed, Segment
from scrollwork.models.function_calls import LONGEST_ANSWER
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.verify import verify
from scrollwork.storage.home import Home
from tests.conftest import PROJECT, environment, lend_database

HERE = Path(__file__).name
ONE = {"sample": True, "tasks": "squality"}


def calls(*prompts: str) -> list[Call]:
    """Calls with these prompts, which are their keys too."""
    asks = [Ask("t", prompt, (Segment("query", prompt),), prompt, 0, 9) for prompt in prompts]
    return [Call(ask.prompt, "mine", {}, ask) for ask in asks]


def asked(function: Any, *prompts: str, timeout_s: float = 20.0, concurrency: int = 1) -> dict[str, str]:
    """The text of each answer, or the message of its failure in brackets, by prompt."""
    found: dict[str, str] = {}
    limits = {"timeout_s": timeout_s, "concurrency": concurrency}
    for one in function_calls.results(function, "mine@1", iter(calls(*prompts)), **limits):
        assert isinstance(one, Answer | CallFailed)
        found[one.key] = one.text if isinstance(one, Answer) else f"[{one.message}]"
    return found


class Unreadable(Exception):
    """An error whose text cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no")


class Loud(str):
    """A text that gives another text when it is asked."""

    def __str__(self) -> str:
        return "other"


def answer(prompt: str) -> Any:
    """Do what the prompt says."""
    if prompt == "raises":
        raise KeyError("boom \x00\ud800")
    if prompt == "unreadable":
        raise Unreadable
    if prompt == "exits":
        sys.exit(3)
    if prompt == "hangs":
        time.sleep(20)
    odd = {"none": None, "bytes": b"text", "long": "x" * (LONGEST_ANSWER + 1), "list": ["text"], "loud": Loud("text")}
    return odd.get(prompt, f"yes, {prompt}")


def line_of(function: Any, code: str) -> str:
    """The place in this file, as failures name it, of the line of a function that holds some code."""
    lines, first = inspect.getsourcelines(function)
    return f"({HERE}, line {first + next(number for number, line in enumerate(lines) if code in line)})"


async def answer_later(prompt: str) -> Any:
    """The same, as a coroutine."""
    await asyncio.sleep(0)
    if prompt == "hangs":
        await asyncio.sleep(20)
    return answer(prompt)


@pytest.mark.parametrize("function", [answer, answer_later], ids=["plain", "coroutine"])
def test_a_call_that_goes_wrong_takes_others_with_it_or_is_an_answer(function: Any) -> None:
    wrong = ("raises", "unreadable", "exits", "hangs", "none", "bytes", "long", "list")
    found = asked(function, "a", *wrong, "loud", "b", timeout_s=0.3, concurrency=2)
    assert found["a"] == "yes, a"
    assert found["b"] == "yes, b"
    assert found["loud"] == "text"
    plain = function is answer  # a coroutine is named by its own line, not by that of what it calls
    key, odd, ended = (
        line_of(function, code if plain else "return answer(prompt)")
        for code in ("raise KeyError", "raise Unreadable", "sys.exit(3)")
    )
    assert found["raises"] == f"[the function raised KeyError {key}: 'boom \\x00\\ud800']"
    assert found["unreadable"] == f"[the function raised Unreadable {odd}: its message cannot be read]"
    assert f"SystemExit {ended}: 3" in found["exits"]
    assert found["hangs"] == "[the function gave no answer within 0.3 s]"
    assert found["none"] == "[the function gave None, not a text (str)]"
    assert found["bytes"] == "[the function gave a bytes, not a text (str)]"
    assert found["list"] == "[the function gave a list, not a text (str)]"
    assert found["long"] == "[the function gave 10,000,001 characters, more than 10,000,000]"


def test_a_coroutine_that_blocks_its_loop_blocks_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(function_calls, "GRACE_S", 0.1)
    released = threading.Event()

    async def blocks(prompt: str) -> str:
        if prompt == "first":
            released.wait(20)
        return "yes"

    try:
        found = asked(blocks, "first", "second", timeout_s=0.2)
    finally:
        released.set()
    assert found == {"first": "[the function gave no answer within 0.2 s]", "second": "yes"}


def test_more_calls_run_at_once_than_wanted_or_fewer() -> None:
    now, most = 0, 0
    lock = threading.Lock()

    def counting(prompt: str) -> str:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1
        return prompt

    assert len(asked(counting, *map(str, range(12)), concurrency=3)) == 12
    assert most == 3


def test_a_client_opened_in_the_first_call_is_in_another_loop_later() -> None:
    loops = set()

    async def where(prompt: str) -> str:
        loops.add(id(asyncio.get_running_loop()))
        return prompt

    for prompt in "abc":
        asked(where, prompt)
    assert len(loops) == 1


@pytest.mark.parametrize(
    "waits", [pytest.param(False, id="plain"), pytest.param(True, id="coroutine", marks=pytest.mark.slow)]
)
def test_an_answer_is_asked_twice_or_a_mended_function_is_not_asked(tmp_path: Path, waits: bool) -> None:
    seen: Counter[str] = Counter()
    broken = True

    def reply(prompt: str) -> str:
        seen[prompt] += 1
        if broken and len(seen) == 2:
            raise ValueError("not yet")
        return "The crew finds the ship."

    async def reply_later(prompt: str) -> str:
        return reply(prompt)

    mine = sw.model(reply_later if waits else reply, name="mine", revision="1", concurrency=1)
    first = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path, **ONE)
    assert not first.complete
    where = line_of(reply_later, "return reply") if waits else line_of(reply, "raise ValueError")
    assert first.failures["message"].to_list() == [f"the function raised ValueError {where}: not yet"]
    rows = first.board.select("model", "answered", "failed").rows()
    assert rows == [("bm25", 10, 0), ("mine", 9, 1)]
    assert "⚠ 9 of 10 inputs answered" in first._repr_html_()
    assert "<th>average</th>" not in first._repr_html_()
    known = pl.DataFrame([{"model": "bm25", "average": 31.891, "why": None}], schema=first.averages.schema)
    whole = replace(first, averages=known)
    assert "<th>average</th>" in whole._repr_html_()
    assert "<td>31.89</td>" in whole._repr_html_()
    assert "; average: bm25 31.89; report: " in repr(whole)
    assert sum(seen.values()) == 10
    broken = False
    second = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path, **ONE)
    assert second.complete
    assert sum(seen.values()) == 11
    third = sw.run("zeroscrolls", models=["bm25", mine], home=tmp_path, **ONE)
    assert third.board.equals(second.board)
    assert sum(seen.values()) == 11
    answers = sw.open(tmp_path).answers("zeroscrolls", models="mine").collect()
    assert set(answers["text"]) == {"The crew finds the ship."}
    assert set(answers["reported_model"]) == {"mine@1"}
    assert verify(Home.at(str(tmp_path)), "")["broken"] == []


def test_a_text_of_odd_characters_is_lost_or_acts(tmp_path: Path) -> None:
    odd = ["", "half \ud800", "nul \0", "<script>alert(1)</script>\x1b[31m", "\u202eturned", "x" * 200_000]

    def reply(prompt: str) -> str:
        return odd.pop()

    found = sw.run("zeroscrolls", models=sw.model(reply, name="<b>", revision="1"), limit=6, home=tmp_path, **ONE)
    assert found.complete
    assert odd == []
    texts = sw.open(tmp_path).answers("zeroscrolls").collect()["text"].to_list()
    assert texts == ["x" * 200_000, "\u202eturned", "<script>alert(1)</script>\x1b[31m", "nul \0", "half ?", ""]
    assert "&lt;b&gt;" in found._repr_html_()
    assert found.report is not None
    assert "<script>alert(1)" not in found.report.read_text(encoding="utf-8")


def test_another_revision_takes_the_answers_of_the_first(tmp_path: Path) -> None:
    asked_of: Counter[str] = Counter()

    def made(revision: str) -> Any:
        def reply(prompt: str) -> str:
            asked_of[revision] += 1
            return f"revision {revision}"

        return sw.model(reply, name="mine", revision=revision)

    for revision in ("1", "2", "1"):
        sw.run("zeroscrolls", models=made(revision), home=tmp_path, limit=3, **ONE)
        texts = sw.open(tmp_path).answers("zeroscrolls", models="mine").collect()["text"]
        assert set(texts) == {f"revision {revision}"}
    assert asked_of == {"1": 3, "2": 3}
    with pytest.raises(UsageError, match="two models would stand under the name 'mine'"):
        sw.run("zeroscrolls", models=[made("1"), made("2")], home=tmp_path, limit=3, **ONE)


def test_an_interrupted_cell_loses_answers_or_ends_the_next_one(tmp_path: Path) -> None:
    seen: list[str] = []

    def reply(prompt: str) -> str:
        seen.append(prompt)
        if len(seen) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return "yes"

    mine = sw.model(reply, name="mine", revision="1")
    with pytest.raises(KeyboardInterrupt):
        sw.run("zeroscrolls", models=mine, home=tmp_path, **ONE)
    assert len(seen) == 4
    assert sw.run("zeroscrolls", models=mine, home=tmp_path, **ONE).complete
    assert len(seen) == 11


@pytest.mark.slow
def test_a_suite_in_runs_or_in_windows_cannot_ask_a_function(tmp_path: Path) -> None:
    mine = sw.model(lambda prompt: "Answer: 1", name="mine", revision="1")
    ranked = sw.run("seam", models=[mine, "lead"], tasks="musique", runs=2, instances=4, sample=True, home=tmp_path)
    assert set(ranked.board["model"]) == {"mine", "lead"}
    assert ranked.complete
    windows = sw.run("dolce", models=mine, sample=True, limit=1, strategy="short", home=tmp_path)
    assert windows.failures.is_empty()
    texts = sw.open(tmp_path).answers("dolce", models="mine").collect()["text"]
    assert len(texts) > 2
    assert set(texts) == {"Answer: 1"}


@pytest.mark.slow
def test_the_command_line_asks_for_the_function_where_answers_stand(tmp_path: Path) -> None:
    """Another process knows the model by its spec: it reads what is answered, and says who can answer the rest."""
    mine = sw.model(lambda prompt: "yes", name="mine", revision="1")
    sw.run("zeroscrolls", models=mine, home=tmp_path, limit=3, **ONE)
    words = [
        "--sample",
        "--task",
        "squality",
        "--model",
        "function:mine@1",
        "--engine",
        "inline",
        "--home",
        str(tmp_path),
    ]
    code = "import sys; from scrollwork.cli.main import main; sys.exit(main(sys.argv[1:]))"
    ended = [
        subprocess.run(
            [sys.executable, "-c", code, "run", "zeroscrolls", *words, "--limit", limit],
            env=environment(PYTHONPATH=str(PROJECT)),
            capture_output=True,
            text=True,
            timeout=300,
        )
        for limit in ("3", "4")
    ]
    assert ended[0].returncode == 0, ended[0].stderr
    assert "mine" in ended[0].stdout
    assert ended[1].returncode == 1
    assert "its function, revision 1, is not in this process" in ended[1].stderr


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": "bm25"}, "'bm25' is a model of config/models.toml"),
        ({"name": "a:b"}, "a name has 1 to 80 printable characters without quotes, : @ and ~"),
        ({"name": ""}, "a name has 1 to 80 printable characters"),
        ({"name": "evil\x1b[31m"}, "a name has 1 to 80 printable characters"),
        ({"name": "turned\u202e"}, "a name has 1 to 80 printable characters"),
        ({"revision": "../1"}, "a revision 1 to 40 letters"),
        ({"revision": 1}, "name and revision must be texts"),
        ({"timeout_s": 0}, "timeout_s must be a number of seconds above 0"),
        ({"timeout_s": float("nan")}, "timeout_s must be a number of seconds above 0"),
        ({"concurrency": 0}, "concurrency must be a whole number from 1 to 256"),
        ({"concurrency": 2.0}, "concurrency must be a whole number from 1 to 256"),
        ({"function": "bm25"}, "a function (prompt) -> text is wanted, not a str"),
    ],
)
def test_a_model_that_cannot_be_named_or_asked_is_made(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as raised:
        sw.model(**{"function": answer, "name": "mine", "revision": "1", **given})
    assert says in str(raised.value)


@pytest.mark.parametrize(("limit", "done"), [({"budget": 1.5}, "counted"), ({"time_limit": 5}, "stopped")])
def test_a_budget_or_a_time_limit_passes_over_a_function(limit: dict[str, Any], done: str, tmp_path: Path) -> None:
    mine = sw.model(answer, name="mine", revision="1")
    option = next(iter(limit))
    with pytest.raises(UsageError, match=f"^{option}: model 'mine' is a function, whose calls are not {done} here"):
        sw.run("zeroscrolls", models=mine, home=tmp_path, **limit, **ONE)


OF_LIBRARIES = ("_RJEM_MALLOC_CONF", "PYTEST_CURRENT_TEST")  # polars sets the first when it is imported


@pytest.mark.slow
def test_prefect_cannot_ask_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lend_database(tmp_path)
    seen: list[str] = []
    mine = sw.model(lambda prompt: seen.append(prompt) or "yes", name="mine", revision="1")
    monkeypatch.delenv("DO_NOT_TRACK", raising=False)
    before = {name: value for name, value in os.environ.items() if name not in OF_LIBRARIES}
    found = sw.run("zeroscrolls", models=mine, home=tmp_path, limit=3, engine="prefect", **ONE)
    assert found.complete
    assert len(seen) == 3
    assert {
        name: value for name, value in os.environ.items() if name not in OF_LIBRARIES
    } == before  # what the notebook starts next finds no server or secret of ours
    other = sw.model(lambda _: "no", name="mine", revision="2")
    later = sw.run("zeroscrolls", models=other, home=tmp_path, limit=3, engine="prefect", **ONE)
    own = sw.compare(found, later).table.select("a", "b", "n").rows()
    assert own == [("mine@1", "mine@2", 3)], "each by its own run"
