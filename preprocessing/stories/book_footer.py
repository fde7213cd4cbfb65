"""Removal of what the library put after a book: end line, closing line, licence."""

import re

from scrollwork.preprocessing.stories.book_markers import AFTER_END, CLOSING, Marker, lines_with
from scrollwork.preprocessing.stories.cut import Cutting, tokens_at
from scrollwork.preprocessing.stories.narration import SPEECH

FOOTER = 60_000
# "The end of Project Gutenberg came on a Tuesday": in markers, the library's name is followed by a title or these words
SENTENCE = re.compile(
    r"\s*[?!]|(?:['’]s)?(?:\s+(?:E-?text|E-?book|edition|version|file)s?)*[ \t]*\n?[ \t]+"
    r"(?!(?:of|by|from|the|a|an|in|on|for|and|et|de|des|du|la|le|l['’]|von|van|und|to|volume|vol|no|number|part|book|etext|edition"
    r"|e-?book|e-?text|file|version|presentation|release|works?|collection)\b)(?-i:[a-z])",
    re.I,
)
# the library's name for the book, repeated as the very last lines
SIGNED = re.compile(
    r"[ \t]*\W{0,6}(?:The )?Project Gutenberg(?:['’]s)? (?:E-?text|E-?book) of\b(?!\s+(?-i:[a-z]))"
    r"|[ \t]*(?:The )?Project Gutenberg E-?text (?-i:[A-Z])[^\n]{2,80}, by (?-i:[A-Z])"
    r"|[ \t]*(?:This site is full of FREE e-?books\W+)?Project Gutenberg (?:of )?Australia[ \t]*$",
    re.I | re.M,
)
LICENCE = re.compile(
    r"[ \t]*(?:\*{2,}\s*START: FULL LICENSE|\**\s*This file should be named \S+\.(?:txt|zip|htm)"
    r"|THE FULL PROJECT GUTENBERG\W{0,4}(?:TM )?LICENSE|\*+START\*+\s?THE SMALL PRINT"
    r"|Updated editions will replace the previous\s+one\W{1,4}the\s+old"
    r"|Creating the works from (?:public domain print|print editions)"
    r"|This and all associated files of various formats"
    r"|Most people start at our Web ?site which has the main PG"
    r"|Section 1\. +General Terms of Use and Redistributing Project|\*\*\*END OF THE (?:FULL )?LICENSE"
    r"|We are now trying to release all our (?:books|etexts|ebooks) one)",
    re.I,
)


def cut_end_line(cut: Cutting, end: Marker, starts: list[Marker]) -> None:
    """Cut at the end marker, unless it is where only a quotation could be."""
    text = cut.text
    if not starts and end.start < len(text) // 10 and len(text) - end.end > 40_000:
        cut.warnings.append("end marker near the front: not used")
    else:
        cut.back(end.start, "end line")


def cut_closing_line(cut: Cutting) -> bool:
    """Cut at "End of Project Gutenberg's ..." if few lines or the licence follow it; return whether it was cut."""
    text, ended = cut.text, "end line" in cut.rules
    floor = max(cut.start, cut.end - (4_000 if ended else FOOTER))
    lines = sorted(
        {span for word in ("utenb", "UTENB", "text", "TEXT") for span in lines_with(text, word, floor, cut.end)}
    )
    for line, stop in lines:
        rest = text[stop : cut.end].strip()
        short = len(rest) < 600 and rest.count("\n") < 8
        if line <= cut.start or not (short or not ended):
            continue
        if (_says_end(text, line) and (short or (not ended and AFTER_END.search(rest[:1_500])))) or (
            len(rest) < 200 and rest.count("\n") < 2 and SIGNED.match(text, line)
        ):
            cut.back(line, "closing line")
            return True
    return False


def _says_end(text: str, line: int) -> bool:
    """Return whether a line says that the book ends, and is not the start of a sentence about the library."""
    found = CLOSING.match(text, line)
    return found is not None and not (SENTENCE.match(text, found.end()) or SPEECH.match(text, found.end()))


def cut_licence(cut: Cutting, story_end: str) -> None:
    """Cut without an end marker: at the first line of a licence after the book, else at upstream's own last tokens."""
    text = cut.text
    floor = max(cut.start, len(text) - FOOTER)
    for word in (
        "icense",
        "ICENSE",
        "his file should",
        "SMALL PRINT",
        "pdated editions",
        "ublic domain print",
        "associated files",
        "start at our Web",
        "trying to release",
    ):
        for line, _ in lines_with(text, word, floor, cut.end):
            if line > cut.start and LICENCE.match(text, line):
                cut.back(line, "licence lines")
                break
    if "licence lines" in cut.rules:
        return
    found = tokens_at(text, story_end, floor, cut.end)
    if len(found) == 1 and text[found[0][1] : cut.end].strip():
        cut.back(found[0][1], "story_end")
    elif len(found) > 1:
        cut.warnings.append("story_end stands twice: not used")
    if not found or len(found) > 1:
        cut.warnings.append("no end marker")
