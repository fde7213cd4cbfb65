"""Batches from the store to the vendor and back over real HTTP: every batch made once, whatever happens between."""

from __future__ import annotations

import importlib
import json
import logging
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Call, CallProblem
from scrollwork.models.engine.budget import firm_bound
from scrollwork.models.engine.prices import price_of
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.hosted.batch_steps import BatchSteps
from scrollwork.models.hosted.model import place_of
from scrollwork.models.registry import BATCHES, make
from scrollwork.pipeline import calling
from scrollwork.pipeline.calling import CallSettings, budget_of
from scrollwork.pipeline.session import Locations, Session
from scrollwork.storage.answers.rows import StoredBatch
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.tasks.generate import batch_claims, batch_results, batches, model_batches
from scrollwork.tasks.generate.model_batches import ModelBatches
from tests.models.hosted_kit import ask, one_vendor, reply_of, table_of, vendor
from tests.servers.vendor import Vendor
from tests.some_slow import one_in

__all__ = ["one_vendor", "vendor"]
VENDORS = {"openai": "openai:gpt-test", "anthropic": "anthropic:claude-test"}
PRICE = {"input": 2.0, "output": 8.0, "batch": 0.5}
QUICK = Policy(attempts=3, first_wait_s=0.02, longest_wait_s=0.05)
each_vendor = pytest.mark.parametrize("name", sorted(VENDORS))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting in tests."""
    monkeypatch.setattr(batches, "FIRST_LOOK_S", 0.02)
    monkeypatch.setattr(batches, "LONGEST_LOOK_S", 0.05)
    monkeypatch.setattr(model_batches, "SETTLE_S", 0.3)


class Given:
    """Calls, in chunks, as the generate stages of a model have them."""

    def __init__(self, calls: list[Call]) -> None:
        self._calls, self._begun = calls, False

    def batches(self, keys: Collection[str]) -> Iterator[list[Call]]:
        wanted = [call for call in self._calls if call.key in keys] if keys and self._begun else self._calls
        self._begun = True
        yield from (wanted[start : start + 4] for start in range(0, len(wanted), 4))


class Office:
    """Runs of one model in one home."""

    def __init__(self, name: str, vendor: Vendor, home: Path) -> None:
        self.name, self.spec, self.vendor, self.home = name, VENDORS[name], vendor, home
        self.table = {**table_of(self.spec, {}, vendor.url), "price": PRICE}
        self.before = set(vendor.batches[name].made)

    @property
    def store(self) -> ResponseStore:
        return ResponseStore(self.home / "responses.db")

    @property
    def made(self) -> list[Any]:
        """Batches that were made at the vendor since."""
        return [batch for name, batch in self.vendor.batches[self.name].made.items() if name not in self.before]

    @property
    def sent(self) -> list[str]:
        """Keys of all requests in them."""
        return [key for batch in self.made for key, _ in batch.requests]

    def calls(self, count: int, salt: str = "", **more: Any) -> list[Call]:
        """As many calls as wanted, with their real keys. salt: for others than those of another test."""
        model = make(self.spec, self.table, "")
        asks = [ask(f"a text {number} {salt} " * 9, question="Why?", **more) for number in range(count)]
        payloads = [model.payload(one, self.spec) for one in asks]
        return [Call(sha256_of(payload), self.spec, payload, one) for payload, one in zip(payloads, asks, strict=True)]

    @contextmanager
    def open(self, run: str, stop: Stop | None = None, **given: Any) -> Iterator[tuple[ModelBatches, CallSettings]]:
        """A post at work."""
        calling = CallSettings(run, batch=True, tables={self.spec: self.table}, **given)
        module = importlib.import_module(BATCHES[self.name])
        desk = BatchSteps(lambda: module.make(self.spec, self.table), QUICK, stop or Stop())
        post = ModelBatches(self.spec, calling, Session(Locations(str(self.home), "", "", calling)), desk)
        try:
            with post.at_work():
                yield post, calling
        finally:
            desk.close()

    def run(
        self, calls: list[Call], run: str = "run-1", limits: Mapping[str, int] | None = None, **given: Any
    ) -> ModelBatches:
        """`run --batch` of these calls."""
        with self.open(run, **given) as (post, calling):
            for name, value in (limits or {}).items():
                setattr(post._steps.interface, name, value)
            batches.watch([(post, Given(calls))], calling, threading.Event())  # type: ignore[list-item]
            return post

    def texts(self, calls: list[Call]) -> dict[str, str]:
        """Stored answers by key."""
        return {key: answer.text for key, answer in self.store.answers([call.key for call in calls]).items()}

    def alone(self, calls: list[Call]) -> dict[str, str]:
        """What the vendor answers each of them by itself."""
        return {call.key: reply_of(self.spec, self.vendor.url, call.ask).text for call in calls}


@pytest.fixture
def office(name: str, vendor: Vendor, tmp_path: Path) -> Office:
    return Office(name, vendor, tmp_path)


@each_vendor
def test_batch_gives_other_answers_or_costs_the_full_price(office: Office) -> None:
    calls = office.calls(9)
    office.run(calls)
    assert office.texts(calls) == office.alone(calls)
    assert len(office.made) == 1
    spent = office.store.spent("run-1")[office.spec]
    assert (spent.calls, spent.answers, spent.cost_unknown_calls) == (9, 9, 0)
    online = spent.input_tokens * 2000 + spent.output_tokens * 8000
    assert spent.cost_nano_usd == online // 2
    assert office.store.holdings().batches == {"collected": 1}
    office.run(calls, "run-2")
    assert len(office.made) == 1
    assert office.store.spent("run-2") == {}
    assert list((office.home / "tmp").iterdir()) == []


@each_vendor
@pytest.mark.parametrize("reported", [0, 10**15])
def test_batch_of_a_vendor_that_tells_wrong_tokens_is_free(office: Office, reported: int) -> None:
    calling._budgets.clear()
    office.vendor.set(reported=reported)
    try:
        post = office.run(office.calls(9, salt=str(reported)), budget_usd="1")
    finally:
        office.vendor.set(reported=...)
    spent = office.store.spent("run-1")[office.spec]
    assert (spent.input_tokens, spent.output_tokens, spent.cost_assumed_calls) == (0, 0, 9)
    assert post._budget.budget is not None
    assert spent.cost_nano_usd == spent.cost_assumed_nano_usd == post._budget.budget.spent > 0


@each_vendor
def test_batch_that_is_refused_line_by_line_fails_for_good(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    """Every line alike, for a parameter that the model does not take."""
    calls = office.calls(6, salt="refused")
    for call in calls:
        refused = {"anthropic": "claude-new", "openai": "gpt-5-new"}[office.name]
        call.payload["body"].update(model=refused, temperature=0.5)
    post = office.run(calls)
    held = office.store.holdings()
    assert (held.failures, held.answers) == ({}, {})
    assert len(office.made) == 1, "it is not submitted again in this run"
    assert "temperature" in post.stopped
    assert "so ended all 6 requests of a batch" in caplog.text


@pytest.mark.slow
@each_vendor
def test_answered_requests_of_a_partial_batch_are_submitted_again(office: Office) -> None:
    office.vendor.set(batch={"ends": ["expired", "cancelled"], "done": 0.5})
    calls = office.calls(40)
    office.run(calls)
    assert office.texts(calls) == office.alone(calls)
    first, second, third = office.made
    answered = [{line["id"] for line in batch.lines if line["how"] == "succeeded"} for batch in office.made]
    everything = {call.key for call in calls}
    assert {key for key, _ in first.requests} == everything
    assert {key for key, _ in second.requests} == everything - answered[0]
    assert {key for key, _ in third.requests} == everything - answered[0] - answered[1]
    assert sum(map(len, answered)) == 40


@pytest.mark.slow
@each_vendor
def test_batches_that_never_answer_are_submitted_for_ever(office: Office) -> None:
    office.vendor.set(batch={"end": "expired", "done": 0.0})
    calls = office.calls(3)
    office.run(calls)
    assert len(office.made) == batch_claims.MOST_TRIES
    failures = office.store.failures([call.key for call in calls])
    assert {(one.kind, one.attempts) for one in failures.values()} == {("transient", batch_claims.MOST_TRIES)}
    assert office.store.spent()[office.spec].cost_unknown_calls == 0, "what expired costs nothing"
    office.vendor.set(batch={})
    office.run(calls, "run-2")
    assert len(office.texts(calls)) == 3
    assert office.store.failures([call.key for call in calls]) == {}


@each_vendor
@pytest.mark.parametrize(
    ("fault", "batches"), one_in(4, [("lost", 1), ("made:500", 1), ("made:503", 1), ("500", 1), ("429", 1)])
)
def test_creation_that_went_wrong_is_paid_twice_or_never_repeated(office: Office, fault: str, batches: int) -> None:
    office.vendor.set(batch={"create": [fault]})
    calls = office.calls(5, fault)
    office.run(calls)
    assert len(office.made) == batches
    assert office.texts(calls) == office.alone(calls)


@each_vendor
def test_batch_that_was_never_sent_is_waited_for(office: Office) -> None:
    calls = office.calls(3)
    keys = [call.key for call in calls]
    place = place_of(office.name, office.table)
    row = StoredBatch("b" * 64, "intent", office.name, office.spec, None, "d" * 64, 1.0, place=place)
    office.store.claim(keys, "dead", 60.0)
    office.store.intend(row, keys, "dead")
    office.run(calls)
    assert len(office.made) == 1
    assert office.store.holdings().batches == {"collected": 1, "lost": 1}
    assert office.texts(calls) == office.alone(calls)


@pytest.mark.slow
@each_vendor
def test_batch_whose_upload_took_long_is_given_up_at_the_first_look_and_paid_twice(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was killed at the end of ten minutes of sending; the provider makes the batch a moment later."""
    monkeypatch.setattr(model_batches, "SETTLE_S", 5.0)
    office.vendor.set(batch={"create": ["late:1"]})
    calls = office.calls(6, "upload")
    began = time.monotonic()
    office.table["timeout_s"] = 0.3
    office.run(calls, batch_wait_s=0.01)
    (lost,) = office.store.open_batches()
    assert (lost.state, office.made) == ("intent", [])
    office.store.save_batch(replace(lost, submitted=lost.submitted - 600.0))
    office.table["timeout_s"] = 60.0
    office.run(calls, "run-2")
    time.sleep(max(0.0, began + 3.0 - time.monotonic()))
    assert len(office.made) == 1
    assert office.texts(calls) == office.alone(calls)


