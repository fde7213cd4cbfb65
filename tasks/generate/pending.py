"""Make the calls of a generate stage: render its prompts, a few at a time, for each member of the model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from scrollwork.models.base import CHARACTERS, Ask, Call, Model, Segment
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.preprocessing.tokens.tokenizer import is_estimate
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt, part_text
from scrollwork.storage.digest import sha256_of
from scrollwork.tasks.generate.stored_answers import is_no_answer

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore  # brings SQLAlchemy

T = TypeVar("T")
SEED = "generation_seed"  # of a run, in the metadata of its examples
CHUNK = 16  # prompts rendered at once: each may hold a whole book
BEHIND_THE_DOCUMENT = ("query_header", "query", "response_header")


@dataclass(frozen=True)
class Asked:
    """A prompt put to a member of a model."""

    example_id: str
    draw: int
    member: str
    key: str


@runtime_checkable
class HasFormer(Protocol):
    """A model whose requests were others in an earlier release."""

    def former_payload(self, ask: Ask) -> Mapping[str, Any] | None:
        """What reached the provider then, None where it is the same."""
        ...


class Calls:
    """The calls of a generate stage. asked: prompts rendered so far, in order; all of them after `rest`.

    store: in which answers are looked for that were paid under the body of an earlier release; None for nowhere.
    """

    def __init__(self, node: Node, model: Model, inputs: InputArtifacts, store: ResponseStore | None = None) -> None:
        self._node, self._model, self._inputs, self._store = node, model, inputs, store
        self._paid_before: set[str] = set()  # request keys of such answers
        self._text_of = inputs["curated"].texts()
        self._documents: dict[str, int] = {}
        self._references: dict[str, tuple[str, ...]] = {}
        self._seeds: dict[str, int] = {}
        for example in inputs["sample"].rows("examples", Example):
            self._documents[example.example_id] = len(example.document_ids)
            if node.params["settings"].get("reads_references"):  # an upper bound; no model that is compared sees them
                self._references[example.example_id] = example.references
            if SEED in example.metadata:
                self._seeds[example.example_id] = example.facts[SEED]
        self.total: int = inputs["prompts"].facts["prompts"] * len(model.members)
        self.asked: list[Asked] = []
        self._first = self._all()

    def batches(self, keys: Collection[str] | None = None) -> Iterator[list[Call]]:
        """Yield the calls of a few prompts at a time: those not rendered yet, or again those with these keys."""
        return self._first if keys is None else self._again(keys)

    def rest(self) -> None:
        """Render the remaining prompts, so that `asked` is complete."""
        for _ in self._first:
            pass

    def _all(self) -> Iterator[list[Call]]:
        for prompts in chunks(self._prompts(), CHUNK):
            asks = {(prompt.example_id, prompt.draw): self._ask(prompt) for prompt in prompts}
            self._look_for_paid(asks.values())
            made = [(prompt, call) for prompt in prompts for call in self._of(asks[prompt.example_id, prompt.draw])]
            self.asked += [Asked(prompt.example_id, prompt.draw, call.member, call.key) for prompt, call in made]
            yield [call for _, call in made]

    def _again(self, keys: Collection[str]) -> Iterator[list[Call]]:
        wanted = {(one.example_id, one.draw) for one in self.asked if one.key in keys}
        prompts = (prompt for prompt in self._prompts() if (prompt.example_id, prompt.draw) in wanted)
        for some in chunks(prompts, CHUNK):
            yield [call for prompt in some for call in self._of(self._ask(prompt)) if call.key in keys]

    def _prompts(self) -> Iterator[Prompt]:
        return self._inputs["prompts"].rows("prompts", Prompt)

    def _look_for_paid(self, asks: Iterable[Ask]) -> None:
        if self._store is None or not isinstance(self._model, HasFormer):
            return
        formers = (self._model.former_payload(ask) for ask in asks)
        keys = [sha256_of(former) for former in formers if former is not None]
        found = self._store.answers(keys) if keys else {}
        self._paid_before |= {key for key, answer in found.items() if not is_no_answer(answer)}

    def _of(self, ask: Ask) -> Iterator[Call]:
        former = self._model.former_payload(ask) if isinstance(self._model, HasFormer) else None
        if former is not None and (key := sha256_of(former)) in self._paid_before:
            yield from (Call(key, member, former, ask) for member in self._model.members)
            return
        for member in self._model.members:
            payload = self._model.payload(ask, member)
            yield Call(sha256_of(payload), member, payload, ask)

    def _ask(self, prompt: Prompt) -> Ask:
        return Ask(
            prompt.task,
            prompt.example_id,
            tuple(Segment(part.role, part_text(part, self._text_of)) for part in prompt.parts),
            prompt.prompt_sha256,
            self._documents[prompt.example_id],
            prompt.max_new_tokens,
            sample=prompt.draw if prompt.units is None else 0,  # equal windows have one answer
            seed=self._seeds.get(prompt.example_id),
            references=self._references.get(prompt.example_id, ()),
            prefix=prefix_of(prompt),
            tokens=self._tokens(prompt),
            characters_per_token=getattr(self._model, "characters_per_token", CHARACTERS),
        )

    def _tokens(self, prompt: Prompt) -> int:
        """Count tokens by the profile's tokenizer; 0 where that is only an estimate."""
        name = self._node.input("prompts").params["profile"]["tokenizer"]
        return prompt.tokens_prompt or 0 if name and not is_estimate(name) else 0


def prefix_of(prompt: Prompt) -> str:
    """Digest a prompt from its start to the end of its documents; "" without documents. Prompts with the same digest
    share a provider's prefix cache."""
    front = []
    for part in prompt.parts:
        if part.role in BEHIND_THE_DOCUMENT:
            break
        front.append([part.role, part.text, part.document_id, part.start, part.end])
    return sha256_of(front) if any(role == "document" for role, *_ in front) else ""


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
