"""OpenAI's responses (fact sheet, sections 1.1, 2, 3.1; S1)."""

from __future__ import annotations

from typing import Any

from scrollwork.rehearsal.caches import Part
from scrollwork.rehearsal.fields import RESPONSES, unknown
from scrollwork.rehearsal.openai_rules import Completion, ask, cache_fields, effort_of, error, family, mark_of, sampling
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.world import Call, Reply, World


def parts_of(body: dict[str, Any]) -> list[Part]:
    """The prompt as parts, in order, instructions first. Raises 400 for wrong input."""
    found = [Part(str(body["instructions"]), "developer")] if body.get("instructions") else []
    items = body.get("input")
    if isinstance(items, str):
        return [*found, Part(items, "user")]
    if not isinstance(items, list) or not items:
        raise error(400, "Missing required parameter: 'input'.", param="input", code="missing_required_parameter")
    for item in items:
        content = item["content"]
        blocks = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
        for number, block in enumerate(blocks, 1):
            mark = mark_of(block, block["type"])
            found.append(Part(block.get("text", ""), item["role"], mark, number == len(blocks)))
    return found


def usage(one: Family, done: Completion) -> dict[str, Any]:
    """The usage fields of responses (section 3.1)."""
    details: dict[str, Any] = {"cached_tokens": done.use.cached}
    if one.cache == "breakpoints":
        details["cache_write_tokens"] = done.use.written + done.use.written_long
        details["cache_write_tokens_details"] = {
            "ttl_30m_tokens": done.use.written,
            "ttl_12h_tokens": done.use.written_long,
        }
    else:
        details["cache_write_tokens"] = 0
    return {
        "input_tokens": done.prompt,
        "input_tokens_details": details,
        "output_tokens": done.completion,
        "output_tokens_details": {"reasoning_tokens": done.thoughts},
        "total_tokens": done.prompt + done.completion,
    }


def responses(world: World, call: Call, batch: bool = False) -> Reply:
    """POST /v1/responses. batch: as a request of a batch."""
    body = call.body
    if name := unknown(body, RESPONSES):
        raise error(400, f"Unknown parameter: '{name}'.", param=name, code="unknown_parameter")
    one = family(world, "openai", body.get("model"))
    limit = body.get("max_output_tokens")
    if limit is not None and limit < 16:
        message = (
            "Invalid 'max_output_tokens': integer below minimum value. "
            f"Expected a value >= 16, but got {limit} instead."
        )
        raise error(400, message, param="max_output_tokens", code="integer_below_min_value")
    effort = effort_of(one, (body.get("reasoning") or {}).get("effort"), responses=True)
    sampling(one, body, effort, responses=True)
    parts = parts_of(body)
    mode = cache_fields(one, body, parts)
    done = ask(world, call, one, parts, mode, effort, limit, batch)
    output: list[dict[str, Any]] = []
    if done.thoughts:
        output.append({"id": world.number("rs"), "type": "reasoning", "summary": []})
    status = "incomplete" if done.cut else "completed"
    if done.text:
        content = [{"type": "output_text", "text": done.text, "annotations": [], "logprobs": []}]
        message_id = world.number("msg")
        output.append({"id": message_id, "type": "message", "role": "assistant", "status": status, "content": content})
    reply = {
        "id": world.number("resp"),
        "object": "response",
        "created_at": int(world.clock.now()),
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if done.cut else None,
        "instructions": body.get("instructions"),
        "max_output_tokens": limit,
        "model": one.id,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "temperature": body.get("temperature"),
        "top_p": body.get("top_p"),
        "reasoning": {"effort": effort, "summary": None},
        "service_tier": "default" if done.service == "batch" else done.service,
        "usage": usage(one, done),
    }
    return Reply(200, reply, done.headers)
