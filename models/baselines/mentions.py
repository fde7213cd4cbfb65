"""Coreference without a model: a rule puts the mentions that a prompt marks as `[text](id)` into clusters.

singletons: each mention alone. one: all mentions in one cluster. head: mentions whose heads have the same stem. This
follows the head-lemma baseline of cross-document coreference, which uses a parser and a lemmatizer; here the head is
the last word before a following phrase, and the stem is Porter's (docs/fidelity.md#seam).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scrollwork.models.base import Segment

CLOSES = re.compile(r"\]\((\d+)\)")
WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
PHRASE = {"about", "against", "at", "by", "for", "from", "in", "into", "of", "off", "on", "out", "over", "to", "up"}
PHRASE |= {"with", "the", "a", "an"}
HEAD = "head"
WAYS = ("singletons", "one", HEAD)


def mentions(segments: Sequence[Segment]) -> list[tuple[int, str]]:
    """Return (id, text) of every mention in the documents, in the order in which the mentions end.

    Those of demonstrations are not included: their segments have another role.
    """
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


def cluster_mentions(segments: Sequence[Segment], way: str, stem: Callable[[str], str] | None = None) -> str:
    """Return the clusters in the form that the prompt asks for, a list of lists of ids, as text.

    way: one of WAYS. stem: of a word, which the way "head" needs. Raises ValueError for another way, or without it.
    """
    marked = mentions(segments)
    if way == "singletons":
        clusters = [[name] for name, _ in marked]
    elif way == "one":
        clusters = [[name for name, _ in marked]] if marked else []
    elif way == HEAD and stem is not None:
        by_head: dict[str, list[int]] = {}
        for name, text in marked:
            by_head.setdefault(stem(head(text)), []).append(name)
        clusters = list(by_head.values())
    else:
        raise ValueError(f"clusters = {way!r} is none of {', '.join(WAYS)}")
    return str(clusters)


def head(text: str) -> str:
    """Return the word before the first preposition or article that is not the first word, else the last word.

    It is in lower case. A text without words is returned whole.
    """
    words: list[str] = [word.lower() for word in WORD.findall(text)] or [text.strip().lower()]
    for number, word in enumerate(words):
        if word in PHRASE and number:
            return words[number - 1]
    return words[-1]
