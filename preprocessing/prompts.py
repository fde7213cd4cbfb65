"""From examples to prompts: assembled, adapted to the model's profile, cut to its limit."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from preprocessing.chat import adapt
from preprocessing.prompting import Template, assemble, own_template
from preprocessing.truncation import TOKENIZERS, Cut, part_length, truncate
from records.example import Example
from records.prompt import Part, Prompt, render
from records.stable import stable_int


@dataclass(frozen=True)
class Profile:
    """Everything model-dependent in a prompt; models that share it share prompts.

    variant: plain, chat or claude. policy: none, input (open models) or openai. tokenizer: a name, "" without a limit.
    limit_tokens: the model's limit, 0 for none.
    """

    variant: str = "plain"
    policy: str = "none"
    tokenizer: str = ""
    limit_tokens: int = 0

    @property
    def name(self) -> str:
        """How rows and folders call it."""
        return "-".join(
            [self.variant, *([f"{self.policy}{self.limit_tokens}", self.tokenizer] if self.limit_tokens else [])]
        )


def prompts(
    examples: Iterable[Example],
    template: Template,
    profile: Profile,
    text_of: Callable[[str], str],
    *,
    arm: str,
    max_new_tokens: int,
    chat_sentence: str,
    shard: Sequence[int] = (0, 1),
) -> Iterator[Prompt]:
    """One prompt an example, in order. shard: (number, of how many); an example is in the shard of its documents."""
    number, shards = shard
    for example in examples:
        if stable_int("shard", *example.document_ids) % shards != number:
            continue
        own = own_template(example, template)
        parts = assemble(example, own, lambda document_id: len(text_of(document_id)))
        cut = fitted(adapt(parts, own, profile.variant, chat_sentence), own, profile, text_of, max_new_tokens)
        text = render(cut.parts, text_of)
        counted = bool(profile.tokenizer)
        yield Prompt(
            suite=example.suite,
            task=example.task,
            split=example.split,
            example_id=example.example_id,
            draw=example.draw,
            profile=profile.name,
            arm=arm,
            parts=cut.parts,
            prompt_sha256=hashlib.sha256(text.encode("utf-8")).hexdigest(),
            words=len(text.split()),
            kept_chars=cut.kept_chars,
            dropped_chars=cut.dropped_chars,
            truncated=cut.dropped_chars > 0,
            max_new_tokens=max_new_tokens,
            tokens_document=cut.tokens_document if counted else None,
            tokens_kept=cut.tokens_kept if counted else None,
            tokens_prompt=cut.tokens_prompt if counted else None,
        )


def fitted(
    parts: tuple[Part, ...], template: Template, profile: Profile, text_of: Callable[[str], str], max_new_tokens: int
) -> Cut:
    """The parts, cut where the profile has a limit."""
    if not profile.limit_tokens:
        return Cut(parts, 0, 0, 0, sum(part_length(part) for part in parts if part.role == "document"), 0)
    return truncate(
        parts,
        template,
        text_of,
        TOKENIZERS[profile.tokenizer](),
        policy=profile.policy,
        limit=profile.limit_tokens,
        reserved=max_new_tokens,
        chat=profile.variant != "plain",
    )
