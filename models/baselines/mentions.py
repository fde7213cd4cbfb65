"""Coreference without a model: mentions as a prompt marks them, `[text](id)`, put into clusters by a rule.

singletons: each alone. one: all in one. head: those whose heads have one stem, as the head-lemma baseline of
cross-document coreference does with a parser and a lemmatizer; here the head is the last word without a following
phrase, its stem Porter's (docs/fidelity.md#seam).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from scrollwork.models.base import Segment

CLOSES = re.compile(r"\]\((\d+)\)")
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
PHRASE = {"about", "against", "at", "by", "for", "from", "in", "into", "of", "off", "on", "out", "over", "to", "up"}
PHRASE |= {"with", "the", "a", "an"}
WAYS = ("singletons", "one", "head")


def mentions(segments: Sequence[Segment]) -> list[tuple[int, str]]:
    """(id, text) of every mention of the instance, in the order in which they end; those of demonstrations are none."""
    found: list[tuple[int, str]] = []
    opened: list[list[str]] = []
    for segment in segments:
        if segment.role == "mark":
            closes = CLOSES.fullmatch(segment.text)
            if closes is None:
                opened.append([])
            elif opened:
                found.append((int(closes[1]), "".join(opened.pop())))
        elif segment.role == "document":
            for text in opened:
                text.append(segment.text)
        else:
            opened = []
    return found


def cluster_mentions(segments: Sequence[Segment], way: str) -> str:
    """The clusters as the prompt asks for them, a list of lists of ids. way: one of WAYS. Raises ValueError."""
    marked = mentions(segments)
    if way == "singletons":
        clusters = [[name] for name, _ in marked]
    elif way == "one":
        clusters = [[name for name, _ in marked]] if marked else []
    elif way == "head":
        by_head: dict[str, list[int]] = {}
        for name, text in marked:
            by_head.setdefault(stem(head(text)), []).append(name)
        clusters = list(by_head.values())
    else:
        raise ValueError(f"clusters = {way!r} is none of {', '.join(WAYS)}")
    return str(clusters)


def head(text: str) -> str:
    """The last word before a preposition or article, in lower case; the first word where one begins with it."""
    words: list[str] = [word.lower() for word in WORD.findall(text)] or [text.strip().lower()]
    for number, word in enumerate(words):
        if word in PHRASE and number:
            return words[number - 1]
    return words[-1]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Porter's stem."""
    from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]

    return str(PorterStemmer().stem(word))
