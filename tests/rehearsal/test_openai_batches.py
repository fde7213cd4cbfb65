"""OpenAI's batches as simulated, through the SDK, on a clock that the test turns."""

from __future__ import annotations

import json
from typing import Any

import openai

from tests.rehearsal.kit import bill, client, rehearsing, text

EXPLICIT = {"mode": "explicit"}


def line(name: str, **body: Any) -> dict[str, Any]:
    full = {
        "model": "gpt-6-luna",
        "messages": [{"role": "user", "content": text(2_000)}],
        "reasoning_effort": "none",
        "max_completion_tokens": 20,
        "prompt_cache_options": EXPLICIT,
    }
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": full | body}


def send(api: openai.OpenAI, lines: list[dict[str, Any]]) -> str:
    data = "\n".join(json.dumps(one) for one in lines).encode()
    source = api.files.create(file=("lines.jsonl", data), purpose="batch")
    made = api.batches.create(
        input_file_id=source.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"run": "1"}
    )
    assert made.status == "validating"
    return made.id


def rows(api: openai.OpenAI, name: str | None) -> dict[str, Any]:
    assert name is not None
    found = [json.loads(one) for one in api.files.content(name).text.splitlines()]
    return {one["custom_id"]: one for one in found}


PRICE = 2_000 * 50 + 20 * 250  # luna at half: $0.05 and $0.25 a million


def test_a_batch_ends_early_costs_more_than_half_or_mixes_good_lines_with_refused_ones() -> None:
    with rehearsing(batch_s=600) as running:
        api = client(running)
        name = send(api, [*(line(f"r{number}") for number in range(9)), line("bad", max_tokens=20)])
        running.world.clock.turn(599)
        assert api.batches.retrieve(name).status == "in_progress"
        assert bill(running) == 0
        running.world.clock.turn(1)
        done = api.batches.retrieve(name)
        assert done.status == "completed"
        assert done.metadata == {"run": "1"}
        assert done.request_counts is not None
        assert (done.request_counts.completed, done.request_counts.failed) == (9, 1)
        good = rows(api, done.output_file_id)
        assert list(good) != sorted(good)  # in any order
        assert good["r0"]["response"]["body"]["usage"]["prompt_tokens"] == 2_000
        assert rows(api, done.error_file_id)["bad"]["response"]["status_code"] == 400
        assert bill(running) == 9 * PRICE


def test_an_expired_batch_charges_lines_that_never_ran_or_loses_those_that_did() -> None:
    with rehearsing(batch_done=0.5) as running:
        api = client(running)
        name = send(api, [line(f"r{number}") for number in range(10)])
        running.world.clock.turn(86_399)
        assert api.batches.retrieve(name).status == "in_progress"
        running.world.clock.turn(1)
        done = api.batches.retrieve(name)
        assert done.status == "expired"
        assert len(rows(api, done.output_file_id)) == 5
        lost = rows(api, done.error_file_id)
        assert {one["error"]["code"] for one in lost.values()} == {"batch_expired"}
        assert len(lost) == 5
        assert bill(running) == 5 * PRICE


def test_a_cancelled_batch_goes_on_or_forgets_what_was_done() -> None:
    with rehearsing(batch_s=600) as running:
        api = client(running)
        name = send(api, [line(f"r{number}") for number in range(10)])
        running.world.clock.turn(300)
        assert api.batches.cancel(name).status == "cancelling"
        assert api.batches.retrieve(name).status == "cancelled"
        assert bill(running) == 5 * PRICE


def test_a_batch_with_two_models_or_one_name_twice_or_beyond_the_queue_is_run() -> None:
    with rehearsing(batch_queue=10_000) as running:
        api = client(running)
        for lines, code in (
            ([line("a"), line("b", model="gpt-6-sol")], "mismatched_model"),
            ([line("a"), line("a")], "duplicate_custom_id"),
            ([line(f"r{number}") for number in range(9)], "token_limit_exceeded"),
        ):
            failed = api.batches.retrieve(send(api, lines))
            assert failed.status == "failed"
            assert failed.errors is not None
            assert failed.errors.data is not None
            assert failed.errors.data[0].code == code
        assert bill(running) == 0
