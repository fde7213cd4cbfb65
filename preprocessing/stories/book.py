"""Books of Project Gutenberg, 1991 to today: header, small print, credits, notes and licence off, the book left.

A marker counts only at the start of a line and, at the front, only with a header before it. Where a marker stands twice
with book between, nothing is cut: which one is meant cannot be known.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from scrollwork.preprocessing.stories.credits import EVIDENCE, strip_back, strip_front
from scrollwork.preprocessing.stories.cut import Cutting, StripResult, paragraphs, tokens_at, whole
from scrollwork.preprocessing.stories.page import LINK_OFF, LINK_ON, mostly_preformatted, story_part, visible
from scrollwork.preprocessing.stories.told import SPEECH

HEADER = 60_000  # characters in which a header ends; the longest seen (of 2001) has 15,000
FOOTER = 60_000
MOST_LINES = 20_000  # of one kind: more is no book
MOST_STRANGE = 1_500  # characters of a header before its small print in paragraphs that name nothing of the library

START = re.compile(
    r"[ \t]*(?:\W{0,12}(?-i:START|Start) OF (?:(?:THE|THIS) )?(?:COPYRIGHTED )?PROJECT GUTENB[EU]RG"
    r"|\W{0,6}Beginning of (?:the|this) Project Gutenberg)",
    re.I,
)
END = re.compile(r"[ \t]*\W{0,12}(?-i:END) OF (?:(?:THE|THIS) )?(?:COPYRIGHTED )?PROJECT GUTENB[EU]RG", re.I)
SMALL_PRINT = re.compile("small print", re.I)
SMALL_PRINT_END = re.compile(
    r"[ \t]*\*+\s?(?:END\W{1,3}THE SMALL PRINT[^\n]*|SMALL PRINT! Ver[^\n]{0,60}\*END\*)"
    r"(?:\s*\[(?:Portions of this|Project Gutenberg is a Trade)[^\]]{0,600}\])*"
)
# what headers of 2000 to 2003 say of money and servers, at length
ASKS = re.compile(
    r"donat|e-?texts?\b|contributions are|foundation\b|paperwork|internal revenue|https?://|www\.|ftp[.:]|@\w|newsletter"
    r"|university ave|to various questions|sites? at:|permitted by law",
    re.I,
)
CLOSING = re.compile(
    r"[ \t]*[*\[(_=\s]{0,12}(?:This\s+is\s+the\s+|Here\s+)?(?:The\s+)?Ends?\s+(?:of\s+)?(?:the\s+"
    r"|this\s*(?:is\s+)?)?(?:The\s+)?(?:copyrighted\s+)?(?:Project\s+Gutenb[eu]rg|Gutenberg\s+E-?text|(?:E-?text|EBook)\b)"
    r"|[ \t]*(?:Ende?|Fin|Einde) (?:dieses?|d[eu]|van|von|della?) (?:the |this |l['a] ?)?Proje[ck]t (?:the )?Gutenberg",
    re.I | re.M,
)
# "The end of Project Gutenberg came on a Tuesday": behind the library's name comes a title, or one of these words
SENTENCE = re.compile(
    r"\s*[?!]|(?:['’]s)?(?:\s+(?:E-?text|E-?book|edition|version|file)s?)*[ \t]*\n?[ \t]+"
    r"(?!(?:of|by|from|the|a|an|in|on|for|and|et|de|des|du|la|le|l['’]|von|van|und|to|volume|vol|no|number|part|book|etext|edition"
    r"|e-?book|e-?text|file|version|presentation|release|works?|collection)\b)(?-i:[a-z])",
    re.I,
)
# the header that the plays of one edition share
SHARED_PRINT = re.compile(
    r"^\*+[ \t]+SMALL PRINT! FOR __ COMPLETE SHAKESPEARE[^\n]*\n(?:\[\"Small Print\"[^\n]*\n)?", re.M
)
# the library's name for the book, once more as the very last lines
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
METADATA = re.compile(
    r"^[ \t]*(?:Title|Release Date|Posting Date|Character set encoding) ?:|this e-?book is for the use of"
    r"|copyright laws are changing"
    r"|\[E-?(?:text|book) ?#|we encourage you to keep this file|this file should be named"
    r"|information on contacting project",
    re.I | re.M,
)
BOOKMARKS_WORD = "BOOKMARKS"
BOOKMARKS = re.compile(r"[ \t]*(?:E-?TEXT|E-?BOOK|PG|PROJECT GUTENBERG) EDITOR['’]?S BOOKMARKS:?[ \t]*(?=\n|$)")
LONGEST_LIST = 20_000  # characters of bookmarks

INLINE = ("i", "b", "em", "strong", "u", "sup", "sub", "center", "tt", "small", "big")


@dataclass(frozen=True)
class Marker:
    """A line that says where the book starts or ends."""

    start: int
    end: int


def strip_book(text: str, story_start: str, story_end: str) -> StripResult:
    """A book without what the library put around it."""
    starts, ends = markers(text)
    cut = Cutting(text)
    if problem := ambiguous(text, starts, ends):
        return whole(text, problem)
    if ends:
        _end_line(cut, ends[0], starts)
    _front(cut, starts, story_start)
    if not (_closing(cut) or "end line" in cut.rules):
        _licence(cut, story_end)
    if not cut.rules:
        return whole(text, "no marker found: whole text kept")
    _shared(cut)
    _inline(cut)
    _bookmarks(cut)
    strip_front(cut)
    strip_back(cut)
    result = cut.result()
    return result if result.text else whole(text, "nothing would be left: whole text kept")


def strip_book_page(page: str, story_start: str, story_end: str) -> StripResult:
    """A book published as an HTML page: its visible text, then as any book."""
    start, end, part = story_part(page)
    as_is = "pre" in part and mostly_preformatted(page, start, end)
    seen = visible(page, start, end, preformatted=as_is, furniture=False)
    plain = seen.text.replace(LINK_ON, " ").replace(LINK_OFF, " ")
    found = strip_book(plain, story_start, story_end)
    text = re.sub(r"\n{4,}", "\n\n\n", re.sub(r"[ \t]+\n", "\n", found.text)).strip("\n")
    if not text.strip():
        return whole(page, "nothing would be left: whole text kept")
    left = seen.in_page(found.cut_start, last=False)
    right = seen.in_page(len(plain) - found.cut_end, last=True)
    rule = " + ".join(filter(None, [f"page: {part}" if part else "tags", found.rule if found.rule != "whole" else ""]))
    return StripResult(text, rule, left, max(0, len(page) - right), found.warnings, right - left - len(text))


def markers(text: str) -> tuple[list[Marker], list[Marker]]:
    """The lines "*** START/END OF THE PROJECT GUTENBERG EBOOK" in order, wrapped ones to their last line."""
    starts: dict[int, Marker] = {}
    ends: dict[int, Marker] = {}
    # one pass for both: the long word is found 4x faster than "START OF" and "END OF"
    for line, _ in _lines_with(text, "PROJECT GUTENB", 0, len(text)):
        if START.match(text, line):
            starts[line] = Marker(line, _marker_end(text, line))
        elif END.match(text, line):
            ends[line] = Marker(line, _marker_end(text, line))
    for line, _ in _lines_with(text, "Project Gutenberg", 0, HEADER):  # at the end, mixed case is a closing line
        if START.match(text, line):
            starts[line] = Marker(line, _marker_end(text, line))
    return [starts[line] for line in sorted(starts)], [ends[line] for line in sorted(ends)]


def _marker_end(text: str, line: int) -> int:
    """One past the marker: to its closing stars, at most three lines on, else to the end of its line."""
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
    """What is wrong when a marker stands twice with book between the two; empty when all is clear."""
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
    """Whether all between two places is blank, header or credit."""
    if end - start > HEADER:
        return False
    return all(
        HEADER_LINE.match(paragraph.text)
        or (len(paragraph.text) < 1_500 and EVIDENCE.search(paragraph.text))
        or len(paragraph.text) < 60
        for paragraph in paragraphs(text, start, end)
    ) and (end - start < 200 or bool(SIGNATURE.search(text, start, end)))


def _end_line(cut: Cutting, end: Marker, starts: list[Marker]) -> None:
    """Cut at the end marker, unless it stands where only a quotation could."""
    text = cut.text
    if not starts and end.start < len(text) // 10 and len(text) - end.end > 40_000:
        cut.warnings.append("end marker near the front: not used")
    else:
        cut.back(end.start, "end line")


def _closing(cut: Cutting) -> bool:
    """Cut at "End of Project Gutenberg's ...", with at most a few lines, or the licence, behind it."""
    text, ended = cut.text, "end line" in cut.rules
    floor = max(cut.start, cut.end - (4_000 if ended else FOOTER))
    lines = sorted(
        {span for word in ("utenb", "UTENB", "text", "TEXT") for span in _lines_with(text, word, floor, cut.end)}
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
    """Whether a line says that the book ends, and no sentence about the library goes on from the words."""
    found = CLOSING.match(text, line)
    return found is not None and not (SENTENCE.match(text, found.end()) or SPEECH.match(text, found.end()))


def _lines_with(text: str, word: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines of a window in which a word stands, as spans, first to last."""
    found: list[tuple[int, int]] = []
    at = text.find(word, start, end)
    while at >= 0 and len(found) < MOST_LINES:
        line = text.rfind("\n", 0, at) + 1
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        found.append((line, stop))
        at = text.find(word, stop, end)
    return found


