"""What OpenAI's chat and responses endpoints share: refusals, caches, reasoning, limits, service tiers, bill (S1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.rehearsal.caches import Found, Part, Use, breakpoints
from scrollwork.rehearsal.families import FAMILIES, find
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.tokens import cut, thoughts
from scrollwork.rehearsal.world import Call, Refusal, Reply, World

INVALID = "invalid_request_error"
TIERS = {"flex": "flex", "fast": "priority", "priority": "priority"}


def error(status: int, message: str, kind: str = INVALID, param: str | None = None, code: str | None = None) -> Refusal:
    """A refusal in OpenAI's form."""
    return Refusal(Reply(status, {"error": {"message": message, "type": kind, "param": param, "code": code}}))


def signed(call: Call) -> None:
    """Raise 401 for a request without an API key; any key is accepted."""
    if not call.headers.get("authorization", "").removeprefix("Bearer").strip():
        raise error(401, "You didn't provide an API key.", code="invalid_api_key")


def family(world: World, vendor: str, name: object) -> Family:
    """Find a model. Raises 404 if it is unknown or shut down at the clock's date."""
    found = find(vendor, str(name))
    if found is None or (found.ends is not None and world.clock.moment().date().isoformat() >= found.ends):
        message = f"The model `{name}` does not exist or you do not have access to it."
        raise error(404, message, code="model_not_found")
    return found


def models(world: World, vendor: str) -> dict[str, object]:
    """GET /v1/models (section 7)."""
    rows = [
        {"id": name, "object": "model", "created": 1_750_000_000, "owned_by": vendor, "shutdown_date": one.ends}
        for one in FAMILIES
        if one.vendor == vendor
        for name in (one.id, *one.aliases)
    ]
    return {"object": "list", "data": rows}


def listed(values: Sequence[str]) -> str:
    """Values in quotes, listed as in OpenAI's messages."""
    quoted = [f"'{one}'" for one in values]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def effort_of(one: Family, effort: object, responses: bool) -> str:
    """The reasoning effort of a request, with the default. Raises 400 as documented (section 1.1)."""
    if effort is None:
        return one.default if one.efforts else "none"
    if not one.efforts:
        name = "reasoning.effort" if responses else "reasoning_effort"
        message = f"Unsupported parameter: '{name}' is not supported with this model."
        raise error(400, message, param=name, code="unsupported_parameter")
    if effort not in one.efforts:
        supported = f"Supported values are: {listed(one.efforts)}."
        if responses:
            message = f"Unsupported value: '{effort}' is not supported with the '{one.id}' model. {supported}"
            raise error(400, message, param="reasoning.effort", code="unsupported_value")
        message = f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. {supported}"
        raise error(400, message, param="reasoning_effort", code="unsupported_value")
    return str(effort)


def sampling(one: Family, body: dict[str, Any], effort: str, responses: bool) -> None:
    """Raise 400 for temperature, top_p and logprobs if the family or the effort does not take them (section 1.1)."""
    if one.sampling == "always" or (one.sampling == "none" and effort == "none"):
        return
    for name in ("temperature", "top_p", "logprobs", "top_logprobs"):
        value = body.get(name)
        if value is None or value is False:
            continue
        if responses or name not in ("temperature", "top_p"):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            raise error(400, message, param=name, code="unsupported_parameter")
        if value != 1:
            message = (
                f"Unsupported value: '{name}' does not support {value} with this model. "
                "Only the default (1) value is supported."
            )
            raise error(400, message, param=name, code="unsupported_value")


def cache_fields(one: Family, body: dict[str, Any], parts: Sequence[Part]) -> str:
    """The cache mode, implicit or explicit. Raises 400 for cache options on a family before GPT-5.6 (section 1.1)."""
    options = body.get("prompt_cache_options")
    marked = any(part.mark for part in parts)
    if one.cache != "breakpoints" and (options is not None or marked):
        name = "prompt_cache_options" if options is not None else "prompt_cache_breakpoint"
        raise error(400, f"'{name}' is not supported with this model.", param=name)
    mode = (options or {}).get("mode", "implicit")
    if mode not in ("implicit", "explicit"):
        raise error(400, f"Invalid value: '{mode}'.", param="prompt_cache_options.mode", code="invalid_value")
    return str(mode)


def mark_of(block: dict[str, Any], kind: str) -> str | None:
    """The lifetime of a block's cache breakpoint; None without one. Raises 400 for a wrong one (section 3.1)."""
    mark = block.get("prompt_cache_breakpoint")
    if mark is None:
        return None
    if kind not in ("text", "input_text", "image_url", "input_image", "file", "input_file", "input_audio"):
        raise error(400, f"prompt_cache_breakpoint is not supported on '{kind}'.", param="prompt_cache_breakpoint")
    ttl = mark.get("ttl", "30m")
    if mark.get("mode", "explicit") != "explicit" or ttl not in ("30m", "12h"):
        raise error(400, "Invalid prompt_cache_breakpoint.", param="prompt_cache_breakpoint", code="invalid_value")
    return str(ttl)


@dataclass(frozen=True)
class Completion:
    """A request that was answered. prompt, thoughts, completion: tokens; completion includes thoughts. cut: the answer
    met its limit. service: the billed tier."""

    prompt: int
    use: Use
    thoughts: int
    text: str
    completion: int
    cut: bool
    service: str
    headers: dict[str, str]


