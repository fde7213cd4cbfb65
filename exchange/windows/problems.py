"""Problems with their whole contexts, out of a sample that has a row for each window (`sw.dataset`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scrollwork.preprocessing.windows.prompt_template import WINDOW
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example


def inputs_of(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield the first row of each problem, in order, as it is without a window; draw is 0."""
    seen: set[str] = set()
    for example in examples:
        if example.example_id not in seen:
            seen.add(example.example_id)
            facts = {name: fact for name, fact in example.facts.items() if name != WINDOW}
            yield replace(example, draw=0, metadata=canonical_json(facts))
