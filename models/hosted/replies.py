"""Convert a provider's body to a validated Reply. No value is used before its type is checked.

The vendors' SDKs return a page of HTML as a str, `null` as None, a wrong form as an object full of None, and an error
with status 200 as a message, so replies are read here, from the bytes. Every finish reason of both vendors has one
meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scrollwork.models.base import CallProblem, Reply, Trouble, Usage
from scrollwork.models.hosted.error_replies import (
    MORE_ROOM,
    NO_ROOM,
    Headers,
    error_in,
    limits_of,
    message_line,
    problem_in_reply,
    problem_of_status,
    text_of,
)
from scrollwork.models.hosted.masking import answer_without, mask_secrets
from scrollwork.models.hosted.other_endpoint import hint
from scrollwork.models.hosted.usage import USAGES, part

COMPLETE, LENGTH, REFUSED, FILTERED, CONTEXT = "complete", "length", "refused", "filtered", "context"
WITHOUT_ROOM = (LENGTH, CONTEXT)  # finish reasons of a reply that had no room for its first word, if it has no text
MODEL_CHARS = 200  # of the model's name and other short texts from the server

# chat and text completions: the vendor's own, then those that compatible servers also send
OPENAI_FINISH = {
    "stop": COMPLETE,
    "length": LENGTH,
    "tool_calls": COMPLETE,
    "content_filter": FILTERED,
    "function_call": COMPLETE,
    "eos": COMPLETE,
    "eos_token": COMPLETE,
    "stop_sequence": COMPLETE,
    "end_turn": COMPLETE,
    "max_tokens": LENGTH,
    "limit": LENGTH,
    "model_length": CONTEXT,
    "safety": FILTERED,
    "recitation": FILTERED,
    "refusal": REFUSED,
}
# why a reply of the responses endpoint is incomplete; "steered" ends a text early, like a limit
INCOMPLETE = {"max_output_tokens": LENGTH, "content_filter": FILTERED, "max_messages": LENGTH, "steered": LENGTH}
ANTHROPIC_FINISH = {
    "end_turn": COMPLETE,
    "stop_sequence": COMPLETE,
    "tool_use": COMPLETE,
    "max_tokens": LENGTH,
    "pause_turn": LENGTH,  # a turn that would continue
    "refusal": REFUSED,
    "model_context_window_exceeded": CONTEXT,
}
UNKNOWN = Usage()


def read(
    endpoint: str,
    status: int,
    headers: Headers,
    data: bytes,
    loads: Callable[[bytes], Any],
    secrets: Sequence[str] = (),
) -> Reply:
    """Return the reply of an endpoint (chat, responses, completions, messages). Raises CallProblem.

    headers: with names in lower case. loads: a JSON parser that raises ValueError. secrets: texts that no message may
    contain.
    """
    try:
        body = parse_json(data, loads) if data else None
        readable = bool(data)
    except (ValueError, RecursionError):
        body, readable = None, False
    if not 200 <= status < 300:
        raise problem_of_status(status, headers, body, data[:20_000].decode("utf-8", "replace"), secrets)
    if not readable:
        raise unreadable_reply(status, headers, data, secrets)
    if not isinstance(body, Mapping):
        error = error_in(body)
        if error is None:
            raise broken_reply(f"a reply that is {kind_of(body)}, not an object", status, headers)
        raise problem_in_reply(status, headers, error, secrets=secrets)
    tier = tier_in(body, headers, secrets)
    try:
        return read_object(endpoint, status, headers, body, tier, secrets)
    except CallProblem as problem:
        problem.service_tier = tier  # a reply that was paid for in vain also has a tier
        raise


def read_object(
    endpoint: str, status: int, headers: Headers, body: Mapping[str, Any], tier: str | None, secrets: Sequence[str]
) -> Reply:
    """Return the reply of a body that is an object. tier: the service tier that it names. Raises CallProblem."""
    usage = USAGES[endpoint](part(body, "usage"))
    error = error_in(body)
    if error is not None:
        raise problem_in_reply(status, headers, error, charged_for(usage), secrets)
    try:
        text, finish = REPLY_READERS[endpoint](body)
    except Unusable as found:
        raise broken_reply(f"{found}{hint(body, endpoint)}", status, headers, usage, found.kind, secrets) from None
    if not text.strip() and finish == COMPLETE:  # no answer either: it would be scored as an empty text
        raise broken_reply(f"an empty answer{hint(body, endpoint)}", status, headers, usage)
    if without_room(text, finish):
        raise CallProblem(
            "terminal",
            no_room(usage),
            status=status,
            limits=limits_of(headers),
            paid=charged_for(usage),
            own=True,
            no_room=finish == LENGTH,
        )
    shown_text = answer_without(text, secrets)
    return Reply(
        shown_text,
        finish,
        said_in(body, "model", secrets) or "",
        usage,
        limits_of(headers),
        masked=shown_text != text,
        service_tier=tier,
        fingerprint=said_in(body, "system_fingerprint", secrets),
    )


def tier_in(body: Mapping[str, Any], headers: Headers, secrets: Sequence[str]) -> str | None:
    """Return the service tier that a reply names, None if it names none."""
    return (
        said_in(body, "service_tier", secrets)
        or said_in(body.get("usage"), "service_tier", secrets)
        or said_in(headers, "x-gemini-service-tier", secrets)
    )


def said_in(body: Any, name: str, secrets: Sequence[str]) -> str | None:
    """Return a short text that a reply contains under a name, with secrets hidden; None if there is none."""
    found = body.get(name) if isinstance(body, Mapping) else None
    return answer_without(found, secrets)[:MODEL_CHARS] if isinstance(found, str) and found else None


def without_room(text: str, finish: str) -> bool:
    """Return whether a model reached its limit before its first word, as reasoning counts in the same limit."""
    return finish in WITHOUT_ROOM and not text.strip()


def no_room(usage: Usage) -> str:
    """Return why there is no answer, and what to do.

    Sent again unchanged, the call would be paid for again, in vain.
    """
    budget = f" of {usage.output_tokens:,} tokens" if usage.output_tokens else ""
    return f"{NO_ROOM}: the whole budget{budget} went into thinking; {MORE_ROOM}"


def parse_json(data: bytes, loads: Callable[[bytes], Any]) -> Any:
    """Parse JSON, even with half a surrogate pair in a text: an answer that was cut there is paid for.

    Fast parsers refuse it. Raises ValueError, RecursionError.
    """
    try:
        return loads(data)
    except ValueError:
        if b"\\ud" not in data.lower():
            raise
        return json.loads(data)


class Unusable(Exception):
    """A reply of the wrong form, or one that says it is not finished."""

    def __init__(self, why: str, kind: Trouble = "transient") -> None:
        super().__init__(why)
        self.kind: Trouble = kind


def broken_reply(
    what: str,
    status: int,
    headers: Headers,
    usage: Usage = UNKNOWN,
    kind: Trouble = "transient",
    secrets: Sequence[str] = (),
) -> CallProblem:
    """Return the problem of a 2xx reply that is no answer, with what it cost."""
    said = message_line(f"HTTP {status} with {what}", secrets)
    return CallProblem(kind, said, status=status, limits=limits_of(headers), paid=charged_for(usage))


def charged_for(usage: Usage) -> Usage | None:
    """Return what a reply that is no answer cost, None if it does not say."""
    return None if usage == UNKNOWN else usage


def unreadable_reply(status: int, headers: Headers, data: bytes, secrets: Sequence[str]) -> CallProblem:
    """Return the problem of a 2xx reply that is not JSON: a proxy's page, an incomplete or an empty body."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    start = mask_secrets(data[:20_000].decode("utf-8", "replace"), secrets)[:4000]
    if kind == "text/event-stream":
        return broken_reply(
            "a stream that nobody asked for; this endpoint of the server cannot be used",
            status,
            headers,
            kind="terminal",
        )
    if not data:
        return broken_reply("an empty body", status, headers)
    what = "a page of HTML" if "html" in kind or start.lstrip()[:1] == "<" else "broken JSON"
    return broken_reply(f"{what}: {mask_secrets(text_of(start), secrets)[:80]}", status, headers, secrets=secrets)


