"""Turn a model's results into rows of the response store, and decide which requests are still to be sent."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from scrollwork.models.base import CHARACTERS, Answer, Attempt, Call, CallFailed, Usage
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import assumed_cost
from scrollwork.models.engine.prices import Price
from scrollwork.models.hosted.replies import WITHOUT_ROOM, no_room, without_room
from scrollwork.models.registry import HOSTED
from scrollwork.storage.answers.rows import ANSWERED, StoredAnswer, StoredAttempt, StoredBatch, StoredFailure

EARLIER_S = 86_400.0  # no vendor keeps a prefix in its cache for longer
UNSEEN = 16  # tokens that a vendor may count beyond those of the visible text
NEAR = (0.5, 1.25)  # bounds of (a vendor's token count) / (bytes of the text / 4) within which the count is believed

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore  # brings SQLAlchemy


def is_to_be_asked(state: str | None, retry_failed: bool = False) -> bool:
    """Return whether a request is to be sent. state: as from ResponseStore.states, None if nothing is stored.

    A request with an answer is never sent again, one that failed for good only if `retry_failed`.
    """
    return state != ANSWERED and (retry_failed or state != "terminal")


def note_earlier_prompts(calls: Mapping[str, Call], store: ResponseStore, breaker: Breaker | None) -> None:
    """Note the prompts that earlier runs sent in the last day: cached tokens of prompts that begin like them are then
    believed. calls: by request key, before they are claimed. breaker: None for a local model."""
    if breaker is not None and calls:
        for key in store.sent_since(calls, time.time() - EARLIER_S):
            breaker.prompts.add(calls[key].ask.segments)


def stored_states(store: ResponseStore, keys: Collection[str], retry_failed: bool) -> dict[str, str]:
    """Return the states of these requests, as from ResponseStore.states. retry_failed: first turn empty answers that an
    older version stored into failures, so that these requests can be sent again."""
    states = store.states(keys)
    if retry_failed:
        answers = store.answers([key for key, state in states.items() if state == ANSWERED])
        if empty := [failure_of(answer) for answer in answers.values() if is_no_answer(answer)]:
            from scrollwork.storage.answers.empty_replies import make_failures

            make_failures(store, empty, WITHOUT_ROOM)
            states |= {one.request_key: one.kind for one in empty}
    return states


def under_other_names(store: ResponseStore, names: Collection[str], model: str) -> list[StoredBatch]:
    """List the open batches among these that were submitted under another name of the model. Nobody else may send their
    requests."""
    return [one for one in (store.open_batches() if names else ()) if one.batch_id in names and one.model != model]


def cost_of(usage: Usage, price: Price | None, when: float | None = None) -> int | None:
    """Return the cost of reported usage in nano-dollars, None if it is unknown. when: the request was sent, in unix
    seconds, None for now."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    nothing = not any(vars(usage).values())  # for example without a connection
    return 0 if nothing else price.of(usage, when) if price else None


def counted_cost(
    usage: Usage, price: Price | None, call: Call, thoughts: int, when: float | None = None, service: str = ""
) -> int | None:
    """Return the cost of an attempt in nano-dollars as a budget counts it (`Price.counted`), None without a price.

    It is assumed if the tokens are unknown. call: as it was sent. thoughts: tokens that it may have beyond its answer.
    when: see `cost_of`. service: the tier whose prices count, "" for standard.
    """
    cost = cost_of(usage, price, when)
    if price is None or cost == 0:
        return cost
    return (
        assumed_cost(price, call.ask, thoughts, when) if cost is None else price.counted(usage, call.ask, when, service)
    )


def stored_answer(answer: Answer, provider: str, member: str, cost_nano_usd: int | None) -> StoredAnswer:
    """Make the stored row of an answer. cost_nano_usd: None if unknown."""
    return StoredAnswer(
        request_key=answer.key,
        provider=provider,
        model=member,
        text=answer.text,
        finish_reason=answer.finish_reason,
        reported_model=answer.reported_model,
        latency_s=answer.latency_s,
        attempts=answer.attempts,
        **vars(answer.usage),
        cost_nano_usd=cost_nano_usd,
        masked=answer.masked,
        service_tier=answer.service_tier,
        fingerprint=answer.fingerprint,
        output_limit=answer.output_limit,
    )


def is_no_answer(answer: StoredAnswer) -> bool:
    """Return whether a hosted model's stored answer ended before its first word; older versions stored such answers."""
    return answer.provider in HOSTED and without_room(answer.text, answer.finish_reason)


def scored_characters(answer: StoredAnswer, asked: int, room: int) -> int | None:
    """Return how many characters of an answer are within the task's token limit, None for all.

    A reasoning model is allowed tokens beyond that limit, and its visible text may use them; the models of the papers
    had no such room (docs/fidelity.md). asked: the task's limit, in new tokens. room: tokens beyond it that the model's
    table allows, for answers without an output limit. The text's tokens are the vendor's count without thoughts, if
    that is plausible for a text of so many bytes; else a token is four bytes.
    """
    allowed = asked + room if answer.output_limit is None else answer.output_limit
    if answer.provider not in HOSTED or allowed <= asked:
        return None
    likely = len(answer.text.encode("utf-8", "replace")) / CHARACTERS
    visible = likely
    if answer.output_tokens is not None and answer.reasoning_tokens is not None:
        said = answer.output_tokens - answer.reasoning_tokens
        visible = said if NEAR[0] * likely <= said <= NEAR[1] * likely else likely
    if visible <= asked + UNSEEN:
        return None
    return max(1, int(len(answer.text) * asked / visible))


def failure_of(answer: StoredAnswer) -> StoredFailure:
    """Make the failure that replaces an answer for which `is_no_answer` is true."""
    message = no_room(Usage(output_tokens=answer.output_tokens))
    attempts = max(1, answer.attempts or 0)
    return StoredFailure(answer.request_key, answer.provider, answer.model, "terminal", 200, message, attempts)


def stored_failure(failure: CallFailed, provider: str, member: str) -> StoredFailure:
    """Make the stored row of a failed call."""
    return StoredFailure(failure.key, provider, member, failure.kind, failure.status, failure.message, failure.attempts)


def stored_attempt(
    attempt: Attempt, provider: str, member: str, owner: str, cost_nano_usd: int | None
) -> StoredAttempt:
    """Make the stored row of an attempt. cost_nano_usd: None if unknown."""
    return StoredAttempt(
        request_key=attempt.key,
        owner=owner,
        number=attempt.number,
        provider=provider,
        model=member,
        outcome=attempt.outcome,
        status=attempt.status,
        message=attempt.message,
        started=attempt.started,
        seconds=attempt.seconds,
        **vars(attempt.usage),
        cost_nano_usd=cost_nano_usd,
    )
