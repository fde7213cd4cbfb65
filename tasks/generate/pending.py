"""Make the calls of a generate stage: render its prompts, a few at a time, for each member of a model family."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from scrollwork.tasks.generate.epochs import chosen_payloads
from scrollwork.tasks.generate.prefix_order import in_prefix_order
from scrollwork.tasks.generate.stored_answers import is_no_answer

if TYPE_CHECKING:
    from scrollwork.storage.answers.store import ResponseStore  # brings SQLAlchemy

T = TypeVar("T")
SEED = "generation_seed"  # key of a run's seed in the metadata of its examples
CHUNK = 16  # prompts rendered at once: each may hold a whole book
MOST_CHARACTERS = 4_000_000  # of prompts rendered at once, but for the last one


@dataclass(frozen=True)
class AskedCall:
    """A prompt for a member of a model family. key: of the request. max_new_tokens: the task's token limit."""

    example_id: str
    draw: int
    member: str
    key: str
    max_new_tokens: int


@runtime_checkable
class HasFormer(Protocol):
    """A model for which an earlier release sent other requests."""

    def former_payload(self, ask: Ask) -> Mapping[str, Any] | None:
        """Return what the earlier release sent to the provider, None if it is the same as now."""
        ...


class Calls:
    """The calls of a generate stage. asked: prompts rendered so far; after `render_rest` all, in the table's order.

    store: where to look for answers that were paid for in requests of an earlier release; None to look nowhere.
    by_prefix: whether calls are ordered for a provider's prefix cache (prefix_order.py), else as in the prompts' table.
    at_once: how many prompts are rendered at once, fewer where they are long.
    """

    def __init__(
        self,
        node: Node,
        model: Model,
        inputs: InputArtifacts,
        store: ResponseStore | None = None,
        *,
        by_prefix: bool = False,
        at_once: int = CHUNK,
    ) -> None:
        self._node, self._model, self._inputs, self._store = node, model, inputs, store
        self._in_order = in_prefix_order if by_prefix else enumerate
        self._at_once = at_once
        self._epoch = str(node.params.get("epoch", ""))
        self._text_of = inputs["curated"].texts()
        self._documents: dict[str, int] = {}
        self._references: dict[str, tuple[str, ...]] = {}
        self._seeds: dict[str, int] = {}
        for example in inputs["sample"].rows("examples", Example):
            self._documents[example.example_id] = len(example.document_ids)
            if node.params["settings"].get("reads_references"):  # only an upper bound may see them
                self._references[example.example_id] = example.references
            if SEED in example.metadata:
                self._seeds[example.example_id] = example.facts[SEED]
        self.total: int = inputs["prompts"].facts["prompts"] * len(model.members)
        self.asked: list[AskedCall] = []
        self._first = self._all()

    def batches(self, keys: Collection[str] | None = None) -> Iterator[list[Call]]:
        """Yield the calls of a few prompts at a time: of those not rendered yet, or again those with these keys."""
        return self._first if keys is None else self._again(keys)

    def with_neighbours(self, keys: Collection[str]) -> Iterator[list[Call]]:
        """Yield again the calls with these keys, their neighbours in the order of asking, and the first and last call.

        So a call that shares a prefix with another call of the run also has one beside it here.
        """
        wanted = self._prompts_of(keys)
        yield from self._rendered(neighbours((prompt for _, prompt in self._in_order(self._prompts())), wanted))

    def render_rest(self) -> None:
        """Render the remaining prompts, so that `asked` is complete."""
        for _ in self._first:
            pass

    def _all(self) -> Iterator[list[Call]]:
        places: list[int] = []
        for some in self._some(self._in_order(self._prompts())):
            of_each = self._calls([ask for _, _, ask in some])
            made = [(one, call) for one, calls in zip(some, of_each, strict=True) for call in calls]
            self.asked += [
                AskedCall(prompt.example_id, prompt.draw, call.member, call.key, prompt.max_new_tokens)
                for (_, prompt, _), call in made
            ]
            places += [place for (place, _, _), _ in made]
            yield [call for _, call in made]
        self.asked = [self.asked[n] for n in sorted(range(len(places)), key=places.__getitem__)]

    def _some(self, prompts: Iterable[tuple[int, Prompt]]) -> Iterator[list[tuple[int, Prompt, Ask]]]:
        """Yield places, prompts and what they ask, as many as are rendered at once."""
        some: list[tuple[int, Prompt, Ask]] = []
        characters = 0
        for place, prompt in prompts:
            ask = self._ask(prompt)
            some.append((place, prompt, ask))
            characters += ask.characters
            if len(some) == self._at_once or characters >= MOST_CHARACTERS:
                yield some
                some, characters = [], 0
        if some:
            yield some

    def _again(self, keys: Collection[str]) -> Iterator[list[Call]]:
        wanted = self._prompts_of(keys)
        prompts = (prompt for prompt in self._prompts() if (prompt.example_id, prompt.draw) in wanted)
        for some in self._rendered(prompt for _, prompt in self._in_order(prompts)):
            yield [call for call in some if call.key in keys]

    def _prompts_of(self, keys: Collection[str]) -> set[tuple[str, int]]:
        return {(one.example_id, one.draw) for one in self.asked if one.key in keys}

    def _rendered(self, prompts: Iterable[Prompt]) -> Iterator[list[Call]]:
        for some in chunks(prompts, CHUNK):
            of_each = self._calls([self._ask(prompt) for prompt in some])
            yield [call for calls in of_each for call in calls]

    def _prompts(self) -> Iterator[Prompt]:
        return self._inputs["prompts"].rows("prompts", Prompt)

    def _calls(self, asks: Sequence[Ask]) -> list[list[Call]]:
        """Return the calls of each ask, one for each member. A request of an earlier release with an answer is kept."""
        if self._epoch:
            return self._calls_in_epoch(asks)
        formers = self._paid_before(self._model, asks) if isinstance(self._model, HasFormer) else {}
        made = []
        for number, ask in enumerate(asks):
            payloads = [formers.get(number, self._model.payload(ask, member)) for member in self._model.members]
            pairs = zip(self._model.members, payloads, strict=True)
            made.append([Call(sha256_of(payload), member, payload, ask) for member, payload in pairs])
        return made

    def _calls_in_epoch(self, asks: Sequence[Ask]) -> list[list[Call]]:
        """Return the calls of each ask in the node's epoch, one for each member."""
        plain, members = [], self._model.members
        for ask in asks:
            former = self._model.former_payload(ask) if isinstance(self._model, HasFormer) else None
            others = [former] if former is not None else []
            plain += [[self._model.payload(ask, member), *others] for member in members]
        payloads = iter(chosen_payloads(plain, self._epoch, self._node.params.get("reuse"), self._store))
        return [
            [Call(sha256_of(one), member, one, ask) for member, one in zip(members, payloads, strict=False)]
            for ask in asks
        ]

    def _paid_before(self, model: HasFormer, asks: Sequence[Ask]) -> dict[int, Mapping[str, Any]]:
        """Return the requests of an earlier release to which the store holds an answer, by position of the ask."""
        if self._store is None:
            return {}
        formers = {n: former for n, ask in enumerate(asks) if (former := model.former_payload(ask)) is not None}
        keys = {n: sha256_of(former) for n, former in formers.items()}
        found = self._store.answers([*{*keys.values()}]) if keys else {}
        paid = {key for key, answer in found.items() if not is_no_answer(answer)}
        return {n: former for n, former in formers.items() if keys[n] in paid}

    def _ask(self, prompt: Prompt) -> Ask:
        return Ask(
            prompt.task,
            prompt.example_id,
            tuple(Segment(part.role, part_text(part, self._text_of)) for part in prompt.parts),
            prompt.prompt_sha256,
            self._documents[prompt.example_id],
            prompt.max_new_tokens,
            draw=prompt.draw if prompt.units is None else 0,  # equal windows share one answer
            seed=self._seeds.get(prompt.example_id),
            references=self._references.get(prompt.example_id, ()),
            tokens=self._tokens(prompt),
            characters_per_token=getattr(self._model, "characters_per_token", CHARACTERS),
        )

    def _tokens(self, prompt: Prompt) -> int:
        """Return the prompt's tokens by the profile's tokenizer, 0 if it has none or only estimates."""
        name = self._node.input("prompts").params["profile"]["tokenizer"]
        return prompt.tokens_prompt or 0 if name and not is_estimate(name) else 0


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most `size`."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some


def neighbours(prompts: Iterable[Prompt], wanted: Collection[tuple[str, int]]) -> Iterator[Prompt]:
    """Yield the wanted prompts, their neighbours, and the first and the last prompt. wanted: (example id, draw)."""
    before: Prompt | None = None
    yielded = follows = True  # whether `before` was yielded; whether it was wanted or there was none
    for prompt in prompts:
        here = (prompt.example_id, prompt.draw) in wanted
        if here and before is not None and not yielded:
            yield before
        yielded = here or follows
        if yielded:
            yield prompt
        before, follows = prompt, here
    if before is not None and not yielded:
        yield before
