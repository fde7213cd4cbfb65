"""Openers that tell a summary's place: "As the play opens, ...", "In Chapter 18, ...", "The novel begins with"."""

import re

from scrollwork.preprocessing.chapters.edits import Passage
from scrollwork.preprocessing.chapters.locators import UNITS
from scrollwork.preprocessing.chapters.sections import sections
from scrollwork.preprocessing.chapters.words import COUNT, LAST, NOVEL, ORDINAL, ORDINALS, SECTION, UNIT, WORK

IN = r"(?:in|at|during|throughout|within)"
# not before words that explain the place: "In the first chapter, entitled ..."
END = r"\s*,(?!\s*(?:entitled|titled|called|named|which|where|in\s+which|however|[\"“]))\s*"
ACTION = r"(?:the\s+(?:action|plot|events?)\s+of\s+)?"
START = r"(?:beginning|start|opening|outset)"
LONG = r"(?:short|brief|long|lengthy|transitional)"
LINES = r"(?:very\s+)?(?:first|opening|last|final|closing)\s+(?:lines?|words?|pages?|sentences?|paragraphs?|stanzas?)"
OPENERS = (
    # "When the play begins," is kept: it may be a play on a stage in the story
    rf"(?:as|when|while)\s+{ACTION}(?:the|this|our)\s+{WORK}\s+(?:itself\s+)?(?:opens?|closes?)",
    rf"when\s+{ACTION}the\s+(?:novel|novella|book|story|tale)\s+(?:begins|starts)",
    rf"(?:at|by|from|near|towards?)\s+the\s+{NOVEL}['’]s\s+(?:{START}|end|close|conclusion)",
    rf"{IN}\s+this,\s+the\s+(?:{LAST}|{ORDINAL})\s+{UNIT}(?:\s+of\s+the\s+{WORK})?",
    rf"as\s+{ACTION}(?:the|this|our)\s+{WORK}\s+(?:itself\s+)?(?:begins?|starts?|commences|ends?|concludes?)",
    rf"as\s+{ACTION}(?:the|this|our)\s+{WORK}\s+draws\s+to\s+(?:a|its)\s+close",
    rf"(?:as|when)\s+(?:the|this)\s+{UNIT}\s+(?:opens?|begins?|starts?|commences)",
    rf"(?:right\s+)?(?:in|at|near|by|towards?|from)\s+the\s+(?:very\s+)?(?:{START}|end|close|conclusion)\s+of\s+(?:the|this|our)\s+{NOVEL}",
    rf"(?:in|at|near|from)\s+the\s+(?:very\s+)?{START}\s+of\s+(?:the|this)\s+{UNIT}",
    rf"{IN}\s+(?:this|these)\s+(?:(?:{COUNT}|{LONG})\s+)?{UNIT}s?",
    rf"{IN}\s+(?:the|this|these)\s+(?:\w+['’]s\s+)?(?:very\s+)?(?P<order>{LAST}|{ORDINAL})\s+(?:(?:{COUNT}|{LONG})\s+)?{UNIT}s?"
    rf"(?:\s+of\s+the\s+{WORK})?",
    rf"{IN}\s+the\s+{NOVEL}['’]s\s+{LINES}",
    rf"{IN}\s+the\s+{LINES}\s+of\s+(?:the|this)\s+{NOVEL}",
)
OPENER = re.compile(rf"\b(?:{'|'.join(OPENERS)}){END}", re.I)
BEFORE_PLACE = re.compile(rf"\b(?:{IN}|(?P<as>as)|{IN}\s+the\s+(?:very\s+)?{START}\s+of)\s+$", re.I)
BEHIND_PLACE = re.compile(rf"(?P<verb>\s+(?:opens|begins|starts))?{END}", re.I)
IN_SECTION = re.compile(
    rf"\bin\s+(?:the|this|a|his|her)\s+(?:\w+\s+)?(?P<name>{SECTION})(?:\s+(?:to|of)\s+(?:the|this|his|her)\s+{WORK})?{END}",
    re.I,
)
THE_SECTION = re.compile(rf"\b(?:the|this)\s+(?:{NOVEL}['’]s\s+)?(?P<name>{SECTION})\b(?!['’])", re.I)
VERB = r"(?:opens?|begins?|starts?|commences|closes|ends?|concludes?|finishes)"
# required after the verb: "The play begins, and the hall falls silent" is a play in the story
FOLLOWED = (
    r"(?=(?:\s+o(?:ff|ut))?\s+(?:with|in|on|at|by|as|when|where|outside|inside|near|after|before|just|one|during|from|to|upon|amid"
    r"|late|early|under|not)\b)"
)
OPENING = re.compile(
    rf"\b(?P<subject>(?:(?:the|this|our)\s+(?:(?:entire|whole|inset|main|actual)\s+)?{WORK}s?"
    r"|(?-i:[A-Z])[\w-]+['’]s\s+(?:novel|novella|play|tragedy|comedy|poem|epic|book))(?:\s+(?:proper|itself))?)"
    rf"\s+(?:now\s+|then\s+)?{VERB}{FOLLOWED}",
    re.I,
)
# "Dickens begins his novel with a fog"; not "she closes the book with a snap"
OPENED = re.compile(
    r"\b(?:opens|begins|starts|ends|closes|concludes)\s+(?P<work>(?:the|this|his|her|their)\s+(?:novel|novella|play))"
    r"(?=\s+(?:with|by)\b)",
    re.I,
)
# "The first phase of the novel ends", "the main part of the novel begins": replaced together, as one part
NTH_OF = re.compile(rf"\bthe\s+(?:{ORDINAL}|{LAST}|main)\s+\w+\s+of\s+\Z", re.I)
# within a sentence, "the story ends" may be a story that is told in the book
SURELY_THIS = re.compile(r"the\s+(?:novel|novella)\b|this\s+(?:novel|novella|play|book|poem)\b")


