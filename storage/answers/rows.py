"""Rows of the response store as dataclasses. Token counts are None where the provider reports none.

Input tokens include cached and cache-written ones, output tokens include reasoning. Costs are in whole nano-dollars
(1 USD = 10**9), so that sums are exact; None where the price or the tokens are not known.
"""

from __future__ import annotations

from dataclasses import dataclass

NANO = 10**9  # nano-dollars in a dollar

OUTCOMES = ("answered", "terminal", "transient", "quota", "cancelled")  # of an attempt
BATCH_STATES = ("intent", "submitted", "collected", "lost")
OPEN_BATCHES = ("intent", "submitted")  # their waiting requests are as good as paid
ANSWERED = "answered"  # state of a request with an answer; without one it is the kind of its failure
ASKED, REFILLED, LOSSY = "asked", "refilled", "lossy"  # an answer came from a model; from a snapshot; see ORIGINS
ORIGINS = (ASKED, REFILLED, LOSSY)  # lossy: from a snapshot, its text may have "?" for a lone surrogate
WAITING, DONE, AGAIN = "waiting", "done", "again"  # of a request in a batch; again: unanswered, may be asked anew


@dataclass(frozen=True)
class StoredAnswer:
    """An answer, by request key. cost_nano_usd: of the attempt that gave it, 0 for a free model.

    latency_s (seconds), attempts: None where a row was refilled from a snapshot that lacks them. masked: a secret was
    replaced in the text. origin: one of ORIGINS. service_tier, fingerprint (of the model's backend): as the provider
    reports them, or None. output_limit: output tokens that the request allowed, reasoning included.
    """

    request_key: str
    provider: str
    model: str
    text: str
    finish_reason: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reported_model: str
    latency_s: float | None
    attempts: int | None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_nano_usd: int | None = None
    masked: bool = False
    origin: str = ASKED
    service_tier: str | None = None
    fingerprint: str | None = None
    output_limit: int | None = None


@dataclass(frozen=True)
class StoredFailure:
    """A call that ended without an answer, by request key."""

    request_key: str
    provider: str
    model: str
    kind: str
    status: int | None
    message: str
    attempts: int


@dataclass(frozen=True)
class StoredAttempt:
    """One attempt to get a request answered. owner: the run (or batch) that made it. number: from 1. started: unix
    seconds. seconds: its duration. cost_nano_usd: what the provider charged, 0 if nothing.
    """

    request_key: str
    owner: str
    number: int
    provider: str
    model: str
    outcome: str
    status: int | None
    message: str
    started: float
    seconds: float
    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_nano_usd: int | None = None

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"outcome {self.outcome!r} is none of {', '.join(OUTCOMES)}")


@dataclass(frozen=True)
class StoredBatch:
    """A batch, stored before it is submitted. requests_sha256: digest of its sorted request keys.

    batch_id: 64 characters, chosen by the caller; also the key of a claim on the batch itself. Times are unix seconds,
    None for what has not happened. submitted: when its creation was last sent, so an intent without it never left this
    machine. owner: the owner of its answers' attempts, "" before the first one. place: where it was submitted.
    most_nano_usd: the most it can cost, None if unknown. message: how it ended.
    """

    batch_id: str
    state: str
    provider: str
    model: str
    provider_batch_id: str | None
    requests_sha256: str
    created: float
    submitted: float | None = None
    ended: float | None = None
    owner: str = ""
    place: str = ""
    most_nano_usd: int | None = None
    message: str = ""

    def __post_init__(self) -> None:
        if self.state not in BATCH_STATES:
            raise ValueError(f"state {self.state!r} is none of {', '.join(BATCH_STATES)}")


@dataclass(frozen=True)
class Spent:
    """What a model cost: calls, answers, tokens, nano-dollars. Sums leave out unknown values.

    calls: attempts, and answers without a stored attempt. cost_unknown_calls: calls that may have cost an unknown
    amount. cost_assumed_calls: calls whose tokens are unknown or not believable; they count at the amount reserved for
    them, cost_assumed_nano_usd in total, which is part of cost_nano_usd.
    """

    calls: int = 0
    answers: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int = 0
    cost_unknown_calls: int = 0
    cache_write_tokens: int = 0
    cost_assumed_calls: int = 0
    cost_assumed_nano_usd: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))