@each_vendor
def test_later_run_submits_what_waits_already(office: Office) -> None:
    office.vendor.set(batch={"looks": 10**6})
    calls = office.calls(6)
    office.run(calls, batch_wait_s=0.2)
    assert office.texts(calls) == {}
    (open_one,) = office.store.open_batches()
    assert open_one.provider_batch_id == office.made[0].name
    office.run([*calls, *office.calls(8)], "run-2", batch_wait_s=0.2)
    assert [len(batch.requests) for batch in office.made] == [6, 2]
    office.vendor.set(batch={})
    office.run(calls, "run-3")
    assert office.texts(calls) == office.alone(calls)
    assert len(office.made) == 2
    assert set(office.store.spent("run-3")) == {office.spec}, "money counts in the run that takes the answers in"


@each_vendor
def test_collection_that_broke_off_loses_answers_or_counts_money_twice(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_results, "COMMIT", 4)
    calls = office.calls(14)
    real, left = ResponseStore.settle_requests, [1]

    def breaks(store: ResponseStore, batch_id: str, states: Mapping[str, str]) -> None:
        if not left[0]:
            raise StorageError("the disk is gone")
        left[0] -= 1
        real(store, batch_id, states)

    monkeypatch.setattr(ResponseStore, "settle_requests", breaks)
    with pytest.raises(StorageError):
        office.run(calls)
    monkeypatch.setattr(ResponseStore, "settle_requests", real)
    assert len(office.texts(calls)) == 8, "two commits stand, one of them is not settled"
    office.run(calls, "run-2")
    assert office.texts(calls) == office.alone(calls)
    assert len(office.made) == 1
    assert office.store.spent()[office.spec].calls == 14
    assert office.store.holdings().attempts == {office.spec: {"answered": 14}}


