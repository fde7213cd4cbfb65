"""Digests of the response store's rows: every write computes them, every check recomputes them.

A digest covers the request, the reply and its cost. It leaves out `created` and `latency_s` of an answer, which no
artifact holds, and `origin`, which a refill sets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from scrollwork.records.base import canonical_json
from scrollwork.storage.answers.tables import escape_text
from scrollwork.storage.errors import DamagedRows

TOKENS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")
_CALL = ("request_key", "provider", "model")
COVERED: Mapping[str, tuple[str, ...]] = {  # columns by table; a change needs a migration that recomputes all digests
    "responses": (
        *_CALL, "text", "finish_reason", *TOKENS, "reported_model", "attempts", "cost_nano_usd", "masked",
    ),
    "failures": (*_CALL, "kind", "status", "message", "attempts"),
    "attempts": (
        *_CALL, "owner", "number", "started", "outcome", "status", "message", "seconds", *TOKENS, "cost_nano_usd",
    ),
}  # fmt: skip
SINCE_5: Mapping[str, tuple[str, ...]] = {  # columns added in schema 5: covered where they are not NULL
    "responses": ("service_tier", "fingerprint", "output_limit"),
}
_FLOATS = ("started", "seconds")


def row_digest(table: str, values: Mapping[str, Any]) -> str:
    """sha256 in hex of a row of `table`. values: by column name, texts not escaped.

    It is over the canonical JSON of the table's name and the covered values, in order. Raises ValueError, TypeError for
    values of a wrong type.
    """
    covered: list[Any] = [table]
    for name in COVERED[table]:
        value = values[name]
        if isinstance(value, str):
            value = escape_text(value)
        elif name in _FLOATS:
            value = float(value)
        elif name == "masked":
            value = bool(value)
        covered.append(value)
    for name in SINCE_5.get(table, ()):
        if (value := values.get(name)) is not None:
            covered.append([name, escape_text(value) if isinstance(value, str) else value])
    return hashlib.sha256(canonical_json(covered).encode("utf-8")).hexdigest()


def with_digest(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the row with its digest, to be written."""
    return {**values, "digest": row_digest(table, values)}


def is_intact(table: str, values: Mapping[str, Any]) -> bool:
    """Whether the row's digest fits its values."""
    try:
        return bool(row_digest(table, values) == values["digest"])
    except (ValueError, TypeError):
        return False


def whole_row(table: str, values: Mapping[str, Any], store: str = "the store") -> dict[str, Any]:
    """Check a row and return it without its digest. Raises DamagedRows if the digest does not fit."""
    if not is_intact(table, values):
        raise DamagedRows(
            f"{store}: request {values['request_key']} of {values['model']!r}: its row in {table} does not say what "
            "was stored in it (digest). `scrollwork store check` names all such rows, `scrollwork store repair` takes "
            "them out and puts back what snapshots hold"
        )
    return {name: value for name, value in values.items() if name != "digest"}
