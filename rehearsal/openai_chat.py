"""OpenAI's chat completions (fact sheet, sections 1.1, 2, 3.1; S1)."""

from __future__ import annotations

from typing import Any

from scrollwork.rehearsal.caches import Part
from scrollwork.rehearsal.fields import CHAT, unknown
from scrollwork.rehearsal.openai_rules import Completion, ask, cache_fields, effort_of, error, family, mark_of, sampling
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.world import Call, Reply, World


def parts_of(messages: object) -> list[Part]:
    """The prompt as parts, in order. Raises 400 for wrong messages."""
    if not isinstance(messages, list) or not messages:
        raise error(400, "Missing required parameter: 'messages'.", param="messages", code="missing_required_parameter")
    found = []
    for message in messages:
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list) or not blocks:
            raise error(400, "Invalid type for 'messages[0].content'.", param="messages", code="invalid_type")
        for number, block in enumerate(blocks, 1):
            mark = mark_of(block, block["type"])
            found.append(Part(block.get("text", ""), message["role"], mark, number == len(blocks)))
    return found


def usage(one: Family, done: Completion) -> dict[str, Any]:
    """The usage fields of chat; cache_write_tokens from GPT-5.6 on (section 3.1)."""
    prompt: dict[str, int] = {"cached_tokens": done.use.cached, "audio_tokens": 0}
    if one.cache == "breakpoints":
        prompt["cache_write_tokens"] = done.use.written + done.use.written_long
    return {
        "prompt_tokens": done.prompt,
        "completion_tokens": done.completion,
        "total_tokens": done.prompt + done.completion,
        "prompt_tokens_details": prompt,
        "completion_tokens_details": {"reasoning_tokens": done.thoughts, "audio_tokens": 0},
    }


def chat(world: World, call: Call, batch: bool = False) -> Reply:
    """POST /v1/chat/completions. batch: as a request of a batch."""
    body = call.body
    if name := unknown(body, CHAT):
        raise error(400, f"Unrecognized request argument supplied: {name}")
    one = family(world, "openai", body.get("model"))
    if one.efforts and body.get("max_tokens") is not None:
        message = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        raise error(400, message, param="max_tokens", code="unsupported_parameter")
    effort = effort_of(one, body.get("reasoning_effort"), responses=False)
    sampling(one, body, effort, responses=False)
    parts = parts_of(body.get("messages"))
    mode = cache_fields(one, body, parts)
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    if limit is not None and not 1 <= limit <= one.max_output:
        message = f"max_tokens is too large or too small: {limit}. This model supports at most {one.max_output}."
        raise error(400, message, param="max_completion_tokens", code="invalid_value")
    if world.knobs["tiny_budget"] == "refuse" and limit is not None and limit < 16 and effort != "none":
        message = (
            "Could not finish the message because max_tokens or model output limit was reached. "
            "Please try again with higher max_tokens."
        )
        raise error(400, message)
    done = ask(world, call, one, parts, mode, effort, limit, batch)
    reply = {
        "id": world.number("chatcmpl"),
        "object": "chat.completion",
        "created": int(world.clock.now()),
        "model": one.id,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": done.text, "refusal": None, "annotations": []},
                "logprobs": None,
                "finish_reason": "length" if done.cut else "stop",
            }
        ],
        "usage": usage(one, done),
        "service_tier": "default" if done.service == "batch" else done.service,
        "system_fingerprint": f"fp_{one.id}",
    }
    return Reply(200, reply, done.headers)
