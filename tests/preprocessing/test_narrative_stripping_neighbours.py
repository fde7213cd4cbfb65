"""What stands beside a note of the file is judged by itself: the story's stays, whatever its neighbour."""

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import strip_story
from tests.preprocessing import story_neighbours, story_neighbours_aside
from tests.preprocessing.test_narrative_stripping import STORY, balanced, check, modern, old, told

NOTES = story_neighbours.NOTES | story_neighbours_aside.NOTES
BELOW = story_neighbours.BELOW | story_neighbours_aside.BELOW
FIRST = story_neighbours.FIRST | story_neighbours_aside.FIRST
ALONE = story_neighbours.ALONE | story_neighbours_aside.ALONE
FRONT = story_neighbours.FRONT | story_neighbours_aside.FRONT
del FRONT["third sentence"]  # "The first edition of this file was made by ..." stays
BACK = story_neighbours.BACK | story_neighbours_aside.BACK
STAYS = story_neighbours.STAYS | story_neighbours_aside.STAYS
ERAS = (modern, old)
SITE, SHOWN = story_neighbours.SITE, story_neighbours.SHOWN
CREDIT = "Produced by Ann Other"


@pytest.mark.parametrize("name", BELOW)
def test_story_below_a_closing_note_goes_with_it(name: str) -> None:
    below = BELOW[name]
    for note, text in NOTES.items():
        page = modern(CREDIT)(f"{STORY}\n\n{text}\n\n{below}")
        result = strip_story(page.encode(), "gutenberg", "", "")
        assert told(result.text).endswith(told(below)), (note, result.rule)
        assert "ranscriber" not in result.text.removesuffix(below), note
        assert balanced(page.encode(), result), note


@pytest.mark.parametrize("name", FIRST)
def test_first_words_of_the_story_go_with_the_note_above_them(name: str) -> None:
    story = f"{FIRST[name]}\n\n{STORY}"
    for note, text in NOTES.items():
        if note not in ("list", "leads on"):
            check(modern(f"{CREDIT}\n\n{text}")(story), story, note)


@pytest.mark.parametrize("name", ALONE)
def test_note_of_the_author_goes_as_one_of_the_file(name: str) -> None:
    story = f"{STORY}\n\n\n{ALONE[name]}"
    check(modern(CREDIT)(story), story)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", FRONT)
def test_credit_or_note_of_a_further_kind_stays(name: str, era) -> None:
    check(era(FRONT[name])(STORY), STORY)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", BACK)
def test_closing_note_of_a_further_kind_stays(name: str, era) -> None:
    check(era(CREDIT)(f"{STORY}\n\n\n{BACK[name]}"), STORY)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", STAYS)
def test_page_of_the_story_goes_because_it_opens_like_those(name: str, era) -> None:
    for story in (f"{STAYS[name]}\n\n\n{STORY}", f"{STORY}\n\n\n{STAYS[name]}"):
        check(era(CREDIT)(story), story)


def test_credit_below_the_title_in_its_paragraph_stays() -> None:
    page = modern("")(
        f"The Warm Crate by Ida Quill\nScanned and proofed by Ann Other\nemail ann@other.org\n\n\n{STORY}"
    )
    check(page, f"The Warm Crate by Ida Quill\n\n\n{STORY}")
    printed = f"The Warm Crate by Ida Quill\nEdited by Ann Other\nLeeds, 1889\n\n\n{STORY}"
    check(modern("")(printed), printed)


@pytest.mark.parametrize("line", [
    "End of thisProject Gutenberg Etext of The Warm Crate",
    "End of this is COPYRIGHTED Project Gutenberg Etext, Details Below",
    "Project Gutenberg Etext The Warm Crate, by Ida Quill",
])  # fmt: skip
def test_last_title_line_of_the_file_stays(line: str) -> None:
    check(old(CREDIT, closing=f"{line}\n")(STORY), STORY)


@pytest.mark.parametrize("line", [
    "Corrected EDITIONS of our etexts get a new NUMBER, crate11.txt.",
    "*******The Project Gutenberg Etext of The Warm Crate*******",
])  # fmt: skip
def test_first_line_of_the_library_below_its_header_stays(line: str) -> None:
    check(old(line)(STORY), STORY)


def test_small_print_of_a_protected_text_stays() -> None:
    check(old("", small="*SMALL PRINT! Ver.04.29.93 FOR COPYRIGHT PROTECTED ETEXTS*END*")(STORY), STORY)


def test_last_words_that_name_the_library_go() -> None:
    for line in ("Corrected editions of our lives get no number.", "Project Gutenberg was a ship, by all accounts."):
        check(modern(CREDIT)(f"{STORY}\n\n{line}"), f"{STORY}\n\n{line}")
        check(modern(CREDIT)(f"{line}\n\n{STORY}"), f"{line}\n\n{STORY}")


SCRIPT = "          FADE IN:\n\n          INT. QUAY - NIGHT\n\n          VARRO rings the bell.\n\n                         VARRO\n               Nobody.\n\n          FADE OUT."


@pytest.mark.parametrize(("above", "below"), [
    (line, "") if place else ("", line) for place, line in SITE
])  # fmt: skip
def test_line_of_a_site_stays(above: str, below: str) -> None:
    result = strip_story(f"{above}\n\n{SCRIPT}\n\n{below}".encode(), "movie", "", "")
    assert result.text.strip("\n") == SCRIPT, result.text


@pytest.mark.parametrize("line", SHOWN)
def test_line_of_a_script_goes_because_it_looks_like_a_site_s(line: str) -> None:
    for page in (f"{line}\n\n{SCRIPT}", f"{SCRIPT}\n\n{line}"):
        assert strip_story(page.encode(), "movie", "", "").text.strip("\n") == page
