"""Books of Project Gutenberg, 1991 to today, without header, small print, credits, notes and licence.

If a marker occurs twice with book between, nothing is cut: which one is meant cannot be known.
"""

import re

from scrollwork.preprocessing.stories.back_matter import strip_back
from scrollwork.preprocessing.stories.book_footer import cut_closing_line, cut_end_line, cut_licence
from scrollwork.preprocessing.stories.book_header import cut_header
from scrollwork.preprocessing.stories.book_markers import ambiguous, markers
from scrollwork.preprocessing.stories.cut import Cutting, StripResult, paragraphs, uncut_story
from scrollwork.preprocessing.stories.front_matter import strip_front
from scrollwork.preprocessing.stories.page import mostly_preformatted, story_part
from scrollwork.preprocessing.stories.visible_text import LINK_OFF, LINK_ON, visible

BOOKMARKS_WORD = "BOOKMARKS"
BOOKMARKS = re.compile(r"[ \t]*(?:E-?TEXT|E-?BOOK|PG|PROJECT GUTENBERG) EDITOR['’]?S BOOKMARKS:?[ \t]*(?=\n|$)")
LONGEST_LIST = 20_000  # characters of bookmarks
INLINE = ("i", "b", "em", "strong", "u", "sup", "sub", "center", "tt", "small", "big")


def strip_book(text: str, story_start: str, story_end: str) -> StripResult:
    """Return a book without what the library put around it."""
    starts, ends = markers(text)
    cut = Cutting(text)
    if problem := ambiguous(text, starts, ends):
        return uncut_story(text, problem)
    if ends:
        cut_end_line(cut, ends[0], starts)
    cut_header(cut, starts, story_start)
    if not (cut_closing_line(cut) or "end line" in cut.rules):
        cut_licence(cut, story_end)
    if not cut.rules:
        return uncut_story(text, "no marker found: whole text kept")
    _shared(cut)
    _inline(cut)
    _bookmarks(cut)
    strip_front(cut)
    strip_back(cut)
    result = cut.result()
    return result if result.text else uncut_story(text, "nothing would be left: whole text kept")


def strip_book_page(page: str, story_start: str, story_end: str) -> StripResult:
    """Return a book published as an HTML page: its visible text, stripped like any book."""
    start, end, part = story_part(page)
    as_is = "pre" in part and mostly_preformatted(page, start, end)
    seen = visible(page, start, end, preformatted=as_is, furniture=False)
    plain = seen.text.replace(LINK_ON, " ").replace(LINK_OFF, " ")
    found = strip_book(plain, story_start, story_end)
    text = re.sub(r"\n{4,}", "\n\n\n", re.sub(r"[ \t]+\n", "\n", found.text)).strip("\n")
    if not text.strip():
        return uncut_story(page, "nothing would be left: whole text kept")
    left = seen.in_page(found.cut_start, last=False)
    right = seen.in_page(len(plain) - found.cut_end, last=True)
    rule = " + ".join(filter(None, [f"page: {part}" if part else "tags", found.rule if found.rule != "whole" else ""]))
    return StripResult(text, rule, left, max(0, len(page) - right), found.warnings, right - left - len(text))


def _inline(cut: Cutting) -> None:
    """Remove tags of emphasis from plain text if each that opens also closes; a lone <b> is the story's own."""
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
    """Remove the notice "<<THIS ELECTRONIC VERSION OF THE COMPLETE WORKS ...>>" between the plays of one edition."""
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
    """Remove quotations that a producer listed after the book or its volumes, under "ETEXT EDITOR'S BOOKMARKS:"."""
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
