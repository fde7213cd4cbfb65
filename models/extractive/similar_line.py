"""The line of a text that is most similar to another line, and what that tells: who says such things, what follows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from scrollwork.models.extractive.document_index import Floats, Index, ranking
from scrollwork.models.extractive.sentences import words

SPEAKER = re.compile(r"(?:said by ([^\n\"]{1,80})|^([^\W\d_][^:\n\"]{0,80}):.*)$")
CUE = re.compile(r"\bsaid by\s*$")
TYPE = "Type:"


def lines_of(documents: Sequence[str]) -> list[str]:
    """Return the lines that are not blank, without white space at their ends."""
    return [line.rstrip() for text in documents for line in text.split("\n") if line.strip()]


def fit(lines: Sequence[str], target: str) -> Floats:
    """Return the BM25 score of each line for a target."""
    return Index([words(line) for line in lines]).bm25(words(target))


def speaker(documents: Sequence[str], query: str) -> str:
    """Return who would say the last sentence of a dialogue: the speaker whose lines fit it best, by the sum of scores.

    Ties, and a sentence that no line fits, go to who speaks first. "" if no line has a speaker.
    """
    said = [(line, match) for line in lines_of(documents) if (match := SPEAKER.search(line))]
    texts = [line[: match.start(1)] if match[1] else line[match.end(2) :] for line, match in said]
    scores = fit(texts, CUE.sub("", query))
    found: dict[str, float] = defaultdict(float)
    for (_, match), score in zip(said, scores, strict=True):
        found[(match[1] or match[2]).strip()] += float(score)
    return max(found, key=lambda name: round(found[name], 6)) if found else ""


def line_after(documents: Sequence[str], query: str) -> str:
    """Return the line after the one that is most similar to the query's last line; of equally similar lines the last.

    If the query is empty, the text's own last line is compared with the lines before it. A leading "Type:" is removed.
    If no line follows, it is the similar line itself; "" for a text without lines.
    """
    lines = lines_of(documents)
    asked = lines_of([query])
    if not asked:
        lines, asked = lines[:-1], lines[-1:]
    if not lines:
        return ""
    backwards = fit(lines[::-1], asked[-1])
    best = len(lines) - 1 - ranking(backwards)[0]
    return lines[min(best + 1, len(lines) - 1)].strip().removeprefix(TYPE).strip()
