"""Answers between the response store and snapshots: written down, compared, put back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from records.response import Failure, Response
from storage.store_digests import row_digest
from storage.store_rows import StoredAnswer, StoredFailure
from storage.store_tables import escaped


def printable(text: str) -> str:
    """The text with "?" for each lone surrogate: the store holds it as it came, Parquet and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def response_row(answer: StoredAnswer, labels: Mapping[str, Any]) -> Response:
    """The answer as a snapshot holds it. labels: what the request was for (suite, task, ..., request_key)."""
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
        digest=row_digest("responses", vars(answer)),
        exact_text=None if text == answer.text else escaped(answer.text),
    )


def failure_row(failure: StoredFailure, labels: Mapping[str, Any]) -> Failure:
    """The failure as a snapshot holds it."""
    return Failure(
        **labels,
        kind=failure.kind,
        status=failure.status,
        message=printable(failure.message),
        attempts=failure.attempts,
    )
