"""Credits with other verbs and closing notes under other headings go; pages of a story that look like them stay."""

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import strip_story
from tests.preprocessing import story_notes, story_notes_aside
from tests.preprocessing.test_narrative_stripping import CLOSING, SMALL_END, STORY, check, modern, old, told

ERAS = (modern, old)
FRONT = story_notes.FRONT | story_notes_aside.FRONT
BACK = story_notes.BACK | story_notes_aside.BACK
STAYS = story_notes.STAYS | story_notes_aside.STAYS


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", FRONT)
def test_credit_with_another_verb_stays_before_the_title(name: str, era) -> None:
    check(era(FRONT[name])(STORY), STORY)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", BACK)
def test_closing_note_under_another_heading_stays(name: str, era) -> None:
    check(era("Produced by Ann Other")(f"{STORY}\n\n\n\n{BACK[name]}"), STORY)


NOTE = "Transcriber's Note: The spelling of the first edition has been kept."
PLACES = {
    "below a note": lambda text: f"{text}\n\n{STORY}",
    "first": lambda text: f"{text}\n\n\n\n{STORY}",
    "chapter one": lambda text: STORY.replace("(1.2)", f"(1.2)\n\n{text}"),
    "last chapter": lambda text: f"{STORY.removesuffix('THE END').rstrip()}\n\n\n{text}",
    "last": lambda text: f"{STORY}\n\n\n\n{text}",
}
OPPOSITES = {place: story_notes.OPPOSITES[place] + story_notes_aside.OPPOSITES[place] for place in PLACES}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("place", PLACES)
def test_story_under_a_makers_words_goes(place: str, era) -> None:
    for text in OPPOSITES[place]:
        story = PLACES[place](text)
        check(era("Produced by Ann Other")(f"{NOTE}\n\n{story}" if place == "below a note" else story), story, text)


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


# ---- found by a stranger's cases and 2,424 e-texts of a public repository

ASKING = [  # what headers of 2000 to 2003 say before their small print, in our words
    "People begin at these sites:\nhttp://example.net\nhttp://example.org/pg",
    "Whoever would take an etext before it is announced finds it as\nbelow, by its date; our index is made some days after the\nnewsletter has told of it, so this is the quicker way by far.",
    "As of 01/02/01 contributions are asked for only from people in:\n" + ",\n".join(f"County {n}" for n in range(40)) + ".",
    "We go on with the paperwork so that we may ask for donations in\nevery county in which we have no permission yet; as soon as\nthe answer comes, the county is put into the list above.",
    "To various questions that we have had about this: whoever lives\nin no county of the list and would give all the same may ask,\nand we shall say by letter what is permitted by law.",
    "Donations from abroad are welcome, but we know nothing of how\nto make them tax free, or whether they can be, and we have\nnobody who could find it out for every country.",
    "The foundation has a number at the office of revenue: all that\nis given is taken off the tax as far as the law has it, and\nthe office will tell whoever asks it how far that is.",
    "Write to us by the old way:\nPost Box 11\n17 University Ave.\nOxford",
]  # fmt: skip


def test_header_that_asks_at_length_stays_whole_but_for_its_first_lines() -> None:
    rights = "[Portions of this header are copyright 2001 and are printed\nonly where etexts are free.]\n"
    page = old("", small=f"{SMALL_END}\n{rights}")(STORY)
    for end in ("*END THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.10/04/01*END*", SMALL_END):
        longer = page.replace("***START**THE SMALL", "\n\n".join([*ASKING, *ASKING]) + "\n\n***START**THE SMALL")
        check(longer.replace(SMALL_END, end), STORY)


def test_small_print_behind_a_story_takes_the_story() -> None:
    letter = "\n\n".join(
        f"Letter {n}. The crate is warm, she wrote, and I have no other news for you." for n in range(60)
    )
    page = modern("Produced by Ann Other")(f"{letter}\n\n***START**THE SMALL PRINT!***\n\nHello.\n\n{STORY}")
    assert letter in strip_story(page.encode(), "gutenberg", "", "").text


@pytest.mark.parametrize("behind", [
    "\n\n".join(f"CANTO {n}\n\n  A lamp for the quay,\n    a bell for the crate,\n  [Music: two bars]" for n in range(1, 9)),
    "\n".join(f"Achil{n}     (a]kil'ez)" for n in range(40)),
    "FOOTNOTES:\n\n[1] Harrow was then a village.\n\n[2] A lamp of the old pattern.",
    "PELL'S SIXPENNY NOVELS\n\n1. The Grey Tower, by Edwina Marsh\n2. The Bell, by Ida Quill",
    "[Illustration: 001]\n\n[Illustration: 002]\n\n[Illustration: 003]",
])  # fmt: skip
def test_a_note_in_a_bracket_that_closes_takes_what_stands_behind_it(behind: str) -> None:
    note = "[Transcriber's Note: the hyphen at the end of the third line is deliberate in\nthe original, so that the two lines rhyme when they are read aloud.]"
    page = modern("Produced by Ann Other")(f"{STORY}\n\n{note}\n\n{behind}")
    assert told(behind) in told(strip_story(page.encode(), "gutenberg", "", "").text)


def test_errata_of_the_printer_go_with_a_note_that_names_them() -> None:
    errata = 'ERRATA\n\n     Page  10, line  11, _for_ produce in _read_ produce on\n       "   14, line   6, _for_ Cairoan _read_ cavern'
    page = modern("Produced by Ann Other")(f"{STORY}\n\n\n{errata}")
    check(page, f"{STORY}\n\n\n{errata}")
