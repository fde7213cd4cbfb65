"""Numbered paragraphs ("Paragraph 3: ..."): which one a text belongs to, how many differ (two tasks of LongBench)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scrollwork.models.extractive.document_index import Index, ranking
from scrollwork.models.extractive.sentences import words

HEAD = re.compile(r"^Paragraph ([0-9]{1,9}): ?", re.MULTILINE)


def paragraphs(documents: Iterable[str]) -> dict[str, str]:
    """Return the paragraphs' texts by number, in order. Text before the first heading is left out.

    If a number occurs twice, the first one counts.
    """
    found: dict[str, str] = {}
    for text in documents:
        heads = list(HEAD.finditer(text))
        ends = [*(head.start() for head in heads[1:]), len(text)][: len(heads)]
        for head, end in zip(heads, ends, strict=True):
            found.setdefault(head[1], text[head.end() : end].strip())
    return found


def most_similar_paragraph(documents: Iterable[str], query: str) -> str:
    """Return the paragraph that fits the query best by BM25, such as "Paragraph 7".

    Ties go to the first. "" if there are no paragraphs.
    """
    found = paragraphs(documents)
    if not found:
        return ""
    scores = Index([words(text) for text in found.values()]).bm25(words(query))
    return f"Paragraph {list(found)[ranking(scores)[0]]}"


def count_distinct(documents: Iterable[str]) -> str:
    """Return the number of different paragraphs; differences in white space do not count."""
    return str(len({" ".join(text.split()) for text in paragraphs(documents).values()}))
