"""What stands beside a note of the file is judged by itself: the story's stays, whatever its neighbour."""

import pytest

from preprocessing.narrative_qa import strip_story
from tests.preprocessing import story_neighbours
from tests.preprocessing.test_narrative_stripping import STORY, balanced, modern, old, told

ERAS = (modern, old)
CREDIT = "Produced by Ann Other"


def check(page: str, left: str) -> None:
    result = strip_story(page.encode(), "gutenberg", "", "")
    assert told(result.text) == told(left), result.rule
    assert balanced(page.encode(), result)


@pytest.mark.parametrize("note", story_neighbours.NOTES)
@pytest.mark.parametrize("name", story_neighbours.BELOW)
def test_story_below_a_closing_note_goes_with_it(name: str, note: str) -> None:
    below = story_neighbours.BELOW[name]
    page = modern(CREDIT)(f"{STORY}\n\n{story_neighbours.NOTES[note]}\n\n{below}")
    result = strip_story(page.encode(), "gutenberg", "", "")
    assert told(result.text).endswith(told(below)), result.rule
    assert "ranscriber" not in result.text.removesuffix(below)
    assert balanced(page.encode(), result)


@pytest.mark.parametrize("note", [name for name in story_neighbours.NOTES if name not in ("list", "leads on")])
@pytest.mark.parametrize("name", story_neighbours.FIRST)
def test_first_words_of_the_story_go_with_the_note_above_them(name: str, note: str) -> None:
    story = f"{story_neighbours.FIRST[name]}\n\n{STORY}"
    check(modern(f"{CREDIT}\n\n{story_neighbours.NOTES[note]}")(story), story)


@pytest.mark.parametrize("name", story_neighbours.ALONE)
def test_note_of_the_author_goes_as_one_of_the_file(name: str) -> None:
    story = f"{STORY}\n\n\n{story_neighbours.ALONE[name]}"
    check(modern(CREDIT)(story), story)