def opener(passage: Passage) -> None:
    """Remove openers at the start of a sentence, and start the sentence after them."""
    text = passage.text
    for locator in passage.found:
        before = BEFORE_PLACE.search(text[max(0, locator.start - 40) : locator.start])
        behind = BEHIND_PLACE.match(text, locator.end)
        if not before or not behind or bool(before["as"]) != bool(behind["verb"]):
            continue
        start = locator.start - len(before[0])
        if passage.starts_sentence(start) and passage.place.holds(locator.places) is not False:
            passage.cut("opener", start, behind.end())
    for match in OPENER.finditer(text):
        if passage.starts_sentence(match.start()) and _own(passage, (match["order"] or "").lower(), match[0]):
            passage.cut("opener", match.start(), match.end())
    for match in IN_SECTION.finditer(text):
        if match["name"].lower() in passage.name.lower() and passage.starts_sentence(match.start()):
            passage.cut("opener", match.start(), match.end())


def _own(passage: Passage, order: str, found: str) -> bool:
    """Return whether an ordinal that starts a sentence means this part: it does unless the name has another number."""
    if order not in ORDINALS:
        return True
    unit = next((one for one in UNITS if re.search(rf"\b{one}", found, re.I)), "")
    return passage.place.holds(((unit, ORDINALS[order], ORDINALS[order]),)) is not False


def opening(passage: Passage) -> None:
    """Replace the work as subject of "opens" or "ends" with the part: "The novel opens on" -> "This part opens on"."""
    text = passage.text
    for match in OPENING.finditer(text):
        portion = NTH_OF.search(text, max(0, match.start() - 40), match.start())
        start = portion.start() if portion else match.start()
        begins = passage.starts_sentence(start)
        if begins or SURELY_THIS.match(match["subject"]):
            this_part(passage, start, match.end("subject"), begins=begins)
    for match in OPENED.finditer(text):
        this_part(passage, match.start("work"), match.end(), begins=False)
    if title := r"\s+".join(re.escape(word) for word in passage.book.title.split()):
        verb = r"(?=\s+(?:opens|begins|starts|ends|closes|concludes)\s+(?:with|in|on|by|at|where|outside|as)\b)"
        for match in re.compile(rf"\b(?:the\s+)?{title}{verb}", re.I).finditer(text):
            if passage.starts_sentence(match.start()):
                this_part(passage, match.start(), match.end(), begins=True)
    for match in THE_SECTION.finditer(text):
        begins, name, section = passage.starts_sentence(match.start()), passage.name.lower(), match["name"].lower()
        if name.startswith(section) or (begins and section in name):
            this_part(passage, match.start(), match.end(), begins=begins)
    sections(passage)


def this_part(passage: Passage, start: int, end: int, *, begins: bool) -> None:
    """Replace these characters with "this part"."""
    passage.edit("opening", start, end, "This part" if begins else "this part")
