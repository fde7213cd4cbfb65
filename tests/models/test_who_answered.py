"""Who answered, and with how much room, is kept with an answer, from the reply to the snapshot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest

from scrollwork.models.base import Answer, Reply, Usage
from scrollwork.models.hosted.replies import read
from scrollwork.pipeline.snapshots.rows import response_row, store_row
from scrollwork.storage.answers.rows import REFILLED
from scrollwork.tasks.generate.stored_answers import stored_answer
from tests.models.clock import Scripted, call, drive, in_time

CHAT: dict[str, Any] = {
    "model": "gpt-6-luna",
    "choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}],
    "service_tier": "flex",
    "system_fingerprint": "fp_44709d6fcb",
}
MESSAGES: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": "yes"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "output_tokens": 1, "service_tier": "priority"},
}
RESPONSES: dict[str, Any] = {
    "model": "gpt-6-sol",
    "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "yes"}]}],
    "service_tier": "default",
}


def reply(endpoint: str, body: dict[str, Any]) -> Reply:
    """As it is read."""
    return read(endpoint, 200, {}, orjson.dumps(body), orjson.loads, ("sk-secret-0123456789abcdef",))


def test_tier_or_fingerprint_is_dropped() -> None:
    one = reply("chat", CHAT)
    assert (one.service_tier, one.fingerprint, one.reported_model) == ("flex", "fp_44709d6fcb", "gpt-6-luna")
    two = reply("messages", MESSAGES)
    assert (two.service_tier, two.fingerprint) == ("priority", None)
    assert reply("responses", RESPONSES).service_tier == "default"


@pytest.mark.parametrize("value", [None, 5, ["flex"], {"a": 1}, "", True])
def test_nonsense_in_their_place_is_kept(value: Any) -> None:
    one = reply("chat", {**CHAT, "service_tier": value, "system_fingerprint": value})
    assert (one.service_tier, one.fingerprint) == (None, None)


def test_what_a_server_says_of_itself_is_kept_without_a_bound_or_with_a_key() -> None:
    one = reply("chat", {**CHAT, "service_tier": "x" * 10_000, "system_fingerprint": "sk-secret-0123456789abcdef"})
    assert len(one.service_tier or "") == 200
    assert "sk-secret" not in (one.fingerprint or "")


def test_room_is_not_told() -> None:
    """The limit of the request; of one that was asked again, the larger one."""
    client = Scripted(lambda *_: replace(reply("chat", CHAT), usage=Usage(5, 0, 0, 1)))
    with_limit = replace(call(0), payload={"body": {"max_completion_tokens": 77}})
    more = replace(with_limit, key="1", room=25_077)
    found = {one.key: one for one in in_time(drive(client, [with_limit, more])).results if isinstance(one, Answer)}
    assert [found[key].output_limit for key in ("0", "1")] == [77, 25_077]
    assert [found[key].service_tier for key in ("0", "1")] == ["flex", "flex"]


def test_snapshot_does_not_give_back_what_the_store_held() -> None:
    given = Answer("k" * 64, "yes", "complete", "m", service_tier="flex", fingerprint="fp", output_limit=77)
    stored = stored_answer(given, "openai", "gpt", 5)
    labels = {"suite": "s", "task": "t", "split": "test", "example_id": "1", "draw": 0, "model": "gpt", "arm": "full",
              "request_key": "k" * 64}  # fmt: skip
    row = response_row(stored, labels)
    assert (row.service_tier, row.fingerprint, row.output_limit) == ("flex", "fp", 77)
    back = store_row(row, "openai")
    assert back == replace(stored, latency_s=None, origin=REFILLED)
    lost = store_row(replace(row, output_limit=78), "openai")
    assert lost.origin != REFILLED, "the digest covers it"
