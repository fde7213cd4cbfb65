"""What the heuristics of SCROLLS learn from training examples (section 6.1 of the fact sheet).

lead: rho, the mean of output / document characters over released rows (one for each reference). lead_input: the same,
with the whole input, query included, in place of the document. The paper says "input", but its numbers come out with
the document (fidelity.md#naive). position: the most frequent position of the right option. by_query: the most frequent
output for each query (ContractNLI: its 17 hypotheses). Ties go to the first letter, or to the first output in
alphabetical order: the paper names no rule.
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
    """The examples do not hold what the rule needs."""


@dataclass(frozen=True)
class Case:
    """An example, with the number of characters of its documents, and of its whole input with query and blank lines."""

    example: Example
    document_chars: int
    input_chars: int


def fit(kind: str, cases: Iterable[Case]) -> list[Fitted]:
    """Fit a rule to examples and return its values. kind: one of KINDS. Examples without references are left out.

    There is one value, but with by_query one for all examples (query "") and one for each query. Raises CannotFit if no
    example has a reference, a text is empty, an answer is none of the options, or the kind is unknown.
    """
    known = [case for case in cases if case.example.references]
    if not known:
        raise CannotFit("no example has a reference")
    if kind in ("lead", "lead_input"):
        given = [case.document_chars if kind == "lead" else case.input_chars for case in known]
        empty = [case.example.example_id for n, case in zip(given, known, strict=True) if not n]
        if empty:
            raise CannotFit(f"{empty[0]}: its documents hold no character, so no output can be measured against them")
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
    """Return SCROLLS' rho, the mean of output / input characters. pairs: at least one (input, output) in characters."""
    ratios = [output / given for given, output in pairs]
    return math.fsum(ratios) / len(ratios)


def majority(kind: str, query: str, answers: Sequence[str]) -> Fitted:
    """Return the most frequent answer as a fitted value; ties go to the first answer in alphabetical order."""
    counts = Counter(answers)
    answer, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return Fitted(kind, query, None, answer, len(answers), count / len(answers))


def place(example: Example) -> str:
    """Return the letter of the right option, which the first reference names by its text or its letter.

    Raises CannotFit if it names none of the options.
    """
    letters = LETTERS[: len(example.options)]
    reference = example.references[0]
    if reference in example.options:
        return letters[example.options.index(reference)]
    if len(reference) == 1 and reference in letters:
        return reference
    raise CannotFit(f"{example.example_id}: {reference[:60]!r} is none of its {len(example.options)} options")


def fitted_rule(rule: Mapping[str, Any], rows: Sequence[Fitted]) -> dict[str, Any]:
    """Return the rule {fit = KIND, ...} with the fitted values in place of `fit`."""
    rest = {name: value for name, value in rule.items() if name != "fit"}
    values = {row.query: row.choice if row.number is None else row.number for row in rows}
    if rule["fit"] == "by_query":
        return {**rest, "by_query": {query: value for query, value in values.items() if query}, "otherwise": values[""]}
    return {**rest, str(rule["fit"]): values[""]}
