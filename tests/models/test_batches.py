"""Batches of both vendors over real HTTP, one step at a time: what is made, found, read, and never made twice."""

from __future__ import annotations

import importlib
import io
import json
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest

from scrollwork.models.base import Call, CallProblem, Reply
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.hosted.batch_steps import BatchSteps, Unconfirmed
from scrollwork.models.hosted.batches import BatchState
from scrollwork.models.registry import BATCHES, make
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY, ask, one_vendor, reply_of, table_of, vendor
from tests.servers import raw
from tests.servers.vendor import Vendor
from tests.some_slow import one_in

__all__ = ["one_vendor", "vendor"]
VENDORS = {"openai": "openai:gpt-test", "anthropic": "anthropic:claude-test"}
QUICK = Policy(attempts=4, first_wait_s=0.02, longest_wait_s=0.1)
each_vendor = pytest.mark.parametrize("name", sorted(VENDORS))


def calls(name: str, count: int, salt: str = "") -> list[Call]:
    """Calls of a vendor's model, with keys like those of requests."""
    spec = VENDORS[name]
    model = make(spec, table_of(spec, {}, "http://127.0.0.1:9"), "")
    asks = [ask(f"text {salt}{number} ünï \u2028", question="Why?") for number in range(count)]
    return [
        Call(f"{salt}{number}".ljust(64, "k"), spec, model.payload(one, spec), one) for number, one in enumerate(asks)
    ]


@contextmanager
def desk(name: str, base: str, stop: Stop | None = None, **given: Any) -> Iterator[BatchSteps]:
    """The vendor's batches at a server."""
    spec = VENDORS[name]
    table = table_of(spec, given, base)
    module = importlib.import_module(BATCHES[name])
    opened = BatchSteps(lambda: module.make(spec, table), QUICK, stop or Stop())
    try:
        yield opened
    finally:
        opened.close()


def submitted(at: BatchSteps, asked: list[Call], label: str = "n" * 64, marks: list[float] | None = None) -> BatchState:
    """A batch of these calls."""
    noted = [] if marks is None else marks
    with tempfile.TemporaryFile() as file:
        made = at.interface
        file.write(made.opening + made.between.join(made.entry(call) for call in asked) + made.closing)
        return at.submit(file, label, "d" * 64, lambda: noted.append(time.time()))


def ended(at: BatchSteps, batch_id: str) -> BatchState:
    """The batch when it waits no more."""
    for _ in range(20):
        batch = at.look(batch_id)
        if batch.state != "waiting":
            return batch
    raise AssertionError("it never ended")


def results(at: BatchSteps, batch: BatchState) -> dict[str, Reply | CallProblem]:
    """Result by key."""
    found = {}
    for path in batch.results:
        with tempfile.TemporaryFile() as file:
            at.download(path, file)
            file.seek(0)
            for data in file:
                line = at.interface.line(data)
                found[line.key] = line.result
    return found


def made(vendor: Vendor, name: str) -> int:
    """Batches that stand at the vendor."""
    return len(vendor.batches[name].made)


@each_vendor
def test_batch_answers_otherwise_than_the_calls_alone(name: str, vendor: Vendor) -> None:
    asked = calls(name, 7)
    with desk(name, vendor.url) as at:
        batch = submitted(at, asked)
        assert (batch.state, batch.requests) == ("waiting", 7)
        assert batch.created == pytest.approx(time.time(), abs=5)
        found = results(at, ended(at, batch.batch_id))
    assert set(found) == {call.key for call in asked}
    for call in asked:
        alone = reply_of(VENDORS[name], vendor.url, call.ask)
        got = found[call.key]
        assert isinstance(got, Reply)
        assert (got.text, got.finish_reason, got.usage.input_tokens) == (
            alone.text,
            alone.finish_reason,
            alone.usage.input_tokens,
        )


@each_vendor
@pytest.mark.parametrize("fault", ["lost", "made:500", "made:503", "500", "529"])
def test_creation_whose_outcome_nobody_knows_is_sent_again(name: str, fault: str, vendor: Vendor) -> None:
    vendor.set(batch={"create": [fault]})
    before = made(vendor, name)
    marks: list[float] = []
    with desk(name, vendor.url) as at, pytest.raises(Unconfirmed):
        submitted(at, calls(name, 3), marks=marks)
    assert len(marks) == 1
    assert made(vendor, name) - before == (fault not in ("500", "529"))


