"""Gemini's OpenAI-compatible endpoint (fact sheet, sections 1.3, 2, 3, 6; S3)."""

from __future__ import annotations

from typing import Any

from scrollwork.rehearsal.caches import Found, Use
from scrollwork.rehearsal.families import find
from scrollwork.rehearsal.openai_chat import parts_of
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.tokens import cut, thoughts
from scrollwork.rehearsal.world import Call, Refusal, Reply, World

METRIC = "generativelanguage.googleapis.com/generate_content_paid_tier"


def error(status: int, message: str, name: str, details: list[dict[str, Any]] | None = None) -> Refusal:
    """A refusal in Gemini's form: an error object in a list. name: the status name."""
    inner = {"code": status, "message": message, "status": name, "details": details or []}
    return Refusal(Reply(status, [{"error": inner}]))


def signed(call: Call) -> None:
    """Refuse a request without a key."""
    if not call.headers.get("authorization", "").removeprefix("Bearer").strip():
        raise error(401, "Request had invalid authentication credentials.", "UNAUTHENTICATED")


def admit(world: World, one: Family, tokens: int) -> None:
    """Take a request and its tokens from the limits. Raises 429, with RetryInfo in the body and no headers (section
    6)."""
    limits, now = world.limits_of("gemini", one.id), world.clock.now()
    with world.lock:
        short = world.limits.take(one.id, limits, {"rpm": 1, "tpm": tokens, "rpd": 1}, now)
    if short is None:
        return
    name, wait = short
    metric = f"{METRIC}_{'input_token_count' if name == 'tpm' else 'requests'}"
    quota = f"GenerateContentPaidTier{'InputTokens' if name == 'tpm' else 'Requests'}PerModel"
    message = (
        "You exceeded your current quota, please check your plan and billing details. "
        f"\n* Quota exceeded for metric: {metric}, limit: {limits[name]:.0f}, model: {one.id}"
        f"\nPlease retry in {wait:.9f}s."
    )
    violation = {"quotaMetric": metric, "quotaId": f"{quota}{'PerDay' if name == 'rpd' else 'PerMinute'}"}
    details: list[dict[str, Any]] = [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{int(wait) + 1}s"},
    ]
    raise error(429, message, "RESOURCE_EXHAUSTED", details)


def chat(world: World, call: Call) -> Reply:
    """POST /v1beta/openai/chat/completions."""
    body = call.body
    one = find("gemini", str(body.get("model")).removeprefix("models/"))
    if one is None:
        raise error(404, f"models/{body.get('model')} is not found for API version v1main.", "NOT_FOUND")
    effort = body.get("reasoning_effort") or one.default
    config = ((body.get("extra_body") or body).get("google") or {}).get("thinking_config") or {}
    if config and body.get("reasoning_effort"):
        raise error(400, "reasoning_effort and thinking_config cannot both be set.", "INVALID_ARGUMENT")
    effort = str(config.get("thinking_level", effort)).lower()
    if effort not in one.efforts:
        raise error(400, f"Thinking level {effort.upper()} is not supported for this model.", "INVALID_ARGUMENT")
    if not 0 <= (body.get("temperature") or 0) <= 2:
        raise error(400, "temperature must be between 0 and 2.", "INVALID_ARGUMENT")
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or one.max_output
    parts = parts_of(body.get("messages"))
    prompt = "".join(part.text for part in parts)
    tokens = world.count(one, prompt)
    if tokens > one.max_input:
        message = f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({one.max_input})."
        raise error(400, message, "INVALID_ARGUMENT")
    service = {"flex": "flex", "priority": "priority"}.get(body.get("service_tier", ""), "standard")
    if service == "flex" and world.chance(world.knobs["flex_refused"], "flex", call):
        raise error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")
    admit(world, one, tokens)

    def look(now: float) -> Found:
        cache = world.step_cache("gemini", 128, 3_600.0)
        return cache.look((one.id,), parts, world.ratio(one), one.minimum, now)

    use = world.work(look, early=False)[0]
    if world.knobs["hit_rate"] < 1 and not world.chance(world.knobs["hit_rate"], "hit", call):
        use = Use()
    full = world.answer(prompt, one, limit)
    thought = min(thoughts(effort, prompt), limit)
    text = cut(full, limit - thought, world.ratio(one))
    visible = min(world.count(one, text), limit - thought)
    counts = {"input": tokens - use.cached, "cached": use.cached, "output": thought + visible}
    world.ledger.charge(one, world.clock.moment(), service, prompt[-60:], counts)
    message_body: dict[str, Any] = {"role": "assistant"}
    if text:
        message_body["content"] = text
    inside = world.knobs["gemini_thoughts"] == "inside"
    usage: dict[str, Any] = {
        "prompt_tokens": tokens,
        "completion_tokens": visible + (thought if inside else 0),
        "total_tokens": tokens + thought + visible,
    }
    if use.cached:
        usage["prompt_tokens_details"] = {"cached_tokens": use.cached}
    reply = {
        "id": world.number("gemini"),
        "object": "chat.completion",
        "created": int(world.clock.now()),
        "model": one.id,
        "choices": [{"index": 0, "message": message_body, "finish_reason": "stop" if text == full else "length"}],
        "usage": usage,
    }
    return Reply(200, reply, {"x-gemini-service-tier": service})
