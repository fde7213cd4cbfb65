"""The loopback vendors themselves: a counterpart that is too kind would prove nothing."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.hosted.anthropic import sdk as anthropic_sdk
from scrollwork.models.hosted.openai import sdk as openai_sdk
from tests.conftest import PROJECT, environment
from tests.models.hosted_kit import ask, attempt, body_of, one_vendor, problem_of, reply_of, table_of, vendor
from tests.servers.accounts import LIFE_S, Bucket, Clock, PrefixCache
from tests.servers.faults import SHAPES, STATUSES, Plan
from tests.servers.vendor import Vendor

__all__ = ["one_vendor", "vendor"]


def test_limit_lets_more_through_than_it_says() -> None:
    clock = Clock()
    bucket = Bucket(clock)
    bucket.set(60, 10.0)
    taken = 0
    for _ in range(400):
        if bucket.wait_for(1) <= 0:
            bucket.take(1)
            taken += 1
        clock.ahead_s += 0.25
    assert 10 + 98 <= taken <= 10 + 101


def test_limits_of_tokens_do_not_refuse(vendor: Vendor) -> None:
    vendor.set(tpm=5000)
    reply_of("openai:m", vendor.url, ask("word " * 2000))
    problem = problem_of("openai:m", vendor.url, ask("word " * 2400))
    assert (problem.status, problem.kind) == (429, "transient")
    assert problem.limits is not None
    assert (problem.limits.tokens_limit, (problem.limits.tokens_remaining or 0) < 3000) == (5000, True)
    vendor.set(ahead_s=60)
    assert reply_of("openai:m", vendor.url, ask("word " * 2400)).text


def test_cache_serves_short_old_or_later_prefixes(vendor: Vendor) -> None:
    def cached(text: str) -> int:
        return reply_of("openai:m", vendor.url, ask(text)).usage.cached_tokens or 0

    short, long = "word " * 700, "text " * 1700
    assert [cached(short), cached(short)] == [0, 0]
    assert cached(long) == 0
    warm = cached(long)
    assert 2000 < warm < 2200
    assert (warm - 1024) % 128 == 0
    vendor.set(ahead_s=LIFE_S - 1)
    assert cached(long) == warm
    vendor.set(ahead_s=LIFE_S - 1)
    assert cached(long) == warm, "a use renews it"
    vendor.set(ahead_s=LIFE_S + 1)
    assert cached(long) == 0
    assert cached("other " + long) == 0, "a prefix begins at the beginning"


def test_breakpoint_is_served_without_being_written_or_below_the_minimum() -> None:
    cache = PrefixCache(Clock())
    blocks = [("d" * 5000, True), ("q" * 40, False)]
    read, written, names = cache.by_breakpoints("m", blocks)
    assert (read, written, len(names)) == (0, 1250, 1)
    assert cache.by_breakpoints("m", blocks)[0] == 0, "it is there after the reply, not before"
    cache.keep(names)
    assert cache.by_breakpoints("m", [blocks[0], ("other", False)])[:2] == (1250, 0)
    assert cache.by_breakpoints("other", blocks)[0] == 0
    assert cache.by_breakpoints("m", [("d" * 4000, True)])[1:] == (0, [])


def test_calls_beside_the_first_are_served_from_what_it_will_write(vendor: Vendor) -> None:
    async def both() -> list[int]:
        client = openai_sdk("sk-a", table_of("openai:m", {}, vendor.url))
        bodies = [body_of("openai:m", ask("side " * 2000, question=q)) for q in ("What?", "Who?")]
        replies = await asyncio.gather(*(client.chat.completions.create(**body) for body in bodies))
        await client.close()
        return [reply.usage.prompt_tokens_details.cached_tokens for reply in replies]  # type: ignore[union-attr,misc]

    vendor.set(latency_s=0.15)
    # the reply is made after the wait, as a vendor's is: whoever comes beside reads only what is finished by then
    assert asyncio.run(both())[0] == 0


def test_faults_of_a_plan_fall_on_another_share_or_other_requests_each_run() -> None:
    plan: dict[str, Any] = {"share": 0.3, "seed": 4, "kinds": ["429", "reset", "half"], "most": 2}
    first = [Plan(plan).next(f"request {n}") for n in range(2000)]
    assert first == [Plan(plan).next(f"request {n}") for n in range(2000)]
    assert 0.27 < sum(map(bool, first)) / 2000 < 0.33
    assert set(first) == {"", "429", "reset", "half"}
    one = Plan({**plan, "share": 1.0})
    assert [bool(one.next("request")) for _ in range(4)] == [True, True, False, False]


@pytest.mark.parametrize("fault", [*STATUSES, *SHAPES])
@pytest.mark.parametrize("spec", ["openai:m", "anthropic:m"])
def test_fault_breaks_the_server_instead_of_the_client(fault: str, spec: str, vendor: Vendor) -> None:
    vendor.set(plan={"script": [fault, ""]})
    attempt(spec, vendor.url)
    vendor.log.quiet()
    assert vendor.log.rows[-1]["fault"] == fault
    assert reply_of(spec, vendor.url).text


def test_log_holds_a_key_or_misses_a_request(vendor: Vendor, tmp_path: Path) -> None:
    reply_of("openai:m", vendor.url)
    row = vendor.log.requests("/v1/chat/completions")[-1]
    assert row["key"] is True
    assert "loopback-Zw91" not in json.dumps(vendor.log.rows)
    assert {"digest", "time", "in_flight", "headers", "bytes"} <= set(row)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"temperature": 0}, "temperature"),
        ({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}, "prefill"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": " \n"}]}]}, "non-whitespace"),
    ],
)
def test_messages_are_taken_that_the_api_refuses(body: dict[str, Any], said: str, vendor: Vendor) -> None:
    good = {"model": "claude-new", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}

    async def sent() -> None:
        client = anthropic_sdk("sk-a", table_of("anthropic:m", {}, vendor.url))
        try:
            await client.post("/v1/messages", body={**good, **body}, cast_to=object)
        finally:
            await client.close()

    with pytest.raises(Exception, match=said):
        asyncio.run(sent())


async def openai_batch(vendor: Vendor, names: list[str]) -> tuple[Any, list[dict[str, Any]], list[dict[str, Any]]]:
    """A batch by the SDK from file to results: (batch, output lines, error lines)."""
    client = openai_sdk("sk-a", table_of("openai:m", {}, vendor.url))
    lines = [
        {
            "custom_id": name,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": body_of("openai:m", ask(f"text {name}")),
        }
        for name in names
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = await client.files.create(file=("requests.jsonl", data), purpose="batch")
    batch = await client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"digest": "d1"}
    )
    seen = [batch.status]
    while batch.status in ("validating", "in_progress", "finalizing"):
        batch = await client.batches.retrieve(batch.id)
        seen.append(batch.status)
    listed = [one async for one in client.batches.list(limit=1)]
    assert batch.id in [one.id for one in listed]
    assert batch.metadata == {"digest": "d1"}
    found = []
    for name in (batch.output_file_id, batch.error_file_id):
        text = (await client.files.content(name)).text if name else ""
        found.append([json.loads(line) for line in text.splitlines()])
    await client.close()
    assert seen[0] == "validating"
    return batch, found[0], found[1]


def test_batch_of_openai_answers_otherwise_than_the_calls_alone(vendor: Vendor) -> None:
    vendor.set(batch={"looks": 2, "errors": 0.3})
    names = [f"r{n}" for n in range(12)]
    batch, output, errors = asyncio.run(openai_batch(vendor, names))
    assert batch.status == "completed"
    assert sorted([line["custom_id"] for line in output + errors]) == sorted(names)
    assert output
    assert errors
    assert [line["custom_id"] for line in output] != sorted([line["custom_id"] for line in output]), "the order is free"
    one = output[0]
    alone = reply_of("openai:m", vendor.url, ask(f"text {one['custom_id']}"))
    assert one["response"]["body"]["choices"][0]["message"]["content"] == alone.text


@pytest.mark.parametrize("end", ["expired", "cancelled", "failed"])
def test_batch_that_ends_early_loses_what_was_done(end: str, vendor: Vendor) -> None:
    vendor.set(batch={"looks": 1, "end": end, "done": 0.5})
    batch, output, errors = asyncio.run(openai_batch(vendor, [f"r{n}" for n in range(20)]))
    assert batch.status == end
    if end == "failed":  # the file was not valid: nothing was done
        assert (output, errors) == ([], [])
        assert batch.errors.data[0].message
    else:
        assert len(output) + len(errors) == 20
        assert output
        assert errors


def test_batch_of_anthropic_ends_before_it_is_ended(vendor: Vendor) -> None:
    vendor.set(batch={"looks": 1, "errors": 0.2, "end": "expired", "done": 0.6})
    names = [f"r{n}" for n in range(20)]

    async def run() -> dict[str, str]:
        client = anthropic_sdk("sk-a", table_of("anthropic:m", {}, vendor.url))
        requests = [{"custom_id": n, "params": body_of("anthropic:m", ask(f"text {n}"))} for n in names]
        batch = await client.messages.batches.create(requests=requests)  # type: ignore[arg-type]
        with pytest.raises(Exception, match="results"):
            await client.messages.batches.results(batch.id)
        while batch.processing_status != "ended":
            batch = await client.messages.batches.retrieve(batch.id)
        assert batch.request_counts.expired > 0
        listed = [one.id async for one in client.messages.batches.list(limit=1)]
        assert batch.id in listed
        found = {}
        async for line in await client.messages.batches.results(batch.id):
            found[line.custom_id] = line.result.type
        await client.close()
        return found

    found = asyncio.run(run())
    assert set(found) == set(names)
    assert set(found.values()) == {"succeeded", "errored", "expired"}


def test_batch_whose_creation_was_not_heard_of_is_not_there(vendor: Vendor) -> None:
    vendor.set(batch={"lost_reply": True})
    before = len(vendor.batches["openai"].made)
    # openai's own aiohttp transport tells a reset as a timeout
    with pytest.raises(Exception, match=r"Connection error|timed out"):
        asyncio.run(openai_batch(vendor, ["r1"]))
    assert len(vendor.batches["openai"].made) == before + 1


@pytest.fixture
def program(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The server as a program of its own: its address and its log."""
    log = tmp_path / "log.jsonl"
    plan = json.dumps({"script": ["500"]})
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.vendor", "--log", str(log), "--plan", plan],
        cwd=PROJECT,
        env=environment(PYTHONPATH=str(PROJECT)),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), log
    finally:
        process.kill()
        process.wait()


def test_server_dies_with_its_client(program: tuple[str, Path], vendor: Vendor) -> None:
    url, log = program
    assert problem_of("openai:m", url).status == 500
    assert reply_of("openai:m", url).text
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["event"] for row in rows].count("began") == 2
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    data = json.dumps({"plan": {"always": "503"}, "latency_s": 0.2}).encode()
    opener.open(urllib.request.Request(f"{url}/_control", data), timeout=5)
    began = time.monotonic()
    assert problem_of("openai:m", url).status == 503
    assert time.monotonic() - began > 0.2
    stats = json.loads(opener.open(f"{url}/_stats", timeout=5).read())
    assert stats["requests"] == 3
