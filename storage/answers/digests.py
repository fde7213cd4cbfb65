"""Digests of the response store's rows. They are computed when a row is written, and again when it is checked.

A digest covers the request, the reply and its cost. It leaves out `created`, and `latency_s` of an answer, because
snapshots do not hold them, and `origin` of an answer, because a refill changes it.
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
COVERED: Mapping[str, tuple[str, ...]] = {  # columns, by table; a change needs a migration that recomputes all digests
    "responses": (
        *_CALL, "text", "finish_reason", *TOKENS, "reported_model", "attempts", "cost_nano_usd", "masked",
    ),
    "failures": (*_CALL, "kind", "status", "message", "attempts"),
    "attempts": (
        *_CALL, "owner", "number", "started", "outcome", "status", "message", "seconds", *TOKENS, "cost_nano_usd",
    ),
}  # fmt: skip
SINCE_5: Mapping[str, tuple[str, ...]] = {  # columns added in schema 5, covered if not NULL: older digests stay valid
    "responses": ("service_tier", "fingerprint", "output_limit"),
}
_FLOATS = ("started", "seconds")


def row_digest(table: str, values: Mapping[str, Any]) -> str:
    """Return the digest of a row of `table`: the sha256, in hex, of canonical JSON.

    The JSON is a list of the table's name and the covered values, in the order of COVERED and SINCE_5, with escaped
    texts. values: by column name, texts not escaped. Raises ValueError or TypeError if a value has a wrong type.
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
    """Return a copy of the row with its digest added, as it is written. Raises ValueError or TypeError."""
    return {**values, "digest": row_digest(table, values)}


def is_intact(table: str, values: Mapping[str, Any]) -> bool:
    """Return whether the row's digest matches its values."""
    try:
        return bool(row_digest(table, values) == values["digest"])
    except (ValueError, TypeError):
        return False


def whole_row(table: str, values: Mapping[str, Any], store: str = "the store") -> dict[str, Any]:
    """Return a row without its digest. Raises DamagedRows if the digest does not match.

    store: name of the store, for the message.
    """
    if not is_intact(table, values):
        raise DamagedRows(
            f"{store}: request {values['request_key']} of {values['model']!r}: its row in {table} does not say what "
            "was stored in it (digest). `scrollwork store check` names all such rows, `scrollwork store repair` takes "
            "them out and puts back what snapshots hold"
        )
    return {name: value for name, value in values.items() if name != "digest"}
