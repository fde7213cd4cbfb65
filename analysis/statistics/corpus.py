"""A built task in numbers: lengths as counted in the papers' tables 1, histograms on shared bins, spread."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scrollwork.analysis.statistics.spread import Index
from scrollwork.records.example import Example
from scrollwork.records.gold import findable_answers, written_references
from scrollwork.records.statistics import Bin, Distribution, Spread

DECADE = 10  # bins per factor of ten
DECADES = 8
QUANTILES = (5, 25, 50, 75, 95)
HISTOGRAMS = ("words_in", "words_out", "spread")
OUTPUTS = ("references", "options", "query")


def bin_edges() -> tuple[int, ...]:
    """Return the edges of all histograms: 0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, ...: ten a decade, whole."""
    return tuple(sorted({0, *(round(10 ** (step / DECADE)) for step in range(DECADE * DECADES + 1))}))


EDGES = bin_edges()


@dataclass
class Corpus:
    """Values of each measure, in the order of the examples, and the spread of each pair of input and output."""

    values: dict[str, list[float]] = field(default_factory=dict)
    spreads: list[Spread] = field(default_factory=list)


def corpus(
    examples: Sequence[Example],
    words_in: Mapping[tuple[str, int], int],
    text_of: Callable[[str], str],
    *,
    output: str,
    kind: str,
    metric: str = "",
) -> Corpus:
    """Count everything about a task and split.

    words_in: white-space words of the whole prompt by example id and draw. output: what the spread is of: the
    references, the texts of the options that they name (answers that are letters), or the query (ContractNLI: the
    hypothesis). metric: of the task, where references are more than texts (scrollwork.records.gold). kind "qa":
    references are looked for in the documents. Examples on the same documents share one index. Raises ValueError for
    another `output`, KeyError for an example without prompt.
    """
    if output not in OUTPUTS:
        raise ValueError(f"{output!r} is none of {', '.join(OUTPUTS)}")
    found = Corpus({name: [] for name in ("words_in", "words_document", "words_out", "references", "spread")})
    if kind == "qa":
        found.values["in_document"] = []
    spreads: dict[int, list[Spread]] = {}
    held: dict[int, list[float]] = {}
    document_words: dict[int, int] = {}
    for document_ids, places in documents_with_places(examples):
        texts = [text_of(document_id) for document_id in document_ids]
        index = Index(texts)
        count = sum(len(text.split()) for text in texts)
        for place in places:
            example = examples[place]
            document_words[place] = count
            spreads[place] = [
                spread_row(example, number, text, index) for number, text in outputs(example, output, metric)
            ]
            held[place] = [float(index.holds(one)) for one in answers(example, output, metric)] if kind == "qa" else []
    for place, example in enumerate(examples):
        found.values["words_in"].append(words_in[example.example_id, example.draw])
        found.values["words_document"].append(document_words[place])
        found.values["words_out"] += [len(text.split()) for text in written_references(example, metric)]
        found.values["references"].append(len(example.references))
        found.spreads += spreads[place]
        if kind == "qa":
            found.values["in_document"] += held[place]
    found.values["spread"] = [row.spread for row in found.spreads if row.spread is not None]
    return found


def documents_with_places(examples: Sequence[Example]) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Yield documents in the order of their first example, with the places of all examples on them."""
    places: dict[tuple[str, ...], list[int]] = {}
    for place, example in enumerate(examples):
        places.setdefault(example.document_ids, []).append(place)
    yield from places.items()


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
