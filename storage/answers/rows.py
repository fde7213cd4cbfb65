"""The rows of the response store as dataclasses.

Token counts are None if the provider reports none. Input tokens include the tokens read from and written to the
provider's cache; output tokens include reasoning tokens. Costs are whole nano-dollars (1 USD = 10**9), so that sums
are exact; a cost is None if the price or the tokens are not known.
"""

from __future__ import annotations

from dataclasses import dataclass

NANO = 10**9  # nano-dollars in a dollar

OUTCOMES = ("answered", "terminal", "transient", "quota", "cancelled")  # of an attempt
BATCH_STATES = ("intent", "submitted", "collected", "lost")
OPEN_BATCHES = ("intent", "submitted")  # states in which the provider may still answer, and charge for, the requests
ANSWERED = "answered"  # state of a request with an answer; the state of any other is the kind of its failure
# Where an answer came from: a model; a snapshot; a snapshot whose text may have "?" in place of a lone surrogate.
ASKED, REFILLED, LOSSY = "asked", "refilled", "lossy"
ORIGINS = (ASKED, REFILLED, LOSSY)
WAITING, DONE, AGAIN = "waiting", "done", "again"  # of a request in a batch; again: not answered, may be asked again


@dataclass(frozen=True)
class StoredAnswer:
    """The answer to a request.

    cost_nano_usd: cost of the attempt that gave the answer, 0 for a free model. latency_s: in seconds. latency_s and
    attempts are None if the row was refilled from a snapshot that does not hold them. masked: whether a secret was
    replaced in the text. origin: one of ORIGINS. service_tier, fingerprint (of the model's backend): as the provider
    reports them, or None. output_limit: the most output tokens that the request allowed, reasoning included; None if
    unknown.
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
    """A request that ended without an answer.

    kind: "terminal" or "transient". status: HTTP status, None without one. attempts: how many were made.
    """

    request_key: str
    provider: str
    model: str
    kind: str
    status: int | None
    message: str
    attempts: int


@dataclass(frozen=True)
class StoredAttempt:
    """One attempt to get a request answered.

    owner: the run (or the batch) that made it. number: 1 for the first attempt. outcome: one of OUTCOMES. status: HTTP
    status, None without one. started: unix seconds. seconds: its duration. cost_nano_usd: what the provider charged, 0
    if nothing, None if unknown. Raises ValueError for another outcome.
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
    """A batch, which is stored before it is submitted.

    batch_id: 64 characters, chosen by the caller; also the key of a claim on the batch itself. state: one of
    BATCH_STATES. requests_sha256: digest of its sorted request keys. created, submitted, ended: unix seconds, None for
    what has not happened. submitted: when the request to create the batch was last sent; a batch in state "intent"
    without it was never sent. owner: the run that collects its results, "" before that; the owners of its attempts
    begin with this name. place: where it was submitted. most_nano_usd: the most that it can cost, None if unknown.
    message: how it ended. Raises ValueError for another state.
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
    """What the calls of a model cost. Sums leave out unknown values.

    calls: number of attempts, plus answers for which no answered attempt is stored. cost_unknown_calls: number of calls
    that may have cost something, but nobody knows how much. cost_assumed_calls: number of calls whose tokens are
    unknown or not believable. They count with the amount that was reserved for them; cost_assumed_nano_usd is the sum
    of these amounts, and part of cost_nano_usd.
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
