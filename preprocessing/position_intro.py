"""Introductions, prefaces and overviews: whole parts that tell no part of the story, and ones before the first chapter."""

import re

from preprocessing.position_edits import Passage

INTRODUCTORY = (
    r"introduct(?:ion|ory)|preface|foreword|overview|dedication|appendix|analys[ie]s|context|background|notice|author['’]?s?\s+note"
    r"|about\s+the|summary|synopsis|themes?|letter\s+to|explanatory"
)
NAMED = re.compile(rf"\b(?:{INTRODUCTORY})\b", re.I)
STORY = re.compile(r"\b(?:prologue|epilogue|induction|prelude)\b", re.I)


def is_introduction(name: str) -> bool:
    """Whether a part's name says that it is an introduction, an overview or the like and no part of the story."""
    from preprocessing.position_locators import Place

    return bool(NAMED.search(name)) and not Place.of(name).places and not STORY.search(name)


def introduction(passage: Passage) -> None:
    """What stands before the first chapter in a part whose name is "Preface and Chapters 1 to 2" or the like."""
    if not NAMED.search(passage.name) or not passage.place.places:
        return
    unit, first, _ = min(passage.place.places, key=lambda place: place[1])
    for locator in passage.found:
        if any(one == unit and low == first for one, low, _ in locator.places) and passage.starts_sentence(locator.start):
            if passage.text[: locator.start].strip():
                passage.edit("introduction", 0, locator.start)
            return
