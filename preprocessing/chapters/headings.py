"""Headings of a summary: labels, numbers and names before its text, or between its chapters."""

import re

from scrollwork.preprocessing.chapters.edits import Passage
from scrollwork.preprocessing.chapters.locators import ANY_NUMBER, Locator

LABEL = (
    r"(?:(?:plot|chapter|scene|act|brief|short|detailed|full|complete)\s+)?"
    r"(?:summary|summaries|synopsis|analysis|recap|notes|commentary)(?:\s*(?:and|&|/)?\s*(?:analysis|commentary|notes))?"
)
SECTIONS = (
    r"prologue|epilogue|preface|author['’]s\s+(?:note|preface)|introduction|foreword|afterword|induction|prelude"
    r"|dedication|conclusion|interlude|overture|postscript|appendix"
)
MARK = r"[ \t]*(?:[.:|–—]+|-+)?[ \t]*"  # between a heading and its text
TEXT = r"(?=\s*[\"“'‘(]?(?-i:[A-Z\d])|\s*\.\s?\.|\s*$)"  # how the text after a heading begins
BEFORE_PLACE = re.compile(
    rf"(?:\b{LABEL}\s*(?:(?:of|for|on|from|to)\s+)?[:.\-–—|]?\s*|(?:^|(?<=[.!?]\s))\s*(?:of|on)\s+)$", re.I
)
CUT_OFF = re.compile(r",?\s*(?:scenes?|chapters?|part)\s*$", re.I)  # "Act V, scene" at the end of a scraped text
# after a number: a verb, "Chapter 40 concerns itself"; other lower-case words start a text that lost its first words
GOES_ON = re.compile(
    r"\s*(?:\w+(?:s|ed|ly)\b|(?:will|can|may|might|could|would|should|must|had|have|are|were|did|then|also|now|again|once|began"
    r"|took|saw|brought|found|told|came|went|gave|made|that|which|where|when|with|on|as|at|for|by|of|to|and|or|in|the)\b"
    r"|[^\w\s])"
)
BEHIND_PLACE = re.compile(rf"{MARK}(?:{LABEL}(?=[\s:.\-–—|]){MARK})?\s*{TEXT}", re.I)
LABELLED = re.compile(rf"\s*{LABEL}(?:{MARK}\n|\s*[:|–—-]+\s*|\s){TEXT}", re.I)
SECTIONED = re.compile(rf"\s*(?:the\s+|of\s+(?:the\s+)?)?(?:{SECTIONS})(?:\s*[:.|–—-]+\s*|\s){TEXT}", re.I)
SECTION = re.compile(
    r"\b(?:Prologue|Epilogue|Induction|Preface|Introduction|EPILOGUE|PROLOGUE|INDUCTION)(?:\s*[:.–—-]+\s*|\s)"
    r"(?=\s*[\"“]?[A-Z])"
)
# "Four and Five . In ...": the end of "Chapters Three, Four and Five", the rest of which a scraper took
NUMBERS_LEFT = re.compile(
    rf"\s*{ANY_NUMBER}(?:(?:\s*,|\s*&|\s+and)*\s+{ANY_NUMBER}){{0,6}}\s+\.\s+(?=[A-Z\"“'‘])", re.I
)
# "IV. The captain ..." and "12) The ..."; numerals of one letter may be initials
BARE_NUMBER = re.compile(
    r"\s*(?:(?:\d{1,3}|[IVXLC]{2,})[.:)]\s+(?=[\"“'‘]?[A-Z])|[IVX]{2,7}\s+(?=[A-Z][a-z]|A\s)"
    r"|[IVXLC][.:)]\s+(?=(?:The|A|An|In|At|On|When|As|After|It|He|She|They|This)\s))"
)
DECORATION = " \t*_#=~[]-–—|"  # around headings
LEADING = (LABELLED, SECTIONED, NUMBERS_LEFT, BARE_NUMBER)
LINE = re.compile(rf"(?:{LABEL}|(?:the\s+)?(?:{SECTIONS})|\d{{1,3}}|{ANY_NUMBER})[ \t]*[:.]?[ \t]*", re.I)
LONGEST_TITLE = 12  # words after a number on a line of its own


def title_line(passage: Passage) -> None:
    """Remove numbers, labels and section names as headings: on their own lines, before the text, between sentences."""
    lines_of_headings(passage)
    for locator in passage.found:
        inline(passage, locator)
    for match in SECTION.finditer(passage.text):
        if passage.starts_sentence(match.start()):
            passage.cut("title_line", match.start(), match.end())
    for _ in range(4):  # "Summary", "Chapter 5", "IV." may follow one another
        at = passage.begins
        ends = [found.end() for one in LEADING if (found := one.match(passage.text, at)) and found.end() > at]
        if not ends or not passage.cut("title_line", at, ends[0]):
            return


def lines_of_headings(passage: Passage) -> None:
    """Remove lines that are only a heading. A text of one line has none."""
    text = passage.text
    if "\n" not in text.strip():
        return
    for line in re.finditer(r"[^\n]+", text):
        words = line[0].strip(DECORATION)
        start = line.start() + line[0].find(words) if words else line.start()
        if LINE.fullmatch(words) or is_heading(passage, start, words):
            passage.edit("title_line", line.start(), line.end())


def is_heading(passage: Passage, start: int, words: str) -> bool:
    """Return whether a line is a place with at most a title after it: "Chapter 5: The Storm", "Summary of Act I"."""
    if not (places := passage.places_in(start, start + len(words))):
        return False
    locator = places[0]
    before, behind = passage.text[start : locator.start], passage.text[locator.end : start + len(words)]
    if before.strip() and not BEFORE_PLACE.fullmatch(before):
        return False
    title = behind.strip(" \t:.-–—|")
    long = len(title.split()) > LONGEST_TITLE or re.search(r"[.;]\s|[;,]$", title)
    return not title or bool(
        not long and not behind.rstrip().endswith(".") and (title[0].isupper() or title[0] in "\"“'‘(")
    )


def inline(passage: Passage, locator: Locator) -> None:
    """Remove a place at the start of a sentence before a capital: "... the lake. Chapter 10 Huck is thrilled"."""
    text = passage.text
    behind = BEHIND_PLACE.match(text, locator.end) or CUT_OFF.match(text, locator.end)
    if not behind and locator.start == passage.begins and not GOES_ON.match(text, locator.end):
        behind = re.compile(r"").match(text, locator.end)
    if not behind:
        return
    before = BEFORE_PLACE.search(text[max(0, locator.start - 60) : locator.start])
    start = locator.start - len(before[0]) if before else locator.start
    start = passage.skip(start)
    if passage.starts_sentence(start) and (behind.end() == len(text) or text[locator.end] != ","):
        passage.cut("title_line", start, behind.end())
