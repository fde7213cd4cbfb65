"""Good replies of both vendors' endpoints, with usage and what the prefix cache served."""

from __future__ import annotations

from typing import Any

from tests.servers.accounts import MOST_BREAKPOINTS, PrefixCache, anthropic_blocks
from tests.servers.texts import answer, digest, plain, tokens

Reply = tuple[int, dict[str, Any], list[str]]  # status, body, prefixes to write once the reply is out


def bad(vendor: str, message: str, code: str | None = None, param: str | None = None, status: int = 400) -> Reply:
    """A request that cannot be answered."""
    error: dict[str, Any] = {"message": message, "type": "invalid_request_error"}
    if vendor == "anthropic":
        return status, {"type": "error", "error": error}, []
    return status, {"error": {**error, "param": param, "code": code}}, []


def reasoning(model: str) -> bool:
    """Models that think first, and refuse what they do not know."""
    return model.startswith(("o1", "o3", "o4", "gpt-5"))


def window(model: str) -> int:
    """Context in tokens, input and output together."""
    return 8192 if model == "small-window" else 10**6


def chat(body: dict[str, Any], cache: PrefixCache) -> Reply:
    """POST /v1/chat/completions."""
    model = body["model"]
    if reasoning(model):
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens' is not supported with this model."
            return bad("openai", message, "unsupported_parameter", "max_tokens")
        if body.get("temperature", 1) != 1:
            return bad("openai", "Unsupported value: 'temperature'", "unsupported_value", "temperature")
    prompt = "".join(f"{m['role']}:{plain(m['content'])}\n" for m in body["messages"])
    most = body.get("max_completion_tokens", body.get("max_tokens", 4096))
    return generated("openai", model, prompt, most, cache, "chat", body)


def completions(body: dict[str, Any], cache: PrefixCache) -> Reply:
    """POST /v1/completions."""
    return generated("openai", body["model"], body["prompt"], body.get("max_tokens", 16), cache, "completions", body)


def responses(body: dict[str, Any], cache: PrefixCache) -> Reply:
    """POST /v1/responses."""
    prompt = (
        plain(body["input"]) if isinstance(body["input"], str) else "".join(plain(m["content"]) for m in body["input"])
    )
    return generated("openai", body["model"], prompt, body.get("max_output_tokens", 4096), cache, "responses", body)


def generated(
    vendor: str, model: str, prompt: str, most: int, cache: PrefixCache, endpoint: str, body: dict[str, Any]
) -> Reply:
    """A reply of one of OpenAI's endpoints."""
    given = tokens(prompt)
    if given + most > window(model):
        message = f"This model's maximum context length is {window(model)} tokens, you requested {given + most}."
        return bad(vendor, message, "context_length_exceeded")
    thoughts = 64 if reasoning(model) else 0
    text, cut = answer(model, prompt, max(0, most - thoughts))
    read, names = cache.automatic(model, prompt)
    made = tokens(text) + thoughts
    name = digest(body)[:24]
    if endpoint == "responses":
        usage = {
            "input_tokens": given,
            "output_tokens": made,
            "total_tokens": given + made,
            "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": thoughts},
        }
        part = {"type": "output_text", "text": text, "annotations": []}
        thinking = [{"type": "reasoning", "id": "rs_1", "summary": []}] if thoughts else []
        message = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}
        ended: dict[str, Any] = {"status": "completed", "incomplete_details": None}
        if cut:
            ended = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
        reply = {
            "id": f"resp_{name}",
            "object": "response",
            "created_at": 1,
            "model": f"{model}-2026-01-01",
            "error": None,
            "output": [*thinking, message],
            "usage": usage,
            "tools": [],
            "tool_choice": "auto",
            "parallel_tool_calls": True,
            **ended,
        }
        return 200, reply, names
    usage = {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "prompt_tokens_details": {"cached_tokens": read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thoughts, "audio_tokens": 0},
    }
    choice: dict[str, Any] = {"index": 0, "logprobs": None, "finish_reason": "length" if cut else "stop"}
    if endpoint == "chat":
        choice["message"] = {"role": "assistant", "content": text, "refusal": None}
    else:
        choice["text"] = text
    kind = "chat.completion" if endpoint == "chat" else "text_completion"
    reply = {
        "id": name,
        "object": kind,
        "created": 1,
        "model": f"{model}-2026-01-01",
        "choices": [choice],
        "usage": usage,
    }
    return 200, reply, names


def messages(body: dict[str, Any], cache: PrefixCache) -> Reply:
    """POST /v1/messages, with what the API refuses."""
    if refused := wrong_message(body):
        return refused
    model = body["model"]
    blocks = anthropic_blocks(body)
    given = sum(tokens(text) for text, _ in blocks)
    if given > window(model):
        return bad("anthropic", f"prompt is too long: {given} tokens > {window(model)} maximum")
    most = body["max_tokens"]
    text, cut = answer(model, "".join(text for text, _ in blocks), most)
    read, written, names = cache.by_breakpoints(model, blocks)
    usage = {
        "input_tokens": given - read - written,
        "output_tokens": tokens(text),
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
    }
    reply = {
        "id": f"msg_{digest(body)[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "usage": usage,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "max_tokens" if cut else "end_turn",
        "stop_sequence": None,
    }
    return 200, reply, names


def wrong_message(body: dict[str, Any]) -> Reply | None:
    """What the messages endpoint says about a body that it does not take."""
    if "max_tokens" not in body:
        return bad("anthropic", "max_tokens: Field required")
    if "temperature" in body and not body["model"].startswith("claude-old"):
        return bad("anthropic", "temperature: Extra inputs are not permitted")
    last = body["messages"][-1]
    if last["role"] == "assistant":
        if not body["model"].startswith("claude-old"):
            return bad("anthropic", "This model does not support assistant message prefill.")
        if plain(last["content"]) != plain(last["content"]).rstrip():
            return bad("anthropic", "final assistant content cannot end with trailing whitespace")
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    if any(not block["text"].strip() for block in blocks):
        return bad("anthropic", "text content blocks must contain non-whitespace text")
    if sum("cache_control" in block for block in blocks) > MOST_BREAKPOINTS:
        return bad("anthropic", "A maximum of 4 blocks with cache_control may be provided.")
    return None


def count_tokens(body: dict[str, Any]) -> Reply:
    """POST /v1/messages/count_tokens."""
    return 200, {"input_tokens": sum(tokens(text) for text, _ in anthropic_blocks(body))}, []


OPENAI = {"/v1/chat/completions": chat, "/v1/completions": completions, "/v1/responses": responses}
NAMES = {
    "/v1/chat/completions": "chat",
    "/v1/completions": "completions",
    "/v1/responses": "responses",
    "/v1/messages": "messages",
}