@each_vendor
def test_refused_creation_is_given_up_at_once_or_tried_for_ever(name: str, vendor: Vendor) -> None:
    before = made(vendor, name)
    marks: list[float] = []
    with desk(name, vendor.url) as at:
        vendor.set(batch={"create": ["429", "429-ms", ""]})
        submitted(at, calls(name, 2), marks=marks)
        assert (len(marks), made(vendor, name) - before) == (3, 1)
        vendor.set(batch={"create": ["429"] * 9})
        with pytest.raises(CallProblem, match="Rate limit"):
            submitted(at, calls(name, 2))
        vendor.set(batch={"create": ["400"]})
        with pytest.raises(CallProblem, match="Bad request"):
            submitted(at, calls(name, 2))
    assert made(vendor, name) - before == 1


@each_vendor
def test_lost_batch_is_not_found_or_another_is_taken_for_it(name: str, vendor: Vendor) -> None:
    vendor.set(batch={"looks": 10**6})
    asked, foreign = calls(name, 4, "mine"), calls(name, 4, "other")
    keys = {call.key for call in asked}
    with desk(name, vendor.url) as at:
        others = [submitted(at, foreign, "o" * 64).batch_id for _ in range(2)]
        others.append(submitted(at, calls(name, 5, "more"), "p" * 64).batch_id)
        since = time.time()
        vendor.set(batch={"create": ["lost"], "looks": 10**6})
        with pytest.raises(Unconfirmed):
            submitted(at, asked, "m" * 64)
        mine = list(vendor.batches[name].made)[-1]
        found = at.find("m" * 64, since, keys, ())
        if name == "anthropic":  # it keeps no names: not before they have ended
            assert found.batch is None
            assert set(found.open) == {mine, *others[:2]}
            for other in others[:2]:
                vendor.batches[name].end(vendor.batches[name].made[other])
                vendor.batches[name].made[other].ended = "completed"
            assert at.find("m" * 64, since, keys, ()).open == (mine,)
            assert at.find("m" * 64, since, keys, [mine]).open == ()
            vendor.set(batch={})
            ended(at, mine)
            found = at.find("m" * 64, since, keys, ())
        assert found.batch is not None
        assert found.batch.batch_id == mine
        assert at.find("z" * 64, since, {"z" * 64}, ()).batch is None


@each_vendor
@pytest.mark.parametrize("ahead_s", [-600.0, 600.0])
def test_batch_is_not_found_when_our_clock_was_mended_since(name: str, vendor: Vendor, ahead_s: float) -> None:
    asked = calls(name, 6, "clock")
    with desk(name, vendor.url) as at:
        mine = submitted(at, asked, "c" * 64).batch_id
        ended(at, mine)
        found = at.find("c" * 64, time.time() + ahead_s, {call.key for call in asked}, ())
        assert found.batch is not None
        assert found.batch.batch_id == mine


@each_vendor
def test_batch_far_down_the_list_is_not_found(name: str, vendor: Vendor) -> None:
    asked = calls(name, 1, "first")
    with desk(name, vendor.url) as at:
        since = time.time()
        mine = submitted(at, asked, "f" * 64).batch_id
        ended(at, mine)
        for number in range(250):
            vendor.batches[name].make(f"{mine.partition('_')[0]}_", [(f"r{number}", {})], "/v1/x", time.time())
        found = at.find("f" * 64, since, {asked[0].key}, ())
        assert found.batch is not None
        assert found.batch.batch_id == mine


