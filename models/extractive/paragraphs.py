"""Numbered paragraphs ("Paragraph 3: ..."): which one a text is of, and how many differ (LongBench's two tasks)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrollwork.models.extractive.document_index import Index, ranking
from scrollwork.models.extractive.sentences import words

HEAD = re.compile(r"^Paragraph ([0-9]{1,9}): ?", re.MULTILINE)


def paragraphs(documents: Iterable[str]) -> dict[str, str]:
    """Texts by number, in the order in which they stand; what stands before the first is none. Of a number that
    stands twice, the first."""
    found: dict[str, str] = {}
    for text in documents:
        heads = list(HEAD.finditer(text))
        ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
        for head, end in zip(heads, ends, strict=True):
            found.setdefault(head[1], text[head.end() : end].strip())
    return found


def most_similar_paragraph(documents: Iterable[str], query: str) -> str:
    """ "Paragraph 7": the paragraph that fits the query best by BM25, of equal ones the first; "" without any."""
    found = paragraphs(documents)
    if not found:
        return ""
    scores = Index([words(text) for text in found.values()]).bm25(words(query))
    return f"Paragraph {list(found)[ranking(scores)[0]]}"


def count_distinct(documents: Iterable[str]) -> str:
    """How many paragraphs there are, each text counted once, white space aside."""
    return str(len({" ".join(text.split()) for text in paragraphs(documents).values()}))
