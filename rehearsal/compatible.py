"""Servers that speak OpenAI's chat protocol: DeepSeek, xAI, Groq, OpenRouter, vLLM, llama.cpp, Ollama (fact sheet,
section 1.4; S4)."""

from __future__ import annotations

from typing import Any

from scrollwork.rehearsal.caches import Found, Use
from scrollwork.rehearsal.openai_chat import parts_of
from scrollwork.rehearsal.openai_rules import admit, error, family
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.tokens import cut, thoughts
from scrollwork.rehearsal.world import Call, Refusal, Reply, World

STEPS = {"deepseek": 64, "xai": 128, "groq": 128, "openrouter": 128, "vllm": 16}
SILENT_USAGE = ("vllm", "llamacpp", "ollama", "mistral", "together")  # no cached_tokens unless the knob asks
THOUGHTS_IN = {"vllm": "reasoning", "openrouter": "reasoning", "groq": "reasoning"}


def effort_of(one: Family, body: dict[str, Any]) -> str:
    """The reasoning effort of a request, with the default. Raises 400 as each vendor does."""
    effort = body.get("reasoning_effort") or (body.get("reasoning") or {}).get("effort")
    if one.vendor == "deepseek" and (body.get("thinking") or {}).get("type") == "disabled":
        effort = "none"
    if effort == "none" and one.vendor == "openrouter":
        raise error(400, "Reasoning is mandatory for this endpoint and cannot be disabled.")
    if effort is None or not one.efforts:
        return one.default
    if effort not in one.efforts:
        raise error(400, f"reasoning_effort '{effort}' is not supported with {one.id}.", param="reasoning_effort")
    return str(effort)


def too_long(one: Family, tokens: int, context: int) -> Refusal:
    """The refusal of an over-long prompt, in each server's words."""
    if one.vendor == "llamacpp":
        message = f"request ({tokens} tokens) exceeds the available context size ({context} tokens), try increasing it"
        inner = {"code": 400, "type": "exceed_context_size_error", "message": message}
        return Refusal(Reply(400, {"error": {**inner, "n_prompt_tokens": tokens, "n_ctx": context}}))
    message = (
        f"This model's maximum context length is {context} tokens. However, your request has {tokens} input tokens."
    )
    return error(400, message, "BadRequestError", "input_tokens", None)


def chat(world: World, call: Call, vendor: str) -> Reply:
    """POST .../chat/completions."""
    body = call.body
    one = family(world, vendor, body.get("model"))
    knobs = world.knobs["compatible"].get(vendor, {})
    effort = effort_of(one, body)
    ratio, context = world.ratio(one), int(knobs.get("context", one.max_input))
    parts = parts_of(body.get("messages"))
    prompt = "".join(part.text for part in parts)
    tokens = world.count(one, prompt)
    if tokens > context:
        if vendor != "ollama":
            raise too_long(one, tokens, context)
        prompt = prompt.encode()[-int(context * ratio) :].decode(errors="ignore")  # Ollama silently cuts the beginning
        tokens = context
    flex = vendor == "groq" and body.get("service_tier") == "flex"
    if flex and world.chance(world.knobs["flex_refused"], "flex", call):
        raise error(498, "Flex tier capacity exceeded.", "capacity_exceeded", code="capacity_exceeded")
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or one.max_output
    headers = admit(world, one, tokens)

    def look(now: float) -> Found:
        cache = world.step_cache(vendor, STEPS[vendor], 7_200.0)
        return cache.look((one.id,), parts, ratio, one.minimum, now)

    use = Use()
    routed = vendor != "xai" or body.get("prompt_cache_key") or call.headers.get("x-grok-conv-id")
    if one.cache == "steps" and vendor in STEPS and routed:
        use = world.work(look, early=False)[0]
    if world.knobs["hit_rate"] < 1 and not world.chance(world.knobs["hit_rate"], "hit", call):
        use = Use()
    full = world.answer(prompt)
    thought = min(thoughts(effort, prompt), limit)
    text = cut(full, limit - thought, ratio)
    completion = min(limit, thought + world.count(one, text))
    counts = {"input": tokens - use.cached, "cached": use.cached, "output": completion}
    world.ledger.charge(one, world.clock.moment(), "default", prompt[-60:], counts)
    message: dict[str, Any] = {"role": "assistant", "content": text or (None if knobs.get("content") == "null" else "")}
    if thought:
        where, words = knobs.get("thoughts", THOUGHTS_IN.get(vendor, "reasoning_content")), "Let me think. "
        if where == "content":
            message["content"] = f"<think>{words}</think>{text}" if text else f"<think>{words}"
        else:
            message[where] = words
    reply: dict[str, Any] = {
        "id": world.number("cmpl"),
        "object": "chat.completion",
        "created": int(world.clock.now()),
        "model": one.served or one.id,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop" if text == full else "length"}],
    }
    if vendor == "openrouter":
        reply["provider"] = "Rehearsal"
    if knobs.get("usage", True):
        usage: dict[str, Any] = {"prompt_tokens": tokens, "completion_tokens": completion}
        usage["total_tokens"] = tokens + completion
        if knobs.get("cached", vendor not in SILENT_USAGE):
            usage["prompt_tokens_details"] = {"cached_tokens": use.cached}
            if vendor == "openrouter":
                usage["prompt_tokens_details"]["cache_write_tokens"] = 0
        if vendor == "deepseek":
            usage |= {"prompt_cache_hit_tokens": use.cached, "prompt_cache_miss_tokens": tokens - use.cached}
        reply["usage"] = usage
    return Reply(200, reply, headers)
