"""Removal of the header of a book of Project Gutenberg: start line, small print, or the known lines of a header.

A start marker counts only with a header before it.
"""

import re

from scrollwork.preprocessing.stories.book_markers import CLOSING, HEADER, HEADER_LINE, SIGNATURE, Marker, lines_with
from scrollwork.preprocessing.stories.cut import Cutting, paragraphs, tokens_at

MOST_STRANGE = 1_500  # characters of a header before its small print, in paragraphs without words of the library
SMALL_PRINT = re.compile("small print", re.I)
SMALL_PRINT_END = re.compile(
    r"[ \t]*\*+\s?(?:END\W{1,3}THE SMALL PRINT[^\n]*|SMALL PRINT! Ver[^\n]{0,60}\*END\*)"
    r"(?:\s*\[(?:Portions of this|Project Gutenberg is a Trade)[^\]]{0,600}\])*"
)
# what headers of 2000 to 2003 say about money and servers, at length
ASKS = re.compile(
    r"donat|e-?texts?\b|contributions are|foundation\b|paperwork|internal revenue|https?://|www\.|ftp[.:]|@\w|newsletter"
    r"|university ave|to various questions|sites? at:|permitted by law",
    re.I,
)
# the header that the plays of one edition share
SHARED_PRINT = re.compile(
    r"^\*+[ \t]+SMALL PRINT! FOR __ COMPLETE SHAKESPEARE[^\n]*\n(?:\[\"Small Print\"[^\n]*\n)?", re.M
)
METADATA = re.compile(
    r"^[ \t]*(?:Title|Release Date|Posting Date|Character set encoding) ?:|this e-?book is for the use of"
    r"|copyright laws are changing"
    r"|\[E-?(?:text|book) ?#|we encourage you to keep this file|this file should be named"
    r"|information on contacting project",
    re.I | re.M,
)


def cut_header(cut: Cutting, starts: list[Marker], story_start: str) -> None:
    """Cut at the last start marker or end of the small print of one header."""
    text = cut.text
    limit = min(
        [cut.end, HEADER, *(line for line, _ in lines_with(text, "utenberg", 0, HEADER) if CLOSING.match(text, line))]
    )
    ours = [marker for marker in starts if marker.start < limit]
    if ours and _is_header(text, ours[0].start):
        cut.front(ours[-1].end, "start line")
    elif ours:
        cut.warnings.append("start marker without a header before it: not used")
    at = text.find("SMALL PRINT", cut.start, limit)
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        found = SMALL_PRINT_END.match(text, line, limit)
        opened = SMALL_PRINT.search(text, cut.start, line)
        if found and opened and _is_header(text, line):
            strange = _strange(text, cut.start, opened.start())
            if strange <= min(MOST_STRANGE, cut.end - found.end()):  # else it follows the book
                cut.front(found.end(), "small print")
        at = text.find("SMALL PRINT", at + 1, limit)
    shared = SHARED_PRINT.search(text, cut.start, limit) if "COMPLETE SHAKESPEARE" in text[:limit] else None
    if shared:
        cut.front(shared.end(), "small print")
    if any(rule in cut.rules for rule in ("start line", "small print")):
        return
    stop = _header_end(text, limit)
    if stop:
        cut.front(stop, "header lines")
        return
    _story_start(cut, story_start, limit)


def _is_header(text: str, position: int) -> bool:
    """Return whether the text before a start marker is a header: nothing, a few lines, or words of the library."""
    head = text[:position]
    return len(head.strip()) < 300 or bool(SIGNATURE.search(head[:6_000]))


def _strange(text: str, start: int, end: int) -> int:
    """Return the number of characters in paragraphs without words of the library: many are the book."""
    found = (one.text for one in paragraphs(text, start, end) if len(one.text) > 60)
    return sum(len(one) for one in found if not (HEADER_LINE.search(one) or SIGNATURE.search(one) or ASKS.search(one)))


def _header_end(text: str, limit: int) -> int:
    """Return the end of a header without a start line, 0 if there is none.

    It is the last known line, with at most four unknown short paragraphs in a row before it.
    """
    found = paragraphs(text, 0, min(limit, 30_000))
    opening = "\n".join(paragraph.text for paragraph in found[:3])
    if not (SIGNATURE.search(opening[:800]) and HEADER_LINE.match(opening) and METADATA.search(text, 0, 4_000)):
        return 0
    stop, strange = 0, 0
    for paragraph in found:
        if HEADER_LINE.match(paragraph.text) or (
            strange == 0 and len(paragraph.text) < 1_200 and HEADER_LINE.search(paragraph.text)
        ):
            stop, strange = paragraph.end, 0
            continue
        strange += 1
        if strange > 4 or len(paragraph.lines) > 3:
            break
    return stop


def _story_start(cut: Cutting, story_start: str, limit: int) -> None:
    """Cut without any marker of the library: at upstream's own first tokens, if they occur once."""
    found = tokens_at(cut.text, story_start, 0, limit)
    if len(found) == 1 and cut.text[: found[0][0]].strip():
        cut.front(found[0][0], "story_start")
    elif len(found) > 1:
        cut.warnings.append("story_start stands twice: not used")
    if not found or len(found) > 1:
        cut.warnings.append("no start marker")
