"""A short answer to a question: a span of the best sentences by BM25 that fits the kind of the question.

The question's own words give the kind: a yes/no question, a name (who, where), a number (how many, when), else a
phrase. Names are runs of capitalised words, numbers include the units and dates around them, and a phrase is the words
of the best sentence that follow or precede the question's own words. There is no training and no tagger.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from scrollwork.models.extractive.document_index import STOP, Floats, Text, ranking, stem
from scrollwork.models.extractive.passages import passages_of, relevance
from scrollwork.models.extractive.sentences import word_set, words

LOOKED_AT = 10  # best sentences that are searched for names and numbers
BRIDGES = 3  # best sentences of the first hop, whose names lead to the second hop
AUXILIARY = word_set(
    """
    is are was were am do does did has have had can could will would shall should may might must
    """
)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
NAME = re.compile(
    r"[A-ZÀ-Þ][\w’'.-]*(?: (?:(?:of|the|de|la|van|von|and|for|du|del|di|al|&) ){0,2}[A-ZÀ-Þ0-9][\w’'.-]*)*"
)
NUMBER = re.compile(
    rf"(?:\d{{1,2}} )?\b(?:{MONTHS})\b(?: \d{{1,2}}\b,?)?(?: \d{{4}}\b)?"
    r"|[$€£]?\d[\d,.]*(?: ?%| (?:percent|million|billion|thousand)\b)?"
)
QUANTITY = re.compile(r"\d[\d,.]*")
PATTERNS = {"number": NUMBER, "quantity": QUANTITY, "name": NAME}
ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|old|long|far|large|big|tall|often)|when|which year"
    r"|what (?:year|date|day|month|size|percentage|number))\b"
)
ASKS_NAME = re.compile(
    r"\b(?:who|whom|whose|where|which"
    r"|what (?:\w+ ){0,2}(?:name|country|city|state|county|place|language|company|river|band|team))\b"
)


def answer(text: Text, question: str, longest: int, *, yes_no: bool = False, hops: int = 1, kind: str = "") -> str:
    """Return a span of at most `longest` words; "" for a text without words.

    yes_no: answer a yes/no question with "Yes". hops: with 2, the other documents are searched for names in the best
    sentences, and for the words of the question that the best document does not contain. kind: of the answer, in place
    of the one that the question's words give: number, quantity (digits only) or name.
    """
    asked = words(question)
    if yes_no and asked and asked[0] in AUXILIARY:
        return "Yes"
    if not text.sentences:
        return ""
    scores = relevance(text, passages_of(text), asked)
    if hops > 1:
        scores, bridge = second_hop(text, scores, asked)
        asked = [*asked, *bridge]
    return best_candidate(text, scores, asked, kind or kind_of(question), longest) or phrase(
        text, ranking(scores)[0], asked, longest
    )


def kind_of(question: str) -> str:
    """Return the kind of a question: number, name or phrase."""
    asked = question.lower()
    number, name = ASKS_NUMBER.search(asked), ASKS_NAME.search(asked)
    if number and (not name or number.start() < name.start()):
        return "number"
    return "name" if name else "phrase"


def second_hop(text: Text, scores: Floats, asked: Sequence[str]) -> tuple[Floats, list[str]]:
    """Return (relevance of each sentence for the second hop, words of the names that lead to it).

    It is the relevance for the words of the question that the best document does not contain, plus that for the names
    in its best sentences; 0 in that document itself. If all of it is 0, return (scores, []).
    """
    ranked = ranking(scores)
    document = np.array(text.document)
    first = document == document[ranked[0]]
    said = {stem(word) for place in np.flatnonzero(first) for word in text.words[place]}
    own = {stem(word) for word in asked}
    best = [place for place in ranked if first[place]][:BRIDGES]
    names = [word for place in best for match in NAME.finditer(text.sentences[place]) for word in words(match[0])]
    bridge = [word for word in dict.fromkeys(names) if stem(word) not in own]
    left = [word for word in asked if stem(word) not in said]
    found = relevance(text, passages_of(text), left) + relevance(text, passages_of(text), bridge)
    found[first] = 0.0
    return (found, bridge) if found.any() else (scores, [])


def best_candidate(text: Text, scores: Floats, asked: Sequence[str], kind: str, longest: int) -> str:
    """Return the span of a kind with the most support in the best sentences; "" if there is none, or for a phrase.

    Each occurrence adds its sentence's score, divided by the sentence's rank. At least half of a span's words must be
    new: neither words of the question (asked) nor stop words.
    """
    if kind == "phrase":
        return ""
    own = {stem(word) for word in asked}
    support: dict[str, float] = defaultdict(float)
    first: dict[str, str] = {}
    pattern = PATTERNS[kind]
    for place, number in enumerate(ranking(scores)[:LOOKED_AT]):
        for match in pattern.finditer(text.sentences[number]):
            said = match[0].strip(" .,-'’")
            tokens = words(said)
            fresh = [token for token in tokens if stem(token) not in own and token not in STOP]
            if fresh and 2 * len(fresh) >= len(tokens) and said.count(" ") < longest:
                key = " ".join(tokens)
                first.setdefault(key, said)
                support[key] += round(float(scores[number]) / (1 + place), 6)
    return first[max(support, key=lambda key: support[key])] if support else ""


def phrase(text: Text, number: int, asked: Sequence[str], longest: int) -> str:
    """Return `longest` words of sentence `number`: those after the question's words, or those before if more are there.

    If fewer follow, the span begins earlier (on the questions of fidelity.md#baselines this scores 15.2, without it
    14.7).
    """
    tokens = text.sentences[number].split(" ")
    own = {stem(word) for word in asked if word not in STOP}
    held = [place for place, token in enumerate(tokens) if own.intersection(map(stem, words(token)))]
    start = held[-1] + 1 if held else 0
    if held and len(tokens) - start < min(longest, held[0]):
        start = held[0] - longest
    start = max(0, min(start, len(tokens) - longest))
    return " ".join(tokens[start : start + longest]).strip(" .,;:")
