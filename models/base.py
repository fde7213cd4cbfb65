"""The contract of a model: a prompt in, an answer or a failure out. One module a provider implements it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, Protocol, TypeVar

Outcome = Literal["answered", "terminal", "transient", "quota", "cancelled"]  # of an attempt
Trouble = Literal["terminal", "transient", "quota"]
CHARACTERS = 4  # a token, where nobody counted
OF_THE_INPUT = ("document", "inner_header", "query")  # roles of segments that differ from input to input
LONGEST_MESSAGE = 1000  # characters of a provider's message that are kept: some send a page


@dataclass(frozen=True)
class Segment:
    """A piece of a prompt with its role (scrollwork.records.prompt.ROLES)."""

    role: str
    text: str


class HasRole(Protocol):
    """A piece of a prompt, with its text or without."""

    @property
    def role(self) -> str:
        """Its role."""
        ...


Piece = TypeVar("Piece", bound=HasRole)


def halves(segments: Sequence[Piece]) -> tuple[Sequence[Piece], Sequence[Piece]]:
    """Split a prompt behind the last of its documents: what a provider's prefix cache can hold, and the rest."""
    last = max((n for n, segment in enumerate(segments) if segment.role in ("document", "omission")), default=-1)
    return segments[: last + 1], segments[last + 1 :]


def cut_behind(text: str, prefixes: Iterable[SharedPrefix], begun: int = 0) -> Iterator[tuple[str, bool]]:
    """Yield a text piece by piece, cut behind each prefix, and whether that is marked; only the last piece may be left
    behind them. begun: characters of the prompt that stand before the text."""
    at = 0
    for prefix in prefixes:
        end = prefix.characters - begun
        if at < end <= len(text):
            yield text[at:end], prefix.marked
            at = end
    if at < len(text):
        yield text[at:], False


def text_of(segments: Iterable[Segment]) -> str:
    """Render segments."""
    return "".join(segment.text for segment in segments)


@dataclass(frozen=True)
class SharedPrefix:
    """What a prompt and another that is asked beside it both begin with, so that a provider's cache can hold it.

    characters: how many; digest: of their text. marked: whether a request says so, where the provider wants that.
    """

    characters: int
    digest: str
    marked: bool = True


