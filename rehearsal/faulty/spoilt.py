"""Ways to damage a good reply, in its content (AFTER) or on its way (WIRE). The work was done and is billed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

from scrollwork.rehearsal.world import Reply

STALL_S = 60.0  # how long a reply that stops in its middle keeps its connection open
Body = dict[str, Any]


def _set(body: Body, name: str, value: Any) -> None:
    """Set a value (usage, text or choices) in a reply of any of the three forms: chat, messages, responses."""
    if name == "usage":
        body["usage"] = value
    elif name == "text" and "choices" in body:
        body["choices"][0]["message"]["content"] = value
    elif name == "text":
        place = "content" if "content" in body else "output"
        body[place] = [] if value in ("", None) else value
    elif name == "choices":
        body["choices" if "choices" in body else "content" if "content" in body else "output"] = value


def _rewritten(body: Body, change: Callable[[str], Any]) -> None:
    """Change the text in a reply of any form."""
    if "choices" in body:
        message = body["choices"][0]["message"]
        message["content"] = change(message["content"] or "")
        return
    for item in body.get("output", [body]):
        for block in item.get("content", ()):
            if "text" in block:
                block["text"] = change(block["text"])


def _ended(body: Body, chat: Any, messages: Any, status: Any, reason: Any = None) -> None:
    """Set the finish reason in a reply of any form."""
    if "choices" in body:
        body["choices"][0]["finish_reason"] = chat
    elif "stop_reason" in body:
        body["stop_reason"] = messages
    else:
        body.update(status=status, incomplete_details=reason and {"reason": reason})


def _no_room(body: Body) -> None:
    """The output limit was reached before the first word."""
    _set(body, "text", "")
    _ended(body, "length", "max_tokens", "incomplete", "max_output_tokens")


def _refusal(body: Body) -> None:
    """The model refuses (fact sheet, section 2)."""
    if "choices" in body:
        body["choices"][0]["message"].update(content=None, refusal="I can't help with that.")
    elif "stop_reason" in body:
        details = {"type": "refusal", "category": None, "explanation": None}
        body.update(content=[], stop_reason="refusal", stop_details=details)
    else:
        content = [{"type": "refusal", "refusal": "I can't help with that."}]
        body["output"] = [
            {"id": "msg_r", "type": "message", "role": "assistant", "status": "completed", "content": content}
        ]


def _filtered(body: Body) -> None:
    """The vendor's content filter cut the reply."""
    if "choices" in body:
        body["choices"][0].update(finish_reason="content_filter")
    elif "status" in body:
        body.update(status="incomplete", incomplete_details={"reason": "content_filter"}, output=[])
    else:
        _refusal(body)


