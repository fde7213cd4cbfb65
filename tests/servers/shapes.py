"""Replies with status 200 that are no answers, or answers that ended in an unusual way, of each endpoint."""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.servers.texts import SAYS

HTML = "<!DOCTYPE html><html><head><title>Gateway</title><style>b{}</style></head><body>Sorry, try later</body></html>"


def damaged(fault: str, endpoint: str, good: dict[str, Any]) -> tuple[str, bytes]:
    """(content type, body) of a fault."""
    whole = json.dumps(good).encode()
    if fault == "html":
        return "text/html; charset=utf-8", HTML.encode()
    if fault == "stream":
        return "text/event-stream", b"event: response.created\ndata: {}\n\n"
    if fault == "echo":
        return "application/json", json.dumps(saying("Authorization: Bearer KEY", endpoint, good)).encode()
    if fault.startswith("says:"):
        return "application/json", json.dumps(saying(SAYS[fault.partition(":")[2]], endpoint, good)).encode()
    if fault == "of-chat":  # whatever was asked
        message = {"role": "assistant", "content": "an answer"}
        other = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": good["usage"]}
        return "application/json", json.dumps(other).encode()
    plain = {
        "half": whole[: len(whole) // 2],
        "null": b"null",
        "list": b"[1]",
        "text": b'"fine"',
        "object": b'{"foo": 1}',
        "no-body": b"",
        "overloaded-200": b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
        "error-200": b'{"type": "error", "error": {"type": "api_error", "message": "Internal"}}',
        "invalid-200": b'{"error": {"type": "invalid_request_error", "message": "no such thing", "code": 400}}',
    }
    return "application/json", plain[fault] if fault in plain else json.dumps(altered(fault, endpoint, good)).encode()


def saying(text: str, endpoint: str, good: dict[str, Any]) -> dict[str, Any]:
    """The reply with this text, also as the name of its model."""
    reply = copy.deepcopy(good)
    texts(endpoint, reply, text)
    reply["model"] = text[:100]
    return reply


def altered(fault: str, endpoint: str, good: dict[str, Any]) -> dict[str, Any]:
    """The reply with one thing changed."""
    reply = copy.deepcopy(good)
    if fault == "no-usage":
        del reply["usage"]
    elif fault == "odd-usage":
        reply["usage"] = dict.fromkeys(reply["usage"], "many")
    elif fault == "no-choices":
        reply[{"messages": "content", "responses": "output"}.get(endpoint, "choices")] = []
    elif fault == "empty":
        texts(endpoint, reply, "")
    elif fault == "blank":
        texts(endpoint, reply, " ")
    elif fault == "null-content":
        texts(endpoint, reply, None)
    elif fault in ("length-empty", "length-blank", "window-empty"):
        texts(endpoint, reply, " \n" if fault == "length-blank" else "")
        finish(endpoint, reply, fault.partition("-")[0])
    elif fault == "refused" and endpoint == "chat":
        reply["choices"][0]["message"] |= {"content": None, "refusal": "I cannot help with that."}
    elif fault == "refused" and endpoint == "responses":
        reply["output"][-1]["content"] = [{"type": "refusal", "refusal": "I cannot help with that."}]
    else:
        if fault in ("refused", "filtered") and endpoint == "messages":
            reply["content"] = []
        finish(endpoint, reply, fault)
    return reply


def texts(endpoint: str, reply: dict[str, Any], text: str | None) -> None:
    """Put another text in place of the answer's."""
    if endpoint == "chat":
        reply["choices"][0]["message"]["content"] = text
    elif endpoint == "completions":
        reply["choices"][0]["text"] = text
    elif endpoint == "responses":
        reply["output"][-1]["content"] = [{"type": "output_text", "text": text, "annotations": []}]
    else:
        reply["content"] = [{"type": "text", "text": text}]


FINISH: dict[str, dict[str, str | None]] = {
    "openai": {
        "length": "length",
        "filtered": "content_filter",
        "refused": "content_filter",
        "tool": "tool_calls",
        "window": "model_length",
        "strange-finish": "because",
        "no-finish": None,
    },
    "messages": {
        "length": "max_tokens",
        "filtered": "refusal",
        "refused": "refusal",
        "tool": "tool_use",
        "window": "model_context_window_exceeded",
        "strange-finish": "because",
        "no-finish": None,
    },
    "responses": {
        "length": "max_output_tokens",
        "filtered": "content_filter",
        "refused": "content_filter",
        "tool": "max_messages",
        "window": "max_output_tokens",
        "strange-finish": "because",
        "no-finish": None,
    },
}


def finish(endpoint: str, reply: dict[str, Any], fault: str) -> None:
    """Say another reason for the end."""
    reason = FINISH.get(endpoint, FINISH["openai"])[fault]
    if endpoint == "messages":
        reply["stop_reason"] = reason
    elif endpoint == "responses":
        reply |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
    else:
        reply["choices"][0]["finish_reason"] = reason