def chat(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return (text, finish reason) of chat completions, from the first choice's message. Raises Unusable."""
    choice = first_choice(body)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise Unusable(f"a choice whose message is {kind_of(message)}")
    text = joined_blocks(message.get("content"), "text")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return text or refusal, REFUSED
    return text, finish_of(choice, text)


def completions(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return (text, finish reason) of text completions, from the first choice's text. Raises Unusable."""
    choice = first_choice(body)
    text = choice.get("text")
    if text is not None and not isinstance(text, str):
        raise Unusable(f"a choice whose text is {kind_of(text)}")
    return text or "", finish_of(choice, text or "")


def responses(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return (text, finish reason) of the responses endpoint, from all messages of the output. Raises Unusable."""
    status = body.get("status")
    if status not in ("completed", "incomplete"):
        raise Unusable(f"status '{status}'" if isinstance(status, str) and status else "no status")
    output = body.get("output")
    if not isinstance(output, list):
        raise Unusable(f"an output that is {kind_of(output)}")
    blocks = [
        block
        for item in output
        if isinstance(item, Mapping) and item.get("type") == "message" and isinstance(item.get("content"), list)
        for block in item["content"]
    ]
    text = joined_blocks(blocks, "output_text")
    refusals = "".join(
        block["refusal"] for block in blocks if isinstance(block, Mapping) and isinstance(block.get("refusal"), str)
    )
    if refusals:
        return text or refusals, REFUSED
    if status == "completed":
        return text, COMPLETE
    details = body.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return text, known_reason(reason, INCOMPLETE, "incomplete because of")


def messages(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return (text, finish reason) of Anthropic's messages, from all text blocks. Raises Unusable."""
    content = body.get("content")
    if not isinstance(content, list):
        raise Unusable(f"a content that is {kind_of(content)}")
    return joined_blocks(content, "text"), known_reason(body.get("stop_reason"), ANTHROPIC_FINISH, "stop_reason")


REPLY_READERS: Mapping[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "chat": chat,
    "completions": completions,
    "responses": responses,
    "messages": messages,
}


def first_choice(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first choice. Raises Unusable."""
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        raise Unusable("no choices" if choices in (None, []) else f"choices that are {kind_of(choices)}")
    if not isinstance(choices[0], Mapping):
        raise Unusable(f"a choice that is {kind_of(choices[0])}")
    return choices[0]


def finish_of(choice: Mapping[str, Any], text: str) -> str:
    """Return why a choice ended. Some servers do not say: then a text is complete. Raises Unusable."""
    reason = choice.get("finish_reason")
    if reason is None and text:
        return COMPLETE
    return known_reason(reason, OPENAI_FINISH, "finish_reason")


def known_reason(reason: Any, known: Mapping[str, str], what: str) -> str:
    """Return the meaning of a finish reason. Raises Unusable for an unknown one, as the text may have been cut."""
    if not isinstance(reason, str):
        raise Unusable(f"no {what}")
    if reason.lower() not in known:
        kind: Trouble = (
            "transient" if reason.lower() in ("error", "abort", "cancelled", "load", "unload") else "terminal"
        )
        raise Unusable(f"{what} '{reason}', which is not known", kind)
    return known[reason.lower()]


def joined_blocks(content: Any, kind: str) -> str:
    """Return a text, or the joined texts of those blocks of a list that are of a kind; "" for None. Raises Unusable."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Unusable(f"a content that is {kind_of(content)}")
    texts = []
    for block in content:
        if not isinstance(block, Mapping):
            raise Unusable(f"a block that is {kind_of(block)}")
        if block.get("type") == kind:
            if not isinstance(block.get("text"), str):
                raise Unusable(f"a block whose text is {kind_of(block.get('text'))}")
            texts.append(block["text"])
    return "".join(texts)


def kind_of(value: Any) -> str:
    """Return what a JSON value is, in words."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
