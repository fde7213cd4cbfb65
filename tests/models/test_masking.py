"""A key that a server repeats stays out of everything; a word that happens to be a key changes no answer."""

from __future__ import annotations

import html
import json
from typing import Any
from urllib.parse import quote

import orjson
import pytest

from scrollwork.models.base import CallProblem, Reply
from scrollwork.models.hosted.batches import BadLine, part_of
from scrollwork.models.hosted.error_replies import message_line
from scrollwork.models.hosted.masking import answer_without
from scrollwork.models.hosted.replies import read
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY

STRANGE = 'gw+7/Q9 "x\\y&=<Pq33>%41'  # all that JSON, HTML and addresses write otherwise
KEYS = (OPENAI_KEY, ANTHROPIC_KEY, STRANGE)
SHORT = ("number", "the", "k3y-of-15-chars", "a-word-longer-than-sixteen", "1234567890123456")


def secrets(key: str) -> tuple[str, ...]:
    """What a connection with this key hides."""
    return (f"Bearer {key}", key)


def body_of(endpoint: str, *texts: str, refusal: str = "") -> dict[str, Any]:
    """A reply that says these texts in blocks of their own, and a refusal."""
    if endpoint == "completions":
        return {"choices": [{"text": "".join(texts), "finish_reason": "stop"}]}
    if endpoint == "messages":
        thought = {"type": "thinking", "thinking": "".join(texts)}
        blocks = [{"type": "text", "text": text} for text in texts]
        return {"content": [thought, *blocks], "stop_reason": "end_turn"}
    if endpoint == "responses":
        blocks = [{"type": "output_text", "text": text} for text in texts]
        blocks += [{"type": "refusal", "refusal": refusal}] if refusal else []
        thought = {"type": "reasoning", "summary": [{"text": "".join(texts)}]}
        return {"status": "completed", "output": [thought, {"type": "message", "content": blocks}]}
    message = {"content": [{"type": "text", "text": text} for text in texts], "reasoning_content": "".join(texts)}
    return {"choices": [{"message": {**message, "refusal": refusal or None}, "finish_reason": "stop"}]}


def reply_of(endpoint: str, body: dict[str, Any], key: str) -> Reply:
    """What is made of a reply."""
    return read(endpoint, 200, {}, json.dumps(body).encode(), orjson.loads, secrets(key))


@pytest.mark.parametrize("endpoint", ["chat", "completions", "responses", "messages"])
@pytest.mark.parametrize("key", KEYS)
def test_key_in_pieces_passes_through_blocks(key: str, endpoint: str) -> None:
    reply = reply_of(endpoint, {**body_of(endpoint, "It is ", key[:9], key[9:], "."), "model": f"m-{key}"}, key)
    assert (reply.text, reply.masked) == ("It is [key].", True)
    assert reply.reported_model == "m-[key]"
    assert key not in repr(reply)


@pytest.mark.parametrize("endpoint", ["chat", "responses"])
def test_refusal_repeats_the_key(endpoint: str) -> None:
    reply = reply_of(endpoint, body_of(endpoint, refusal=f"Not with {OPENAI_KEY}."), OPENAI_KEY)
    assert (reply.text, reply.finish_reason, reply.masked) == ("Not with [key].", "refused", True)


@pytest.mark.parametrize("key", KEYS)
def test_key_is_written_as_json_html_or_an_address_has_it(key: str) -> None:
    forms = [json.dumps(key), json.dumps(key).replace("/", "\\/"), html.escape(key), quote(key), quote(key, safe="")]
    text = " ".join(forms)
    for told in (answer_without(text, secrets(key)), message_line(text, secrets(key))):
        assert told.replace('"', "") == " ".join(["[key]"] * len(forms))


@pytest.mark.parametrize("endpoint", ["chat", "completions", "responses", "messages"])
@pytest.mark.parametrize("key", SHORT)
def test_word_that_is_a_key_is_taken_out_of_an_answer(key: str, endpoint: str) -> None:
    text = f"The number is {key}, said Bearer {key}."
    reply = reply_of(endpoint, {**body_of(endpoint, text), "model": f"m-{key}"}, key)
    assert (reply.text, reply.reported_model, reply.masked) == (text, f"m-{key}", False)
    assert key not in message_line(f"Wrong key: {key}!", secrets(key))


def test_part_of_a_key_is_taken_for_the_whole() -> None:
    text = f"{OPENAI_KEY[:-1]} and {OPENAI_KEY[1:]}"
    reply = reply_of("chat", body_of("chat", text), OPENAI_KEY)
    assert (reply.text, reply.masked) == (text, False)


def said_of(data: bytes, endpoint: str, status: int, *, line: bool) -> str:
    """The message of a reply, or a line of results, that is of no use."""
    try:
        if line:
            part_of(data, secrets(OPENAI_KEY))
        read(endpoint, status, {}, data, orjson.loads, secrets(OPENAI_KEY))
    except (CallProblem, BadLine) as error:
        return str(error)
    raise AssertionError("it was taken for an answer")


@pytest.mark.parametrize("before", [*range(0, 90, 7), 290, 1990, 5990, 7995, 19_990])
@pytest.mark.parametrize("kind", ["broken", "page", "finish", "status", "error", "502", "line"])
def test_key_is_cut_in_two_by_the_end_of_a_message(kind: str, before: int) -> None:
    """A message is shortened after the key was taken out, not before."""
    said = "x" * (before // 2) + " " * (before - before // 2) + OPENAI_KEY
    bodies: dict[str, Any] = {
        "finish": {"choices": [{"message": {"content": "a"}, "finish_reason": said}]},
        "status": {"status": said, "output": []},
        "error": {"error": {"message": said, "type": said}},
    }
    data = json.dumps(bodies[kind]).encode() if kind in bodies else said.encode()
    data = b"<p>" + b"<i></i>" * 20 + data if kind in ("page", "502") else data
    endpoint = "responses" if kind == "status" else "chat"
    told = said_of(data, endpoint, 502 if kind == "502" else 200, line=kind == "line")
    assert not any(OPENAI_KEY[:size] in told for size in range(9, len(OPENAI_KEY) + 1)), told