@pytest.mark.parametrize("part", [0, 5])
@each_vendor
def test_results_that_an_earlier_run_could_not_read_count_in_that_run(
    office: Office, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    real, read = BatchSteps.download, []

    def cut(desk: BatchSteps, path: str, into: Any) -> None:
        real(desk, path, into)
        read.append(path)
        into.seek(0)
        lines = into.readlines()[:part]
        if not lines:
            raise CallProblem("terminal", "no such file", status=404)
        into.seek(0)
        into.truncate()
        into.writelines(lines)

    calls = office.calls(12, f"unread {part}")
    monkeypatch.setattr(BatchSteps, "download", cut)
    for _ in range(9):  # on a busy machine a run comes to no look
        if not read:
            office.run(calls, "run-1", batch_wait_s=0.5)
    assert len(office.texts(calls)) == part
    monkeypatch.setattr(BatchSteps, "download", real)
    office.run(calls, "run-2")
    assert office.texts(calls) == office.alone(calls)
    assert [sum(one.calls for one in office.store.spent(run).values()) for run in ("run-1", "run-2")] == [
        part,
        12 - part,
    ]
    assert len(office.made) == 1


@each_vendor
def test_results_that_a_killed_run_was_reading_count_in_that_run(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(desk: BatchSteps, path: str, into: Any) -> None:
        raise StorageError("the disk is gone")  # as a killed run, it does not clear up

    calls = office.calls(12, "killed")
    with monkeypatch.context() as patch:
        patch.setattr(BatchSteps, "download", ends)
        with pytest.raises(StorageError):
            office.run(calls, "run-1")
    office.run(calls, "run-2")
    assert office.texts(calls) == office.alone(calls)
    assert [sum(one.calls for one in office.store.spent(run).values()) for run in ("run-1", "run-2")] == [0, 12]
    assert len(office.made) == 1


BUSY: dict[str, dict[str, Any]] = {
    "openai": {"response": {"status_code": 503, "body": {"error": {"message": "busy"}}}, "error": None},
    "anthropic": {"result": {"type": "errored", "error": {"type": "error", "error": {"type": "api_error"}}}},
}


@each_vendor
def test_failure_in_results_that_break_off_hides_an_answer_that_comes_later(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, looks = BatchSteps.download, [0]

    def cut(desk: BatchSteps, path: str, into: Any) -> None:
        real(desk, path, into)
        into.seek(0)
        good = [json.loads(line) for line in into.readlines()]
        bad = [{"custom_id": line["custom_id"], **BUSY[office.name]} for line in good[:3]]
        looks[0] += 1
        into.seek(0)
        into.truncate()
        into.writelines(json.dumps(line).encode() + b"\n" for line in ([*bad, *good] if looks[0] > 1 else bad))

    monkeypatch.setattr(BatchSteps, "download", cut)
    calls = office.calls(6, "in a later look")
    office.run(calls)
    assert office.texts(calls) == office.alone(calls)
    assert office.store.spent()[office.spec].calls == 6
    assert len(office.made) == 1


@pytest.mark.parametrize("first", [True, False])
@each_vendor
def test_failure_beside_an_answer_to_the_same_request_hides_it(
    office: Office, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    real = BatchSteps.download

    def doubled(desk: BatchSteps, path: str, into: Any) -> None:
        real(desk, path, into)
        into.seek(0)
        good = [json.loads(line) for line in into.readlines()]
        bad = [{"custom_id": line["custom_id"], **BUSY[office.name]} for line in good]
        both = [one for pair in zip(bad, good, strict=True) for one in (pair if first else pair[::-1])]
        into.seek(0)
        into.truncate()
        into.writelines(json.dumps(line).encode() + b"\n" for line in [*both, *bad[:1]])

    monkeypatch.setattr(BatchSteps, "download", doubled)
    calls = office.calls(6, f"doubled {first}")
    office.run(calls)
    assert office.texts(calls) == office.alone(calls)
    assert office.store.spent()[office.spec].calls == 6
    assert len(office.made) == 1


@each_vendor
def test_requests_beyond_the_limits_of_a_batch_are_lost(office: Office) -> None:
    calls = office.calls(25)
    office.run(calls, limits={"most_requests": 10})
    assert [len(batch.requests) for batch in office.made] == [10, 10, 5]
    assert sorted(office.sent) == sorted(call.key for call in calls)
    assert office.texts(calls) == office.alone(calls)


@pytest.mark.slow
@each_vendor
def test_file_is_larger_than_the_provider_takes(office: Office) -> None:
    calls = office.calls(25)
    office.run(calls, limits={"most_bytes": 3000})
    log = office.vendor.log.requests("/v1/files" if office.name == "openai" else "/v1/messages/batches")
    sizes = [row["bytes"] for row in log if row["method"] == "POST"][-len(office.made) :]
    assert len(office.made) > 3
    assert max(sizes) <= 3000 + (500 if office.name == "openai" else 0), "the form around a file is not part of it"
    assert sorted(office.sent) == sorted(call.key for call in calls)


@pytest.mark.slow
def test_batch_over_the_limit_of_waiting_tokens_is_given_up_or_sent_for_ever(vendor: Vendor, tmp_path: Path) -> None:
    office = Office("openai", vendor, tmp_path)
    vendor.set(batch={"most": 6})
    calls = office.calls(20)
    office.run(calls)
    assert office.texts(calls) == office.alone(calls)
    done = [batch for batch in office.made if batch.ended == "completed"]
    assert sum(len(batch.requests) for batch in done) == 20
    assert len(office.made) < 12


def test_refused_file_marks_every_request_as_failed(
    vendor: Vendor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    office = Office("openai", vendor, tmp_path)
    vendor.set(batch={"end": "failed", "why": {"code": "model_not_found", "message": "no such model"}})
    calls = office.calls(4)
    post = office.run(calls)
    assert "no such model" in post.stopped
    assert "no such model" in caplog.text
    assert len(office.made) == 1
    assert office.store.failures([call.key for call in calls]) == {}
    assert office.store.in_batches([call.key for call in calls]) == {}, "they may be asked again"


@pytest.mark.slow
@each_vendor
def test_batch_that_the_provider_does_not_know_is_waited_for_or_paid_again(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.vendor.set(batch={"looks": 10**6})
    calls = office.calls(3, "unknown")
    office.run(calls, batch_wait_s=0.1)
    lost = office.vendor.batches[office.name].made.pop(office.made[0].name)
    office.vendor.set(batch={})
    office.run(calls, "run-2")
    assert office.made == []
    assert "--retry-failed gives up one that the provider has not" in caplog.text
    assert len(office.store.open_batches()) == 1
    office.run(calls, "run-3", retry_failed=True)
    assert len(office.made) == 1
    assert lost not in office.made
    assert office.texts(calls) == office.alone(calls)


@each_vendor
def test_request_that_can_never_be_answered_is_asked_again(office: Office) -> None:
    office.table["id"] = "small-window"
    calls = office.calls(2, max_new_tokens=9000)
    if office.name == "anthropic":
        model = make(office.spec, office.table, "")
        long = ask("long " * 20_000)
        payload = model.payload(long, office.spec)
        calls[0] = Call(sha256_of(payload), office.spec, payload, long)
    office.run(calls)
    failures = office.store.failures([call.key for call in calls])
    assert {one.kind for one in failures.values()} == {"terminal"}
    count = len(failures)
    assert count == (2 if office.name == "openai" else 1)
    office.run(calls, "run-2")
    assert len(office.made) == 1
    office.run(calls, "run-3", retry_failed=True)
    assert [len(batch.requests) for batch in office.made] == [2, count]


@each_vendor
def test_budget_is_passed_by_a_batch(office: Office) -> None:
    calls = office.calls(30)
    price = price_of("m", office.table).in_batch()
    most = max(price.most(firm_bound(call.ask), call.ask.max_new_tokens) for call in calls)
    post = office.run(calls, f"{office.name}-2", budget_usd=f"{6 * most / 1e9:.9f}")
    spent = office.store.spent(f"{office.name}-2")[office.spec]
    assert spent.cost_nano_usd <= 6 * most
    assert len(office.made[0].requests) == 6, "the first batch sets aside all there is"
    assert spent.answers > 6, "what its requests did not cost is spent on others"
    assert "the budget of" in post.stopped
    sizes = [len(batch.requests) for batch in office.made]
    assert min(sizes) >= 3, f"each batch may take a day, and the rest of a budget goes in batches of {sizes}"
    office.run(calls, "run-3")
    assert len(office.texts(calls)) == 30


@each_vendor
def test_open_batch_of_an_earlier_run_is_outside_the_budget(office: Office) -> None:
    office.vendor.set(batch={"looks": 10**6})
    calls = office.calls(12)
    office.run(calls[:6], batch_wait_s=0.1)
    (waiting,) = office.store.open_batches()
    assert waiting.most_nano_usd
    post = office.run(
        calls, f"{office.name}-3", budget_usd=f"{1.05 * waiting.most_nano_usd / 1e9:.9f}", batch_wait_s=0.1
    )
    assert len(office.made) == 1
    assert "set aside" in post.stopped


@each_vendor
def test_money_of_an_open_batch_is_waited_for_for_ever_by_who_asks_online(office: Office) -> None:
    office.vendor.set(batch={"looks": 10**6})
    calls = office.calls(5)
    office.run(calls, batch_wait_s=0.1)
    for attempt in range(2):  # a flow run that is retried in the same process
        with office.open(f"{office.name}-4", budget_usd="1") as (post, calling):
            budget = budget_of(calling, office.store)
            assert budget is not None
            post.look()
            (waiting,) = office.store.open_batches()
            assert budget.reserved == waiting.most_nano_usd, f"attempt {attempt}"
        assert budget.reserved == 0


@each_vendor
def test_answers_of_a_batch_that_say_nothing_of_their_tokens_are_free(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_vendor = office.vendor.batches[office.name]
    real = at_vendor.answer

    def silent(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = real(path, body)
        return status, {name: value for name, value in reply.items() if name != "usage"}

    monkeypatch.setattr(at_vendor, "answer", silent)
    calls = office.calls(4, "silent")
    office.run(calls, f"{office.name}-5", budget_usd="1")
    with office.open(f"{office.name}-5", budget_usd="1") as (post, calling):
        budget = budget_of(calling, office.store)
    assert len(office.texts(calls)) == 4
    assert budget is not None
    assert budget.spent == pytest.approx(sum(post._budget.most(call) for call in calls), abs=4)
    assert budget.reserved == 0


@pytest.mark.parametrize("name", ["openai"])  # whose results come in two files
def test_budget_forgets_the_first_file_of_results_when_the_second_breaks_off(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_batches, "MOST_TRIES", 1)
    office.vendor.set(batch={"errors": 0.4})
    calls = office.calls(12, "halves")
    real, asked = BatchSteps.download, []

    def breaks(desk: BatchSteps, path: str, into: Any) -> None:
        asked.append(path)
        if len(asked) == 2:
            raise CallProblem("transient", "reset")
        real(desk, path, into)

    monkeypatch.setattr(BatchSteps, "download", breaks)
    office.run(calls, "run-halves", budget_usd="1")
    with office.open("run-halves", budget_usd="1") as (_, calling):
        budget = budget_of(calling, office.store)
    assert budget is not None
    assert 0 < len(office.texts(calls)) < 12
    assert budget.spent == office.store.spent("run-halves")[office.spec].cost_nano_usd > 0


@each_vendor
def test_two_runs_at_once_submit_the_same(office: Office) -> None:
    calls = office.calls(10)
    posts = [threading.Thread(target=office.run, args=(calls, f"run-{number}")) for number in range(3)]
    for thread in posts:
        thread.start()
    for thread in posts:
        thread.join(60)
    assert sorted(office.sent) == sorted(call.key for call in calls)
    assert office.texts(calls) == office.alone(calls)
    assert sum(one.calls for one in office.store.spent().values()) == 10


@each_vendor
def test_same_request_of_two_tasks_is_sent_twice(office: Office) -> None:
    calls = office.calls(6)
    office.run([*calls, *calls])
    assert sorted(office.sent) == sorted(call.key for call in calls)


@each_vendor
def test_rubbish_among_results_spoils_them(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    office.vendor.set(batch={"rubbish": True})
    calls = office.calls(5)
    caplog.set_level(logging.INFO)
    office.run(calls)
    assert office.texts(calls) == office.alone(calls)
    (row,) = batches_of(office)
    assert "lines" in row


def batches_of(office: Office) -> list[str]:
    """What was written down of each batch at its end."""
    import sqlite3

    with sqlite3.connect(office.home / "responses.db") as connection:
        return [row[0] for row in connection.execute("SELECT message FROM batches")]


@each_vendor
def test_wrong_key_loses_requests(office: Office) -> None:
    office.vendor.set(key="another")
    calls = office.calls(3)
    post = office.run(calls)
    assert "401" in post.stopped
    assert office.store.failures([call.key for call in calls]) == {}
    office.vendor.set(key="")
    office.run(calls, "run-2")
    assert office.texts(calls) == office.alone(calls)
    assert len(office.made) == 1


@each_vendor
def test_batch_at_another_address_is_looked_for_here(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    office.vendor.set(batch={"looks": 10**6})
    calls = office.calls(2)
    office.run(calls, batch_wait_s=0.1)
    (row,) = office.store.open_batches()
    office.store.save_batch(replace(row, place="https://elsewhere/v1 /x"))
    before = len(office.vendor.log.requests())
    office.run(calls, "run-2", batch_wait_s=0.1)
    assert "it was submitted to https://elsewhere/v1 /x" in caplog.text
    assert len(office.vendor.log.requests()) == before


def test_batch_of_a_model_that_was_renamed_keeps_its_requests_without_a_word(
    vendor: Vendor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    office = Office("openai", vendor, tmp_path)
    vendor.set(batch={"looks": 10**6})
    calls = office.calls(3, "renamed")
    office.run(calls, batch_wait_s=0.1)
    before, office.spec = office.spec, "renamed"
    office.run(calls, "run-2")
    assert len(office.made) == 1
    assert f"a batch of {before!r}, another name of this model, holds requests of this run" in caplog.text
    office.spec = before
    vendor.set(batch={})
    office.run(calls, "run-3")
    assert office.texts(calls) == office.alone(calls)


def test_text_that_no_json_can_carry_ends_the_batch(vendor: Vendor, tmp_path: Path) -> None:
    office = Office("openai", vendor, tmp_path)
    good = office.calls(2)
    odd = ask("half a pair \ud800")
    payload = make(office.spec, office.table, "").payload(odd, office.spec)
    bad = Call("c" * 64, office.spec, payload, odd)
    office.run([good[0], bad, good[1]])
    assert len(office.texts(good)) == 2
    assert office.store.failures([bad.key])[bad.key].kind == "terminal"


@each_vendor
def test_keeper_that_overslept_its_lease_submits_what_another_has_taken_over(office: Office) -> None:
    calls = office.calls(4, "asleep")
    with office.open("run-1") as (post, _):
        real = post._steps.interface.upload

        async def sleeps(file: Any) -> str:
            (batch,) = office.store.open_batches()
            office.store.release([batch.batch_id], post._claims.owner)  # as if its time were over
            office.run(calls, "run-2")
            return await real(file)

        post._steps.interface.upload = sleeps  # type: ignore[method-assign]
        post.submit(Given(calls).batches(()))
        assert post.held == {}
    assert len(office.made) == 1
    assert office.texts(calls) == office.alone(calls)


@each_vendor
def test_batch_that_its_keeper_has_ended_is_adopted_as_it_was_read(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.vendor.set(batch={"looks": 10**6})
    calls = office.calls(3, "stale")
    office.run(calls, batch_wait_s=0.1)
    stale = office.store.open_batches()
    office.vendor.set(batch={})
    office.run(calls, "run-2")
    real = ResponseStore.open_batches
    once = [stale]
    monkeypatch.setattr(ResponseStore, "open_batches", lambda store: once.pop() if once else real(store))
    office.run(calls, "run-3")
    assert office.store.spent("run-3") == {}
    assert batches_of(office) == ["3 answered"]
