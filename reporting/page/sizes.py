"""Sizes of whole data sets, before runs draw from them, compared with table 1 of the suite's paper (SEAM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.reporting.page.text import percent_off, pooled

MEASURES = ("documents", "tokens_in", "tokens_out")
WORDS = "words"  # in place of a tokenizer: white-space words, if the tokenizer is not available


@dataclass(frozen=True)
class Sizes:
    """Sizes of some splits of a data set. whole: they are all splits that the suite lists. counted: (number of values,
    mean) by measure. published: what the paper prints for the whole data set: samples and means."""

    task: str
    splits: tuple[str, ...]
    whole: bool
    tokenizer: str
    counted: Mapping[str, tuple[int, float | None]]
    published: Mapping[str, Any]

    @property
    def samples(self) -> int:
        """Number of examples, each with several documents."""
        return self.counted["documents"][0]

    def mean(self, measure: str) -> float | None:
        """Mean over the examples for which the measure is known."""
        return self.counted[measure][1]

    def difference(self, measure: str) -> float | None:
        """Difference of the mean from the paper's, in percent of the paper's. None if words would be compared with
        tokens, or some splits with all."""
        if not self.whole or (measure != "documents" and self.tokenizer == WORDS):
            return None
        return percent_off(self.mean(measure), self.published.get(measure))

    def plain(self) -> dict[str, Any]:
        """As `build --json` prints it."""
        return {
            "splits": list(self.splits),
            "whole": self.whole,
            "tokenizer": self.tokenizer,
            "samples": self.samples,
            **{measure: self.mean(measure) for measure in MEASURES},
            "published": dict(self.published),
            "difference": {measure: self.difference(measure) for measure in MEASURES},
        }


def sizes_of(
    task: str,
    split: str,
    counted: Mapping[str, tuple[int, float | None]],
    tokenizer: str,
    known: Sequence[str],
    published: Mapping[str, Any],
) -> Sizes:
    """The sizes of one split. known: all splits of the task. tokenizer: as `--tokenizer` names it."""
    found = {measure: counted[measure] for measure in MEASURES}
    return Sizes(task, (split,), {split} == set(known), tokenizer.removeprefix("tiktoken:"), found, published)


def merge_splits(listed: Sequence[Sizes], known: Sequence[str]) -> Sizes:
    """The sizes of several splits of one task together. known: all splits of the task."""
    counted: dict[str, tuple[int, float | None]] = {}
    for measure in MEASURES:
        pairs = [one.counted[measure] for one in listed]
        counted[measure] = (sum(number for number, _ in pairs), pooled(pairs))
    splits = tuple(split for one in listed for split in one.splits)
    first = listed[0]
    return Sizes(first.task, splits, set(splits) == set(known), first.tokenizer, counted, first.published)


def counted_by(tokenizer: str) -> str:
    """What the lengths count, for people."""
    if tokenizer == WORDS:
        return (
            "white-space words, as cl100k_base is not on this machine, so they are not held against the paper's tokens"
        )
    return f"tokens of {tokenizer} (tiktoken)"


def title(one: Sizes) -> str:
    """Names of the splits, for people."""
    return f"all: {', '.join(one.splits)}" if one.whole else ", ".join(one.splits)
