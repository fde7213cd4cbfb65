"""What a vendor says about its models, by GET /v1/models: which there are, until when, and what they accept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote

from scrollwork.models.base import CallProblem
from scrollwork.models.hosted import anthropic, compatible, openai
from scrollwork.models.hosted.batches import object_of_reply
from scrollwork.models.hosted.error_replies import error_in, message_line, problem_in_reply
from scrollwork.models.hosted.tables import BadTable
from scrollwork.models.hosted.wire import Wire

MOST_PAGES = 20
LONGEST_S = 30.0  # for the whole list
MOST_MODELS = 200_000
LONGEST_WEIGHTS = 200  # characters
WIRES = {"openai": openai.wire_of, "anthropic": anthropic.wire_of, "compatible": compatible.wire_of}
LIST_PATHS = {"openai": "/models", "anthropic": "/v1/models", "compatible": "/models"}


@dataclass(frozen=True)
class ListedModel:
    """A model in its vendor's list; None for what the list does not say.

    ends: the first day on which it does not answer. state: active, deprecated or retired. max_input: tokens of a
    prompt, but on a user's own server of prompt and answer together. thinking, effort: whether each value is accepted.
    unread: an end that is no date, as it stands there. weights: what a user's own server says of them, each
    "name value".
    """

    id: str
    ends: str | None = None
    state: str | None = None
    max_input: int | None = None
    max_output: int | None = None
    thinking: Mapping[str, bool] | None = None
    effort: Mapping[str, bool] | None = None
    unread: str = ""
    weights: tuple[str, ...] = ()


WEIGHTS = ("root", "parent", "revision", "digest", "sha256", "version", "max_model_len")  # vLLM, SGLang and others
OF_META = ("n_params", "n_vocab", "n_ctx_train", "n_embd", "size")  # llama.cpp
NO_LIST = (404, 405, 501)  # statuses of a server that has no list


def list_models(name: str, table: Mapping[str, Any]) -> dict[str, ListedModel]:
    """Return the models at the address of a checked table, by id.

    Raises CallProblem, and tables.BadTable without a key.
    """

    async def asked() -> dict[str, ListedModel]:
        try:
            async with asyncio.timeout(LONGEST_S):
                return await _listed(name, table)
        except TimeoutError:
            raise CallProblem("transient", f"no list of models within {LONGEST_S:g} s") from None

    return asyncio.run(asked())


def context_at(name: str, table: Mapping[str, Any], within_s: float = 5.0) -> int | None:
    """Return the tokens of prompt and answer that a user's own server lists for the table's model.

    It is vLLM's `max_model_len`. 0 if the server has no list, or does not list the model or its tokens. None if the
    list cannot be read: there is no key, the request fails, or no list comes within `within_s` seconds.
    """

    try:
        found = _at_server(name, table, within_s)
    except CallProblem as problem:
        return 0 if problem.status in NO_LIST else None
    except (BadTable, TimeoutError):
        return None
    return found.max_input or 0 if found is not None else 0


def weights_at(name: str, table: Mapping[str, Any], within_s: float = 5.0) -> tuple[str, ...]:
    """Return what a user's own server lists of the weights of the table's model, "name value" each, in order.

    () if it says nothing of them, and if its list cannot be read within `within_s` seconds. Times are left out, for a
    server that starts again tells others.
    """
    try:
        found = _at_server(name, table, within_s)
    except (CallProblem, BadTable, TimeoutError):
        return ()
    return found.weights if found is not None else ()


def _at_server(name: str, table: Mapping[str, Any], within_s: float) -> ListedModel | None:
    """Return the table's model in the list at its address. Raises CallProblem, BadTable, TimeoutError."""

    async def asked() -> dict[str, ListedModel]:
        async with asyncio.timeout(within_s):
            return await _listed(name, table)

    with ThreadPoolExecutor(1) as apart:  # no loop can be started in a thread in which one runs
        return apart.submit(asyncio.run, asked()).result().get(str(table["id"]))


async def _listed(name: str, table: Mapping[str, Any]) -> dict[str, ListedModel]:
    provider = str(table["provider"])
    wire = WIRES[provider](name, table)
    found: dict[str, ListedModel] = {}
    path = LIST_PATHS[provider]
    try:
        after = ""
        for _ in range(MOST_PAGES):
            further = f"&after_id={quote(after, safe='')}" if after else ""
            query = f"?limit=1000{further}" if provider == "anthropic" else ""
            body = await _page(wire, path + query)
            for one in body["data"]:
                if (model := _model(one)) is not None and len(found) < MOST_MODELS:
                    found[model.id] = model
            after = str(body.get("last_id") or "")
            if provider != "anthropic" or body.get("has_more") is not True or not after:
                break
    finally:
        await wire.close()
    return found


async def _page(wire: Wire, path: str) -> Mapping[str, Any]:
    raw = await wire.get(path)
    body = object_of_reply(raw, wire.secrets, "list of models")
    if (error := error_in(body)) is not None:
        raise problem_in_reply(raw.status, raw.headers, error, secrets=wire.secrets)
    if not isinstance(body.get("data"), list):
        raise CallProblem("terminal", f"HTTP {raw.status} with no list of models", status=raw.status)
    return body


def _model(one: Any) -> ListedModel | None:
    if not isinstance(one, Mapping) or not isinstance(one.get("id"), str):
        return None
    abilities = one.get("capabilities")
    abilities = abilities if isinstance(abilities, Mapping) else {}
    thinking = abilities.get("thinking")
    state, said = one.get("lifecycle"), [one.get("shutdown_date"), one.get("retires_at")]
    return ListedModel(
        message_line(one["id"]),
        next(filter(None, map(_day, said)), None),
        message_line(state)[:20] if isinstance(state, str) else None,
        _whole(one.get("max_input_tokens")) or _whole(one.get("max_model_len")),
        _whole(one.get("max_tokens")),
        _flags(thinking.get("types") if isinstance(thinking, Mapping) else None),
        _flags(abilities.get("effort")),
        next((message_line(end)[:40] for end in said if end is not None and _day(end) is None), ""),
        _weights(one),
    )


def _weights(one: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what an entry of the list says of the model's weights, cut, without what is neither text nor number."""
    meta = one.get("meta")
    meta = meta if isinstance(meta, Mapping) else {}
    told = [(name, one.get(name)) for name in WEIGHTS] + [(name, meta.get(name)) for name in OF_META]
    return tuple(
        message_line(f"{name} {value}")[:LONGEST_WEIGHTS] for name, value in told if type(value) in (str, int) and value
    )


def _day(value: Any) -> str | None:
    """Return the day of "2026-12-11" or "2027-09-28T00:00:00Z" as text, None for anything else."""
    try:
        return date.fromisoformat(value[:10]).isoformat() if isinstance(value, str) else None
    except ValueError:
        return None


def _whole(value: Any) -> int | None:
    return value if type(value) is int and 0 < value < 2**40 else None


def _flags(found: Any) -> dict[str, bool] | None:
    """Return by name whether something is supported, from {"low": {"supported": true}} or {"low": true}."""
    if not isinstance(found, Mapping):
        return None
    flags = {}
    for name, value in [*found.items()][:50]:
        told = value.get("supported") if isinstance(value, Mapping) else value
        if isinstance(told, bool) and name != "supported":
            flags[message_line(name)[:40]] = told
    return flags
