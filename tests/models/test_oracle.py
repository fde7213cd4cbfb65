"""The extractive oracles: nothing in reach of them is better, and they take nothing but words of the document."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.models.extractive.document_index import Text
from scrollwork.models.extractive.oracle import best_span, f1, greedy, sentences_for, span_for
from scrollwork.scoring.metrics.f1 import score as token_f1
from scrollwork.scoring.metrics.rouge_geo import score as rouge

WORDS = st.sampled_from(["lamp", "mole", "kelp", "river", ""])
SENTENCES = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=5), min_size=1, max_size=5)


@given(st.lists(WORDS, max_size=12), st.lists(WORDS.filter(bool), min_size=1, max_size=4))
def test_span_is_not_the_best_one(tokens: list[str], reference: list[str]) -> None:
    goal = Counter(reference)
    score, begin, end = best_span(tokens, goal)
    every = [
        f1(Counter(filter(None, tokens[a:b])), goal) for a in range(len(tokens)) for b in range(a + 1, len(tokens) + 1)
    ]
    assert abs(score - max(every, default=0.0)) < 1e-6
    assert abs(f1(Counter(filter(None, tokens[begin:end])), goal) - score) < 1e-6


def value(sentences: list[list[str]], reference: list[str]) -> float:
    """ROUGE-1 + ROUGE-2 F, n-grams over sentence ends left out."""
    total = 0.0
    for size in (1, 2):
        found = Counter(tuple(one[at : at + size]) for one in sentences for at in range(len(one) - size + 1))
        goal = Counter(tuple(reference[at : at + size]) for at in range(len(reference) - size + 1))
        every = max(0, sum(map(len, sentences)) - size + 1) + goal.total()
        total += 2 * (found & goal).total() / every if every else 0.0
    return total


@settings(max_examples=60)
@given(SENTENCES, st.lists(st.sampled_from("abcd"), min_size=2, max_size=8))
def test_greedy_choice_is_worse_than_a_single_sentence_or_miscounted(
    sentences: list[list[str]], reference: list[str]
) -> None:
    score, chosen = greedy(sentences, reference)
    assert abs(value([sentences[number] for number in chosen], reference) - score) < 1e-4
    assert score >= max(value([one], reference) for one in sentences) - 1e-4
    best = max(
        value(list(some), reference) for size in range(1, len(sentences) + 1) for some in combinations(sentences, size)
    )
    assert score <= best + 1e-4


def test_reference_that_stands_in_the_document_is_not_found() -> None:
    text = Text(["The mole ate kelp. A lamp went out in the rain. Nobody saw the grey river rise. Then it was quiet."])
    found = sentences_for(text, ["Bread is cheap.", "A lamp went out in the rain, and nobody saw the grey river rise."])
    assert found == "A lamp went out in the rain.\nNobody saw the grey river rise."
    assert rouge(found, ["A lamp went out in the rain, and nobody saw the grey river rise."]).value > 90


def test_answer_that_stands_in_the_document_is_not_found() -> None:
    text = Text(['She met "Old Marten, the Elder" at noon. It rained.'])
    assert token_f1(span_for(text, ["nobody", "Old Marten the Elder"]), ["Old Marten the Elder"]).value == 100
    assert span_for(text, ["Yes"], ("Yes", "No")) == "Yes"
    assert span_for(text, ["zebra"], ("Unanswerable",)) == "Unanswerable"
    assert span_for(text, ["zebra"]) == ""
    assert sentences_for(text, ["zebra"]) == ""
    assert sentences_for(text, []) == ""
