"""What the response store keeps, as its callers see it. Token counts are None where the provider reports none.

Input tokens include cached and cache-written ones, output tokens include reasoning. Money is in whole nano-dollars
(1 USD = 10**9), so that sums are exact; None where the price or the tokens are not known.
"""

from __future__ import annotations

from dataclasses import dataclass

NANO = 10**9  # nano-dollars in a dollar

OUTCOMES = ("answered", "terminal", "transient", "quota", "cancelled")  # of an attempt
BATCH_STATES = ("intent", "submitted", "collected", "lost")
OPEN_BATCHES = ("intent", "submitted")  # their waiting requests are as good as paid
ANSWERED = "answered"  # what stands of a request, else the kind of its failure
ASKED, REFILLED, LOSSY = "asked", "refilled", "lossy"  # where an answer's row came from; the others: from a snapshot
ORIGINS = (ASKED, REFILLED, LOSSY)  # lossy: its text may have "?" where a lone surrogate was
WAITING, DONE, AGAIN = "waiting", "done", "again"  # of a request in a batch; again: unanswered, may be asked anew


@dataclass(frozen=True)
class StoredAnswer:
    """An answer, by request key. cost_nano_usd: of the attempt that gave it, 0 for a free model.

    latency_s (seconds), attempts: None where a row was refilled from a snapshot that does not hold it. masked: a secret
    was replaced in the text. origin: one of ORIGINS. service_tier, fingerprint: as the provider says who answered, None
    where it does not. output_limit: new tokens that the request allowed, room for thoughts among them.
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
    """One try of a request. owner: the run (or batch) that made it; number from 1; started: unix seconds.

    cost_nano_usd: what the provider charged for this try, 0 for one that it did not charge.
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
    """A batch, written down before it is submitted. requests_sha256: digest of its sorted request keys.

    batch_id: 64 characters of the caller's choice, also what a claim on the batch itself is taken by. Times in unix
    seconds, None for what has not happened; submitted: when its creation was last sent, so an intent without it never
    left this machine. owner: as of whose attempts its answers count, "" before the first comes. place: where it was
    submitted. most_nano_usd: what it may cost at most, None where nobody knows. message: what became of it.
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
    """What a model cost: calls made, answers they gave, tokens, money. Sums leave out what is not known.

    calls: attempts, and answers of which no attempt is written down. cost_unknown_calls: those among them that may have
    cost something nobody knows. cost_assumed_calls: those whose tokens nobody knows, or believes, and
    cost_assumed_nano_usd what they count for in cost_nano_usd, as was set aside for them.
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
