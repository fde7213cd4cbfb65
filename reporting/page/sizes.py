"""Data sets whole, before anything is drawn from them, beside table 1 of a suite's paper (SEAM)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.reporting.page.text import percent_off, pooled

MEASURES = ("documents", "tokens_in", "tokens_out")
WORDS = "words"  # counted by white space, where the tokenizer that is named below is not there


@dataclass(frozen=True)
class Sizes:
    """Splits of a data set, counted. whole: they are all that the suite lists. counted: (how many values, their mean)
    by measure. published: what the paper prints of the whole data set: samples and means."""

    task: str
    splits: tuple[str, ...]
    whole: bool
    tokenizer: str
    counted: Mapping[str, tuple[int, float | None]]
    published: Mapping[str, Any]

    @property
    def samples(self) -> int:
        """Examples; each has documents."""
        return self.counted["documents"][0]

    def mean(self, measure: str) -> float | None:
        """Over the examples of which it can be told."""
        return self.counted[measure][1]

    def difference(self, measure: str) -> float | None:
        """How far the mean lies from the paper's, in percent of it. Words are not held against tokens, nor some splits
        against all."""
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
    """Those of one split. known: all splits of the task. tokenizer: as `--tokenizer` names it."""
    found = {measure: counted[measure] for measure in MEASURES}
    return Sizes(task, (split,), {split} == set(known), tokenizer.removeprefix("tiktoken:"), found, published)


def together(listed: Sequence[Sizes], known: Sequence[str]) -> Sizes:
    """Splits of one task as one. known: all splits that it has."""
    counted: dict[str, tuple[int, float | None]] = {}
    for measure in MEASURES:
        pairs = [one.counted[measure] for one in listed]
        counted[measure] = (sum(number for number, _ in pairs), pooled(pairs))
    splits = tuple(split for one in listed for split in one.splits)
    first = listed[0]
    return Sizes(first.task, splits, set(splits) == set(known), first.tokenizer, counted, first.published)


def counted_by(tokenizer: str) -> str:
    """What the lengths are of, for people."""
    if tokenizer == WORDS:
        return (
            "white-space words, as cl100k_base is not on this machine, so they are not held against the paper's tokens"
        )
    return f"tokens of {tokenizer} (tiktoken)"


def title(one: Sizes) -> str:
    """Which splits these are."""
    return f"all: {', '.join(one.splits)}" if one.whole else ", ".join(one.splits)
