"""The register of epochs: one file for each step, made once, read with care; and how old answers are."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from scrollwork.storage.answers.rows import REFILLED, StoredAnswer, StoredAttempt
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import responses
from scrollwork.storage.epochs import Epoch, Register
from scrollwork.storage.errors import StorageError
from scrollwork.tasks.generate.epochs import chosen_payloads, in_epoch

NOW = 1_795_837_000.5


@pytest.fixture(params=["local", "remote"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path) if request.param == "local" else f"memory://{uuid4().hex}"


def opened(home: str, model: str = "m", scope: str = "a", now: float = NOW) -> Epoch:
    return Register(home).open(model, scope, {"suite": "x"}, now=now)


def test_two_commands_open_two_epochs(home: str) -> None:
    registers = [Register(home) for _ in range(8)]
    assert [register.entries() for register in registers] == [[]] * 8  # each has listed the folder
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda one: one.open("m", "a", {}, now=time.time()).name, registers))
    assert len(set(made)) == 1


def test_open_epoch_is_not_found_or_a_complete_one_goes_on(home: str) -> None:
    first = opened(home)
    assert Register(home).opened("m", "a") == first
    assert Register(home).opened("m", "b") is None
    assert Register(home).opened("n", "a") is None
    assert Register(home).complete("m") == []
    Register(home).close(first, {"d": 3}, "run")
    Register(home).close(first, {"other": 0}, "another")
    assert Register(home).opened("m", "a") is None
    (entry,) = Register(home).complete("m")
    complete = Register(home).read(entry)
    assert (complete.name, complete.covers, complete.run, complete.opened) == (first.name, {"d": 3}, "run", int(NOW))
    second = opened(home, now=NOW + 1)
    assert second.name != first.name
    assert [one.name for one in Register(home).every("m")] == [first.name, second.name]


def test_complete_epochs_come_in_another_order(home: str) -> None:
    for scope, now in (("c", NOW - 86_400), ("a", NOW), ("b", NOW + 86_400)):
        Register(home).close(opened(home, scope=scope, now=now), {"d": 0}, "")
    register = Register(home)
    assert [register.read(one).opened - int(NOW) for one in register.complete("m")] == [86_400, 0, -86_400]
    back = opened(home, scope="d", now=NOW - 10 * 86_400)  # the clock was set back
    assert back.opened == int(NOW) + 86_401


@pytest.mark.parametrize(
    ("field", "value"),
    [("epoch", "x"), ("epoch", None), ("opened", 1.5), ("opened", True), ("since", "yesterday"), ("earlier", ["../x"])],
)
def test_changed_file_is_believed(tmp_path: Path, field: str, value: object) -> None:
    opened(str(tmp_path))
    (path,) = (tmp_path / "epochs").iterdir()
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    with pytest.raises(StorageError, match=f"{path.name}: field '{field}' is missing or wrong"):
        Register(str(tmp_path)).opened("m", "a")


def test_strange_files_are_epochs(tmp_path: Path) -> None:
    opened(str(tmp_path))
    for name in (".tmp-x", "notes.txt", "0-0-0.opened.json"):
        (tmp_path / "epochs" / name).write_text("{")
    assert len(Register(str(tmp_path)).entries()) == 1


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    made = ResponseStore(tmp_path / "responses.db")
    yield made
    made.close()


def answer(key: str, **more: object) -> StoredAnswer:
    fields = {"request_key": key, "provider": "openai", "model": "m", "text": "t", "finish_reason": "complete"}
    counts = dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens", "latency_s", "cost_nano_usd"))
    return replace(StoredAnswer(**fields, **counts, reported_model="m", attempts=1), **more)  # type: ignore[arg-type]


def attempt(key: str, started: float) -> StoredAttempt:
    none = dict.fromkeys(("status", "input_tokens", "cached_tokens", "output_tokens", "cost_nano_usd"))
    return StoredAttempt(
        request_key=key, owner="o", number=1, provider="openai", model="m", outcome="answered", message="",
        started=started, seconds=1.0, **none,
    )  # type: ignore[arg-type]  # fmt: skip


def test_answer_that_was_put_back_is_as_young_as_its_repair(store: ResponseStore) -> None:
    before = time.time()
    put_back = [answer("b", origin=REFILLED), answer("c", origin=REFILLED)]
    store.add([answer("a"), *put_back], attempts=[attempt("b", 1000.0), attempt("a", 5.0)])
    found = store.asked_at(["a", "b", "c", "d"])
    assert before - 1 <= found.pop("a") <= time.time() + 1
    assert found == {"b": 1000.0, "c": 0.0}


def dated(store: ResponseStore, key: str, created: float, text: str = "t") -> None:
    store.add([answer(key, text=text)])
    change = sa.update(responses).where(responses.c.request_key == key).values(created=created)
    store.database.write(lambda connection: connection.execute(change))


def test_older_answer_stands_or_a_younger_one_does_not(store: ResponseStore) -> None:
    from scrollwork.storage.digest import sha256_of

    names = [f"20261128T00000{n}Z-0000000{n}" for n in range(3)]
    own, before, others = names
    asks = [{"body": {"n": n}, "sample": 0} for n in range(6)]

    def key(n: int, epoch: str) -> str:
        return sha256_of(in_epoch(asks[n], epoch))

    dated(store, key(0, ""), 99.0)  # too old
    dated(store, key(1, ""), 120.0)  # younger than that of the epoch before
    dated(store, key(1, before), 110.0)
    dated(store, key(2, ""), 120.0)
    dated(store, key(2, others), 130.0)
    dated(store, key(3, ""), 250.0)  # after the opening
    dated(store, key(4, ""), 120.0)
    dated(store, key(4, own), 300.0)  # asked in the epoch itself
    reuse = {"since": 100, "until": 200, "earlier": [before, others]}
    made = chosen_payloads([[one] for one in asks], own, reuse, store)
    assert [one["sample"] for one in made] == [
        {"draw": 0, "epoch": own},
        0,
        {"draw": 0, "epoch": others},
        *[{"draw": 0, "epoch": own}] * 3,
    ]
    assert chosen_payloads([[one] for one in asks], own, None, store) == [in_epoch(one, own) for one in asks]


def test_request_outside_of_epochs_has_another_key() -> None:
    payload = {"provider": "openai", "body": {"messages": []}, "sample": 3}
    assert in_epoch(payload, "") is payload
    assert in_epoch(payload, "e") == {**payload, "sample": {"draw": 3, "epoch": "e"}}
