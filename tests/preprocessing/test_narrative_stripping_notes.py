"""Credits with other verbs and closing notes under other headings go; pages of a story that look like them stay."""

import pytest

from preprocessing.narrative_qa import strip_story
from tests.preprocessing import story_notes, story_notes_aside
from tests.preprocessing.test_narrative_stripping import CLOSING, STORY, balanced, modern, old, told

ERAS = (modern, old)
FRONT = story_notes.FRONT | story_notes_aside.FRONT
BACK = story_notes.BACK | story_notes_aside.BACK
STAYS = story_notes.STAYS | story_notes_aside.STAYS


def check(page: str, left: str) -> None:
    result = strip_story(page.encode(), "gutenberg", "", "")
    assert told(result.text) == told(left), result.rule
    assert balanced(page.encode(), result)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", FRONT)
def test_credit_with_another_verb_stays_before_the_title(name: str, era) -> None:
    check(era(FRONT[name])(STORY), STORY)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", BACK)
def test_closing_note_under_another_heading_stays(name: str, era) -> None:
    check(era("Produced by Ann Other")(f"{STORY}\n\n\n\n{BACK[name]}"), STORY)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", STAYS)
def test_page_of_the_story_goes_because_it_reads_like_a_note(name: str, era) -> None:
    for story in (f"{STAYS[name]}\n\n\n{STORY}", f"{STORY}\n\n\n\n{STAYS[name]}"):
        check(era("Produced by Ann Other")(story), story)


def test_footnotes_of_the_book_go_with_one_that_speaks_of_the_file() -> None:
    ours, theirs = "{1}  This eText leaves out the second tale.", "{2}  The Widow: the bell of the town."
    page = modern("Produced by Ann Other")(f"{STORY}\n\nFOOTNOTES:\n\n{ours}\n\n{theirs}")
    check(page, f"{STORY}\n\nFOOTNOTES:\n\n{theirs}")
    check(modern("Produced by Ann Other")(f"{STORY}\n\nFOOTNOTES:\n\n{ours}"), STORY)


def test_notes_of_the_book_go_with_a_note_of_the_file_behind_them() -> None:
    notes = "NOTES\n\n" + "\n\n".join(f"[{number}] Page {number} was changed to quay." for number in range(1, 9))
    mark = "Typographical errors corrected in text:\n\npage 4: crat changed to crate\npage 9: bel to bell"
    check(modern("Produced by Ann Other")(f"{STORY}\n\n\n{notes}\n\n\n{mark}"), f"{STORY}\n\n\n{notes}")


@pytest.mark.parametrize("note", [
    " ● Transcriber’s Notes:\n    ○ Missing punctuation was silently corrected.\n    ○ Hyphens were kept.",
    "_Transcribers note_: This etext was produced from a magazine of 1953.",
    "{Transcriber's note: Text in ~tildes~ is bold.\n}",
    "[ Transcriber's Note:\n\n  The first line is the original line, the second the corrected one.\n\n"
    "[She went down\nShe went down\n]",
    "Errata Noted by Transcriber\n\n  a crat of eels  [crate]\n\n  the bel rang  [bell]",
    "Transcriber's Note: I corrected the following.\n\nFixed: crat/crate in:\n\nNobody opened the warm crat, she said.",
])  # fmt: skip
def test_note_in_another_frame_stays(note: str) -> None:
    check(modern("Produced by Ann Other")(f"{STORY}\n\n\n\n{note}"), STORY)


def test_credit_between_lines_of_stars_stays() -> None:
    stars = "*" * 70
    notice = f"{stars}\nTHIS EBOOK WAS ONE OF THE EARLY FILES. A BETTER ONE MAY BE\nVIEWED AT EBOOK (#55555)\n{stars}"
    check(modern(f"Produced by Ann Other\n\n{notice}")(STORY), STORY)


def test_library_notice_that_never_closes_takes_the_title_along() -> None:
    notice = "<<THIS ELECTRONIC VERSION OF THE COMPLETE WORKS OF IDA QUILL IS\nCOPYRIGHT 1993. NO CHARGES."
    story = STORY.replace("CHAPTER 5", f"{notice}>>\n\n\n\nCHAPTER 5")
    check(old("")(f"{notice}\n\n\n{story}").replace("\n\n\n\n\n" + CLOSING, CLOSING), STORY)
