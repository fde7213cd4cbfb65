"""Faults of the steps of a batch (STEPS) at both vendors, as data; faults of single results are in faults.py.

They are set by the knob faults = {"openai/create": ...}: a vendor and a step in place of a model. A fault in BEFORE
refuses the request and does nothing. With all others the work is done and billed, also if the reply is lost (LOST).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from scrollwork.rehearsal.clock import iso
from scrollwork.rehearsal.faulty.refusals import REFUSALS
from scrollwork.rehearsal.faulty.spoilt import STALL_S, WIRE
from scrollwork.rehearsal.world import Call, Reply, World

Body = dict[str, Any]
PLACES = {"openai": "/v1/batches", "anthropic": "/v1/messages/batches"}
BEFORE: Mapping[str, Callable[[], Reply]] = {**REFUSALS, "hung": lambda: Reply(200, None, drop=True, stall_s=STALL_S)}


def _said(status: int, page: bytes) -> Callable[[Reply], None]:
    """A fault: another status and body in place of the good reply."""

    def spoil(reply: Reply) -> None:
        reply.status, reply.raw = status, page

    return spoil


def _dropped(stall_s: float) -> Callable[[Reply], None]:
    """A fault: the connection is closed without a reply."""

    def spoil(reply: Reply) -> None:
        reply.drop, reply.stall_s = True, stall_s

    return spoil


PAGE = b"<html><head><title>Please wait</title></head>\n<body>\n<h1>Please wait</h1>\n</body>\n</html>\n"
LOST: Mapping[str, Callable[[Reply], None]] = {
    **{kind: spoil for kind, spoil in WIRE.items() if kind != "repeated_usage"},
    "done_500": _said(500, b'{"error": {"message": "The server had an error.", "type": "server_error", "code": null}}'),
    "done_504": _said(504, PAGE),
    "done_408": _said(408, b"Request Timeout"),
    "done_html": _said(200, PAGE),
    "done_other_json": _said(200, b'{"object": "list", "data": []}'),
    "done_closed": _dropped(0.0),
    "done_hung": _dropped(STALL_S),
}


def _status(value: Any) -> Callable[[Body], None]:
    """A fault: another status of the batch, and no results."""

    def spoil(body: Body) -> None:
        body["processing_status" if "processing_status" in body else "status"] = value
        _unnamed(body)

    return spoil


def _unnamed(body: Body, value: Any = None) -> None:
    """Replace the names (or URLs) of the results."""
    for name in ("output_file_id", "error_file_id", "results_url"):
        if name in body:
            body[name] = value


def _each(name: str, change: Callable[[Any], Any]) -> Callable[[Body], None]:
    """A fault: change each count ("request_counts") or each time ("at")."""

    def spoil(body: Body) -> None:
        if name == "at":
            body.update({key: change(one) for key, one in body.items() if key.endswith("_at") and one is not None})
        else:
            body[name] = {key: change(one) for key, one in body[name].items()}

    return spoil


def _of_the_other(one: Any) -> Any:
    """A time in the other vendor's format."""
    return datetime.fromisoformat(one).timestamp() if isinstance(one, str) else iso(one)


def _digits(one: Any) -> str:
    """A time as seconds in a string."""
    return str(int(datetime.fromisoformat(one).timestamp() if isinstance(one, str) else one))


def _put(**fields: Any) -> Callable[[Body], None]:
    return lambda body: body.update(fields)


IDS: Mapping[str, Callable[[Body], None]] = {
    "no_id": _put(id=None),
    "id_is_number": _put(id=7),
    "id_is_path": _put(id="../../files"),
    "other_id": lambda body: body.update(id=f"{body['id']}9"),
}
OBJECT: Mapping[str, Callable[[Body], None]] = {
    **IDS,
    "unknown_status": _status("paused"),
    "no_status": _status(None),
    "status_is_list": _status(["completed"]),
    "counts_zero": _each("request_counts", lambda _: 0),
    "counts_negative": _each("request_counts", lambda one: -one),
    "counts_too_large": _each("request_counts", lambda one: one + 1_000),
    "counts_as_text": _each("request_counts", str),
    "counts_are_none": _each("request_counts", lambda _: None),
    "counts_is_list": _put(request_counts=[1, 2]),
    "no_counts": lambda body: body.pop("request_counts", None),
    "times_as_text": _each("at", _digits),
    "times_of_the_other": _each("at", _of_the_other),
    "times_nonsense": _each("at", lambda _: "yesterday"),
    "times_endless": _each("at", lambda _: 10**400),
    "no_times": _each("at", lambda _: None),
    "no_metadata": _put(metadata=None),
    "metadata_is_list": _put(metadata=["scrollwork"]),
}
ENDED: Mapping[str, Callable[[Body], None]] = {  # of a batch that has ended
    "goes_back": _status("in_progress"),
    "results_not_named": _unnamed,
    "results_elsewhere": lambda body: _unnamed(body, "http://127.0.0.1:9/elsewhere"),
    "results_are_a_number": lambda body: _unnamed(body, 7),
}
LISTING: Mapping[str, Callable[[Body], None]] = {
    "list_empty": _put(data=[]),
    "list_of_null": _put(data=[None]),
    "list_is_object": _put(data={"0": "batch"}),
    "no_data": lambda body: body.pop("data", None),
    "more_for_ever": _put(has_more=True),
    "more_as_text": _put(has_more="true"),
    "more_of_nothing": _put(data=[], has_more=True),
}


