"""Choose among examples in memory, as stage sample does among stored ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from scrollwork.preprocessing.sampling import HEAD, Head, Policy
from scrollwork.records.example import Example


def heads(examples: Iterable[Example]) -> Iterator[Head]:
    """What a choice depends on."""
    return (tuple(getattr(one, name) for name in HEAD) for one in examples)  # type: ignore[misc]


def choose(examples: Iterable[Example], *, suite: str, **policy: Any) -> Iterator[Example]:
    """The chosen examples in their order, labelled with the suite. policy: fields of `Policy`."""
    taken = {one.place for one in Policy(**policy).choice(heads(examples))}
    return (replace(one, suite=suite) for place, one in enumerate(examples) if place in taken)