def reset(seconds: float) -> str:
    """A duration as in OpenAI's headers: 60ms, 1s, 6m0s."""
    if seconds < 1:
        return f"{round(seconds * 1000)}ms"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"


def admit(world: World, one: Family, reserve: int) -> dict[str, str]:
    """Take a request and `reserve` tokens from the limits; returns the headers. Raises 429 (section 6)."""
    limits, now = world.limits_of(one.vendor, one.id), world.clock.now()
    with world.lock:
        short = world.limits.take(one.id, limits, {"rpm": 1, "tpm": reserve, "rpd": 1}, now)
        headers = {}
        for name, long in (("rpm", "requests"), ("rpd", "requests"), ("tpm", "tokens")):
            if name in limits:
                bucket = world.limits.bucket(one.id, name, limits[name], now)
                headers[f"x-ratelimit-limit-{long}"] = f"{bucket.limit:.0f}"
                headers[f"x-ratelimit-remaining-{long}"] = f"{max(0.0, bucket.level):.0f}"
                headers[f"x-ratelimit-reset-{long}"] = reset(bucket.full())
    if short is None:
        return headers
    name, wait = short
    what = {"rpm": "requests per min (RPM)", "rpd": "requests per day (RPD)", "tpm": "tokens per min (TPM)"}[name]
    used = limits[name] - world.limits.bucket(one.id, name, limits[name], now).level
    asked = reserve if name == "tpm" else 1
    message = (
        f"Rate limit reached for {one.id} in organization org-rehearsal on {what}: Limit {limits[name]:.0f}, "
        f"Used {used:.0f}, Requested {asked}. Please try again in {wait:.3f}s."
    )
    found = error(429, message, "tokens" if name == "tpm" else "requests", code="rate_limit_exceeded")
    found.reply.headers = {**headers, "retry-after": str(int(wait) + 1)}
    raise found


def service_of(world: World, call: Call, batch: bool) -> str:
    """The billed service tier, named as in the reply. Raises 429 if flex has no capacity (section 4)."""
    if batch:
        return "batch"
    asked = call.body.get("service_tier") or "auto"
    if asked not in ("auto", "default", "flex", "fast", "priority"):
        raise error(400, f"Invalid value: '{asked}'.", param="service_tier", code="invalid_value")
    if asked == "flex" and world.chance(world.knobs["flex_refused"], "flex", call):
        raise error(429, "Resource unavailable", "resource_unavailable", code="resource_unavailable")
    found = TIERS.get(asked, "default")
    if found == "priority" and world.chance(world.knobs["fast_as_default"], "fast", call):
        return "default"
    return found


def look_up(world: World, one: Family, parts: Sequence[Part], mode: str, body: dict[str, Any], effort: str) -> Use:
    """Look the prompt up in the family's prefix cache (section 3)."""
    ratio = world.ratio(one)
    form = repr(body.get("response_format") or body.get("text"))
    scope = (one.id, body.get("prompt_cache_key"), effort, body.get("verbosity"), form, body.get("service_tier"))

    def look(now: float) -> Found:
        if one.cache == "breakpoints":
            return breakpoints(world.prefixes, scope, parts, mode, ratio, one.minimum, now)
        step = 2_048 if one.id == "gpt-5.5" else 128
        lifetime = 86_400.0 if one.id == "gpt-5.5" else 600.0
        return world.step_cache(one.id, step, lifetime).look(scope[:2], parts, ratio, one.minimum, now)

    if one.cache == "none":
        return Use()
    return world.work(look, early=False)[0]


def ask(
    world: World, call: Call, one: Family, parts: Sequence[Part], mode: str, effort: str, limit: int | None, batch: bool
) -> Completion:
    """Answer a prompt and bill it. Raises 400 for a prompt that is too long, 429 over a limit. limit: output tokens."""
    prompt = "".join(part.text for part in parts)
    tokens = world.count(one, prompt)
    if tokens > one.max_input:
        message = (
            f"This model's maximum context length is {one.max_input} tokens. However, your messages resulted in "
            f"{tokens} tokens. Please reduce the length of the messages."
        )
        raise error(400, message, param="messages", code="context_length_exceeded")
    room = one.max_output if limit is None else limit
    service = service_of(world, call, batch)
    headers = {} if batch else admit(world, one, max(room if limit is not None else 0, tokens))
    use = look_up(world, one, parts, mode, call.body, effort)
    if one.cache == "steps" and world.knobs["hit_rate"] < 1 and not world.chance(world.knobs["hit_rate"], "hit", call):
        use = Use()
    thought, full = thoughts(effort, prompt), world.answer(prompt, one, limit)
    text = cut(full, room - thought, world.ratio(one))
    completion = min(room, thought + world.count(one, text))
    world.ledger.charge(
        one,
        world.clock.moment(),
        service,
        prompt[-60:],
        {
            "input": tokens - use.cached - use.written - use.written_long,
            "cached": use.cached,
            "write": use.written,
            "write_long": use.written_long,
            "output": completion,
        },
    )
    return Completion(tokens, use, min(thought, room), text, completion, text != full, service, headers)
