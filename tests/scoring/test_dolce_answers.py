"""Answers of Dolce: each extractor, what counts as unanswered, hostile replies, accuracy of what was extracted."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.metrics import dolce_accuracy
from scrollwork.scoring.outcome import GoldError, PredictionError
from scrollwork.scoring.reading.dolce_answers import EXTRACTORS, extract, left_open

CLASSES = ("Number of something", "Other number", "Animal", "Individual", "")

VECTORS = [
    ("whole", " Paris.\nIt is. \n", "Paris.\nIt is."),
    ("whole", " \n", ""),
    ("first_line", "\n \n Cameron \nsaid", "Cameron"),
    ("first_line", "", ""),
    ("first_word", "B. because", "B"),
    ("first_word", "(C) it was", "C"),
    ("first_word", " ** \n“D”, surely", "D"),
    ("first_word", "--- ...", ""),
    ("choice", "The answer is (D).", "D"),
    ("choice", "Because of Bob: C", "C"),
    ("choice", "A good question: B", "B"),
    ("choice", "A careful reading shows that the answer is D.", "D"),
    ("choice", "A detailed look at A previous passage leaves C", "C"),
    ("choice", "A class of birds is meant, so D", "D"),
    ("choice", "A close call", "A"),  # nothing else stands there
    ("choice", "A because B is wrong", "A"),
    ("choice", "A fits better than B.", "A"),
    ("choice", "A is correct, B is not", "A"),
    ("choice", "A\ncareful: B", "A"),
    ("choice", "A) careful reading, not B", "A"),
    ("choice", "A 19th century reader would say C", "C"),
    ("choice", "In A Tale of Two Cities the answer is B", "B"),
    ("choice", "As told in “A Christmas Carol”, it is D.", "D"),
    ("choice", "A Paris, which rules out B", "A"),
    ("choice", "The answer is A Paris, not B", "A"),
    ("choice", "A 3, not B", "A"),
    ("choice", "A and not B", "A"),
    ("choice", "A seems right; C does not", "A"),
    ("choice", "option b", ""),
    ("choice", "F", ""),
    ("choice", "E. The question is unanswerable.", "E"),
    ("choices", "ACD", "ACD"),
    ("choices", "D, A and C.", "ACD"),
    ("choices", "(A) (C)", "AC"),
    ("choices", "A\nB", "AB"),
    ("choices", "AB\n\nA is right because C is wrong.", "AB"),
    ("choices", "C. Both A and B are in it", "C"),
    ("choices", "ADD them: B", "B"),
    ("choices", "A careful reading shows A and C.", "AC"),
    ("choices", "A, a careful reading shows, and not C", "A"),
    ("choices", "none", ""),
    ("number", "5 apples and $1,234.50", "1234.5"),
    ("number", "The answer is -7.", "-7"),
    ("number", "from 3-5", "5"),
    ("number", "It is −€3.10", "-3.1"),
    ("number", "1,2,3", "3"),
    ("number", "12,345,678", "12345678"),
    ("number", "007", "7"),
    ("number", "0.50 or .25", "0.25"),
    ("number", "-0.0", "0"),
    ("number", "50%", "50"),
    ("number", "none", ""),
    ("number", "٣", ""),
    ("answer", "Well.\nThe answer is Paris\nThe end", "Paris"),
    ("answer", "Answer: Rome. The Answer is: Paris.", "Paris."),
    ("answer", "Paris\nor not", "Paris"),
    ("answer", "Answer:\n\n Paris\nIt is", "Paris"),
    ("answer", "The answers are many", "The answers are many"),
    ("answer", "Answer:", "Answer:"),
    ("code_answer", "So the output is `42`.", "42`."),
    ("code_answer", "The output is: '42'", "42"),
    ("code_answer", "It runs\n```python\n[1, 2]\n```\n", "[1, 2]"),
    ("code_answer", "answer 7", "7"),
    ("code_answer", "Answer:\n```\n'x'\n```", "x"),
    ("code_answer", "a\n\"b\"", "b"),
    ("code_answer", "", ""),
    ("class", "Number of something", "Number of something"),
    ("class", "type: other NUMBER\nAnimal", "Other number"),
    ("class", "It is\nAnimal", "It is"),
    ("class", "Individual or Number of something", "Number of something"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "reply", "answer"), VECTORS)
def test_extractor_finds_another_answer(name: str, reply: str, answer: str) -> None:
    assert extract(name, reply, CLASSES) == answer


def test_extractor_is_not_tried_above() -> None:
    assert {name for name, _, _ in VECTORS} == set(EXTRACTORS)


def test_unknown_extractor_is_not_named() -> None:
    with pytest.raises(ValueError, match="there is no extractor 'last_word'; there are: whole"):
        extract("last_word", "x")


OPEN = [
    ("Unanswerable", "whole", "word", True),
    ("unanswerable.", "whole", "word", True),
    ("  **Unanswerable** based on the text", "whole", "word", True),
    ("The answer is: Unanswerable", "answer", "word", True),
    ("The answer is 7. It is not unanswerable", "answer", "word", False),
    ("The question cannot be answered from the article.", "choice", "word", True),
    ("I'm unable to answer", "first_line", "word", True),
    ("I can’t answer this question", "first_line", "word", True),
    ("It is impossible to answer.", "first_line", "word", True),
    ("He could not answer her call.", "whole", "word", False),
    ("E", "choice", "letter", True),
    ("(E) The question is unanswerable.", "choice", "letter", True),
    ("Unanswerable", "choice", "letter", True),
    ("B", "choice", "letter", False),
    ("E", "first_line", "word", False),  # a name or an option of that task
    ("Unanswerable", "whole", "", False),  # summaries: not offered
    ("", "whole", "word", False),
    ("It was an unanswerable letter.", "whole", "word", False),
]


OPEN += [
    ("The question is unanswerable.", "choice", "letter", True),
    ("Final answer: **Unanswerable**", "choice", "letter", True),
    ("Answer: Unanswerable", "whole", "word", True),
    ('So.\nThe answer is "unanswerable".', "whole", "word", True),
    ("They predict whether a question is unanswerable", "whole", "word", False),
    ("Its second classifier: the question is unanswerable or not", "whole", "word", False),
]


@pytest.mark.parametrize(("reply", "name", "by", "wanted"), OPEN)
def test_unanswered_problem_counts_as_answered_or_the_reverse(reply: str, name: str, by: str, wanted: bool) -> None:
    assert left_open(reply, extract(name, reply), by) is wanted


@given(st.sampled_from(sorted(EXTRACTORS)), st.text(st.characters(codec=None), max_size=80))
def test_text_raises(name: str, text: str) -> None:
    found = extract(name, text, CLASSES)
    assert isinstance(found, str)
    left_open(text, found, "letter")
    assert dolce_accuracy.score(found, ["x"]).value in (0.0, 100.0)


REPEATED = ["1", "1,", ",111", "1,111", ".", "-", "-1", "A", "A ", "A,", "A as", "A a ", "a\n", "\n", " ", "```", "` ", "answer", "answer is ", "answer: ",
            "output is", "cannot ", "cannot be ", "I am not able to ", "unanswerable", "é", "\ud800", "(", "and ", "\n ```x"]  # fmt: skip


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(unit, marks=[pytest.mark.slow] * (number % 6 > 0), id=ascii(unit))
        for number, unit in enumerate(REPEATED)
    ],
)
def test_long_reply_of_one_thing_costs_more_than_its_length(unit: str) -> None:
    reply = unit * (250_000 // len(unit))
    for name in EXTRACTORS:
        began = time.process_time()
        left_open(reply, extract(name, reply, CLASSES), "letter")
        assert time.process_time() - began < 5, name


MATCHES = [
    ("B", "B", True), ("b.", "B", True), ("A", "A", True), ("", "A", False), ("", "the", False), ("A", "an", False),
    ("  Cameron\n", "cameron", True), ("New  York", "new york", True), ("York", "New York", False),
    ("46", "46", True), ("46.0", "46", True), ("1,234", "1234", True), ("$5", "5", True), ("5.", "5", True), ("046", "46", True),
    ("46 passages", "46", False), ("-5", "5", False), ("4 6", "46", False), (".5", "0.50", True),
    ("Paragraph 19", "Paragraph 19", True), ("9" * 6000, "9" * 6000, True), ("9" * 6000, "9" * 5999, False),
    ("10000000000000000000001", "10000000000000000000000", False),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "gold", "right"), MATCHES)
def test_accuracy_compares_other_things_than_answers(answer: str, gold: str, right: bool) -> None:
    assert dolce_accuracy.score(answer, ["other", gold]).value == 100.0 * right


def test_accuracy_without_reference_scores() -> None:
    with pytest.raises(GoldError, match="the list is empty"):
        dolce_accuracy.score("x", [])
    with pytest.raises(PredictionError):
        dolce_accuracy.score(None, ["x"])  # type: ignore[arg-type]
