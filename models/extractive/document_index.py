"""An index of documents: their sentences, and how often each stem occurs in each. It is kept for further questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scrollwork.models.extractive.sentences import sentences, word_set, words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
K1, B = 1.2, 0.75  # Robertson & Zaragoza 2009, section 3.5: usual values, not tuned here
SHORTEST = 4  # words: no useful sentence is shorter, so the search ends if less is left
MISSES = 12  # the search ends after this many sentences in a row that do not fit
PLACES = 9  # decimals of scores that are compared, as sums may differ in further ones between machines
STOP = word_set(
    """
    a an the and or but nor so yet if then than that this these those there here it its he him his she her
    hers they them their theirs we us our ours you your yours i me my mine who whom whose which what when
    where why how is am are was were be been being do does did done doing have has had having will would shall
    should can could may might must not no of in on at by for from to into onto with without about as up down
    out off over under again very just also too only own same such some any each all both more most other
    because while during before after between through against until um uh yeah okay ok hmm mm oh well like
    know think mean really actually right yes let's that's it's i'm don't
    """
)


class Index:
    """An index of sentences (or other units), with the counts of their stems.

    Rows are units, in order. `rows`, `stems` and `counts` hold the entries of the sparse matrix, sorted by stem: those
    of stem s are at `ends[s]` to `ends[s + 1]`. numbers: of stems. idf: by stem.
    """

    def __init__(self, units: Sequence[Sequence[str]]) -> None:
        numbers: dict[str, int] = {}
        known = {word: numbers.setdefault(stem(word), len(numbers)) for unit in units for word in dict.fromkeys(unit)}
        self.numbers = numbers
        self.size = len(units)
        sizes = np.array([len(unit) for unit in units], dtype=np.int64)
        tokens = np.array([known[word] for unit in units for word in unit], dtype=np.int64)
        pairs, counts = np.unique(
            tokens * max(1, self.size) + np.repeat(np.arange(self.size), sizes), return_counts=True
        )
        self.stems, self.rows = np.divmod(pairs, max(1, self.size))
        self.counts = counts.astype(np.float64)
        self.ends = np.searchsorted(self.stems, np.arange(len(numbers) + 1))
        found_in = np.diff(self.ends).astype(np.float64)
        self.idf = np.log(1 + (self.size - found_in + 0.5) / (found_in + 0.5))
        mean = float(sizes.mean()) if self.size and sizes.any() else 1.0
        self.norms = K1 * (1 - B + B * sizes / mean)

    def bm25(self, query: Iterable[str]) -> Floats:
        """Return the BM25 score of every unit for the query's words, each counted once and without stop words."""
        scores = np.zeros(self.size)
        for number in self.known(query):
            entries = slice(self.ends[number], self.ends[number + 1])
            rows, counts = self.rows[entries], self.counts[entries]
            scores[rows] += self.idf[number] * counts * (K1 + 1) / (counts + self.norms[rows])
        return np.round(scores, PLACES)

    def known(self, query: Iterable[str]) -> list[int]:
        """Return the numbers of the query's stems that the index has, each once, in the order of the query."""
        stems = dict.fromkeys(stem(word) for word in query if word not in STOP)
        return [self.numbers[one] for one in stems if one in self.numbers]


class Text:
    """The documents of a prompt: their sentences in order, the document of each, and the index of the sentences.

    headers: one for each document (its title), or none. words, sizes: of each sentence; a size counts white-space
    words.
    """

    def __init__(self, documents: Sequence[str], headers: Sequence[str] = ()) -> None:
        self.headers = headers
        self.sentences: list[str] = []
        self.document: list[int] = []
        for number, document in enumerate(documents):
            found = sentences(document)
            self.sentences += found
            self.document += [number] * len(found)
        self.words = [words(sentence) for sentence in self.sentences]
        self.index = Index(self.words)
        self.sizes = [sentence.count(" ") + 1 for sentence in self.sentences]


@lru_cache(maxsize=4)  # several questions in a row need the same document
def text_of(documents: tuple[str, ...], headers: tuple[str, ...] = ()) -> Text:
    """Return the indexed text of documents. headers: one for each document (its title), or none."""
    return Text(documents, headers)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return a word without possessive, plural, -ed and -ing, like the S stemmer of Harman 1991.

    It is cheap, and enough to find equal words.
    """
    word = word.replace("’", "'").removesuffix("'s").replace("'", "")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and len(word) > 3 and word[-2] not in "su":
        word = word[:-1]
    for ending, fewest in (("ing", 6), ("ed", 5), ("e", 4)):
        if word.endswith(ending) and len(word) >= fewest:
            word = word.removesuffix(ending)
            break
    return word


def in_order(text: Text, ranked: Iterable[int], budget: int) -> str:
    """Return the best sentences that together have at most `budget` words, in the order of the text, one a line.

    ranked: sentence numbers, the best first. If no sentence fits, the best one is cut to the budget.
    """
    chosen: list[int] = []
    left = budget
    first, misses = -1, 0
    for number in ranked:
        first = number if first < 0 else first
        if text.sizes[number] <= left:
            chosen.append(number)
            left -= text.sizes[number]
            misses = 0
        else:
            misses += 1
        if left < SHORTEST or misses == MISSES:
            break
    if not chosen and first >= 0:
        return " ".join(text.sentences[first].split(" ")[:budget])
    return "\n".join(text.sentences[number] for number in sorted(chosen))


def ranking(scores: Floats) -> list[int]:
    """Return the row numbers by falling score; equal scores keep their order."""
    return [int(row) for row in np.argsort(-np.round(scores, PLACES), kind="stable")]
