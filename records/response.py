"""Answers and failed calls. A failure is never stored or scored as an empty answer."""

from dataclasses import dataclass

from scrollwork.records.base import Row

FINISH_REASONS = ("complete", "length", "refused", "filtered", "context")
KINDS = ("terminal", "transient")
ENDED = ("finish_reason", "scored_characters")  # what `how_ended` takes


def scored_text(text: str, scored_characters: int | None) -> str:
    """What of an answer's text is within the task's length, and scored; older snapshots say nothing of it (None), and
    all is."""
    return text[:scored_characters]


def how_ended(finish_reason: str, scored_characters: int | None) -> str:
    """How an answer ended (FINISH_REASONS): a complete one of which the task's length allows a part only ended by
    length."""
    return "length" if finish_reason == "complete" and scored_characters is not None else finish_reason


@dataclass(frozen=True)
class Response(Row):
    """What a model answered. Token counts are the provider's, None where it reports none.

    attempts: tries that it took, 0 for a model that is not called; cost_nano_usd: of the try that gave it, in 1e-9
    dollars. None where nobody knows: of a system that ran elsewhere, or where a price is not known. masked: a secret
    was replaced in the text.

    provider, asked_as, digest, exact_text: of the row in the response store. asked_as: the model under whose name it
    was asked first; digest: of that row; exact_text: its text with lone surrogates escaped, where it has any (`text`
    has "?" for each). None in snapshots that are older than schema 4 of the store. service_tier, fingerprint,
    output_limit: as of the store's row, None in older ones. scored_characters: of the text, from its start, that the
    task's length allows, where the model had room for more; None for all.
    """

    suite: str
    task: str
    split: str
    example_id: str
    draw: int
    model: str
    arm: str
    request_key: str
    text: str
    finish_reason: str
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    reported_model: str
    attempts: int | None = None
    cost_nano_usd: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    masked: bool = False
    provider: str | None = None
    asked_as: str | None = None
    digest: str | None = None
    exact_text: str | None = None
    service_tier: str | None = None
    fingerprint: str | None = None
    output_limit: int | None = None
    scored_characters: int | None = None

    @property
    def within(self) -> str:
        """What of the text is scored, as of `scored_text`."""
        return scored_text(self.text, self.scored_characters)

    @property
    def ended(self) -> str:
        """How it ended, as of `how_ended`."""
        return how_ended(self.finish_reason, self.scored_characters)

    def check(self) -> None:
        if self.scored_characters is not None:
            told = 0 < self.scored_characters < len(self.text)
            self.require(told, "scored_characters", "must be a part of the text")
        self.require(self.finish_reason in FINISH_REASONS, "finish_reason", f"{self.finish_reason!r} is not known")
        self.require(len(self.request_key) == 64, "request_key", "must be a sha256 in hex")


@dataclass(frozen=True)
class Failure(Row):
    """A call that ended without an answer: kind says whether another try may help. status: the HTTP status, if any."""

    suite: str
    task: str
    split: str
    example_id: str
    draw: int
    model: str
    arm: str
    request_key: str
    kind: str
    status: int | None
    message: str
    attempts: int

    def check(self) -> None:
        self.require(self.kind in KINDS, "kind", f"{self.kind!r} is none of {', '.join(KINDS)}")
        self.require(len(self.request_key) == 64, "request_key", "must be a sha256 in hex")
        self.require(self.attempts >= 1, "attempts", "a failure had an attempt")