@each_vendor
@pytest.mark.parametrize("end", ["expired", "cancelled", "completed"])
def test_request_without_an_answer_is_taken_for_answered(name: str, end: str, vendor: Vendor) -> None:
    vendor.set(batch={"end": end, "done": 0.5, "errors": 0.3})
    asked = calls(name, 30, end)
    with desk(name, vendor.url) as at:
        batch = ended(at, submitted(at, asked).batch_id)
        found = results(at, batch)
    assert batch.state == "ended"
    assert len(found) == 30
    kinds = {one.kind for one in found.values() if isinstance(one, CallProblem)}
    assert kinds == {"transient"}
    assert 0 < sum(isinstance(one, Reply) for one in found.values()) < 30
    said = " ".join(one.message for one in found.values() if isinstance(one, CallProblem))
    assert {"expired": "it expired", "cancelled": "cancelled" if name == "anthropic" else "expired"}.get(
        end, ""
    ) in said


@each_vendor
def test_bad_request_in_a_batch_is_asked_again(name: str, vendor: Vendor) -> None:
    spec = VENDORS[name]
    (good,) = calls(name, 1)
    body = {**good.payload["body"], "model": "small-window"}  # type: ignore[dict-item]
    body["messages"] = [{"role": "user", "content": "long " * 20_000}]
    bad = Call("b" * 64, spec, {**good.payload, "body": body}, good.ask)
    with desk(name, vendor.url) as at:
        found = results(at, ended(at, submitted(at, [good, bad]).batch_id))
    assert isinstance(found[good.key], Reply)
    problem = found[bad.key]
    assert isinstance(problem, CallProblem)
    assert problem.kind == "terminal"
    assert "maximum" in problem.message


def test_reply_that_ended_before_its_first_word_is_an_answer_in_a_batch(vendor: Vendor) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 40, "input_tokens": 9, "output_tokens": 40}
    choice = {"message": {"content": None}, "finish_reason": "length"}
    claude = {"content": [{"type": "thinking", "thinking": ""}], "stop_reason": "max_tokens", "usage": usage}
    refused = {
        "error": {"message": "Could not finish the message because max_tokens or model output limit was reached."}
    }
    lines = {
        "openai": [
            {"response": {"status_code": 200, "body": {"choices": [choice], "usage": usage}}, "error": None},
            {"response": {"status_code": 400, "body": refused}, "error": None},
        ],
        "anthropic": [{"result": {"type": "succeeded", "message": claude}}],
    }
    for name, found in lines.items():
        with desk(name, vendor.url) as at:
            for line in found:
                problem = at.interface.line(json.dumps({"custom_id": "k" * 64, **line}).encode()).result
                assert isinstance(problem, CallProblem), problem
                assert problem.kind == "terminal", "into no other batch"
                assert "no room to answer" in problem.message
                assert "reasoning_tokens = 25000" in problem.message
                assert problem.status == 400 or problem.paid is not None


def test_refusal_of_a_whole_batch_is_taken_for_its_end(vendor: Vendor) -> None:
    with desk("openai", vendor.url) as at:
        vendor.set(batch={"end": "failed", "why": {"code": "invalid_json", "message": "Line 3 is no \x1b[2J JSON"}})
        batch = ended(at, submitted(at, calls("openai", 3)).batch_id)
        assert (batch.state, batch.full, batch.results) == ("refused", False, ())
        assert batch.why == "Line 3 is no [2J JSON"
        vendor.set(batch={"most": 2})
        batch = ended(at, submitted(at, calls("openai", 3)).batch_id)
        assert (batch.state, batch.full) == ("refused", True)


def test_results_that_are_gone_are_waited_for(vendor: Vendor) -> None:
    vendor.set(batch={"gone": True})
    with desk("anthropic", vendor.url) as at:
        batch = ended(at, submitted(at, calls("anthropic", 1)).batch_id)
    assert (batch.state, batch.results) == ("gone", ())


def saying(data: bytes) -> Callable[[socket.socket], None]:
    """A server that says this with status 200."""

    def answer(connection: socket.socket) -> None:
        raw.asked(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(data), data))

    return answer


@each_vendor
def test_results_that_break_off_are_taken_for_whole(name: str, vendor: Vendor) -> None:
    head = b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: "

    def half(connection: socket.socket) -> None:
        raw.asked(connection)
        connection.sendall(head + b"1000\r\n\r\n" + b"old " * 50)

    def whole(connection: socket.socket) -> None:
        raw.asked(connection)
        connection.sendall(head + b"4\r\n\r\nnew\n")

    with raw.running(half, whole) as url, desk(name, url.removesuffix("/v1")) as at, tempfile.TemporaryFile() as file:
        at.download("/anything", file)
        file.seek(0)
        assert file.read() == b"new\n"
    with raw.running(half) as url, desk(name, url.removesuffix("/v1")) as at, pytest.raises(CallProblem):
        at.download("/anything", io.BytesIO())


