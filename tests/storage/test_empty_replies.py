"""Answers without a word that older versions stored: named, asked again on demand, and nothing that was paid is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.hosted.replies import LENGTH, WITHOUT_ROOM
from scrollwork.pipeline.snapshots.check import Guard, checked_store, compare_with_store
from scrollwork.storage.answers.empty_replies import make_failures, without_a_word
from scrollwork.storage.answers.rows import OUTCOMES, StoredAnswer, StoredAttempt, StoredFailure
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import LostAnswers
from scrollwork.storage.home import Home
from tests.conftest import Call
from tests.storage.snapshot_kit import key

ASKED = ("zeroscrolls", "--sample", "--task", "squality", "--tokenizer", "estimate", "--model", "gpt-6-luna", "--quiet")


def empty(number: int, **facts: Any) -> StoredAnswer:
    one = StoredAnswer(key(number), "openai", "gpt", " \n", LENGTH, 100, 0, 20, "gpt", 1.0, 1, cost_nano_usd=500)
    return replace(one, **facts)


def failed(number: int) -> StoredFailure:
    return StoredFailure(key(number), "openai", "gpt", "terminal", 200, "no room", 1)


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = ResponseStore(tmp_path / "responses.db")
    yield made
    made.close()


def test_what_an_empty_answer_cost_is_forgotten(store: ResponseStore) -> None:
    tried = StoredAttempt(key(1), "run", 1, "openai", "gpt", "answered", 200, "", 1.0, 1.0, 100, 0, None, 20, None, 500)
    store.add([empty(1)], attempts=[tried])
    store.add([empty(2), empty(3, text="Yes."), empty(4, finish_reason="complete"), empty(5, cost_nano_usd=None)])
    before = store.spent()
    assert [one[0] for one in without_a_word(store, WITHOUT_ROOM)] == sorted(key(n) for n in (1, 2, 5))
    make_failures(store, [failed(number) for number in range(1, 6)], WITHOUT_ROOM)
    assert store.states([key(n) for n in range(1, 6)]) == {
        **{key(n): "terminal" for n in (1, 2, 5)},
        **{key(n): "answered" for n in (3, 4)},
    }
    assert store.spent() == before


@pytest.mark.parametrize("outcome", [name for name in OUTCOMES if name != "answered"])
def test_cost_of_an_empty_answer_is_forgotten_where_another_attempt_failed(store: ResponseStore, outcome: str) -> None:
    refused = StoredAttempt(key(1), "run", 1, "openai", "gpt", outcome, 503, "", 1.0, 1.0, cost_nano_usd=7)
    store.add([empty(1)], attempts=[refused])
    before = store.spent()
    assert before["gpt"].cost_nano_usd == 507
    make_failures(store, [failed(1)], WITHOUT_ROOM)
    assert store.spent() == before
    make_failures(store, [failed(1)], WITHOUT_ROOM)
    assert store.spent() == before


def test_answer_that_came_meanwhile_is_set_aside(store: ResponseStore) -> None:
    """Two runs ask again at once: the slower one found an empty row, and a text stands when it comes to it."""
    store.add([empty(1)])
    make_failures(store, [failed(1)], WITHOUT_ROOM)
    store.add([empty(1, text="Yes.", finish_reason="complete")])
    make_failures(store, [failed(1)], WITHOUT_ROOM)
    assert store.answers([key(1)])[key(1)].text == "Yes."


def test_snapshot_of_an_empty_answer_forbids_to_ask_it_again(tmp_path: Path, empty_snapshot: Home) -> None:
    home = empty_snapshot
    store = ResponseStore(home.store_place)
    make_failures(store, [failed(1)], WITHOUT_ROOM)
    guard = Guard(home, retry_failed=True)
    guard(store, [key(1)])
    found = list(home.artifacts.everything())
    assert checked_store(home, found).problems == ()
    store.add([empty(1, text="Yes.", finish_reason="complete")])
    held = compare_with_store(store, found)
    assert (held.gone, held.different, held.conflicts) == ([], [], [])
    other = ResponseStore(tmp_path / "other.db")
    other.add([empty(7, text="Yes.")])
    with pytest.raises(LostAnswers):
        Guard(home)(other, [key(1)])
    Guard(home, retry_failed=True)(other, [key(1)])
    store.close()
    other.close()


@pytest.fixture
def empty_snapshot(tmp_path: Path) -> Home:
    """A home whose snapshot, of an older version, holds an empty answer as an answer."""
    from scrollwork.pipeline.snapshots.rows import response_row
    from scrollwork.records.response import Failure, Response
    from scrollwork.storage.artifacts.manifest import Ingredients

    home = Home(str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    store = ResponseStore(home.store_place)
    store.add([empty(1)])
    made = Ingredients("generate", "s.t.test.one", {}, {"settings": {"provider": "openai"}}, {}, {})
    labels = {"suite": "s", "task": "t", "split": "test", "example_id": "e", "draw": 0, "model": "gpt", "arm": "full"}
    row = response_row(empty(1), {**labels, "request_key": key(1)})
    content = sha256_of([[key(1), "digest"]])
    with home.artifacts.write(made, sha256_of([made.key(), content])) as writer:
        writer.content = content
        writer.table("responses", Response).add(row)
        writer.table("failures", Failure)
        writer.facts = {"members": ["gpt"], "expected": 1, "answered": 1, "failed": 0, "transient": 0, "missing": 0}
    store.close()
    return home


@pytest.mark.parametrize(
    "way",
    [
        pytest.param((), id="alone"),
        pytest.param(("--batch", "--knob", "batch_s=1"), id="batch", marks=pytest.mark.slow),
    ],
)
def test_old_empty_answer_is_never_asked_again_or_always(way: tuple[str, ...], call: Call, tmp_path: Path) -> None:
    home, whole = rehearsed_with_old_answers(call, tmp_path)
    old = [whole[key] for key in sorted(whole)[:2]]
    code, out, _ = call.at(home)("store", "check")
    assert code == 0
    for one in old:
        assert f"no answer: {one.request_key} of gpt-6-luna ended before its first word" in out
    assert "2 count as unanswered" in out
    code, out, _ = call("rehearse", *ASKED, "--json")
    said = json.loads(out)
    assert said["tasks"][0]["coverage"]["failed"] == 2
    assert said["spent"]["calls"] == 0
    code, out, err = call("rehearse", *ASKED, "--json", "--retry-failed", *way)
    assert code == 0, err
    said = json.loads(out)
    assert said["tasks"][0]["coverage"]["answered"] == 10
    assert said["spent"]["calls"] == 2
    code, out, _ = call("rehearse", *ASKED, "--json", "--retry-failed", *way)
    assert json.loads(out)["spent"]["calls"] == 0
    assert call.at(home)("store", "check", "--json")[0] == 0
    assert call.at(home)("verify")[0] == 0


def rehearsed_with_old_answers(call: Call, tmp_path: Path) -> tuple[Path, dict[str, StoredAnswer]]:
    """A home whose store holds all answers, the first two without a word, and no snapshot; all that were given."""
    assert call("rehearse", *ASKED)[0] == 0
    home = next(tmp_path.rglob("rehearsal"))
    store = ResponseStore(home / "responses.db")
    whole = store.answers(all_keys(home))
    store.close()
    for name in ("responses.db", "responses.db-wal", "responses.db-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.rmtree(home / "artifacts")
    old = [
        replace(one, text="", finish_reason=LENGTH, output_limit=None)
        for one in [whole[key] for key in sorted(whole)[:2]]
    ]
    store = ResponseStore(home / "responses.db")
    store.add([*old, *[whole[key] for key in sorted(whole)[2:]]], attempts=[tried(one) for one in whole.values()])
    store.close()
    return home, whole


def tried(one: StoredAnswer) -> StoredAttempt:
    """The one try that an answer took."""
    own = {
        name: getattr(one, name)
        for name in (
            "request_key",
            "provider",
            "model",
            "input_tokens",
            "cached_tokens",
            "output_tokens",
            "cost_nano_usd",
        )
    }
    return StoredAttempt(
        owner="run", number=1, outcome="answered", status=200, message="", started=1.0, seconds=1.0, **own
    )


def all_keys(home: Path) -> list[str]:
    with sqlite3.connect(home / "responses.db") as store:
        return [key for (key,) in store.execute("SELECT request_key FROM responses ORDER BY request_key")]


@pytest.mark.slow
def test_answer_that_came_for_an_empty_one_loses_its_guard(call: Call, tmp_path: Path) -> None:
    """Once asked again it is paid and good: a store that loses it is refused, as with any other."""
    home, whole = rehearsed_with_old_answers(call, tmp_path)
    assert call("rehearse", *ASKED, "--retry-failed")[0] == 0
    with sqlite3.connect(home / "responses.db") as store:
        store.execute("DELETE FROM responses WHERE request_key = ?", [sorted(whole)[0]])
    code, _, err = call("rehearse", *ASKED, "--limit", "9")
    assert code != 0
    assert "Nothing was asked for them" in err