@dataclass(frozen=True)
class Ask:
    """One input to be answered. draw: which of several answers to the same request is wanted (SEAM: the run). seed: of
    generation, None where nobody says.

    references: gold outputs, only for a model whose table says `reads_references` (upper bounds), else empty.
    shared_prefixes: those that neighbours in the run have too, rising (models/vendors/shared_prefixes.py). follows: the
    call before it shares the longest of them. common_bytes: with which another prompt that was sent begins, too.
    tokens: of the input, measured or estimated, 0 where nobody counted. characters_per_token: by which they are
    estimated then.
    """

    task: str
    example_id: str
    segments: tuple[Segment, ...]
    prompt_sha256: str
    documents: int
    max_new_tokens: int
    draw: int = 0
    references: tuple[str, ...] = ()
    shared_prefixes: tuple[SharedPrefix, ...] = ()
    tokens: int = 0
    seed: int | None = None
    follows: bool = False
    common_bytes: int = 0
    characters_per_token: float = CHARACTERS

    @property
    def likely_tokens(self) -> int:
        """Return the counted tokens, or an estimate by characters."""
        return self.tokens or int(self.characters / self.characters_per_token) + 1

    @property
    def characters(self) -> int:
        """Return how many the prompt has."""
        return sum(len(segment.text) for segment in self.segments)

    @property
    def instruction_characters(self) -> int:
        """Return the characters before the first segment that differs from input to input."""
        return sum(len(one.text) for one in takewhile(lambda one: one.role not in OF_THE_INPUT, self.segments))

    @property
    def prefix_digest(self) -> str:
        """Return the digest of the longest prefix that neighbours share, "" for none."""
        return self.shared_prefixes[-1].digest if self.shared_prefixes else ""

    @property
    def prefix_text(self) -> str:
        """Return the text of the longest prefix that neighbours share."""
        return self.prompt[: self.shared_prefixes[-1].characters] if self.shared_prefixes else ""

    @property
    def shared_tokens(self) -> int:
        """Return the likely tokens of the longest prefix that neighbours share."""
        return self.share_of(self.shared_prefixes[-1].characters) if self.shared_prefixes else 0

    def share_of(self, characters: int) -> int:
        """Return the likely tokens of some characters of the prompt, by their share of all."""
        return self.likely_tokens * characters // max(1, self.characters)

    @property
    def query(self) -> str:
        """Return the query as the prompt shows it, "" where the task has none."""
        return "".join(segment.text for segment in self.segments if segment.role == "query")

    @property
    def documents_shown(self) -> tuple[str, ...]:
        """Return each document as the prompt shows it, the pieces between its marks joined."""
        found: list[str] = []
        before, joins = "", False  # joins: only marks stand between here and a document
        for segment in self.segments:
            if segment.role == "document" and joins:
                found[-1] += segment.text
            elif segment.role == "document":
                found.append(segment.text)
            joins = segment.role == "mark" and (joins or before == "document")
            before = segment.role
        return tuple(found)

    @property
    def prompt(self) -> str:
        """Render the prompt."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class Call:
    """An Ask to one member of a model. `payload`: what reaches the provider, and which of several answers to it is
    wanted ("sample"); its digest is the request key.

    room: new tokens that it allows in place of those of the payload, where it is asked again because there was no room
    for its first word; the answer is stored under the same key. service: the tier of service that is asked for, "" for
    none.
    """

    key: str
    member: str
    payload: Mapping[str, Any]
    ask: Ask
    room: int | None = None
    service: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider reports them, None where it does not.

    input_tokens includes those read from and written to the provider's prefix cache, whatever the provider's own field
    means; output_tokens includes reasoning.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True)
class Answer:
    """What came back; finish_reason as in scrollwork.records.response. masked: a secret was taken out of the text.
    service_tier, fingerprint: as of `Reply`. output_limit: new tokens that the request allowed, None where it set none.
    """

    key: str
    text: str
    finish_reason: str
    reported_model: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    attempts: int = 1
    masked: bool = False
    service_tier: str | None = None
    fingerprint: str | None = None
    output_limit: int | None = None


@dataclass(frozen=True)
class CallFailed:
    """No answer: kind terminal or transient, HTTP status where there was one. own, foreign: as of the last problem.
    number: of the last request among those of the run; sent: how many had gone when it ended."""

    key: str
    kind: str
    message: str
    status: int | None = None
    attempts: int = 1
    own: bool = False
    foreign: bool = False
    number: int = 0
    sent: int = 0


@dataclass(frozen=True)
class Limits:
    """What rate-limit headers said, None where they said nothing. Resets: seconds from now until the limit is full."""

    requests_limit: int | None = None
    requests_remaining: int | None = None
    requests_reset_s: float | None = None
    tokens_limit: int | None = None
    tokens_remaining: int | None = None
    tokens_reset_s: float | None = None


@dataclass(frozen=True)
class Reply:
    """One good reply of a provider, validated. finish_reason as in scrollwork.records.response. masked: a secret was
    taken out of the text. service_tier, fingerprint: how and by which version of the model it says that it was served,
    None where it does not."""

    text: str
    finish_reason: str
    reported_model: str
    usage: Usage = Usage()
    limits: Limits | None = None
    masked: bool = False
    service_tier: str | None = None
    fingerprint: str | None = None
    doubt: str = ""  # why the usage that came with it is not believed; it has none then


class CallProblem(Exception):
    """One attempt without a good reply.

    kind: terminal (another try cannot help), transient, or quota (the limit of the day or the account's money is used
    up: the run stops). slow_down: the provider is overloaded or a limit is passed (429, 503, 529): concurrency falls.
    paid: tokens that were charged though the reply is of no use, None where nothing is known. doubt: why those that
    the provider said are not believed. own: the call's own affair (no room for thoughts, which is paid; what
    cannot be sent); what a status or an error says of a prompt is a claim, and no such proof. foreign: no error object
    came with it, so it may be of something between here and the provider. no_room: the limit of new tokens was reached
    before the first word, so that more of them may help. paced: it speaks of a limit of the account. service_tier:
    as of `Reply`, None where nothing says it.
    """

    def __init__(
        self,
        kind: Trouble,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        limits: Limits | None = None,
        slow_down: bool = False,
        paid: Usage | None = None,
        own: bool = False,
        foreign: bool = False,
        no_room: bool = False,
        paced: bool = False,
    ) -> None:
        self.kind: Trouble = kind
        self.message = message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"
        self.status, self.retry_after_s, self.limits = status, retry_after_s, limits
        self.slow_down, self.paid, self.doubt, self.own = slow_down, paid, "", own
        self.foreign, self.no_room, self.paced = foreign, no_room, paced
        self.service_tier: str | None = None
        super().__init__(self.message)


class Client(Protocol):
    """Talks to one model of one provider; lives in one event loop."""

    async def send(self, call: Call) -> Reply:
        """Send a call once, without retry. Raises CallProblem and nothing else."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True)
class Attempt:
    """One try of a call, numbered from 1; it comes before the call's result. started: seconds since 1970. room: as of
    `Call`. follows, common_bytes: as of `Ask`, when it ended. service: the tier that it counts for, "" for standard.
    """

    key: str
    number: int
    outcome: Outcome
    status: int | None
    message: str
    started: float
    seconds: float
    usage: Usage = Usage()
    room: int | None = None
    follows: bool = False
    common_bytes: int = 0
    service: str = ""


class Model(Protocol):
    """A model, or a family of members that differ in a seed.

    name: as the user wrote it. provider: the module. members: names of what answers, `(name,)` for a single model.
    """

    name: str
    provider: str
    members: Sequence[str]

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what reaches the provider, and which answer to it is wanted. Equal payloads are one request, paid
        once."""
        ...

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed | Attempt]:
        """Yield one Answer or CallFailed for each call, in any order; for remote models its attempts come before it."""
        ...
