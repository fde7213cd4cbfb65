"""Answers in the Claude variant's tag: what is in it is scored, whether the prompt opened it or the model did."""

import pytest

from scrollwork.scoring.answers import in_tag


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Paris</answer> I am sure.", "Paris"),
        ("I think that <answer>Paris</answer> is right.", "Paris"),
        ("<answer>Lyon</answer>, no: <answer>Paris</answer>", "Paris"),
        ("so <answer>Paris", "Paris"),
        ("Paris", "Paris"),
        ("</answer>", ""),
        ("a < b</answer>", "a < b"),
        ("<Answer>Paris</ANSWER>", "Paris"),
        ("<answer><answer>", ""),
        ("Paris</answer>. Look at </answer>", "Paris"),  # the prompt opened it once
        ("<answer>Paris</answer> and </answer>", "Paris"),
        ("Lyon</answer>, no: <answer>Paris</answer>", "Paris"),
        ("<answer>Paris</answer> <answer>Ly", "Paris"),
    ],
)
def test_what_stands_around_the_tag_is_scored(text: str, answer: str) -> None:
    assert in_tag(text, "answer") == answer
