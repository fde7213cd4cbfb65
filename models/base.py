"""The interface of a model: a prompt in, an answer or a failure out. Each provider has a module that implements it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, Protocol, TypeVar

Outcome = Literal["answered", "terminal", "transient", "quota", "cancelled"]  # of an attempt
Trouble = Literal["terminal", "transient", "quota"]
CHARACTERS = 4  # of a token, if nothing counts them
OF_THE_INPUT = ("document", "inner_header", "query")  # roles of segments that differ between inputs
LONGEST_MESSAGE = 1000  # characters of a provider's message that are kept: some send a whole page


@dataclass(frozen=True)
class Segment:
    """A piece of a prompt. role: one of scrollwork.records.prompt.ROLES."""

    role: str
    text: str


class HasRole(Protocol):
    """A piece of a prompt, with or without its text."""

    @property
    def role(self) -> str:
        """Return its role."""
        ...


Piece = TypeVar("Piece", bound=HasRole)


def split_after_documents(segments: Sequence[Piece]) -> tuple[Sequence[Piece], Sequence[Piece]]:
    """Split a prompt after its last document: what a provider's prefix cache can hold, and the rest."""
    last = max((n for n, segment in enumerate(segments) if segment.role in ("document", "omission")), default=-1)
    return segments[: last + 1], segments[last + 1 :]


def cut_after_prefixes(text: str, prefixes: Iterable[SharedPrefix], begun: int = 0) -> Iterator[tuple[str, bool]]:
    """Yield (piece, whether its prefix is marked) for a text that is cut after each prefix.

    begun: characters before it. Text after the last prefix is one more piece, not marked.
    """
    at = 0
    for prefix in prefixes:
        end = prefix.characters - begun
        if at < end <= len(text):
            yield text[at:end], prefix.marked
            at = end
    if at < len(text):
        yield text[at:], False


def text_of(segments: Iterable[Segment]) -> str:
    """Return the text of segments."""
    return "".join(segment.text for segment in segments)


@dataclass(frozen=True)
class SharedPrefix:
    """What a prompt and a neighbouring one both begin with, so that a provider's cache can hold it.

    digest: of its text. marked: a request marks its end, for providers that need marks.
    """

    characters: int
    digest: str
    marked: bool = True


@dataclass(frozen=True)
class Ask:
    """One input to be answered."""

    task: str
    example_id: str
    segments: tuple[Segment, ...]
    prompt_sha256: str
    documents: int  # number of documents
    max_new_tokens: int
    draw: int = 0  # which of several answers to the same request (SEAM: the run)
    references: tuple[str, ...] = ()  # gold outputs, only if the model's table has `reads_references` (upper bounds)
    shared_prefixes: tuple[SharedPrefix, ...] = ()  # with neighbours, the shortest first (vendors/shared_prefixes.py)
    tokens: int = 0  # of the input, counted or estimated, 0 if neither
    seed: int | None = None  # of generation, None if none is set
    follows: bool = False  # the call before it shares the longest of these prefixes
    common_bytes: int = 0  # length of the longest beginning that another sent prompt has too
    characters_per_token: float = CHARACTERS  # for an estimate of tokens

    @property
    def likely_tokens(self) -> int:
        """Return the counted tokens, or an estimate by characters."""
        return self.tokens or int(self.characters / self.characters_per_token) + 1

    @property
    def characters(self) -> int:
        """Return the number of characters of the prompt."""
        return sum(len(segment.text) for segment in self.segments)

    @property
    def instruction_characters(self) -> int:
        """Return the characters before the first segment that differs between inputs."""
        return sum(len(one.text) for one in takewhile(lambda one: one.role not in OF_THE_INPUT, self.segments))

    @property
    def prefix_digest(self) -> str:
        """Return the digest of the longest prefix shared with neighbours, "" for none."""
        return self.shared_prefixes[-1].digest if self.shared_prefixes else ""

    @property
    def prefix_text(self) -> str:
        """Return the text of the longest prefix shared with neighbours, "" for none."""
        return self.prompt[: self.shared_prefixes[-1].characters] if self.shared_prefixes else ""

    @property
    def shared_tokens(self) -> int:
        """Return the likely tokens of the longest prefix shared with neighbours."""
        return self.share_of(self.shared_prefixes[-1].characters) if self.shared_prefixes else 0

    def share_of(self, characters: int) -> int:
        """Return the likely tokens of some characters of the prompt, by their share of all characters."""
        return self.likely_tokens * characters // max(1, self.characters)

    @property
    def query(self) -> str:
        """Return the query as the prompt shows it, "" if the task has none."""
        return "".join(segment.text for segment in self.segments if segment.role == "query")

    @property
    def documents_shown(self) -> tuple[str, ...]:
        """Return each document as the prompt shows it. The pieces between its marks are joined."""
        found: list[str] = []
        before, joins = "", False  # joins: only marks are between here and a document
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
        """Return the text of the prompt."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class Call:
    """An Ask to one member of a model. key: digest of the payload."""

    key: str
    member: str
    payload: Mapping[str, Any]  # what reaches the provider, and which of several answers to it is wanted
    ask: Ask
    room: int | None = None  # new tokens allowed in a retry, as the first word had no room; the key stays the same
    service: str = ""  # requested tier of service, "" for none


@dataclass(frozen=True)
class Usage:
    """Tokens as the provider reports them, None if it does not.

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
    """The answer to a call. finish_reason: as in scrollwork.records.response."""

    key: str
    text: str
    finish_reason: str
    reported_model: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    attempts: int = 1
    masked: bool = False  # a secret was removed from the text
    service_tier: str | None = None  # service_tier, fingerprint: as in `Reply`
    fingerprint: str | None = None
    output_limit: int | None = None  # new tokens that the request allowed, None if it set no limit


