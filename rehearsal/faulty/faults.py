"""Faulty replies: knob faults = {vendor, "vendor/model" or "*": {kind: share of requests}, or a list of kinds}.

With a list, each request gets the next kind, "" for a good reply; after the list, all replies are good. BEFORE: no work
is done and nothing is billed. AFTER and WIRE: the reply is damaged, but billed. A request in a batch gets the kinds in
LINES, in its line of the results; the other steps of a batch have their own kinds (batches.py), under "vendor/step".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import deepcopy
from typing import Any

from scrollwork.rehearsal.faulty import batches
from scrollwork.rehearsal.faulty.refusals import KEY, REFUSALS
from scrollwork.rehearsal.faulty.spoilt import AFTER, WIRE
from scrollwork.rehearsal.world import Call, Reply, World, check_table

BEFORE = REFUSALS
KINDS = (*BEFORE, *AFTER, *WIRE)
CUT = ("truncated", "broken_off", "stalled")  # in a batch, the line is cut in its middle
LINES = (*(kind for kind in BEFORE if kind != "redirect_302"), *AFTER, *CUT, "empty_body")


def check(knobs: Mapping[str, Any], vendors: Iterable[str]) -> None:
    """Raise ValueError if knobs name an unknown vendor or kind of fault."""
    for table in ("faults", "limits", "ratio", "compatible"):
        known = (*vendors, *(["*"] if table == "faults" else []))
        for name, value in knobs.get(table, {}).items():
            if name.partition("/")[0] not in known:
                raise ValueError(f"knob {table}: there is no vendor {name}; there are {', '.join(known)}")
            if table == "faults":
                shares = {kind: 1 for kind in value if kind != ""} if listed(value) else value
                check_table(f"faults of {name}", shares, batches.STEPS.get(name.partition("/")[2], KINDS), most=1)


def listed(value: Any) -> bool:
    """Whether a knob's value is a list of kinds."""
    return isinstance(value, list) and all(isinstance(kind, str) for kind in value)


def drawn(world: World, call: Call, vendor: str, among: Collection[str] = KINDS, step: str = "") -> str | None:
    """The kind of fault that this request gets, or None. among: allowed kinds. step: of a batch, "" for none."""
    table, model = world.knobs["faults"], f"{vendor}/{step or call.body.get('model')}"
    name = next((one for one in ((model,) if step else (model, vendor, "*")) if one in table), "")
    found = table.get(name, {})
    with world.lock:
        if isinstance(found, list):
            kind = world.next_of(name, found) or None
        else:
            kind = next((one for one in found if one in among and world.chance(found[one], one, call)), None)
        if kind is None or kind not in among:
            return None
        world.met.setdefault(model, Counter())[kind] += 1
    return kind


def applied(kind: str | None, work: Callable[[], Reply], key: str = "") -> Reply:
    """Do the work, and apply a fault to the reply. key: the API key of the request, which some refusals quote."""
    if kind in BEFORE:
        return refused(BEFORE[kind](), key)
    reply = work()
    if kind is None or reply.status != 200 or not isinstance(reply.body, dict):
        return reply
    reply.body = deepcopy(reply.body)
    if kind in AFTER:
        AFTER[kind](reply.body)
    else:
        WIRE[kind](reply)
    return reply


def refused(reply: Reply, key: str) -> Reply:
    """Put the API key of the request into a refusal that quotes it."""
    reply.body = json.loads(json.dumps(reply.body).replace(KEY, json.dumps(key)[1:-1]))
    return reply


def of_step(world: World, call: Call, vendor: str, step: str, work: Callable[[], Reply]) -> Reply:
    """Do the work of a batch's step, and apply its fault."""
    kind = drawn(world, call, vendor, batches.STEPS[step], step)
    if kind is None:
        return work()
    if kind in batches.BEFORE:
        return refused(batches.BEFORE[kind](), key_of(call))
    batches.met(world, call, kind)
    reply = work()
    if reply.status != 200:
        return reply
    if kind == batches.MISSING:
        return batches.BEFORE["no_model_404"]()
    reply.body = deepcopy(reply.body)
    batches.spoil(kind, step, reply)
    return reply


def of_line(world: World, call: Call, vendor: str, work: Callable[[], Reply]) -> Reply | None:
    """Do the work of a batch's request, and apply its fault. None if the results lack its line; `part` is set if the
    line is cut. A body that is not JSON is put into the line as a string."""
    kind = drawn(world, call, vendor, LINES)
    reply = applied(kind, work)
    if reply.drop:
        return None
    if kind in CUT:
        return Reply(reply.status, reply.body, part=1)
    if reply.raw is not None:
        try:
            body = json.loads(reply.raw) if reply.raw else None
        except ValueError:
            body = reply.raw.decode()
        return Reply(reply.status, body)
    return reply


def key_of(call: Call) -> str:
    """The API key of a request."""
    return call.headers.get("x-api-key") or call.headers.get("authorization", "").removeprefix("Bearer ")
