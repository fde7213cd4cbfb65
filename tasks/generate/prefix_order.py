"""The order of requests to hosted models: prompts that share a longer prefix follow one another.

In the table of prompts, windows of a context are ordered by length, and documents that were cut for different questions
end at different positions. In this order each shorter one is a prefix of the next, and a provider's prefix cache hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from scrollwork.records.prompt import Part, Prompt

MOST = 20_000  # most prompts that are held and sorted together; a longer table is sorted in parts of this size


def in_prefix_order(prompts: Iterable[Prompt]) -> Iterator[tuple[int, Prompt]]:
    """Yield each prompt with its position in the table.

    Prompts with the same text before their documents follow the first of them, wherever they stand in the table; so do,
    among these, those with the same first document. They are sorted by the spans that they show of their documents, the
    shorter of two spans with the same start first.
    """
    numbered = enumerate(prompts)
    while some := list(islice(numbered, MOST)):
        fronts: dict[int, int] = {}
        documents: dict[tuple[int, str | None], int] = {}
        ordered = []
        for number, prompt in some:
            front = front_hash(prompt)
            document = (front, first_document(prompt))
            place = fronts.setdefault(front, len(fronts)), documents.setdefault(document, len(documents))
            ordered.append((place, spans(prompt), number, prompt))
        ordered.sort(key=lambda one: one[:3])
        yield from ((number, prompt) for _, _, number, prompt in ordered)
        del some, ordered  # before the next part is read


def front_hash(prompt: Prompt) -> int:
    """Return a hash of the text before a prompt's first document; of all of its text if it has no document."""
    return hash(tuple(part.text for part in takewhile(lambda part: part.role != "document", prompt.parts)))


def first_document(prompt: Prompt) -> str | None:
    """Return the id of a prompt's first document, None if it has no document."""
    return next((part.document_id for part in document_parts(prompt)), None)


def spans(prompt: Prompt) -> list[tuple[str, int, int]]:
    """Return the (document id, start, end) of each document span in a prompt."""
    return [(part.document_id or "", part.start or 0, part.end or 0) for part in document_parts(prompt)]


def document_parts(prompt: Prompt) -> Iterator[Part]:
    """Yield the parts of a prompt that are documents."""
    return (part for part in prompt.parts if part.role == "document")
