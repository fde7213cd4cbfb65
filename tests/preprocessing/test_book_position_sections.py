"""A summary tells its place in other words: a prologue that it speaks of, how the work is closed; and stories that do not."""

import pytest

from scrollwork.preprocessing.chapters.strip import strip_position
from tests.preprocessing.position_cases import ASIDE, OPEN, STAYS, STAYS_ASIDE


@pytest.mark.parametrize(("told", "left"), OPEN + ASIDE)
def test_place_in_other_words_stays(told: str, left: str) -> None:
    assert strip_position(told, "Chapter 4").text == left


@pytest.mark.parametrize("story", STAYS + STAYS_ASIDE)
def test_story_that_speaks_of_a_play_or_a_book_is_changed(story: str) -> None:
    assert strip_position(story, "Chapter 4").text == story
