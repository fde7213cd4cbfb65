"""What the heuristics of SCROLLS take from training examples (section 6.1 of the fact sheet).

lead: rho, the mean over released rows (one a reference) of output / document characters; lead_input: the input with its
query in place of the document. The paper says "input"; its numbers come out with the document (fidelity.md#naive).
position: the most frequent place of the right option, by_query: the most frequent output of each query (ContractNLI:
its 17 hypotheses). Ties go to the first letter, or to the first in the alphabet: the paper names no rule.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.fitted import KINDS, Fitted

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class CannotFit(ValueError):
    """The examples do not say what the rule asks for."""


@dataclass(frozen=True)
class Case:
    """An example with the characters of its documents, and of its whole input with query and blank lines."""

    example: Example
    document_chars: int
    input_chars: int


def fit(kind: str, cases: Iterable[Case]) -> list[Fitted]:
    """The values of a rule. Raises CannotFit where no example has a reference, or an answer is no option."""
    known = [case for case in cases if case.example.references]
    if not known:
        raise CannotFit("no example has a reference")
    if kind in ("lead", "lead_input"):
        given = [case.document_chars if kind == "lead" else case.input_chars for case in known]
        ratios = [(n, len(text)) for n, case in zip(given, known, strict=True) for text in case.example.references]
        return [Fitted(kind, "", length_ratio(ratios), None, len(ratios), None)]
    if kind == "position":
        return [majority("position", "", [place(case.example) for case in known])]
    if kind == "by_query":
        outputs: dict[str, list[str]] = defaultdict(list)
        for case in known:
            outputs[case.example.query or ""] += case.example.references
        every = [output for found in outputs.values() for output in found]
        named = {query: found for query, found in outputs.items() if query}
        return [majority(kind, query, found) for query, found in [("", every), *sorted(named.items())]]
    raise CannotFit(f"{kind!r} is none of {', '.join(KINDS)}")


def length_ratio(pairs: Iterable[tuple[int, int]]) -> float:
    """SCROLLS' rho: the mean over training examples of output characters / input characters."""
    ratios = [output / given for given, output in pairs]
    return math.fsum(ratios) / len(ratios)


def majority(kind: str, query: str, answers: Sequence[str]) -> Fitted:
    """The most frequent answer; of equally frequent ones the first by its text."""
    counts = Counter(answers)
    answer, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return Fitted(kind, query, None, answer, len(answers), count / len(answers))


def place(example: Example) -> str:
    """The letter of the right option; references are letters or texts of options."""
    letters = LETTERS[: len(example.options)]
    reference = example.references[0]
    if reference in example.options:
        return letters[example.options.index(reference)]
    if len(reference) == 1 and reference in letters:
        return reference
    raise CannotFit(f"{example.example_id}: {reference[:60]!r} is none of its {len(example.options)} options")


def fitted_rule(rule: Mapping[str, Any], rows: Sequence[Fitted]) -> dict[str, Any]:
    """Return a rule {fit = KIND, ...} with the fitted values in place of `fit`."""
    rest = {name: value for name, value in rule.items() if name != "fit"}
    values = {row.query: row.choice if row.number is None else row.number for row in rows}
    if rule["fit"] == "by_query":
        return {**rest, "by_query": {query: value for query, value in values.items() if query}, "otherwise": values[""]}
    return {**rest, str(rule["fit"]): values[""]}