@dataclass(frozen=True)
class CallFailed:
    """A call without an answer. kind: terminal or transient. status: of HTTP, None if there was none."""

    key: str
    kind: str
    message: str
    status: int | None = None
    attempts: int = 1
    own: bool = False  # own, foreign: as in the last `CallProblem`
    foreign: bool = False
    number: int = 0  # of the call's last request among those of the run
    sent: int = 0  # requests of the run that were sent before this call ended


@dataclass(frozen=True)
class Limits:
    """What rate-limit headers say, None if they say nothing.

    *_reset_s: seconds from now until the whole limit is available.
    """

    requests_limit: int | None = None
    requests_remaining: int | None = None
    requests_reset_s: float | None = None
    tokens_limit: int | None = None
    tokens_remaining: int | None = None
    tokens_reset_s: float | None = None


@dataclass(frozen=True)
class Reply:
    """One good reply of a provider, validated. finish_reason: as in scrollwork.records.response."""

    text: str
    finish_reason: str
    reported_model: str
    usage: Usage = Usage()
    limits: Limits | None = None
    masked: bool = False  # a secret was removed from the text
    service_tier: str | None = None  # that served the request, None if the reply does not say
    fingerprint: str | None = None  # of the version of the model, None if the reply does not say
    doubt: str = ""  # why the reported usage is not believed; it is left out then


class CallProblem(Exception):
    """One attempt without a good reply.

    kind: terminal (another attempt cannot help), transient, or quota (the limit of the day or the account's money is
    used up: the run stops). slow_down: the provider is overloaded or a limit is exceeded (429, 503, 529): fewer
    requests must be sent at once. paid: tokens that were charged although the reply is of no use, None if unknown.
    doubt: why the tokens that the provider reports are not believed. own: the fault is certainly the call's own (no
    room for reasoning, which is paid for; a request that cannot be sent); a status or an error that blames a prompt
    does not prove that. foreign: there was no error object, so something between here and the provider may have sent
    it. no_room: the limit of new tokens was reached before the first word, so a higher one may help. paced: it is about
    a limit of the account. service_tier: as in `Reply`.
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
    """Sends calls to one model of one provider. It lives in one event loop."""

    async def send(self, call: Call) -> Reply:
        """Send a call once, without retry. Raises CallProblem and nothing else."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True)
class Attempt:
    """One attempt at a call, numbered from 1. It comes before the call's result."""

    key: str
    number: int
    outcome: Outcome
    status: int | None
    message: str
    started: float  # seconds since 1970
    seconds: float
    usage: Usage = Usage()
    room: int | None = None  # as in `Call`
    follows: bool = False  # follows, common_bytes: as in `Ask`, when the attempt ended
    common_bytes: int = 0
    service: str = ""  # tier that it is charged for, "" for standard


class Model(Protocol):
    """A model, or a family of members that differ in a seed. name: as the user wrote it. provider: its module.

    members: names of those that answer, `(name,)` for a single model.
    """

    name: str
    provider: str
    members: Sequence[str]

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what reaches the provider, and which answer to it is wanted. Equal payloads are paid for once."""
        ...

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed | Attempt]:
        """Yield one Answer or CallFailed for each call, in any order; for remote models its attempts come before it."""
        ...