def _tool_call(body: Body) -> None:
    """A call of a tool that was not offered, in place of a text."""
    if "choices" in body:
        asked = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        body["choices"][0].update(finish_reason="tool_calls")
        body["choices"][0]["message"].update(content=None, tool_calls=[asked])
    elif "stop_reason" in body:
        body.update(
            content=[{"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}], stop_reason="tool_use"
        )
    else:
        body["output"] = [{"id": "fc_1", "type": "function_call", "call_id": "c", "name": "search", "arguments": "{}"}]


def _other_endpoint(body: Body) -> None:
    """The reply in the form of another endpoint."""
    chat = "choices" in body
    body.clear()
    if chat:
        content = [{"type": "output_text", "text": "Of another form."}]
        body.update(status="completed", output=[{"type": "message", "content": content}])
    else:
        body.update(choices=[{"message": {"content": "Of another form."}, "finish_reason": "stop"}])


def _counts(change: Callable[[int], Any]) -> Callable[[Body], None]:
    """A fault: change every count of the usage."""

    def spoil(body: Body) -> None:
        told = body["usage"] or {}
        body["usage"] = {name: change(one) if isinstance(one, int) else one for name, one in told.items()}

    return spoil


def _details(body: Body, cached: int | None = None, thoughts: int | None = None) -> None:
    """Set the usage's cached tokens and reasoning tokens; without either, remove all such details."""
    told = body["usage"] or {}
    given, made = ("prompt", "completion") if "choices" in body else ("input", "output")
    for name in told:
        if name.endswith("_details") or name.startswith("cache_"):
            told[name] = None
    if cached is not None:
        told[f"{given}_tokens_details"] = {"cached_tokens": cached}
        told["cache_read_input_tokens"] = cached
    if thoughts is not None:
        told[f"{made}_tokens_details"] = {"reasoning_tokens": thoughts, "thinking_tokens": thoughts}


AFTER: dict[str, Callable[[Body], None]] = {
    "empty_text": lambda body: _set(body, "text", ""),
    "null_text": lambda body: _set(body, "text", None),
    "blank_text": lambda body: _rewritten(body, lambda _: " \n\u00a0\t"),
    "text_is_number": lambda body: _rewritten(body, lambda _: 42),
    "half_a_surrogate": lambda body: _rewritten(body, lambda text: f"{text}\ud83d"),
    "no_choices": lambda body: _set(body, "choices", []),
    "null_choices": lambda body: _set(body, "choices", None),
    "choices_of_null": lambda body: _set(body, "choices", [None]),
    "tool_call": _tool_call,
    "other_endpoint": _other_endpoint,
    "other_model": lambda body: body.update(model="another-model"),
    "unknown_end": lambda body: _ended(body, "vanished", "vanished", "vanished"),
    "null_end": lambda body: _ended(body, None, None, None),
    "ended_by_error": lambda body: _ended(body, "error", "error", "failed"),
    "no_room": _no_room,
    "refusal": _refusal,
    "content_filter": _filtered,
    "no_usage": lambda body: _set(body, "usage", None),
    "empty_usage": lambda body: _set(body, "usage", {}),
    "usage_is_list": lambda body: _set(body, "usage", [1, 2]),
    "negative_usage": _counts(lambda one: -one),
    "zero_usage": _counts(lambda one: 0),
    "huge_usage": _counts(lambda one: 10**15),
    "endless_usage": _counts(lambda one: 10**40),
    "usage_as_text": _counts(str),
    "usage_in_fractions": _counts(lambda one: one + 0.5),
    "no_details": _details,
    "cached_above_input": lambda body: _details(body, cached=10**6),
    "thoughts_above_output": lambda body: _details(body, thoughts=10**6),
}


def _data(reply: Reply) -> bytes:
    return json.dumps(reply.body).encode()


def _truncated(reply: Reply) -> None:
    reply.raw = _data(reply)[:-40]


def _empty(reply: Reply) -> None:
    reply.raw = b""


def _broken_off(reply: Reply) -> None:
    """The connection closes before all announced bytes are sent."""
    reply.part = len(_data(reply)) // 2


def _stalled(reply: Reply) -> None:
    """Half of the bytes, then silence."""
    reply.part, reply.stall_s = len(_data(reply)) // 2, STALL_S


def _gzip_broken(reply: Reply) -> None:
    reply.raw = gzip.compress(_data(reply))[:30] + b"\0" * 40
    reply.headers = {**reply.headers, "content-encoding": "gzip"}


def _unknown_encoding(reply: Reply) -> None:
    reply.headers = {**reply.headers, "content-encoding": "br"}


def _stream(reply: Reply) -> None:
    """A stream of events that was not requested."""
    reply.raw = b"data: " + _data(reply) + b"\n\ndata: [DONE]\n\n"
    reply.headers = {**reply.headers, "content-type": "text/event-stream"}


def _repeated_usage(reply: Reply) -> None:
    """The key "usage" twice in one object, the second time with counts of 0."""
    reply.raw = _data(reply)[:-1] + b', "usage": {"input_tokens": 0, "output_tokens": 0}}'


def _before(front: bytes) -> Callable[[Reply], None]:
    """A fault: bytes before the reply, such as a byte order mark, or blank lines that keep a connection alive."""

    def spoil(reply: Reply) -> None:
        reply.raw = front + _data(reply)

    return spoil


def _wrong_type(reply: Reply) -> None:
    reply.headers = {**reply.headers, "content-type": "text/html"}


WIRE: dict[str, Callable[[Reply], None]] = {
    "truncated": _truncated,
    "empty_body": _empty,
    "broken_off": _broken_off,
    "stalled": _stalled,
    "gzip_broken": _gzip_broken,
    "unknown_encoding": _unknown_encoding,
    "stream": _stream,
    "repeated_usage": _repeated_usage,
    "byte_order_mark": _before(b"\xef\xbb\xbf"),
    "blank_lines": _before(b"\n\n\r\n"),
    "wrong_type": _wrong_type,
}
