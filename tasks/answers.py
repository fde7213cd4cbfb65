"""What a model gave back, as the response store keeps it."""

from __future__ import annotations

from models.base import Answer, Call, CallFailed
from storage.store_rows import StoredAnswer, StoredFailure


def stored_answer(answer: Answer, call: Call, provider: str, cost_nano_usd: int | None) -> StoredAnswer:
    """An answer. cost_nano_usd: None where nobody knows."""
    return StoredAnswer(
        request_key=answer.key,
        provider=provider,
        model=call.member,
        text=answer.text,
        finish_reason=answer.finish_reason,
        input_tokens=answer.input_tokens,
        cached_tokens=answer.cached_tokens,
        output_tokens=answer.output_tokens,
        reported_model=answer.reported_model,
        latency_s=answer.latency_s,
        attempts=answer.attempts,
        cache_write_tokens=answer.cache_write_tokens,
        reasoning_tokens=answer.reasoning_tokens,
        cost_nano_usd=cost_nano_usd,
    )


def stored_failure(failure: CallFailed, call: Call, provider: str) -> StoredFailure:
    """A call that gave none."""
    return StoredFailure(
        failure.key, provider, call.member, failure.kind, failure.status, failure.message, failure.attempts
    )
