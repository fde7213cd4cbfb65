"""Introductions, prefaces and overviews: parts that tell nothing of the story, and text before the first chapter."""

import re

from scrollwork.preprocessing.chapters.edits import Passage
from scrollwork.preprocessing.chapters.locators import Place

KIND = (
    r"(?:introduct(?:ion|ory)|preface|foreword|overview|dedication|appendix|analys[ie]s|context|background|notice|synopsis"
    r"|themes)"
)
# the whole name denotes an introduction: "Overall Analysis and Themes", "Author's Introductory Note", "Summary"
INTRODUCTORY = re.compile(
    r"\W*(?:(?:the|an?|overall|author['’]?s?|full|plot|book|novel|play|general|brief|historical|critical|summary\s+of"
    rf"|editor['’]?s|translator['’]?s)\s+)*(?:{KIND}\b.*|author['’]?s?\s+note|about\s+the\s+\w+"
    r"|(?:plot|book|full|overall|whole)\s+summary|summary)\W*",
    re.I | re.S,
)
NAMED = re.compile(rf"\b{KIND}\b", re.I)
HEADED = re.compile(rf"\s*(?:{KIND}|author['’]?s?\s+note)[ \t]*[:.]?[ \t]*\n", re.I)
STORY = re.compile(r"\b(?:prologue|epilogue|induction|prelude)\b", re.I)


def is_introduction(name: str) -> bool:
    """Return whether a part's name says that it is an introduction or overview, and not part of the story."""
    return bool(INTRODUCTORY.fullmatch(name[:200])) and not Place.of(name).places and not STORY.search(name)


def ends_line(text: str, at: int) -> bool:
    """Return whether a character is the first on its line, apart from decoration."""
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t*_#=-")


def introduction(passage: Passage) -> None:
    """Remove what precedes the first chapter, in a part named "Preface and Chapters 1 to 2" or under such a heading."""
    if HEADED.match(passage.text):
        number = next((one for one in passage.found if ends_line(passage.text, one.start)), None)
        if number:
            passage.edit("introduction", 0, number.start)
            return
    if not NAMED.search(passage.name) or not passage.place.places:
        return
    unit, first, _ = min(passage.place.places, key=lambda place: place[1])
    for locator in passage.found:
        begun = any(one == unit and low == first for one, low, _ in locator.places)
        if begun and passage.starts_sentence(locator.start):
            if passage.text[: locator.start].strip():
                passage.edit("introduction", 0, locator.start)
            return
