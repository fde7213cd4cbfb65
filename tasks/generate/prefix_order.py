"""The order in which hosted models are asked: prompts that begin with more of the same documents one behind the other.

Windows of a context stand in their table by length, and documents that were cut for different questions end at
different places: in this order each shorter one is what the next begins with, and a provider's cache gives it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from scrollwork.records.prompt import Part, Prompt

MOST = 20_000  # prompts of one context that are held to be put in order; of more each so many by themselves


def in_prefix_order(prompts: Iterable[Prompt]) -> Iterator[tuple[int, Prompt]]:
    """Yield each prompt with its place in the table. Those whose first document is the same are put in order by the
    spans that they show of their documents, the shorter of two from the same place first; others stay where they
    are."""
    for _, group in groupby(enumerate(prompts), key=lambda one: first_document(one[1])):
        while some := list(islice(group, MOST)):
            yield from sorted(some, key=lambda one: spans(one[1]))


def first_document(prompt: Prompt) -> str | None:
    """Return which document a prompt begins with; None without one."""
    return next((part.document_id for part in document_parts(prompt)), None)


def spans(prompt: Prompt) -> list[tuple[str, int, int]]:
    """Return what a prompt shows of its documents."""
    return [(part.document_id or "", part.start or 0, part.end or 0) for part in document_parts(prompt)]


def document_parts(prompt: Prompt) -> Iterator[Part]:
    """Yield the parts that are documents."""
    return (part for part in prompt.parts if part.role == "document")
