"""Faults of a batch's steps as simulated: each is met where it is turned on, and spoils nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.faulty.batches import BEFORE, LIFE, MISSING, PLACES, STEPS
from scrollwork.rehearsal.server import Rehearsal
from scrollwork.rehearsal.world import World
from tests.rehearsal.kit import SUNDAY, rehearsing

ASKED = {"model": "gpt-6-luna", "messages": [{"role": "user", "content": "Is it so?"}], "reasoning_effort": "none"}
CLAUDE = {
    "model": "claude-sonnet-5",
    "max_tokens": 20,
    "thinking": {"type": "disabled"},
    "messages": [{"role": "user", "content": "Is it so?"}],
}
CUT_OFF = (httpx.RemoteProtocolError, httpx.DecodingError, httpx.ReadTimeout, httpx.ReadError)
SILENT = ("hung", "stalled", "done_hung")  # kinds that keep the connection open for a minute
HEADERS = {"authorization": "Bearer any", "x-api-key": "any", "anthropic-version": "2026-10-21"}


@pytest.fixture(scope="module")
def web() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=30.0, headers=HEADERS) as client:
        yield client


def steps(web: httpx.Client, running: Rehearsal, vendor: str, silent: str = "") -> dict[str, Any]:
    """Four requests through every step, and what each said: (status, headers, body). silent: the step whose reply does not
    come, which is not waited for longer than a busy machine may take to do what was asked."""
    at, base = running.address + ("/openai" if vendor == "openai" else "/anthropic"), PLACES[vendor]
    said: dict[str, Any] = {}

    def ask(step: str, method: str, path: str, **given: Any) -> Any:
        try:
            reply = web.request(method, at + path, **given, timeout=0.5 if step == silent else 30.0)
        except CUT_OFF as error:
            said[step] = type(error).__name__
            return {}
        kept = {name: reply.headers.get(name) for name in ("content-type", "content-encoding")}
        said[step] = (reply.status_code, kept, reply.text.replace(running.address, ""))
        try:
            return reply.json()
        except ValueError:
            return {}

    if vendor == "openai":
        lines = [
            {"custom_id": name * 64, "method": "POST", "url": "/v1/chat/completions", "body": ASKED} for name in "abcd"
        ]
        ask("upload", "POST", "/v1/files", data={"purpose": "batch"}, files={"file": "\n".join(map(json.dumps, lines))})
        wanted = {"endpoint": "/v1/chat/completions", "completion_window": "24h", "metadata": {"run": "1"}}
        ask("create", "POST", base, json={**wanted, "input_file_id": next(iter(running.world.files), "none")})
    else:
        ask("create", "POST", base, json={"requests": [{"custom_id": name * 64, "params": CLAUDE} for name in "abcd"]})
    made = next(iter(running.world.batches), "none")
    ask("look", "GET", f"{base}/{made}")
    file = (running.world.batches.get(made) or {}).get("output_file_id")
    ask("results", "GET", f"/v1/files/{file}/content" if vendor == "openai" else f"{base}/{made}/results")
    ask("list", "GET", base)
    return said


@pytest.mark.slow
@pytest.mark.parametrize("vendor", ["openai", pytest.param("anthropic", marks=pytest.mark.soak)])  # by the same code
def test_a_fault_of_a_step_is_not_met_or_spoils_another_step(web: httpx.Client, vendor: str) -> None:
    with rehearsing() as running:

        def through(silent: str = "", **knobs: Any) -> dict[str, Any]:
            clock = Clock(SUNDAY, pace=0)
            running.world = World(clock, batch_s=0, **knobs)
            return steps(web, running, vendor, silent)

        good = through()
        for step in good:
            for kind in STEPS[step]:
                found = through(step if kind in SILENT else "", faults={f"{vendor}/{step}": [kind]})
                world = running.world
                assert world.met == {f"{vendor}/{step}": {kind: 1}}
                assert found[step] != good[step], kind
                lost = kind == "expired_untouched" or (kind in BEFORE and step in ("upload", "create"))
                assert len(world.ledger.lines()) == (0 if lost else 2 if kind in LIFE else 4), (step, kind)
                before = list(good)[: list(good).index(step)]
                assert {name: found[name] for name in before} == {name: good[name] for name in before}, kind


def test_a_fault_is_taken_for_a_step_that_has_none_of_it(web: httpx.Client) -> None:
    for name, kind in (("openai/upload", "results_empty"), ("anthropic/look", "list_empty"), ("openai", MISSING)):
        with pytest.raises(ValueError, match=f"there is no {kind}"):
            Rehearsal(faults={name: [kind]})
    with rehearsing(faults={"*": ["server_error_500"], "openai": ["server_error_500"]}, batch_s=0) as running:
        assert steps(web, running, "openai")["upload"][0] == 200, "what is turned on for all meets answers"


def test_fewer_kinds_of_a_step_than_are_promised_or_one_twice() -> None:
    assert min(map(len, STEPS.values())) >= 60
    assert all(len(set(kinds)) == len(kinds) for kinds in STEPS.values())
