"""Sentences and words of long documents of any kind: transcripts, scripts, books with lines of 70 characters, noise.

There is no trained splitter: a full stop, question mark or exclamation mark ends a sentence if a space, but no
lower-case letter, follows, and if it is not the stop of an initial or a common abbreviation. The time is linear in the
length of any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, as a set."""
    return frozenset(text.split())


WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
END = re.compile(r"(?<=[.!?…\"'”’)\]]) (?![a-z])")
BLANK_LINES = re.compile(r"\n[^\S\n]*\n")
CLOSING = "\"'”’)]"
ABBREVIATIONS = word_set(
    """
    mr mrs ms dr prof st sr jr vs etc eg ie al fig figs eq sec no vol ch pp dept est gen gov hon lt col capt
    sgt rev inc ltd co corp approx jan feb mar apr jun jul aug sep sept oct nov dec
    """
)
LONGEST_WORD = 60  # characters; anything longer is no word (a URL, a table, noise) and is not indexed
LONGEST_SENTENCE = 80  # words; longer sentences are cut, such as transcripts without full stops
WRAPPED = (90, 20)  # a text is wrapped if 98% of its lines have at most 90 characters, and it has at least 20


def sentences(text: str) -> list[str]:
    """Return the sentences in order, with single spaces as their white space; pieces without a word are left out."""
    return [
        piece
        for block in blocks(text)
        for sentence in split_block(" ".join(block.split()))
        for piece in cut(sentence)
        if WORD.search(piece)
    ]


def blocks(text: str) -> Iterator[str]:
    """Yield paragraphs. They are separated by blank lines, or by any line end unless the text is wrapped at a width."""
    lines = [len(line) for line in text.split("\n") if line.strip()]
    width, fewest = WRAPPED
    wrapped = len(lines) >= fewest and sorted(lines)[(len(lines) * 98) // 100] <= width
    yield from BLANK_LINES.split(text) if wrapped else text.split("\n")


def split_block(block: str) -> Iterator[str]:
    """Yield the sentences of a paragraph."""
    start = 0
    for match in END.finditer(block):
        if ends_sentence(block, match.start()):
            yield block[start : match.start()]
            start = match.end()
    yield block[start:]


def ends_sentence(block: str, place: int) -> bool:
    """Return whether the punctuation before the space at `place` ends a sentence."""
    last = place - 1
    while last > max(place - 4, 0) and block[last] in CLOSING:
        last -= 1
    if block[last] != ".":
        return block[last] in "!?…"
    begin = last
    while begin > max(last - 12, 0) and block[begin - 1].isalnum():
        begin -= 1
    word = block[begin:last]
    return not (len(word) == 1 and word.isupper()) and word.lower() not in ABBREVIATIONS


def cut(sentence: str) -> Iterator[str]:
    """Yield a sentence, in pieces of LONGEST_SENTENCE words if it is longer.

    Sentences of up to 4 * LONGEST_SENTENCE characters are never cut.
    """
    if len(sentence) <= 4 * LONGEST_SENTENCE:  # in characters, as this is faster than splitting each sentence
        yield sentence
        return
    tokens = sentence.split(" ")
    for start in range(0, len(tokens), LONGEST_SENTENCE):
        yield " ".join(tokens[start : start + LONGEST_SENTENCE])


def words(text: str) -> list[str]:
    """Return the words in lower case, without those that are too long to be words."""
    return [word for word in WORD.findall(text.lower()) if len(word) <= LONGEST_WORD]


def clip_to_words(chosen: Sequence[str], budget: int) -> list[str]:
    """Return the first sentences that together have at most `budget` white-space words.

    If not even the first fits, it is cut to the budget.
    """
    kept: list[str] = []
    left = budget
    for sentence in chosen:
        size = sentence.count(" ") + 1
        if size > left:
            break
        kept.append(sentence)
        left -= size
    return kept or [" ".join(sentence.split(" ")[:budget]) for sentence in chosen[:1]]
