"""BM25 and LexRank against plain implementations, and the choice of sentences within a budget."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.extractive.document_index import K1, STOP, B, Index, Text, in_order, ranking, stem, text_of
from scrollwork.models.extractive.lexrank import DAMPING, STEPS, lexrank
from scrollwork.models.extractive.passages import Passages, smooth_scores

LETTERS = st.lists(
    st.lists(st.sampled_from(["mole", "lamp", "river", "stone", "kelp", "the"]), max_size=8), min_size=1, max_size=8
)
STORY = """The lamp at the harbour went out on a stormy night. The keeper of the lamp slept in the harbour tower.
Nobody in town saw the keeper leave the harbour that night. A cow ate seven yellow turnips behind the mill.
The storm took the lamp, the tower and the harbour wall. The lamp at the harbour went out on a stormy night."""


def plain_bm25(units: list[list[str]], query: list[str]) -> list[float]:
    """Robertson & Zaragoza 2009, with the idf that is never negative."""
    stems = [[stem(word) for word in unit] for unit in units]
    mean = sum(map(len, stems)) / len(stems) or 1.0
    scores = []
    for unit in stems:
        score = 0.0
        for term in dict.fromkeys(stem(word) for word in query if word not in STOP):
            held = sum(term in other for other in stems)
            idf = math.log(1 + (len(stems) - held + 0.5) / (held + 0.5))
            count = unit.count(term)
            score += idf * count * (K1 + 1) / (count + K1 * (1 - B + B * len(unit) / mean))
        scores.append(score)
    return scores


@given(LETTERS, st.lists(st.sampled_from(["moles", "lamp", "river", "the", "none"]), max_size=4))
def test_bm25_differs_from_its_formula(units: list[list[str]], query: list[str]) -> None:
    assert Index(units).bm25(query) == pytest.approx(plain_bm25(units, query), abs=1e-8)


def test_bm25_by_hand() -> None:
    found = Index([["lamp", "lamp"], ["mole"]]).bm25(["lamps"])
    idf, mean = math.log(1 + 1.5 / 1.5), 1.5
    assert found == pytest.approx([idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 2 / mean)), 0.0])


def plain_lexrank(text: Text) -> np.ndarray:
    """The matrix built, as in the paper; sentences of the story that may be chosen."""
    index = text.index
    matrix = np.zeros((index.size, len(index.numbers)))
    matrix[index.rows, index.stems] = index.counts * index.idf[index.stems]
    matrix[:, [number for name, number in index.numbers.items() if name in set(map(stem, STOP))]] = 0
    kept = [number for number, words in enumerate(text.words) if words not in text.words[:number]]
    matrix = matrix[kept]
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    similar = matrix @ matrix.T
    walk = similar / similar.sum(axis=1, keepdims=True)
    rank = np.full(len(kept), 1 / len(kept))
    for _ in range(STEPS):
        rank = (1 - DAMPING) / len(kept) + DAMPING * walk.T @ rank
    return rank


def test_lexrank_differs_from_the_matrix_that_it_does_not_build() -> None:
    text = Text([STORY])
    rank = plain_lexrank(text)
    assert len(text.sentences) == 6
    assert len(rank) == 5
    order = list(lexrank(text))
    assert order == [place for place in np.argsort(-rank, kind="stable") if place in order]
    assert 5 not in order  # the first sentence again


def test_equal_scores_are_ordered_by_chance() -> None:
    assert ranking(np.array([1.0, 2.0, 1.0 + 1e-12, 2.0])) == [1, 3, 0, 2]


@given(st.lists(st.integers(0, 4), unique=True, max_size=6), st.integers(1, 60))
def test_extract_exceeds_its_budget_or_leaves_the_order(ranked: list[int], budget: int) -> None:
    text = text_of((STORY,))
    found = in_order(text, ranked, budget)
    assert len(found.split()) <= budget
    lines = found.split("\n") if found else []
    if len(lines) > 1 or (lines and lines[0] in text.sentences):
        places = [text.sentences.index(line) for line in lines]
        assert places == sorted(places)
    elif lines:
        assert text.sentences[ranked[0]].startswith(lines[0])


def test_title_of_a_paragraph_is_not_searched() -> None:
    documents = ("It lies in the north.", "It lies in the south.")
    passages = Passages(Text(documents, ("Title: Aldmoor\n", "Title: Brackwater\n")))
    assert passages.index.bm25(["brackwater"]).argmax() == 1


def test_passage_reaches_into_another_document() -> None:
    text = Text([" ".join(f"Word {number} is here." for number in range(90)), "One more. And one."])
    spans = Passages(text).spans
    assert {text.document[place] for first, last in spans for place in range(first, last)} == {0, 1}
    assert all(len({text.document[place] for place in range(first, last)}) == 1 for first, last in spans)
    assert sorted({place for first, last in spans for place in range(first, last)}) == list(range(len(text.sentences)))


def test_neighbour_gets_more_than_half() -> None:
    assert smooth_scores(np.array([0.0, 4.0, 0.0, 2.0])).tolist() == [2.0, 4.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("word", "found"),
    [("stories", "story"), ("keeper's", "keeper"), ("lamps", "lamp"), ("glass", "glass"), ("walked", "walk"), ("walking", "walk"), ("king", "king"), ("red", "red"), ("", "")],
)  # fmt: skip
def test_stem_is_another(word: str, found: str) -> None:
    assert stem(word) == found
