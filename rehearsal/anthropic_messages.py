"""Anthropic's messages (fact sheet, sections 1.2, 2, 3.2, 6; S2)."""

from __future__ import annotations

from typing import Any

from scrollwork.rehearsal.caches import Found, Part, Use, blocks
from scrollwork.rehearsal.clock import iso
from scrollwork.rehearsal.families import ANTHROPIC, find
from scrollwork.rehearsal.fields import MESSAGES, unknown
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.tokens import cut, thoughts
from scrollwork.rehearsal.world import Call, Refusal, Reply, World

VERSIONS = ("2023-06-01", "2026-10-21")
SAMPLERS = ("temperature", "top_p", "top_k")
PREFILL = ("claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5")


def error(status: int, message: str, kind: str = "invalid_request_error", **details: str) -> Refusal:
    """A refusal in Anthropic's form."""
    inner: dict[str, Any] = {"type": kind, "message": message}
    if details:
        inner["details"] = details
    return Refusal(Reply(status, {"type": "error", "error": inner, "request_id": "req_rehearsal"}))


def signed(call: Call) -> None:
    """Refuse a request without a key or without a known version."""
    if not (call.headers.get("x-api-key") or call.headers.get("authorization", "").removeprefix("Bearer").strip()):
        raise error(401, "x-api-key header is required", "authentication_error")
    if call.headers.get("anthropic-version") not in VERSIONS:
        raise error(400, "anthropic-version: header is required")


def ended(world: World, one: Family) -> bool:
    """Whether a model is retired at the clock's date."""
    return one.ends is not None and world.clock.moment().date().isoformat() >= one.ends


def family(world: World, name: object) -> Family:
    """Find a model. Raises 404 if it is unknown or retired."""
    found = find("anthropic", str(name))
    if found is None or ended(world, found):
        raise error(404, f"model: {name}", "not_found_error")
    return found


def thinking_of(one: Family, body: dict[str, Any]) -> tuple[str, str]:
    """(type of thinking, effort) of a request, with defaults (section 1.2). Raises 400 for unsupported ones."""
    asked = body.get("thinking") or {}
    kind = asked.get("type", one.thinking[0])
    effort = (body.get("output_config") or {}).get("effort")
    if effort is not None and effort not in one.efforts:
        raise error(400, f"output_config.effort: '{effort}' is not supported with this model.")
    if kind not in one.thinking:
        raise error(400, f'"thinking.type.{kind}" is not supported for this model.')
    if kind == "disabled" and one.id == "claude-opus-5" and effort in ("xhigh", "max"):
        raise error(400, "thinking: `disabled` is not supported at this effort.")
    if kind == "enabled":
        budget, limit = asked.get("budget_tokens", 0), body.get("max_tokens", 0)
        if budget < 1_024 or budget >= limit:
            raise error(400, "thinking.budget_tokens: must be >= 1024 and less than max_tokens")
    return kind, effort or one.default


def sampling(one: Family, body: dict[str, Any], version: str, thinking: str) -> None:
    """Raise 400 for sampling parameters that the API version or the family does not take (sections 0 no. 3, 1.2)."""
    for name in SAMPLERS:
        value = body.get(name)
        if value is None:
            continue
        if version == "2026-10-21":
            raise error(400, f"{name}: Extra inputs are not permitted")
        if one.sampling == "never" and value != 1:
            raise error(400, f"`{name}` is deprecated for this model.")
        if thinking != "disabled" and name == "temperature" and value != 1:
            raise error(400, "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.")
    if one.id in PREFILL and body.get("temperature") is not None and body.get("top_p") is not None:
        raise error(400, "`temperature` and `top_p` cannot both be specified for this model.")


