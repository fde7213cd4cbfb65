"""Lines by which Project Gutenberg marks where a book starts and ends.

A marker counts only at the start of a line. If one occurs twice with book between, nobody can know which is meant.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from scrollwork.preprocessing.stories.credit_patterns import EVIDENCE
from scrollwork.preprocessing.stories.cut import paragraphs

HEADER = 60_000  # characters within which a header ends; the longest seen (of 2001) has 15,000
MOST_LINES = 20_000  # of one kind: a text with more is not a book
START = re.compile(
    r"[ \t]*(?:\W{0,12}(?-i:START|Start) OF (?:(?:THE|THIS) )?(?:COPYRIGHTED )?PROJECT GUTENB[EU]RG"
    r"|\W{0,6}Beginning of (?:the|this) Project Gutenberg)",
    re.I,
)
END = re.compile(r"[ \t]*\W{0,12}(?-i:END) OF (?:(?:THE|THIS) )?(?:COPYRIGHTED )?PROJECT GUTENB[EU]RG", re.I)
CLOSING = re.compile(
    r"[ \t]*[*\[(_=\s]{0,12}(?:This\s+is\s+the\s+|Here\s+)?(?:The\s+)?Ends?\s+(?:of\s+)?(?:the\s+"
    r"|this\s*(?:is\s+)?)?(?:The\s+)?(?:copyrighted\s+)?(?:Project\s+Gutenb[eu]rg|Gutenberg\s+E-?text|(?:E-?text|EBook)\b)"
    r"|[ \t]*(?:Ende?|Fin|Einde) (?:dieses?|d[eu]|van|von|della?) (?:the |this |l['a] ?)?Proje[ck]t (?:the )?Gutenberg",
    re.I | re.M,
)
AFTER_END = re.compile(
    r"project gutenberg|gutenberg\.(?:org|net)|this file should be named|this and all associated files"
    r"|updated editions|small print|end of th(?:e|is) project|etext|e-?book",
    re.I,
)
SIGNATURE = re.compile(r"Project Gutenberg|Gutenberg E-?(?:text|book)|\bEtext\b|\[E-?(?:text|book) ?#", re.I)
HEADER_LINE = re.compile(
    r"[ \t]*[*\[(#_]{0,12}\s?(?:The |This |A )?(?:Project Gutenberg(?:['’]s?|-tm| E-?(?:text|book)| of| is"
    r"| Literary)|Gutenberg E-?(?:text|book))"
    r"|[ \t]*(?:Title|Author|Authors|Editor|Illustrator|Translator|Contributor|Release Date|Posting Date"
    r"|Original Publication|Language|Character set encoding|Credits|Subject|Commentator"
    r"|Edition|First Posted|Last updated?|Most recently updated)\s?:\s"
    r"|[ \t]*\[?(?:This file was (?:first posted|last updated)|This file last updated|Last updated?:"
    r"|Most recently updated:|Date last updated|Yes, we are)"
    r"|[ \t]*\*{1,3}(?:Welcome To The World|E-?(?:texts|books) Readable|These E-?(?:texts|books)"
    r"|Information prepared by|START\*|BEFORE!)"
    r"|[ \t]*(?:This e-?book is for the use of|Copyright laws are changing|Please take a look at the important"
    r"|Please do not remove|Please read the|Information on contacting|Information about Project"
    r"|We produce about two million"
    r"|The Goal of Project Gutenberg|We need your donations|All donations should be|For these and other matters"
    r"|When all other|We would prefer to send|Mac users|Example FTP|ftp |login: |\(Three Pages\)"
    r"|To access Project|To go directly to|We are now trying|Please note:? +neither|The official release date"
    r"|If they reach just|If these reach|Most of us|At our revised|Further information"
    r"|Project Gutenberg\s+P\.? ?O|You can get up to date"
    r"|This should be the first thing|Corrected EDITIONS of our|VERSIONS based on separate"
    r"|Project Gutenberg Etexts are|This etext was (?:first )?(?:prepared|produced|released)"
    r"|We encourage you to keep|electronic path open|This header should|\#\d+ in our series"
    r"|\w+,? \d{4} +\[E-?(?:text|book) ?#|Edition: \d+|Why is this \"?Small Print|with this e-?book or online"
    r"|Michael (?:S\. )?Hart|Executive Director|\*\*\*\**$)",
    re.I | re.M,
)


@dataclass(frozen=True)
class Marker:
    """A line that says where the book starts or ends."""

    start: int
    end: int


def markers(text: str) -> tuple[list[Marker], list[Marker]]:
    """Return the lines "*** START/END OF THE PROJECT GUTENBERG EBOOK" in order, wrapped ones up to their last line."""
    starts: dict[int, Marker] = {}
    ends: dict[int, Marker] = {}
    # one pass for both: the longer words are found 4x faster than "START OF" and "END OF"
    for line, _ in lines_with(text, "PROJECT GUTENB", 0, len(text)):
        if START.match(text, line):
            starts[line] = Marker(line, _marker_end(text, line))
        elif END.match(text, line):
            ends[line] = Marker(line, _marker_end(text, line))
    for line, _ in lines_with(text, "Project Gutenberg", 0, HEADER):  # near the end, mixed case is a closing line
        if START.match(text, line):
            starts[line] = Marker(line, _marker_end(text, line))
    return [starts[line] for line in sorted(starts)], [ends[line] for line in sorted(ends)]


def _marker_end(text: str, line: int) -> int:
    """Return the end of a marker: after its closing stars, at most three lines on, else the end of its line."""
    stop = text.find("\n", line)
    stop = len(text) if stop < 0 else stop
    if not text.startswith("*", line + len(text[line:stop]) - len(text[line:stop].lstrip())):
        return stop
    opening = line + re.compile(r"[\s*]*").match(text, line).end() - line  # type: ignore[union-attr]
    limit = stop
    for _ in range(3):
        shut = text.find("***", opening, limit)
        if shut >= 0:
            return re.compile(r"\*+[ \t]*").match(text, shut).end()  # type: ignore[union-attr]
        following = text.find("\n", limit + 1)
        following = len(text) if following < 0 else following
        if not text[limit + 1 : following].strip():
            return stop
        limit = following
    return stop


def ambiguous(text: str, starts: list[Marker], ends: list[Marker]) -> str:
    """Return what is wrong if a marker occurs twice with book between the two; "" if all is clear."""
    for one, two in pairwise(starts):
        if not _only_header(text, one.end, two.start):
            return "start marker stands twice with text between: whole text kept"
    for one, two in pairwise(ends):
        between = text[one.end : two.start]
        if between.strip() and not AFTER_END.search(between[:1_500]):
            return "end marker stands twice with text between: whole text kept"
    if starts and ends and ends[0].start < starts[-1].end and starts[0].start < HEADER:
        return "end marker before the start marker: whole text kept"
    return ""


def _only_header(text: str, start: int, end: int) -> bool:
    """Return whether everything between two places is blank, header or credit."""
    if end - start > HEADER:
        return False
    return all(
        HEADER_LINE.match(paragraph.text)
        or (len(paragraph.text) < 1_500 and EVIDENCE.search(paragraph.text))
        or len(paragraph.text) < 60
        for paragraph in paragraphs(text, start, end)
    ) and (end - start < 200 or bool(SIGNATURE.search(text, start, end)))


def lines_with(text: str, word: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the lines of a window that contain a word, as spans, first to last."""
    found: list[tuple[int, int]] = []
    at = text.find(word, start, end)
    while at >= 0 and len(found) < MOST_LINES:
        line = text.rfind("\n", 0, at) + 1
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        found.append((line, stop))
        at = text.find(word, stop, end)
    return found
