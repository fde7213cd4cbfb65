"""The naive baselines of ZeroSCROLLS (section 3.3) and of SCROLLS (6.1): no key, no GPU.

A random choice depends on (seed, task, example) through a stable hash, so it is repeatable, and an example's answer
does not depend on which other examples are answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from scrollwork.models.base import Answer, Ask, Call
from scrollwork.models.baselines.choices import option_answer, options
from scrollwork.models.baselines.mentions import cluster_mentions
from scrollwork.models.baselines.ruled import Ruled
from scrollwork.records.stable_choice import stable_index


def make(name: str, table: Mapping[str, Any], revision: str) -> Baseline:
    """Make the baseline of a table of config/models.toml. revision: digest of its code."""
    return Baseline(name, table["rules"], int(table.get("seeds", 1)), table.get("seed"), revision)


class Baseline(Ruled):
    """A family with one member for each seed from 0 to `seeds` - 1.

    seed: for a single member, which has this seed; else None. stem: of a word; only models/baselines/heads.py has it.
    """

    provider = "baselines"
    stem: Callable[[str], str] | None = None

    def __init__(self, name: str, rules: Mapping[str, Any], seeds: int, seed: int | None, revision: str) -> None:
        super().__init__(name, rules, revision)
        chosen = range(seeds) if seed is None else [seed]
        base = name.partition(":")[0]
        self._seeds = {f"{base}:seed={number}": number for number in chosen}
        self.members = tuple(self._seeds)

    def payload(self, ask: Ask, member: str) -> Mapping[str, Any]:
        """Return what the answer depends on."""
        return {**self.depends_on(ask), "seed": self._seeds[member]}

    def answer(self, calls: Iterable[Call]) -> Iterator[Answer]:
        """Yield the answer to each call, in order."""
        for call in calls:
            seed = self._seeds[call.member]
            text = answer_by(self.rule(call.ask.task), call.ask, seed, self.stem)
            yield Answer(call.key, text, "complete", call.member)


def answer_by(rule: Mapping[str, Any], ask: Ask, seed: int, stem: Callable[[str], str] | None = None) -> str:
    """Return the answer of one rule.

    The rule has one of the keys span, fixed, any_of, sequence, clusters, lead, lead_input, position, by_query and
    guess. Raises ValueError for a rule `fit` that was not fitted, and for a way of clustering that does not exist.
    """
    if "any_of" in rule:
        rules = rule["any_of"]
        return answer_by(rules[stable_index(len(rules), seed, ask.task, ask.example_id, "rule")], ask, seed, stem)
    if "fixed" in rule:
        return str(rule["fixed"])
    if "lead" in rule:
        return lead(document_text(ask), float(rule["lead"]))
    if "lead_input" in rule:
        return lead(ask.prompt, float(rule["lead_input"]))
    if "position" in rule:
        return option_answer(ask.query, str(rule["position"]), str(rule.get("answer", "letter")))
    if "guess" in rule:
        letters = list(options(ask.query))
        letter = letters[stable_index(len(letters), seed, ask.task, ask.example_id, "guess")] if letters else ""
        return option_answer(ask.query, letter, str(rule["guess"]))
    if "by_query" in rule:
        return str(rule["by_query"].get(ask.query, rule["otherwise"]))
    if "fit" in rule:
        raise ValueError(f"task {ask.task!r}: the rule {dict(rule)} was not fitted")
    if "clusters" in rule:
        return cluster_mentions(ask.segments, str(rule["clusters"]), stem)
    if "sequence" in rule:
        return ", ".join(str(number) for number in range(1, ask.documents + 1))
    return span(document_text(ask), int(rule["span"]), seed, ask.task, ask.example_id)


def lead(text: str, rho: float) -> str:
    """Return SCROLLS' heuristic: the first rho x n characters of a text of n, rounded down (section 6.1)."""
    return text[: math.floor(rho * len(text) + 1e-9)]


def span(text: str, words: int, seed: int, task: str, example_id: str) -> str:
    """Return `words` contiguous white-space words from a uniformly random start, joined by single spaces.

    A text with no more words than that is returned whole.
    """
    tokens = split_words(text)
    if len(tokens) <= words:
        return " ".join(tokens)
    start = stable_index(len(tokens) - words + 1, seed, task, example_id, "span")
    return " ".join(tokens[start : start + words])


def document_text(ask: Ask) -> str:
    """Return the text of the documents as the prompt shows it, with a blank line between two documents."""
    return "\n\n".join(ask.documents_shown)


@lru_cache(maxsize=4)  # in a row, twenty seeds and several questions need the same document
def split_words(text: str) -> list[str]:
    """Return the white-space words of a text."""
    return text.split()
