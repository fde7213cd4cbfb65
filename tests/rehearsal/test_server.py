"""Clock, knobs, bill, faults and what happens at the same time."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from threading import Barrier
from typing import Any

import httpx
import openai
import pytest

from scrollwork.rehearsal.answers import answer
from scrollwork.rehearsal.bills import price_of
from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.families import FAMILIES, find
from scrollwork.rehearsal.faulty.faults import AFTER, BEFORE, KINDS, LINES
from scrollwork.rehearsal.server import PATHS, Rehearsal
from tests.rehearsal.kit import SUNDAY, bill, claude, client, rehearsing, text
from tests.some_slow import one_in

EXPLICIT = {"prompt_cache_options": {"mode": "explicit"}}


def ask(running: Rehearsal, content: Any = "Is it so?", **options: Any) -> Any:
    options = {"reasoning_effort": "none", "max_completion_tokens": 20, "extra_body": EXPLICIT} | options
    messages: Any = [{"role": "user", "content": content}]
    return client(running).chat.completions.create(model="gpt-6-luna", messages=messages, **options)


def test_the_bill_lacks_lines_or_its_sum_is_another() -> None:
    with rehearsing() as running:
        ask(running)
        told = httpx.get(running.address + "/__bill").json()
        assert told["nano_dollars"] == "800" == told["models"]["openai/gpt-6-luna"]  # 3 of $0.10, 1 of $0.50 a million
        (line,) = told["lines"]
        assert line["tokens"] == {"input": 3, "cached": 0, "write": 0, "write_long": 0, "output": 1}
        assert line["nano_dollars"] == "800"


def test_a_price_is_predicted_otherwise_than_billed() -> None:
    with rehearsing() as running:
        ask(running, text(300_000), service_tier="flex")
        one = find("openai", "gpt-6-luna")
        assert one is not None
        tokens = {"input": 300_000, "output": 20}
        assert (
            price_of(one, datetime.fromisoformat(SUNDAY), "flex", tokens) == bill(running) == 300_000 * 100 + 20 * 375
        )


def test_the_clock_is_not_turned_or_an_unknown_knob_is_taken() -> None:
    with rehearsing() as running:
        told = httpx.post(running.address + "/__clock", json={"seconds": 3_600}).json()
        assert told["now"] == "2026-11-22T13:00:00Z"
        assert httpx.post(running.address + "/__knobs", json={"flexrefused": 1}).status_code == 400
        assert httpx.post(running.address + "/__knobs", json={"flex_refused": 1}).json()["flex_refused"] == 1
        assert httpx.get(running.address + "/elsewhere").status_code == 404
    with pytest.raises(ValueError, match="no knob nothing"):
        Rehearsal(nothing=1)


def test_a_clock_that_runs_stands_still() -> None:
    clock = Clock(SUNDAY, pace=1e6)
    assert clock.now() > datetime.fromisoformat(SUNDAY).timestamp()


@pytest.mark.parametrize("kind", one_in(8, KINDS))
def test_a_faulty_reply_is_a_good_one_or_is_paid_where_no_work_was_done(kind: str) -> None:
    with rehearsing(faults={"openai": {kind: 1.0}}) as running:
        body = {
            "model": "gpt-6-luna",
            "messages": [{"role": "user", "content": "Is it so?"}],
            "reasoning_effort": "none",
        }
        asked: Any = {"json": body, "headers": {"authorization": "Bearer any"}}
        with rehearsing() as whole:
            good = httpx.post(whole.url("openai") + "/chat/completions", **asked)
        try:
            patience = 0.5 if kind == "stalled" else 30  # a busy machine may take longer than half a second to answer
            reply = httpx.post(running.url("openai") + "/chat/completions", **asked, timeout=patience)
        except (httpx.RemoteProtocolError, httpx.DecodingError, httpx.ReadTimeout):
            assert kind in ("closed", "broken_off", "stalled", "gzip_broken")
        else:
            differs = ("content-type", "content-encoding")
            assert reply.status_code != 200 or (reply.content, *map(reply.headers.get, differs)) != (
                good.content,
                *map(good.headers.get, differs),
            )
        assert (bill(running) == 0) == (kind in BEFORE)
        assert httpx.get(running.address + "/__met").json() == {"openai/gpt-6-luna": {kind: 1}}


def test_of_faults_in_turn_one_is_met_twice_or_left_out() -> None:
    kinds = ["overloaded_503", "", "empty_text", "timeout_408"]
    with rehearsing(faults={"openai": kinds}) as running:
        seen = [
            httpx.post(
                running.url("openai") + "/chat/completions",
                json={"model": "gpt-6-luna", "messages": [{"role": "user", "content": f"Is it {number}?"}]},
                headers={"authorization": "Bearer any"},
            ).status_code
            for number in range(6)
        ]
        assert seen == [503, 200, 200, 408, 200, 200]
        assert running.world.met == {"openai/gpt-6-luna": {"overloaded_503": 1, "empty_text": 1, "timeout_408": 1}}
    with pytest.raises(ValueError, match="there is no overloaded_530"):
        Rehearsal(faults={"openai": ["overloaded_530"]})


def test_fewer_than_thirty_nine_kinds_of_faulty_reply_or_one_twice() -> None:
    assert len(KINDS) == len(set(KINDS)) >= 39
    assert set(LINES) < set(KINDS)


@pytest.mark.parametrize("kind", one_in(4, AFTER))
def test_a_fault_of_the_body_breaks_the_server_on_other_endpoints(kind: str) -> None:
    with rehearsing(faults={"*": {kind: 1.0}}) as running:
        for url, body, headers in (
            ("/openai/v1/responses", {"model": "gpt-6-luna", "input": "Is it so?"}, {"authorization": "Bearer any"}),
            (
                "/anthropic/v1/messages",
                {"model": "claude-opus-5", "max_tokens": 9_000, "messages": [{"role": "user", "content": "Is it so?"}]},
                {"x-api-key": "any", "anthropic-version": "2026-10-21"},
            ),
        ):
            assert httpx.post(running.address + url, json=body, headers=headers).status_code == 200


def test_luck_depends_on_the_order_of_requests_or_a_second_try_never_has_another() -> None:
    seen = []
    for order in (1, -1):
        with rehearsing(flex_refused=0.3, seed=7) as running:
            found = {}
            for number in list(range(40))[::order]:
                tries = 1
                while tries < 20:
                    try:
                        ask(running, f"Is it {number}?", service_tier="flex")
                        break
                    except openai.RateLimitError:
                        tries += 1
                found[number] = tries
            seen.append(found)
    assert seen[0] == seen[1]
    assert 4 <= sum(tries > 1 for tries in seen[0].values()) <= 20


@pytest.mark.slow
def test_requests_at_the_same_time_share_a_cache_that_none_has_written_yet() -> None:
    mark: Any = [{"type": "text", "text": text(2_000), "cache_control": {"type": "ephemeral"}}]
    ready = Barrier(4)  # making a client takes as long as an answer on a busy machine
    with rehearsing(latency_s=1.0) as running:

        def one(number: int, together: bool = True) -> int:
            client = claude(running)
            if together:
                ready.wait()
            reply = client.messages.create(
                model="claude-sonnet-5", max_tokens=20, thinking={"type": "disabled"},
                messages=[{"role": "user", "content": [*mark, {"type": "text", "text": f"{number}?"}]}],
            )  # fmt: skip
            return reply.usage.cache_read_input_tokens or 0

        with ThreadPoolExecutor(4) as pool:
            assert Counter(pool.map(one, range(4))) == {0: 4}
        assert one(5, together=False) == 2_000


def test_answers_do_not_follow_the_prompt_or_change_from_one_call_to_the_next() -> None:
    options = "Which?\n(A) one\n(B) two\n(C) three\nAnswer:"
    assert answer(options) in ("(A)", "(B)", "(C)")
    assert len({answer(f"{number} {options}") for number in range(30)}) == 3
    assert answer("The cat sat on a mat. Why?") == answer("The cat sat on a mat. Why?") == "The cat sat on a mat."


def test_a_vendor_has_no_models_or_two_of_one_name() -> None:
    assert {one.vendor for one in FAMILIES} == PATHS.keys()
    names = Counter((one.vendor, name) for one in FAMILIES for name in (one.id, *one.aliases))
    assert {name for name, times in names.items() if times > 1} == set()
    with rehearsing() as running:
        for vendor in PATHS.keys() - {"anthropic"}:
            assert list(client(running, vendor).models.list())
