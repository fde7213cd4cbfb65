"""Convert answers from rows of the response store to rows of snapshots and back, and compare them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scrollwork.records.response import Failure, Response
from scrollwork.storage.answers.digests import row_digest
from scrollwork.storage.answers.rows import LOSSY, REFILLED, StoredAnswer, StoredFailure
from scrollwork.storage.answers.tables import escape_text, unescape_text

BOTH_HOLD = (
    *("finish_reason", "input_tokens", "cached_tokens", "output_tokens", "reported_model", "attempts"),
    "cost_nano_usd",
)
NEW_IN_4 = {  # fields that snapshots have since schema 4 of the store: the store's column for each
    **{name: name for name in ("cache_write_tokens", "reasoning_tokens", "masked", "provider")},
    "asked_as": "model",
}


def printable(text: str) -> str:
    """Return the text with "?" for each lone surrogate: the store can hold these, Parquet and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def answer_state(text: str, scored_characters: int | None) -> str:
    """Return what one answer adds to the digest of a snapshot.

    This is the sha256, in hex, of its printable text. If only the beginning of the text is scored, the number of scored
    characters follows.
    """
    digest = hashlib.sha256(printable(text).encode("utf-8")).hexdigest()
    return digest if scored_characters is None else f"{digest} {scored_characters}"


def response_row(answer: StoredAnswer, labels: Mapping[str, Any], scored_characters: int | None = None) -> Response:
    """Make a snapshot's row from an answer of the store.

    labels: which input it answers (suite, task, ..., request_key). scored_characters: how many characters of the text
    are scored, None for all.
    """
    text = printable(answer.text)
    return Response(
        **labels,
        text=text,
        finish_reason=answer.finish_reason,
        input_tokens=answer.input_tokens,
        cached_tokens=answer.cached_tokens,
        output_tokens=answer.output_tokens,
        reported_model=printable(answer.reported_model),
        attempts=answer.attempts,
        cost_nano_usd=answer.cost_nano_usd,
        cache_write_tokens=answer.cache_write_tokens,
        reasoning_tokens=answer.reasoning_tokens,
        masked=answer.masked,
        provider=printable(answer.provider),
        asked_as=printable(answer.model),
        digest=_digest(answer),
        exact_text=None if text == answer.text else escape_text(answer.text),
        service_tier=None if answer.service_tier is None else printable(answer.service_tier),
        fingerprint=None if answer.fingerprint is None else printable(answer.fingerprint),
        output_limit=answer.output_limit,
        scored_characters=scored_characters,
    )


def failure_row(failure: StoredFailure, labels: Mapping[str, Any]) -> Failure:
    """Make a snapshot's row from a failure of the store. labels: see `response_row`."""
    return Failure(
        **labels,
        kind=failure.kind,
        status=failure.status,
        message=printable(failure.message),
        attempts=failure.attempts,
    )


def differences(written: Response, row: Mapping[str, Any]) -> list[str]:
    """List the fields in which the store's row differs from a snapshot's answer: "text", "cost_nano_usd 0 (5 there)".

    Only fields that both have are compared. An older snapshot, whose answers have no digest, lacks the fields of
    NEW_IN_4, and any other value that it lacks is not compared. "digest" is in the list only if no other field differs;
    it is not compared for a row of the store with the origin LOSSY.
    """
    found = [] if _printed(row["text"]) == written.text else ["text"]
    for name in BOTH_HOLD:
        ours, theirs = _printed(row[name]), getattr(written, name)
        if ours != theirs and not (theirs is None and written.digest is None):
            found.append(f"{name} {ours} ({theirs} there)")
    if written.digest is None:
        return found
    for name, own in NEW_IN_4.items():
        ours, theirs = _printed(row[own]), getattr(written, name)
        if ours != theirs:
            found.append(f"{own} {ours} ({theirs} there)")
    if not found and row["digest"] != written.digest and row["origin"] != LOSSY:
        found.append("digest")
    return found


def same_where_both_hold(fields: list[str]) -> bool:
    """Return whether all these differences are in fields that snapshots have only since schema 4.

    fields: as from `differences`.
    """
    return {one.split()[0] for one in fields} <= {*NEW_IN_4.values(), "digest"}


def store_row(written: Response, provider: str) -> StoredAnswer:
    """Make the store's row from a snapshot's answer. Values that the snapshot does not hold are None.

    provider: of the snapshot's model, used if the answer names none. `origin` is REFILLED. It is LOSSY if the answer
    may not be exactly what was received: its digest does not fit, or it has none and its text or reported model
    contains "?".
    """
    text = written.text if written.exact_text is None else unescape_text(written.exact_text)
    answer = StoredAnswer(
        request_key=written.request_key,
        provider=written.provider or provider,
        model=written.asked_as or written.model,
        text=text,
        finish_reason=written.finish_reason,
        input_tokens=written.input_tokens,
        cached_tokens=written.cached_tokens,
        output_tokens=written.output_tokens,
        reported_model=written.reported_model,
        latency_s=None,
        attempts=written.attempts,
        cache_write_tokens=written.cache_write_tokens,
        reasoning_tokens=written.reasoning_tokens,
        cost_nano_usd=written.cost_nano_usd,
        masked=written.masked,
        origin=REFILLED,
        service_tier=written.service_tier,
        fingerprint=written.fingerprint,
        output_limit=written.output_limit,
    )
    whole = "?" not in text + answer.reported_model if written.digest is None else _digest(answer) == written.digest
    return answer if whole else replace(answer, origin=LOSSY)


def refilled_failure(written: Failure, provider: str) -> StoredFailure:
    """Make the store's row from a snapshot's failure."""
    return StoredFailure(
        written.request_key, provider, written.model, written.kind, written.status, written.message, written.attempts
    )


def _digest(answer: StoredAnswer) -> str:
    return row_digest("responses", vars(answer))


def _printed(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value
