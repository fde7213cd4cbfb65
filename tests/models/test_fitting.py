"""What the heuristics of SCROLLS take from training examples, by hand."""

from __future__ import annotations

import pytest

from scrollwork.models.base import Ask, Segment
from scrollwork.models.baselines.choices import options, question
from scrollwork.models.baselines.fitted_rules import CannotFit, Case, fit, fitted_rule
from scrollwork.models.baselines.naive import answer_by
from scrollwork.records.example import Example

QUERY = "Why (so)?\n\n (A) for ever\n (B) (A) joke\n (C) never\n on\n (D) no"


def example(reference: str | tuple[str, ...], query: str | None = "Q?", options: tuple[str, ...] = ()) -> Example:
    references = (reference,) if isinstance(reference, str) else reference
    return Example("t", "train", "e", ("d",), references, query=query, options=options)


def asked(query: str = "", document: str = "x" * 57) -> Ask:
    segments = (Segment("query", query), Segment("gap", "\n\n"), Segment("document", document))
    return Ask("t", "e", segments, "0" * 64, 1, 100)


def test_rho_counts_examples_and_not_rows_or_takes_the_ratio_of_means() -> None:
    cases = [Case(example(("x" * 10, "x" * 30)), 100, 200), Case(example("x" * 80), 1000, 1000)]
    [found] = fit("lead", cases)
    assert (found.number, found.cases) == (pytest.approx((0.10 + 0.30 + 0.08) / 3), 3)
    [found] = fit("lead_input", cases)
    assert found.number == pytest.approx((0.05 + 0.15 + 0.08) / 3)


def test_vector_of_the_sheet_has_other_characters() -> None:
    rows = fit("lead", [Case(example("x" * 10), 100, 100), Case(example("x" * 30), 100, 100)])
    text = "".join(chr(65 + number % 26) for number in range(57))
    assert answer_by(fitted_rule({"fit": "lead"}, rows), asked("Query?", text), 0) == text[:11]
    rows = fit("lead_input", [Case(example("x" * 10), 100, 100), Case(example("x" * 30), 100, 100)])
    assert answer_by(fitted_rule({"fit": "lead_input"}, rows), asked("Q?", text[:53]), 0) == "Q?\n\n" + text[:7]


def test_position_of_the_right_option_is_lost_in_letters_texts_or_ties() -> None:
    options = ("a", "b", "c", "d")
    cases = [Case(example(reference, options=options), 9, 9) for reference in ("c", "b", "c", "b", "a")]
    rows = fit("position", cases)
    assert (rows[0].choice, rows[0].share, rows[0].cases) == ("B", 0.4, 5)
    assert answer_by(fitted_rule({"fit": "position", "answer": "text"}, rows), asked(QUERY), 0) == "(A) joke"
    assert answer_by(fitted_rule({"fit": "position"}, rows), asked(QUERY), 0) == "B"
    [letters] = fit("position", [Case(example("D", options=options), 9, 9)])
    assert letters.choice == "D"
    with pytest.raises(CannotFit, match="e: 'z' is none of its 4 options"):
        fit("position", [Case(example("z", options=options), 9, 9)])


def test_majority_of_a_hypothesis_is_that_of_another() -> None:
    said = [("h1", "Yes"), ("h1", "No"), ("h1", "Yes"), ("h2", "No"), ("h3", "No"), ("h3", "Maybe")]
    rows = fit("by_query", [Case(example(answer, query), 9, 9) for query, answer in said])
    rule = fitted_rule({"fit": "by_query"}, rows)
    assert rule == {"by_query": {"h1": "Yes", "h2": "No", "h3": "Maybe"}, "otherwise": "No"}
    assert [answer_by(rule, asked(query), 0) for query in ("h1", "h2", "h3", "h9")] == ["Yes", "No", "Maybe", "No"]


def test_examples_with_private_outputs_are_fitted_on() -> None:
    with pytest.raises(CannotFit, match="no example has a reference"):
        fit("lead", [Case(example(()), 9, 9)])


def test_empty_document_is_a_division_by_nothing() -> None:
    with pytest.raises(CannotFit, match="e: its documents hold no character"):
        fit("lead", [Case(example("x"), 9, 9), Case(example("x"), 0, 9)])


def test_rule_that_was_not_fitted_answers() -> None:
    with pytest.raises(ValueError, match="was not fitted"):
        answer_by({"fit": "lead"}, asked(), 0)


def test_option_that_looks_like_another_is_split_off() -> None:
    assert options(QUERY) == {"A": "for ever", "B": "(A) joke", "C": "never\n on", "D": "no"}
    assert question(QUERY) == "Why (so)?"
    assert options("no options (A) here") == {}
