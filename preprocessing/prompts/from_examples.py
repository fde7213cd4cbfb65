"""Prompts of examples: assemble the parts, adapt them to the model's profile, cut them, and note what was cut."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scrollwork.preprocessing.prompts.chat import adapt
from scrollwork.preprocessing.prompts.receipts import answer_place, evidence_place
from scrollwork.preprocessing.prompts.template import Template, assemble, closed_book, own_template
from scrollwork.preprocessing.prompts.truncation import Counts, Cut, Limit, truncate, uncut_receipt
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer
from scrollwork.records.example import Example
from scrollwork.records.prompt import CLOSED_BOOK, Part, Prompt, render
from scrollwork.records.stable_choice import stable_int
from scrollwork.records.words import words_in


@dataclass(frozen=True)
class Profile:
    """Everything model-dependent in a prompt; models with the same profile share prompts.

    variant: plain, chat or claude. policy: one of truncation.POLICIES. tokenizer: a name
    (preprocessing/tokens/tokenizer.py), "" without a limit. limit_tokens: the model's limit, 0 for none. official: with
    the quirks of the official code. prompts: name of the suite's set of instructions, "" for its own.
    """

    variant: str = "plain"
    policy: str = "none"
    tokenizer: str = ""
    limit_tokens: int = 0
    official: bool = False
    prompts: str = ""

    @property
    def name(self) -> str:
        """Return the profile's name in rows and folders."""
        limit = [f"{self.policy}{self.limit_tokens}", self.tokenizer] if self.limit_tokens else []
        quirks = ["official"] if self.official and self.limit_tokens else []
        return "-".join([self.variant, *([self.prompts] if self.prompts else []), *limit, *quirks])


class PromptMethod(Protocol):
    """How an example becomes the parts of a prompt."""

    def cut(self, example: Example, text_of: Callable[[str], str], counts: Counts | None, limit: Limit) -> Cut:
        """Return the parts, cut to the limit. Raises ValueError if they are too long even without a document.

        text_of: a document's text by id. counts: None without a limit.
        """

    def columns(self, example: Example) -> Mapping[str, Any]:
        """Return further fields of the prompt's row."""


@dataclass(frozen=True)
class Whole:
    """The usual way: the task's texts around the example's documents, in the profile's variant."""

    template: Template
    variant: str
    arm: str
    chat_sentence: str

    def cut(self, example: Example, text_of: Callable[[str], str], counts: Counts | None, limit: Limit) -> Cut:
        """Return what `Way.cut` promises."""
        own = own_template(example, self.template)
        parts = self.shown(example, assemble(example, own, lambda document_id: len(text_of(document_id))))
        if self.arm == CLOSED_BOOK:
            parts = closed_book(parts)
        parts = adapt(parts, own, self.variant, self.chat_sentence)
        return uncut_receipt(parts) if counts is None else fit_to_limit(parts, own, text_of, counts, limit)

    def shown(self, example: Example, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        """Return the parts to show: all of them."""
        return parts

    def columns(self, example: Example) -> Mapping[str, Any]:
        """Return no further fields."""
        return {}


def prompts(
    examples: Iterable[Example],
    template: Template,
    profile: Profile,
    text_of: Callable[[str], str],
    *,
    arm: str,
    max_new_tokens: int,
    chat_sentence: str,
    tokenizer: Tokenizer | None = None,
    counted: Mapping[str, int] | None = None,
    shard: Sequence[int] = (0, 1),
    way: PromptMethod | None = None,
) -> Iterator[Prompt]:
    """Yield a prompt for each example, in order.

    text_of: a document's text by id. tokenizer: the profile's, if it has a limit. counted: known tokens by document id.
    shard: (number, of how many), by an example's documents. way: how an example becomes a prompt, `Whole` by default;
    it has the template itself. Raises ValueError, naming the example, if instruction and query alone exceed the limit.
    """
    number, shards = shard
    limit = Limit(profile.policy, profile.limit_tokens, max_new_tokens, profile.variant == "chat", profile.official)
    counts = None if tokenizer is None else Counts(tokenizer, counted or {}, text_of)
    way = way or Whole(template, profile.variant, arm, chat_sentence)
    for example in examples:
        if stable_int("shard", *example.document_ids) % shards != number:
            continue
        try:
            cut = way.cut(example, text_of, counts, limit)
        except ValueError as error:
            raise ValueError(f"{example.task}, {example.example_id}: {error}") from None
        data = render(cut.parts, text_of).encode("utf-8")
        yield Prompt(
            suite=example.suite,
            task=example.task,
            split=example.split,
            example_id=example.example_id,
            draw=example.draw,
            profile=profile.name,
            arm=arm,
            parts=cut.parts,
            prompt_sha256=hashlib.sha256(data).hexdigest(),
            words=words_in(data),
            kept_chars=cut.kept_chars,
            dropped_chars=cut.dropped_chars,
            truncated=cut.dropped_chars > 0,
            max_new_tokens=max_new_tokens,
            tokens_document=cut.tokens_document if counts else None,
            tokens_kept=cut.tokens_kept if counts else None,
            tokens_prompt=cut.tokens_prompt if counts else None,
            dropped=cut.dropped,
            answer_in=answer_place(example, cut, template.kind, text_of),
            evidence_in=evidence_place(example, cut),
            **way.columns(example),
        )


def fit_to_limit(
    parts: tuple[Part, ...], template: Template, text_of: Callable[[str], str], counts: Counts, limit: Limit
) -> Cut:
    """Cut the parts to the limit; without a document there is nothing to cut."""
    if any(part.role == "document" for part in parts):
        return truncate(parts, template, text_of, counts, limit)
    return Cut(parts, 0, 0, counts.total(parts), 0, 0)
