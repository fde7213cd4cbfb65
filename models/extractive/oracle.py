"""Extractive oracles: what the best choice of the document's own words would score. They read the references.

No model competes with them; they show how far extraction can go (Nallapati et al. 2017 choose sentences in this way).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scrollwork.models.extractive.document_index import Text

ROUGE_WORD = re.compile(r"[a-z0-9]+")  # the words that rouge_score compares
ARTICLES = frozenset(("a", "an", "the"))
PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
MOST_SENTENCES = 60
CANDIDATES = 2000  # sentences that share most n-grams with the reference; the others are ignored
LONGEST_SPAN = 60  # words

Counts = NDArray[np.float32]


def sentences_for(text: Text, references: Sequence[str]) -> str:
    """Return sentences in the order of the text, one a line, chosen greedily by ROUGE-1 + ROUGE-2 F for a reference.

    It is the reference that gives the highest score. "" if none shares a word with the text.
    """
    tokens = [ROUGE_WORD.findall(sentence.lower()) for sentence in text.sentences]
    best, chosen = 0.0, list[int]()
    for reference in references:
        score, found = greedy(tokens, ROUGE_WORD.findall(reference.lower()))
        if score > best + 1e-9:
            best, chosen = score, found
    return "\n".join(text.sentences[number] for number in chosen)


def greedy(sentences: Sequence[Sequence[str]], reference: Sequence[str]) -> tuple[float, list[int]]:
    """Return (score, sentence numbers in order), where the score is ROUGE-1 F + ROUGE-2 F, from 0 to 2.

    Each step adds the sentence that raises the score most, until none does or there are MOST_SENTENCES. Only n-grams of
    the reference are counted.
    """
    goal = Counter[tuple[str, ...]]((word,) for word in reference)
    pairs = Counter[tuple[str, ...]](pairwise(reference))
    column = {gram: number for number, gram in enumerate([*goal, *pairs])}
    wanted = np.array([*goal.values(), *pairs.values()], dtype=np.float32)
    single = np.arange(len(column)) < len(goal)
    shared = [
        [place for gram in [*((word,) for word in one), *pairwise(one)] if (place := column.get(gram)) is not None]
        for one in sentences
    ]
    order = sorted(range(len(sentences)), key=lambda number: (-len(shared[number]), number))
    rows = sorted(number for number in order[:CANDIDATES] if shared[number])
    if not rows:
        return 0.0, []
    counts: Counts = np.zeros((len(rows), len(column)), dtype=np.float32)
    for row, number in enumerate(rows):
        np.add.at(counts[row], shared[number], 1)
    lengths = np.array([len(sentences[number]) for number in rows], dtype=np.float64)
    have = np.zeros(len(column), dtype=np.float32)
    words, score, chosen = 0.0, 0.0, list[int]()
    while len(chosen) < min(MOST_SENTENCES, len(rows)):
        matched = np.minimum(counts + have, wanted)
        size = words + lengths
        ones = 2 * matched[:, single].sum(axis=1) / (size + len(reference))
        twos = 2 * matched[:, ~single].sum(axis=1) / np.maximum(1, size - 1 + len(reference) - 1)
        total = np.round(ones + twos, 6)
        total[chosen] = -1
        next_one = int(np.argmax(total))
        if total[next_one] <= score:
            break
        score = float(total[next_one])
        chosen.append(next_one)
        words += float(lengths[next_one])
        have += counts[next_one]
    return score, sorted(rows[row] for row in chosen)


def span_for(text: Text, references: Sequence[str], fixed: Sequence[str] = ()) -> str:
    """Return the span of the text, or the fixed answer, with the highest token F1 against any reference.

    If none shares a word with a reference, it is the first fixed answer, or "" if there is none.
    """
    shown = [word for sentence in text.sentences for word in [*sentence.split(" "), ""]]
    tokens = list(map(normalized_word, shown))
    best, answer = 0.0, fixed[0] if fixed else ""
    for reference in references:
        goal = Counter(filter(None, map(normalized_word, reference.split())))
        for one in fixed:
            score = f1(Counter(filter(None, map(normalized_word, one.split()))), goal)
            if score > best:
                best, answer = score, one
        score, begin, end = best_span(tokens, goal)
        if score > best:
            best, answer = score, " ".join(filter(None, shown[begin:end]))
    return answer


@lru_cache(maxsize=100_000)
def normalized_word(word: str) -> str:
    """Return a word as the metric compares it: in lower case, without ASCII punctuation; "" for an article."""
    plain = PUNCTUATION.sub("", word.lower())
    return "" if plain in ARTICLES else plain


def f1(found: Counter[str], goal: Counter[str]) -> float:
    """Return token F1, from 0 to 1."""
    shared = (found & goal).total()
    return 2 * shared / (found.total() + goal.total()) if shared else 0.0


def best_span(tokens: Sequence[str], goal: Counter[str]) -> tuple[float, int, int]:
    """Return (F1, begin, end) of the best span tokens[begin:end], or (0.0, 0, 0) if none shares a word with `goal`.

    Its first and last token are in `goal`. It has at most LONGEST_SPAN words, and at most 4 more than twice as many as
    `goal`; tokens that are "" are not counted.
    """
    size = goal.total()
    held = [place for place, token in enumerate(tokens) if token in goal]
    counted = np.cumsum([0, *(bool(token) for token in tokens)]).tolist()
    best = (0.0, 0, 0)
    longest = min(LONGEST_SPAN, 2 * size + 4)
    reach = 0
    for at, begin in enumerate(held):
        while reach < len(held) and counted[held[reach] + 1] - counted[begin] <= longest:
            reach += 1
        most = min(reach - at, size)
        if 2 * most / (most + size) <= best[0] + 1e-9:
            continue  # no span from here can be better, even if all its words counted
        left = dict(goal)
        shared = 0
        for end in held[at:reach]:
            words = counted[end + 1] - counted[begin]
            if left[tokens[end]]:
                left[tokens[end]] -= 1
                shared += 1
            score = 2 * shared / (words + size)
            if score > best[0] + 1e-9:
                best = (score, begin, end + 1)
    return best