def _failed(line: bytes) -> bytes:
    """The line changed into a failure of the same request."""
    found = json.loads(line)
    error = {"type": "error", "error": {"type": "api_error", "message": "Failed.", "code": "failed"}}
    found |= {"response": None, "error": error["error"], "result": {"type": "errored", "error": error}}
    return json.dumps(found).encode()


def _foreign(line: bytes) -> bytes:
    """The line with the id of a request that was never sent."""
    return json.dumps(json.loads(line) | {"custom_id": "0" * 64}).encode()


RESULTS: Mapping[str, Callable[[list[bytes]], Iterable[bytes]]] = {
    "results_empty": lambda lines: [],
    "results_halved": lambda lines: lines[: len(lines) // 2],
    "results_of_null": lambda lines: [b"null"] * len(lines),
    "results_doubled": lambda lines: [*lines, *lines],
    "results_doubled_as_failed": lambda lines: [*lines, *map(_failed, lines)],
    "results_with_foreign": lambda lines: [*map(_foreign, lines[:2]), *lines],
    "results_all_foreign": lambda lines: map(_foreign, lines),
    "results_as_list": lambda lines: [b"[" + b",".join(lines) + b"]"],
    "results_in_a_page": lambda lines: PAGE.splitlines() * len(lines),
    "results_with_blanks": lambda lines: [b"", *(line + b"\r\n\r" for line in lines)],
}


def _early(share: float, ending: str) -> Callable[[Body], None]:
    """A fault: the batch ends now, with this share of its lines done."""
    return lambda row: row.update(early=(share, ending))


LIFE: Mapping[str, Callable[[Body], None]] = {  # faults that end the batch itself
    "expired_half_way": _early(0.5, "expired"),
    "expired_untouched": _early(0.0, "expired"),
    "cancelled_half_way": _early(0.5, "cancelled"),
}
MISSING = "results_missing"  # 404
STEPS: Mapping[str, tuple[str, ...]] = {
    "upload": (*BEFORE, *LOST, *IDS),
    "create": (*BEFORE, *LOST, *OBJECT),
    "look": (*BEFORE, *LOST, *OBJECT, *ENDED, *LIFE),
    "list": (*BEFORE, *LOST, *OBJECT, *ENDED, *LISTING),
    "results": (*BEFORE, *LOST, *RESULTS, MISSING),
}


def step_of(vendor: str, call: Call) -> str:
    """The step of a batch that a request belongs to (a key of STEPS); "" for none."""
    base = PLACES.get(vendor)
    if base is None:
        return ""
    path = call.path.rstrip("/")
    if call.method == "POST":
        return "create" if path == base else "upload" if path == "/v1/files" else ""
    if call.method != "GET":
        return ""
    if vendor == "openai" and path.startswith("/v1/files/") and path.endswith("/content"):
        return "results"
    name, _, verb = path.removeprefix(base).lstrip("/").partition("/")
    if not path.startswith(base) or verb not in ("", "results"):
        return ""
    return "results" if verb else "look" if name else "list"


def met(world: World, call: Call, kind: str) -> None:
    """Apply a fault of LIFE to the batch itself, before the vendor answers."""
    row = world.batches.get(call.path.rpartition("/")[2])
    if kind in LIFE and row is not None:
        LIFE[kind](row)


def spoil(kind: str, step: str, reply: Reply) -> None:
    """Apply a fault to the good reply of a step."""
    if kind in LOST:
        LOST[kind](reply)
    elif kind in RESULTS:
        reply.raw = b"".join(line + b"\n" for line in RESULTS[kind]((reply.raw or b"").splitlines()))
    elif kind in LISTING:
        LISTING[kind](reply.body)
    elif change := {**OBJECT, **ENDED}.get(kind):
        for one in reply.body["data"] if step == "list" else [reply.body]:
            change(one)