STRANGE = {
    "html": b"<html><body>Sorry</body></html>",
    "null": b"null",
    "no batch": b'{"object": "list"}',
    "a path for an id": b'{"id": "../../files", "status": "completed", "processing_status": "ended"}',
    "an id that is none": b'{"id": 7, "status": "completed", "processing_status": "ended"}',
    "half": b'{"id": "batch_1", "sta',
}


@each_vendor
@pytest.mark.usefixtures("vendor")
@pytest.mark.parametrize("kind", one_in(3, sorted(STRANGE)))
def test_strange_reply_is_taken_for_a_batch(name: str, kind: str) -> None:
    server = raw.running(saying(STRANGE[kind]))
    with server as url, desk(name, url.removesuffix("/v1")) as at, pytest.raises(CallProblem) as caught:
        at.look("batch_1")
    assert caught.value.kind == "transient"


@each_vendor
@pytest.mark.usefixtures("vendor")
def test_unknown_state_is_taken_for_the_end(name: str) -> None:
    strange = {"id": "batch_1", "status": "resting", "processing_status": "resting", "request_counts": {"total": "7"}}
    with raw.running(saying(json.dumps(strange).encode())) as url, desk(name, url.removesuffix("/v1")) as at:
        assert at.look("batch_1").state == "waiting"


@pytest.mark.usefixtures("vendor")
@pytest.mark.parametrize("status", ["completed", "expired", "cancelled"])
def test_answers_whose_file_is_not_named_yet_are_forgotten(status: str) -> None:
    batch = {"id": "batch_1", "status": status, "output_file_id": None, "error_file_id": "file-2"}
    for completed in (3, "3", 0):
        said = {**batch, "request_counts": {"total": 7, "completed": completed, "failed": 4}}
        with raw.running(saying(json.dumps(said).encode())) as url, desk("openai", url.removesuffix("/v1")) as at:
            seen = at.look("batch_1")
            assert (seen.state, seen.done, len(seen.results)) == ("ended", int(completed), 1)


@each_vendor
def test_key_is_in_what_is_said(name: str, vendor: Vendor) -> None:
    vendor.set(key="another")
    with desk(name, vendor.url) as at:
        for step in (lambda: at.look("batch_1"), lambda: submitted(at, calls(name, 1))):
            with pytest.raises(CallProblem) as caught:
                step()
            assert caught.value.status == 401
            assert OPENAI_KEY not in repr(vars(caught.value))
            assert ANTHROPIC_KEY not in repr(vars(caught.value))


@each_vendor
def test_look_is_repeated_beyond_the_time_that_may_be_waited(name: str, vendor: Vendor) -> None:
    """Of eight batches that answer 503, each was looked at for as long as a call is tried."""
    spec = VENDORS[name]
    table = table_of(spec, {}, "http://127.0.0.1:9")  # nobody answers; `vendor` sets the key
    module = importlib.import_module(BATCHES[name])
    slow = Policy(attempts=50, first_wait_s=1.0, longest_wait_s=1.0)
    with closing(BatchSteps(lambda: module.make(spec, table), slow, Stop(), wait_s=0.5)) as steps:
        began = time.monotonic()
        for number in range(8):
            with pytest.raises(CallProblem):
                steps.look(f"batch_{number}")
        assert time.monotonic() - began < 5


@each_vendor
def test_second_stop_waits_for_a_slow_creation(name: str, vendor: Vendor) -> None:
    vendor.set(batch={"create": ["slow:20"]})
    stop = Stop()
    began = time.monotonic()
    with desk(name, vendor.url, stop) as at:
        stop.set()
        stop.set()
        with pytest.raises(CallProblem, match="stopped"):
            submitted(at, calls(name, 1))
    assert time.monotonic() - began < 5