def parts_of(one: Family, body: dict[str, Any]) -> list[Part]:
    """System prompt and messages as blocks, in order, with their cache breakpoints (section 3.2)."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise error(400, "messages: at least one message is required")
    if messages[-1]["role"] == "assistant" and one.id not in PREFILL:
        raise error(400, "This model does not support assistant message prefill.")
    found: list[Part] = []
    turns: list[dict[str, Any]] = [{"role": "system", "content": body["system"]}] if body.get("system") else []
    for turn in [*turns, *messages]:
        content = turn["content"]
        held: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in held:
            mark = block.get("cache_control")
            found.append(Part(block.get("text", ""), turn["role"], mark.get("ttl", "5m") if mark else None))
    if top := body.get("cache_control"):
        found[-1] = Part(found[-1].text, found[-1].role, top.get("ttl", "5m"))
    marks = [part.mark for part in found if part.mark]
    if len(marks) > 4:
        raise error(400, f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    if "5m" in marks and "1h" in marks[marks.index("5m") :]:
        raise error(400, "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.")
    return found


def headers_of(world: World, one: Family) -> dict[str, str]:
    """Rate limit headers (section 6); remaining tokens are rounded to thousands."""
    limits, now = world.limits_of("anthropic", one.id), world.clock.now()
    found = {"request-id": world.number("req")}
    names = {"rpm": "requests", "itpm": "input-tokens", "otpm": "output-tokens"}
    tight = min((name for name in ("itpm", "otpm") if name in limits), key=lambda name: limits[name], default=None)
    for name, long in [*names.items(), *([(tight, "tokens")] if tight else [])]:
        if name in limits:
            bucket = world.limits.bucket(one.id, name, limits[name], now)
            left = max(0.0, bucket.level)
            found[f"anthropic-ratelimit-{long}-limit"] = f"{bucket.limit:.0f}"
            found[f"anthropic-ratelimit-{long}-remaining"] = f"{left if name == 'rpm' else round(left, -3):.0f}"
            found[f"anthropic-ratelimit-{long}-reset"] = iso(now + bucket.full())
    return found


def admit(world: World, one: Family) -> None:
    """Raise 429 if a bucket is empty. It takes one request and one token each; `spend` takes the rest (section 6)."""
    limits, now = world.limits_of("anthropic", one.id), world.clock.now()
    with world.lock:
        need = {"rpm": 1.0} | {name: 1.0 for name in ("itpm", "otpm") if name in limits}
        short = world.limits.take(one.id, limits, need, now)
    if short is not None:
        what = {"rpm": "requests", "itpm": "input tokens", "otpm": "output tokens"}[short[0]]
        message = (
            f"This request would exceed your organization's rate limit of {limits[short[0]]:.0f} {what} per minute."
        )
        refusal = error(429, message, "rate_limit_error")
        refusal.reply.headers = {**headers_of(world, one), "retry-after": str(int(short[1]) + 1)}
        raise refusal


def spend(world: World, one: Family, input_tokens: int, output_tokens: int) -> None:
    """Take the real input and output tokens from the limits; cached input does not count. `admit` took one of each."""
    limits, now = world.limits_of("anthropic", one.id), world.clock.now()
    with world.lock:
        for name, units in (("itpm", input_tokens), ("otpm", output_tokens)):
            if name in limits:
                world.limits.bucket(one.id, name, limits[name], now).level -= units - 1


def look_up(world: World, call: Call, one: Family, parts: list[Part], scope: tuple[str, ...], batch: bool) -> Use:
    """Look the prompt up in the prefix cache; inside a batch a hit is random (knob hit_rate)."""

    def look(now: float) -> Found:
        lucky = not batch or world.knobs["hit_rate"] >= 1 or world.chance(world.knobs["hit_rate"], "hit", call)
        place = scope if lucky else (*scope, world.number("miss"))
        return blocks(world.prefixes, place, parts, world.ratio(one), one.minimum, now)

    return world.work(look, early=True)[0]


def messages(world: World, call: Call, batch: bool = False) -> Reply:
    """POST /v1/messages. batch: as a request of a batch."""
    body, version = call.body, call.headers.get("anthropic-version", VERSIONS[1])
    if name := unknown(body, MESSAGES):
        raise error(400, f"{name}: Extra inputs are not permitted")
    one = family(world, body.get("model"))
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or not 0 <= limit <= one.max_output:
        raise error(400, f"max_tokens: {limit} is not between 0 and {one.max_output}, the most of {one.id}")
    thinking, effort = thinking_of(one, body)
    sampling(one, body, version, thinking)
    parts = parts_of(one, body)
    prompt = "".join(part.text for part in parts)
    tokens = world.count(one, prompt)
    if tokens > one.max_input:
        raise error(400, f"prompt is too long: {tokens} tokens > {one.max_input} maximum")
    if not batch:
        admit(world, one)
    use = look_up(world, call, one, parts, (one.id, thinking, effort, repr(body.get("tools"))), batch)
    silent = thinking in ("disabled", "between_tools")
    thought = 0 if silent else thoughts(effort if effort in one.efforts else "low", prompt)
    room = min(limit, one.context - tokens)
    full = world.answer(prompt, one, limit)
    text = cut(full, room - thought, world.ratio(one))
    stop = "end_turn" if text == full else "max_tokens" if room == limit else "model_context_window_exceeded"
    output = min(room, thought + world.count(one, text))
    plain = tokens - use.cached - use.written - use.written_long
    if not batch:
        spend(world, one, tokens - use.cached, output)
    counts = {"input": plain, "cached": use.cached, "write": use.written, "write_long": use.written_long}
    geo = body.get("inference_geo")
    world.ledger.charge(
        one,
        world.clock.moment(),
        "batch" if batch else "standard",
        prompt[-60:],
        {**counts, "output": output},
        geo == "us",
    )
    content: list[dict[str, str]] = []
    if thought and limit:
        content.append({"type": "thinking", "thinking": "", "signature": "cmVoZWFyc2Fs"})
    if text:
        content.append({"type": "text", "text": text})
    reply = {
        "id": world.number("msg"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": None,
        "usage": {
            "input_tokens": plain,
            "cache_read_input_tokens": use.cached,
            "cache_creation_input_tokens": use.written + use.written_long,
            "cache_creation": {
                "ephemeral_5m_input_tokens": use.written,
                "ephemeral_1h_input_tokens": use.written_long,
            },
            "output_tokens": output,
            "output_tokens_details": {"thinking_tokens": min(thought, output)},
            "service_tier": "batch" if batch else "standard",
            "inference_geo": geo or "global",
        },
    }
    return Reply(200, reply, {} if batch else headers_of(world, one))


def count_tokens(world: World, call: Call) -> Reply:
    """POST /v1/messages/count_tokens: free."""
    one = family(world, call.body.get("model"))
    return Reply(200, {"input_tokens": world.count(one, "".join(part.text for part in parts_of(one, call.body)))})


def model(world: World, one: Family, name: str) -> dict[str, Any]:
    """A row of GET /v1/models (section 7)."""
    types = ("adaptive", "between_tools", "disabled", "enabled")
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active" if one.ends is None else "retired" if ended(world, one) else "deprecated",
        "deprecated_at": None,
        "retires_at": f"{one.ends}T00:00:00Z" if one.ends else None,
        "max_input_tokens": one.max_input,
        "max_tokens": one.max_output,
        "capabilities": {
            "batch": {"supported": True},
            "effort": {
                "supported": bool(one.efforts),
                **{name: {"supported": name in one.efforts} for name in ("low", "medium", "high", "xhigh", "max")},
            },
            "thinking": {"supported": True, "types": {kind: {"supported": kind in one.thinking} for kind in types}},
        },
    }


def models(world: World) -> Reply:
    """GET /v1/models."""
    rows = [model(world, one, name) for one in ANTHROPIC for name in (one.id, *one.aliases)]
    return Reply(200, {"data": rows, "has_more": False, "first_id": rows[0]["id"], "last_id": rows[-1]["id"]})
