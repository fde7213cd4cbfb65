"""strip_story where the library's words stand behind the book, and on credits and pages that were left in once."""

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import strip_story
from tests.preprocessing.test_narrative_stripping import (
    CLOSING,
    END,
    FILM,
    LICENCE,
    OLD,
    SMALL,
    SMALL_END,
    STORY,
    balanced,
    modern,
    old,
    told,
)

TAIL = """

This file should be named 7crat10.txt or 7crat10.zip
Corrected EDITIONS of our eBooks get a new NUMBER, 7crat11.txt

Please note neither this listing nor its contents are final til
midnight of the last day of the month of any such announcement.

Most people start at our Web sites at:
http://gutenberg.net or
http://promo.net/pg

""" + SMALL.format(end=SMALL_END)
BOOKMARKS = (
    "{label} BOOKMARKS:\n\nAll of them counted twice\nGulls walk about like owners\nThe one that rang was the Widow"
)
CREDITS = {
    "text file produced by": "Text file produced by Jane Roe\n\nHTML file produced by David Widger",
    "HTML version produced by": "HTML version produced by David Widger",
    "with thanks": "Produced by Rénald Lévesque, with thanks to the BNF",
    "editorial note": "Editorial note: Project Gutenberg has an earlier version of this work,\nsee E-Book #12.",
    "improved edition": "There is an improved edition of this title which may be viewed as\neBook #33283 at https://www.gutenberg.org/ebooks/33283",
    "list of bookmarks": "[NOTE: There is a short list of bookmarks, or pointers, at the end of the\nfile for those who may wish to sample the author's ideas.  D.W.]",
}  # fmt: skip


@pytest.mark.parametrize("closing", ["", CLOSING, END])
def test_small_print_behind_a_short_book_takes_the_book_away(closing: str) -> None:
    page = modern("Produced by Judith Boss", closing="", end="")(STORY).removesuffix(LICENCE) + closing + TAIL
    for raw in (page, page + "\nhttp://www.gutenberg.net/GUTINDEX.ALL\n"):
        result = strip_story(raw.encode(), "gutenberg", "", "")
        assert told(result.text) == told(STORY), result.rule
        assert balanced(raw.encode(), result)


def test_small_print_behind_a_very_short_book_without_start_line_takes_the_book_away() -> None:
    story = "THE CRATE\n\n" + "Nobody opened the warm crate, and it was never spoken of on the quay again.\n\n" * 8
    result = strip_story((OLD + story + TAIL).encode(), "gutenberg", "", "")
    assert told(result.text) == told(story)


@pytest.mark.parametrize("label", ["ETEXT EDITOR'S", "EBOOK EDITOR'S", "PG EDITOR'S"])
def test_bookmarks_of_a_producer_stay_in_the_book(label: str) -> None:
    listed = BOOKMARKS.format(label=label)
    both = STORY.replace("CHAPTER 5", listed + "\n\n\n\nCHAPTER 5") + "\n\n\n" + listed
    for wrap in (modern("Produced by David Widger"), old("Produced by David Widger")):
        assert told(strip_story(wrap(both).encode(), "gutenberg", "", "").text) == told(STORY)


def test_bookmarks_of_the_story_are_taken_for_those_of_a_producer() -> None:
    story = STORY.replace("CHAPTER 5", "BOOKMARKS:\n\nMarta made them of tram tickets.\n\n\nCHAPTER 5")
    assert told(strip_story(modern()(story).encode(), "gutenberg", "", "").text) == told(story)


@pytest.mark.parametrize("name", CREDITS)
def test_credit_stays_before_the_title(name: str) -> None:
    assert told(strip_story(modern(CREDITS[name])(STORY).encode(), "gutenberg", "", "").text) == told(STORY)


def test_signature_of_the_australian_library_stays() -> None:
    page = old("", closing="This site is full of FREE ebooks - Project Gutenberg Australia\n")(STORY)
    assert told(strip_story(page.encode(), "gutenberg", "", "").text) == told(STORY)


def test_headings_of_a_page_run_together_between_preformatted_header_and_licence() -> None:
    head, tail = modern("Produced by Judith Boss")("\0").split("\0")
    body = "".join(f"<p>{part}</p>" for part in STORY.split("\n\n"))
    page = f"<html><head><title>x</title></head><body><pre>{head}</pre><h1>ONE</h1><h2>TWO</h2>{body}<pre>{tail}</pre></body></html>"
    assert told(strip_story(page.encode(), "gutenberg", "", "").text) == "ONE TWO " + told(STORY)


def test_entities_stay_in_a_script_without_tags() -> None:
    script = FILM + "\n\nMarta &amp; the clerk&#39;s dog leave.\n"
    result = strip_story(script.encode(), "movie", "", "")
    assert result.text.rstrip().endswith("Marta & the clerk's dog leave.")
    assert (result.rule, result.cut_end) == ("entities", 1)


def test_transcript_with_an_address_stays_above_a_script() -> None:
    who = "Transcript by Tom Allan, from the tape. Please e-mail corrections to tom@allan.org"
    assert told(strip_story(f"{who}\n\n\n{FILM}".encode(), "movie", "", "").text) == told(FILM)
    spoken = FILM.replace("FADE IN:", "Transcript by order of the court\n\nFADE IN:")
    assert told(strip_story(spoken.encode(), "movie", "", "").text) == told(spoken)


@pytest.mark.parametrize("last", [
    "The end of Project Gutenberg came on a Tuesday, and the lamp went out.",
    "End of Project Gutenberg? Nobody knew.",
    "End of the e-book, said the machine.",
    "Updated editions will replace the widow, said the bell.",
])  # fmt: skip
def test_last_words_that_name_the_library_go_without_an_end_line(last: str) -> None:
    page = modern("Produced by Ann Other", end="", closing="")(f"{STORY}\n\n{last}")
    assert told(strip_story(page.encode(), "gutenberg", "", "").text) == told(f"{STORY}\n\n{last}")
