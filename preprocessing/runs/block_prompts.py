"""Prompts with demonstrations: what they take from their run, and how one that is too long is shortened.

The cue and the demonstrations are never cut: all documents of the instance end earlier, by the same share (fact sheet
seam.md 12). The official code cuts the end, cue included: policy prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.preprocessing.prompts.truncation import (
    Counts,
    Cut,
    Limit,
    chars_of,
    documents_of,
    prefix,
    uncut_receipt,
)
from scrollwork.preprocessing.runs.blocks import Block, Shared, demonstrations, fill_block
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example
from scrollwork.records.prompt import Part

STEPS = 1 << 12  # documents are cut to multiples of 1 / STEPS of their length


@dataclass(frozen=True)
class Blocks:
    """How examples of a run become prompts. instructions: (text, output format) of each paraphrase.

    pool: demonstrations by name.
    """

    block: Block
    instructions: Sequence[tuple[str, str]]
    pool: Mapping[str, Example]
    _fronts: dict[str, tuple[Part, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def shared(self, example: Example) -> Shared:
        """Return what an example shares with its run."""
        facts = example.facts
        text, form = self.instructions[facts["instruction"]] if self.instructions else ("", "")
        if "{format}" in self.block.text and form.strip():  # one blank between them, as in the paper
            text, form = text.rstrip(), form.strip()
        shots = [self.pool[name] for name in facts["shots"]]
        order = facts["permutation"]
        return Shared(text, form, [(shot, self._order(shot, order)) for shot in shots])

    def _order(self, shot: Example, permutation: Sequence[int]) -> Sequence[int]:
        count = len(shot.document_ids)
        return [number for number in permutation if number < count] if self.block.ordered else range(count)

    def cut(self, example: Example, text_of: Callable[[str], str], counts: Counts | None, limit: Limit) -> Cut:
        """Return the prompt of an example, shortened if it has more tokens than the limit.

        The limit is without the answer, as everywhere (suites/parts.py). Raises ValueError if the prompt is too long
        even without any character of its documents.
        """
        shared = self.shared(example)
        facts = example.facts

        def length_of(document_id: str) -> int:
            return len(text_of(document_id))

        run = canonical_json([facts["instruction"], facts["shots"], facts["permutation"]])
        front = self._fronts.get(run) or demonstrations(self.block, shared, length_of)
        self._fronts[run] = front

        def of(share: int) -> tuple[Part, ...]:
            def keep(length: int) -> int:
                return length * share // STEPS

            return (*front, *fill_block(example, self.block, shared, length_of, target="", keep=keep))

        whole = of(STEPS)
        if counts is None:
            return uncut_receipt(whole)
        most = limit.tokens - counts.tokenizer.added
        fitting, total = counts.fits(whole, most)
        if fitting:
            if any(part.role == "mark" for part in whole):  # counted one by one, they would come to a quarter too much
                total = counts.exact(whole)
            return uncut_receipt(whole, counts.total(documents_of(whole)), total)
        if limit.policy == "prefix":
            return prefix(whole, text_of, counts, most)
        fits, none = counts.fits(of(0), most)
        if not fits:
            raise ValueError(
                f"{limit.tokens:,} tokens leave no room for the documents: instructions and demonstrations need "
                f"{none:,}"
            )
        low, high = 0, STEPS  # low fits, high does not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if counts.fits(of(middle), most)[0] else (low, middle)
        kept = of(low)
        dropped = tuple(self._dropped(example, length_of, low))
        return Cut(
            kept,
            counts.total(documents_of(whole)),
            counts.total(documents_of(kept)),
            counts.exact(kept),
            chars_of(kept),
            chars_of(dropped),
            dropped,
        )

    def columns(self, example: Example) -> Mapping[str, Any]:
        """Return no further fields."""
        return {}

    def _dropped(self, example: Example, length_of: Callable[[str], int], share: int) -> list[Part]:
        spans = [(name, length_of(name)) for name in example.document_ids]
        return [
            Part("document", None, name, length * share // STEPS, length)
            for name, length in spans
            if length * share // STEPS < length
        ]
