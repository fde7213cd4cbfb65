"""The contract of a model: a prompt in, an answer or a failure out. One module a provider implements it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Segment:
    """A piece of a prompt with its role (records.prompt.ROLES)."""

    role: str
    text: str


@dataclass(frozen=True)
class Ask:
    """One input to be answered. sample: which of several answers to the same request is wanted (SEAM: the run).

    references: gold outputs, only for a model whose table says `reads_references` (upper bounds), else empty.
    """

    task: str
    example_id: str
    segments: tuple[Segment, ...]
    prompt_sha256: str
    documents: int
    max_new_tokens: int
    sample: int = 0
    references: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """What the prompt shows of the query, "" where the task has none."""
        return "".join(segment.text for segment in self.segments if segment.role == "query")

    @property
    def prompt(self) -> str:
        """The rendered prompt."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class Call:
    """An Ask to one member of a model. `payload`: exactly what reaches the provider; its digest is the request key."""

    key: str
    member: str
    payload: Mapping[str, Any]
    ask: Ask


@dataclass(frozen=True)
class Answer:
    """What came back. Token counts None where the provider reports none; finish_reason as in records.response."""

    key: str
    text: str
    finish_reason: str
    reported_model: str
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    latency_s: float = 0.0
    attempts: int = 1


@dataclass(frozen=True)
class CallFailed:
    """No answer: kind terminal or transient, HTTP status where there was one."""

    key: str
    kind: str
    message: str
    status: int | None = None
    attempts: int = 1


class Model(Protocol):
    """A model, or a family of members that differ in a seed.

    name: as the user wrote it. provider: the module. members: names of what answers, `(name,)` for a single model.
    """

    name: str
    provider: str
    members: Sequence[str]

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Exactly what reaches the provider: equal payloads are one request, paid once."""
        ...

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer | CallFailed]:
        """One result a call, in any order, as they come."""
        ...
