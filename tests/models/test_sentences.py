"""Sentences and words: by hand, and of hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.models.extractive.sentences import LONGEST_SENTENCE, clip_to_words, sentences, words

BOOK = "\n".join(
    ["The harbour lay still in the", "morning. Nobody had come. Mr. Hale,", "who kept the light, slept on."] * 8
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It rained. They left!  Did he? Yes", ["It rained.", "They left!", "Did he?", "Yes"]),
        ("Dr. Ames met J. Smith at 3.5 p.m. on the pier.", ["Dr. Ames met J. Smith at 3.5 p.m. on the pier."]),
        ("“Go.” He went. (Then back.) So", ["“Go.”", "He went.", "(Then back.)", "So"]),
        ('Called "Red" Anna. e.g. this', ['Called "Red" Anna. e.g. this']),
        ("Marketing: Okay . Fine .\nChair: Um", ["Marketing: Okay .", "Fine .", "Chair: Um"]),
        ("a\n\nb\n \n c", ["a", "b", "c"]),
        ("... --- !!!\n\n \t", []),
        ("", []),
    ],
)
def test_sentence_ends_elsewhere(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def test_wrapped_line_ends_a_sentence() -> None:
    assert sentences(BOOK)[:3] == [
        "The harbour lay still in the morning.",
        "Nobody had come.",
        "Mr. Hale, who kept the light, slept on.",
    ]


def test_transcript_without_full_stops_is_one_sentence() -> None:
    found = sentences("so " * 1000)
    assert [len(one.split()) for one in found] == [LONGEST_SENTENCE] * 12 + [40]


@given(st.text(alphabet=st.sampled_from("aB.!? \n\"'(é3…"), max_size=200))
def test_word_is_lost_or_changed_by_splitting(text: str) -> None:
    assert " ".join(sentences(text)).split() == [
        word for block in sentences(text) for word in block.split()
    ]  # white space is single
    assert words(" ".join(sentences(text))) == words(text)


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "." * 1_000_000, " " * 1_000_000, ". " * 500_000, "A." * 500_000, "\n" * 500_000]
)
def test_noise_takes_more_than_linear_time(text: str) -> None:
    began = time.process_time()
    sentences(text)
    words(text)
    assert time.process_time() - began < 5  # 0.1 s; quadratic would be hours


def test_words_hold_case_punctuation_or_noise() -> None:
    assert words("The DOG'S tail_end, naïve—yes 3,5 " + "x" * 61) == [
        "the",
        "dog's",
        "tail",
        "end",
        "naïve",
        "yes",
        "3",
        "5",
    ]


def test_clipped_exceeds_its_budget_or_gives_nothing() -> None:
    assert clip_to_words(["a b c", "d e", "f"], 5) == ["a b c", "d e"]
    assert clip_to_words(["a b c", "d e f", "g"], 5) == ["a b c"]
    assert clip_to_words(["a b c"], 2) == ["a b"]
    assert clip_to_words([], 2) == []