def _front(cut: Cutting, starts: list[Marker], story_start: str) -> None:
    """Cut at the last start marker or end of the small print of one header."""
    text = cut.text
    limit = min(
        [cut.end, HEADER, *(line for line, _ in _lines_with(text, "utenberg", 0, HEADER) if CLOSING.match(text, line))]
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
    """Whether what stands before a start marker is a header: nothing, a few lines, or words of the library."""
    head = text[:position]
    return len(head.strip()) < 300 or bool(SIGNATURE.search(head[:6_000]))


def _strange(text: str, start: int, end: int) -> int:
    """Characters in paragraphs that name nothing of the library: book, where they are many."""
    found = (one.text for one in paragraphs(text, start, end) if len(one.text) > 60)
    return sum(len(one) for one in found if not (HEADER_LINE.search(one) or SIGNATURE.search(one) or ASKS.search(one)))


def _header_end(text: str, limit: int) -> int:
    """The end of a header without a start line: its last known line, at most four short paragraphs in a row between."""
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
    """Without any marker of the library: upstream's own first tokens, when they stand once."""
    found = tokens_at(cut.text, story_start, 0, limit)
    if len(found) == 1 and cut.text[: found[0][0]].strip():
        cut.front(found[0][0], "story_start")
    elif len(found) > 1:
        cut.warnings.append("story_start stands twice: not used")
    if not found or len(found) > 1:
        cut.warnings.append("no start marker")


def _licence(cut: Cutting, story_end: str) -> None:
    """Without an end marker: the first line of a licence after the book, else upstream's own last tokens."""
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
        for line, _ in _lines_with(text, word, floor, cut.end):
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


def _inline(cut: Cutting) -> None:
    """Tags of emphasis in a plain text, where each that opens also closes; a lone <b> is the story's own."""
    text = cut.text
    if text.find("<", cut.start, cut.end) < 0 or text.find("</", cut.start, cut.end) < 0:
        return
    for name in INLINE:
        for case in (name, name.upper()):
            opened = text.count(f"<{case}>", cut.start, cut.end)
            if opened and opened == text.count(f"</{case}>", cut.start, cut.end):
                for tag in (f"<{case}>", f"</{case}>"):
                    at = text.find(tag, cut.start, cut.end)
                    while at >= 0:
                        cut.hole(at, at + len(tag), "inline tags")
                        at = text.find(tag, at + 1, cut.end)


def _shared(cut: Cutting) -> None:
    """The notice "<<THIS ELECTRONIC VERSION OF THE COMPLETE WORKS ...>>" between the plays of one edition."""
    at = cut.text.find("THIS ELECTRONIC VERSION OF", cut.start, cut.end)
    while at >= 0:
        start = cut.text.rfind("<<", max(cut.start, at - 4), at)
        blank = cut.text.find("\n\n", at, cut.end)
        blank = cut.end if blank < 0 else blank
        stop = cut.text.find(">>", at, blank)  # some notices do not close
        if start >= 0:
            cut.hole(start, stop + 2 if stop >= 0 else blank, "library notice")
        at = cut.text.find("THIS ELECTRONIC VERSION OF", at + 1, cut.end)


def _bookmarks(cut: Cutting) -> None:
    """ "ETEXT EDITOR'S BOOKMARKS:", quotations that a producer listed behind the book or behind each of its volumes."""
    text = cut.text
    if text.find(BOOKMARKS_WORD, max(cut.start, cut.end - LONGEST_LIST), cut.end) < 0:  # the last volume has them too
        return
    at = text.find(BOOKMARKS_WORD, cut.start, cut.end)
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        label = BOOKMARKS.match(text, line)
        if label:
            found = paragraphs(text, label.end(), min(cut.end, label.end() + LONGEST_LIST))
            stop = found[0].end if found and found[0].gap < 4 else label.end()
            if text[stop : cut.end].strip():
                cut.hole(line, stop, "bookmarks")
            else:
                cut.back(line, "bookmarks")
                return
        at = text.find(BOOKMARKS_WORD, at + 1, cut.end)
