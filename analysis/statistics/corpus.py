"""A built task in numbers: lengths as counted in the papers' tables 1, histograms on shared bins, spread."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from scrollwork.analysis.statistics.spread import Index
from scrollwork.records.example import Example
from scrollwork.records.gold import findable_answers, written_references
from scrollwork.records.statistics import Bin, Distribution, Spread
from scrollwork.records.words import words_in

DECADE = 10  # bins per factor of ten
DECADES = 8
QUANTILES = (5, 25, 50, 75, 95)
HISTOGRAMS = ("words_in", "words_out", "spread")
OUTPUTS = ("references", "options", "query")
KEPT_WORDS = 200_000  # of the documents whose indices are kept; about 40 MB


def bin_edges() -> tuple[int, ...]:
    """Return the edges of all histograms: 0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, ...: ten a decade, whole."""
    return tuple(sorted({0, *(round(10 ** (step / DECADE)) for step in range(DECADE * DECADES + 1))}))


EDGES = bin_edges()


class PromptWords(Protocol):
    """White-space words of whole prompts. Raises KeyError for an example without a prompt."""

    def __getitem__(self, name: tuple[str, int], /) -> int:
        """Return those of an example, by its id and draw."""


@dataclass
class Corpus:
    """Values of each measure, in the order of the examples, 8 bytes each; the spread of each pair of input and output,
    unless they were handed over one by one."""

    values: dict[str, array[float]] = field(default_factory=dict)
    spreads: list[Spread] = field(default_factory=list)


def corpus(
    examples: Iterable[Example],
    words_in: PromptWords,
    text_of: Callable[[str], str],
    *,
    output: str,
    kind: str,
    metric: str = "",
    hand_over: Callable[[Spread], None] | None = None,
) -> Corpus:
    """Count everything about a task and split. Examples are read once and not kept.

    words_in: by example id and draw. output: what the spread is of: the references, the texts of the options that they
    name (answers that are letters), or the query (ContractNLI: the hypothesis). metric: of the task, where references
    are more than texts (scrollwork.records.gold). kind "qa": references are looked for in the documents. hand_over:
    takes each spread in place of the list. Raises ValueError for another `output`, KeyError for an example without
    prompt.
    """
    if output not in OUTPUTS:
        raise ValueError(f"{output!r} is none of {', '.join(OUTPUTS)}")
    measures = ("words_in", "words_document", "words_out", "references", "spread", *(["in_document"] * (kind == "qa")))
    found = Corpus({name: array("d") for name in measures})
    values, add = found.values, hand_over or found.spreads.append
    indexed = Indexed(text_of)
    for example in examples:
        index, count = indexed.of(example.document_ids)
        values["words_in"].append(words_in[example.example_id, example.draw])
        values["words_document"].append(count)
        values["words_out"].extend(len(text.split()) for text in written_references(example, metric))
        values["references"].append(len(example.references))
        for number, text in outputs(example, output, metric):
            row = spread_row(example, number, text, index)
            if row.spread is not None:
                values["spread"].append(row.spread)
            add(row)
        if kind == "qa":
            values["in_document"].extend(float(index.holds(one)) for one in answers(example, output, metric))
    return found


class Indexed:
    """The indices of the last documents, which the next examples may be on too: up to `KEPT_WORDS` in all, or one."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self._text_of = text_of
        self._kept: OrderedDict[tuple[str, ...], tuple[Index, int]] = OrderedDict()
        self._words = 0

    def of(self, document_ids: tuple[str, ...]) -> tuple[Index, int]:
        """Return (the index of these documents in this order, their number of white-space words)."""
        if document_ids in self._kept:
            self._kept.move_to_end(document_ids)
            return self._kept[document_ids]
        texts = [self._text_of(one) for one in document_ids]
        made = Index(texts), sum(words_in(text.encode("utf-8")) for text in texts)
        self._words += made[0].words
        while self._kept and self._words > KEPT_WORDS:
            self._words -= self._kept.popitem(last=False)[1][0].words
        self._kept[document_ids] = made
        return made


def outputs(example: Example, output: str, metric: str = "") -> Iterator[tuple[int | None, str]]:
    """Yield (place among the references, text) of everything whose spread is measured."""
    if output == "query":
        yield None, example.query or ""
    else:
        yield from enumerate(answers(example, output, metric))


def answers(example: Example, output: str, metric: str = "") -> list[str]:
    """Return the references, or the options' texts if they are letters of options."""
    if output != "options":
        return list(findable_answers(example, metric))
    letters = {chr(ord("A") + number): text for number, text in enumerate(example.options)}
    return [letters.get(reference, reference) for reference in example.references]


def spread_row(example: Example, number: int | None, text: str, index: Index) -> Spread:
    """Make the row of one pair."""
    found = index.find(text)
    return Spread(
        suite=example.suite,
        task=example.task,
        split=example.split,
        example_id=example.example_id,
        reference=number,
        bigrams=found.bigrams,
        found=len(found.positions),
        spread=found.spread,
    )


def distributions(found: Corpus, suite: str, task: str, split: str) -> Iterator[Distribution]:
    """Yield one row per measure."""
    for measure, values in found.values.items():
        if not values:
            yield Distribution(suite, task, split, measure, 0)
            continue
        numbers = np.asarray(values, dtype=np.float64)
        p5, q1, median, q3, p95 = (float(value) for value in np.percentile(numbers, QUANTILES))
        ends = float(numbers.min()), float(numbers.max())
        yield Distribution(
            suite, task, split, measure, len(values), float(numbers.mean()), ends[0], p5, q1, median, q3, p95, ends[1]
        )


def histograms(found: Corpus, suite: str, task: str, split: str) -> Iterator[Bin]:
    """Yield the bins that are not empty, in order; every value is in exactly one."""
    for measure in HISTOGRAMS:
        for low, high, count in histogram(found.values[measure]):
            yield Bin(suite, task, split, measure, low, high, count)


def histogram(values: Iterable[float]) -> list[tuple[int, int, int]]:
    """Return (low, high, count) of each bin with low <= value < high; the last bin takes all values beyond it."""
    counts = Counter(min(bisect_right(EDGES, value) - 1, len(EDGES) - 2) for value in values)
    return [(EDGES[place], EDGES[place + 1], counts[place]) for place in sorted(counts)]
