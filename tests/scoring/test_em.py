"""Exact match against the vectors of scrolls.md 8."""

import pytest

from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.metrics import em
from scrollwork.scoring.outcome import GoldError

# id, prediction, reference, EM
VECTORS = [
    ("E1", "Entailment", "entailment.", 1.0),
    ("E2", "Not mentioned", "Not  mentioned", 1.0),
    ("E3", "The Entailment", "Entailment", 1.0),
    ("E4", "NotMentioned", "Not mentioned", 0.0),
    ("E5", "Not entailed", "Not mentioned", 0.0),
    ("E6", "", "the", 1.0),
    ("E7", "it was the next planet for them to destroy.", "it was the next planet for them to destroy", 1.0),
    ("E8", "(A) it was the next planet", "it was the next planet", 1.0),
    ("E9", "(B) it was the next planet", "it was the next planet", 0.0),
    ("E10", "A", "it was the next planet", 0.0),
    ("E11", "Café", "Cafe", 0.0),
    ("E12", "well-known", "wellknown", 1.0),
]


@pytest.mark.parametrize(("name", "prediction", "reference", "match"), VECTORS)
def test_exact_match_departs_from_the_fact_sheet(name, prediction, reference, match):
    assert em.score(prediction, [reference]).value == 100.0 * match


def test_second_reference_is_ignored():
    assert em.score("Entailment", ["Contradiction", "entailment"]).value == 100.0


def test_official_example_departs_from_its_documentation():
    pairs = [("exact match example", "exact match example"), ("hello there", "hello")]
    pairs.append(("general kenobi", "commander kenobi"))
    outcomes = [em.score(prediction, [reference]) for prediction, reference in pairs]
    assert combine(em, outcomes).value == pytest.approx(33.3333, abs=5e-5)


def test_missing_reference_scores_zero_instead_of_failing():
    with pytest.raises(GoldError, match="the list is empty"):
        em.score("text", [])
