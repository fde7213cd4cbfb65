"""The planted baseline: right exactly where the prompt shows the evidence, and noise as it was ordered."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from scrollwork.models.base import Ask, Call, Segment
from scrollwork.models.baselines.planted import aspect, reply, true_answer
from scrollwork.models.registry import UnknownModel, make, settings
from scrollwork.sample.planting import Ledger
from scrollwork.suites.suite_files import load_models

TABLES = load_models()
ONE = Ledger("Maren3", 5, 1)
LINES = [ONE.line(place, 5) for place in range(1, 6)]
GRADED = Ledger("Thea1", 5, 2, partial=True)
NOTES = [GRADED.line(place, 5) for place in range(1, 6)]
QUIET = {"noise": 0.0, "right": 0.0, "wrong": 0.0}


def ask(query: str, *documents: str, instruction: str = 'Else say "Unanswerable".') -> Ask:
    parts = [Segment("instruction", instruction), *(Segment("document", text) for text in documents)]
    segments = (*parts, Segment("query", query))
    digest = hashlib.sha256("".join(one.text for one in segments).encode()).hexdigest()
    return Ask("t", "e", segments, digest, len(documents), 9)


def said(query: str, *documents: str, **shares: float) -> str:
    return reply(ask(query, *documents), **{**QUIET, **shares})


SHOWN = {
    "all parts": (LINES, True),
    "between others": ([part for line in LINES for part in (line, "Nothing is told.")], True),
    "the second copy": ([*LINES[2:], *LINES], True),
    "the first is missing": (LINES[1:], False),
    "the last is missing": (LINES[:-1], False),
    "one inside is missing": ([*LINES[:2], *LINES[3:]], False),
    "an end and a beginning": ([*LINES[2:], *LINES[:2]], False),
    "the other way round": (LINES[::-1], False),
    "another ledger's": ([line.replace("Maren3", "Maren4") for line in LINES], False),
    "aspects of the name": ([line.replace("says", "notes") for line in LINES], False),
    "another ledger's in between": ([p for line in LINES for p in (line, line.replace("Maren3", "Brida0"))], True),
    "nothing": ([], False),
}


@pytest.mark.parametrize("case", SHOWN)
def test_answer_is_right_otherwise_than_where_a_whole_copy_is_shown(case: str) -> None:
    lines, whole = SHOWN[case]
    assert said(ONE.question, " ".join(lines)) == (ONE.answer if whole else "Unanswerable")


def test_copy_that_two_documents_share_is_taken_for_whole() -> None:
    assert said(ONE.question, " ".join(LINES[:2]), " ".join(LINES[2:])) == "Unanswerable"


def test_question_that_tells_is_left_open() -> None:
    assert said(Ledger("Maren3", 0, 0).question) == true_answer("Maren3", "word")


@pytest.mark.parametrize(
    ("query", "instruction", "wanted"),
    [
        ("Which letter does the ledger of Maren3 say?\n\n (A) A. \n (E) The question is unanswerable.", "", "E"),
        ("Which letter does the ledger of Maren3 say?\nA. A\nE. The question is unanswerable.", "", "E"),
        ("Which word does the ledger of Maren3 say?", 'Say "Unanswerable".', "Unanswerable"),
        ("Which word does the ledger of Maren3 say?", "", "Nothing."),
        ("What is new?", 'Say "Unanswerable".', "Unanswerable"),
        ("", "", "Nothing."),
    ],
)
def test_question_is_left_open_otherwise_than_the_prompt_offers(query: str, instruction: str, wanted: str) -> None:
    document = 'He wrote "Unanswerable".\n(E) The question is unanswerable.'
    assert reply(ask(query, document, instruction=instruction), **QUIET) == wanted


@pytest.mark.parametrize("shown", [(), (0,), (3, 1), (0, 1, 2, 3, 4), (2, 2)])
def test_points_are_not_the_aspects_that_are_shown(shown: tuple[int, ...]) -> None:
    reference = GRADED.answer.split()
    words = said(GRADED.question, " ".join(NOTES[at] for at in shown)).split()
    if not shown:
        assert words == ["Unanswerable"]
        return
    assert len(words) == len(set(words)) == len(reference) == 20
    right = {at // 4 for at, word in enumerate(words) if word == reference[at]}
    assert right == set(shown)
    assert not {word for at, word in enumerate(words) if at // 4 not in right} & set(reference)


def test_aspects_share_a_word_or_the_vocabulary_ends_unseen() -> None:
    found = [word for place in range(1, 101) for word in aspect("Thea1", place, 1)]
    assert len(set(found)) == 100
    with pytest.raises(ValueError, match=r"aspect 577 of 1 words: there are 576 words in all"):
        aspect("Thea1", 577, 1)


def test_noise_has_another_share_or_other_parts_than_ordered() -> None:
    shares = {"noise": 0.3, "right": 0.1, "wrong": 0.5}
    draws = 4000
    found: Counter[str] = Counter()
    for number in range(draws):
        answer = said(ONE.question, f"Day {number}. {' '.join(LINES)}", **shares)
        found[answer if answer in (ONE.answer, "Unanswerable") else "wrong"] += 1
    wanted = {ONE.answer: 0.7 + 0.3 * 0.1, "wrong": 0.3 * 0.5, "Unanswerable": 0.3 * 0.4}
    for answer, share in wanted.items():
        error = (share * (1 - share) / draws) ** 0.5
        assert abs(found[answer] / draws - share) < 4 * error, answer


def test_noise_of_points_is_not_uniform() -> None:
    """x = w m / lambda + (1 - w) u: of 20 words 8 are noise, of which a uniform part is right."""
    counts: Counter[int] = Counter()
    reference = GRADED.answer.split()
    for number in range(1800):
        words = said(GRADED.question, f"Day {number}.", noise=0.4).split()
        counts[sum(word == right for word, right in zip(words, reference, strict=False))] += 1
    assert set(counts) == set(range(9))
    assert all(abs(count - 200) < 4 * (200 * 8 / 9) ** 0.5 for count in counts.values()), counts


def test_two_answers_to_a_prompt_differ_or_those_to_others_agree() -> None:
    shares = {"noise": 0.5, "right": 0.3, "wrong": 0.3}
    answers = [said(ONE.question, f"Day {number}. {' '.join(LINES)}", **shares) for number in range(64)]
    assert answers == [said(ONE.question, f"Day {number}. {' '.join(LINES)}", **shares) for number in range(64)]
    assert len(set(answers)) == 3


HOSTILE = (
    "The ledger of Maren3 says 99999 of 5: word!",
    "The ledger of Maren3 says 1 of 0: word!",
    "The ledger of Maren3 says 0 of 0: word!",
    "The ledger of Maren3 says 1 of 1: <script>alert(1)</script>!",
    "The ledger of " + "x" * 100_000,
    "The ledger of Maren3 says 1 of 2: " + "a " * 100_000,
    "Which " * 50_000 + "does the ledger of Maren3 say?",
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_odd_text_of_a_context_is_evidence_or_an_error(text: str) -> None:
    assert said(ONE.question, text) == "Unanswerable"
    assert said(text, "A document.") == "Unanswerable"
    assert said(f"Which 99 words does the ledger of Maren3 note? {text}", "A document.") == "Unanswerable"


def test_request_lacks_what_the_answer_depends_on() -> None:
    model = make("planted:noise=0.2", settings("planted:noise=0.2", TABLES, "dolce"), "r1")
    other = make("planted", settings("planted", TABLES, "dolce"), "r1")
    one = ask(ONE.question, *LINES)
    payload = model.payload(one, "planted:noise=0.2")
    assert (payload["noise"], payload["right"], payload["wrong"], payload["revision"]) == (0.2, 0.02, 0.2, "r1")
    assert payload["prompt"] == one.prompt_sha256
    assert other.payload(one, "planted") != payload
    (answer,) = other.answer([Call("k", "planted", {}, ask(ONE.question, " ".join(LINES)))])
    assert (answer.key, answer.text, answer.finish_reason) == ("k", ONE.answer, "complete")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("planted:seed=1", "'seed=1' is no option of 'planted'; there are: noise=0.1, right=0.1, wrong=0.1"),
        ("planted:noise=-0.1", "'noise=-0.1' is no option"),
        ("planted:noise=1e9", "'noise=1e9' is no option"),
        ("planted:noise", "'noise' is no option"),
        ("planted:noise=1.5", "noise must be a number from 0 to 1, not 1.5"),
        ("planted:right=0.7,wrong=0.4", "right and wrong must be at most 1 together"),
    ],
)
def test_noise_that_is_no_share_is_taken(spec: str, told: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        settings(spec, TABLES, "dolce")
    assert told in str(caught.value)


@pytest.mark.parametrize("value", ["a lot", float("nan"), True, None, [0.1]])
def test_noise_of_a_users_own_table_that_is_no_share_is_taken(value: object) -> None:
    table = {"provider": "planted", "noise": value, "right": 0.1, "wrong": 0.1}
    with pytest.raises(UnknownModel, match=r"'mine': noise must be a number from 0 to 1"):
        settings("mine", {"mine": table})
    with pytest.raises(UnknownModel, match=r"'mine': noise must be a number from 0 to 1, not None"):
        settings("mine", {"mine": {"provider": "planted"}})
