"""The order of requests to hosted models: prompts that share a longer prefix of documents follow one another.

In the table of prompts, windows of a context are ordered by length, and documents that were cut for different questions
end at different positions. In this order each shorter one is a prefix of the next, and a provider's prefix cache hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from scrollwork.records.prompt import Part, Prompt

MOST = 20_000  # most prompts of one context that are held and sorted together; more are sorted in parts of this size


def in_prefix_order(prompts: Iterable[Prompt]) -> Iterator[tuple[int, Prompt]]:
    """Yield each prompt with its position in the table.

    Neighbours with the same first document are sorted by the spans that they show of their documents, the shorter of
    two spans with the same start first; other prompts keep their position.
    """
    for _, group in groupby(enumerate(prompts), key=lambda one: first_document(one[1])):
        while some := list(islice(group, MOST)):
            yield from sorted(some, key=lambda one: spans(one[1]))


def first_document(prompt: Prompt) -> str | None:
    """Return the id of a prompt's first document, None if it has no document."""
    return next((part.document_id for part in document_parts(prompt)), None)


def spans(prompt: Prompt) -> list[tuple[str, int, int]]:
    """Return the (document id, start, end) of each document span in a prompt."""
    return [(part.document_id or "", part.start or 0, part.end or 0) for part in document_parts(prompt)]


def document_parts(prompt: Prompt) -> Iterator[Part]:
    """Yield the parts of a prompt that are documents."""
    return (part for part in prompt.parts if part.role == "document")
