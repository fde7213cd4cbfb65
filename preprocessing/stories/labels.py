"""Headings above notes of those who made the file.

A label that only the maker of an e-text writes ("Transcriber's Note", "Comments on the preparation of the e-text") is
enough. A plain one ("Corrections", "Notes on the text") may be in a printed book too: note_words.py asks for proof.
"""

import re

from scrollwork.preprocessing.stories.changes import FRAME
from scrollwork.preprocessing.stories.narration import PERSON

MAKER = (
    r"(?:transcri(?:b|pt)er|transcriptionist|proof-?\s?reader|proofer|redactor|digiti[sz]er|scanner|typist|submitter"
    r"|preparer|(?:e-?text|e-?book|HTML|digital)\s+(?:editor|producer|maker|creator|preparer|transcriber|version|edition)"
    r"|post-?processor|executive\s+director)"
)
NOTED = (
    r"(?:end\s?|foot\s?)?(?:notes?|comments?|corrections?|amendments?|errata|remarks?|changes|preface|foreword"
    r"|explanations?)"
)
LISTED = rf"(?:lists?\s+of\s+(?:[\w'’]+\s+){{0,2}}(?:errors|misprints)|(?:lists?\s+of\s+(?:\w+\s+)?)?{NOTED})"
LABEL = re.compile(
    rf"(?:(?:e-?text\s+|original\s+)?{MAKER}s?\W{{0,2}}s?\W{{0,2}}\s+{LISTED}(?![^\W_])"
    rf"|{NOTED}\s+(?:of|by|from|noted\s+by|made\s+by)\s+(?:the\s+)?(?:e-?text\s+|e-?book\s+)?(?:{MAKER}|e-?text\s+editor)"
    r"|transcription\s+notes?(?![^\W_])|note\s+on\s+the\s+e-?text"
    r"|e-?text\s+notes?(?![^\W_])|(?:DP|PG)\s+transcriber|transcriber\s*:|TN\s*:"
    r"|(?:the\s+)?(?:list\s+of\s+|following\s+)*(?:typographical\s+|printer['’]?s?['’]?\s+|minor\s+|other\s+)*"
    r"(?:errors?|corrections?|errata|changes|typos)\s[\w ]{0,40}\b(?:e-?text\s+)?transcribers?\b)",
    re.I,
)
APPENDIX = re.compile(r"\A\W*appendix\b\W{1,3}", re.I)
# words of a heading above a note, and those for the file that make it one
ABOUT = re.compile(
    r"(?:(?:the|an?|some)\s+)?(?:(?:\w+\s+)?(?:list|table|details)\s+of\b|(?:\w+\s+){0,2}?(?:notes?|comments?|remarks?|corrections?|changes?|errata|errors?|misprints|conventions?|symbols?|key|about"
    r"|preparation|production|editing)\b)",
    re.I,
)
FILE = re.compile(
    r"\b(?:e-?text|e-?book|transcri(?:ption|bers?)|(?:electronic|on-?line|digital|HTML|plain[ -]text|text|ASCII)"
    r"\s+(?:edition|version|text|file|book)|etext|Project\s+Gutenberg\s+(?:edition|version|text))s?\b",
    re.I,
)
# a heading of only these words may be the book's own: what follows must prove that it is not
PLAIN_WORDS = frozenset([
    "a", "about", "additional", "all", "amended", "amendments", "and", "archaic", "as", "at", "accents", "brackets",
    "by", "colophon", "changed", "changes", "characters", "comments", "conventions", "corrected", "correction",
    "corrections",
    "details", "emendations", "emended", "errata", "error", "errors", "footnotes", "for", "formatting", "found",
    "from", "greek", "hyphenation", "in", "inconsistent", "items", "key", "letters", "ligatures", "list", "made",
    "minor", "misprints", "noteworthy", "note", "notes", "noted", "obvious", "of", "on", "original", "other",
    "printed", "printer", "printers", "printer's", "printer’s", "printing", "punctuation", "remarks", "regarding",
    "special", "spelling", "spellings", "square", "symbols", "table", "text", "textual", "the", "this", "to", "type",
    "typographic", "typographical", "typos", "typography", "unusual", "usage", "used", "variant", "variants",
    "variations", "words", "edition", "version", "history", "revision", "fixed", "that", "have", "been", "book",
    "editing",
    "were",
])  # fmt: skip
CORE_WORDS = frozenset([
    "amended", "amendments", "brackets", "changed", "changes", "conventions", "corrected", "correction",
    "corrections", "emendations", "emended", "errata", "errors", "formatting", "hyphenation", "ligatures",
    "misprints", "punctuation", "spelling", "spellings", "symbols", "text", "textual", "typographic", "typographical",
    "typography", "typos", "variants", "variations", "fixed",
])  # fmt: skip
LABEL_ENDS = re.compile(r"\s+follows?\b|[\s*_=~|+#)\]}]*(?:$|[:.—–-])")
OPENING = re.compile(r"[\s*=_#~+|./\[({<●○•·-]*+")  # what may precede a label
PAIRS = {"[": "]", "(": ")", "<": ">", "{": "}"}


def opening(text: str) -> str:
    """Return the first line of a paragraph that is more than a frame, without its frame."""
    for line in text.split("\n"):
        if not FRAME.fullmatch(line):
            return line.strip(" \t*_=#~+|./[](){}<>●○•·-")
    return ""


def is_label(paragraph: str) -> bool:
    """Return whether a paragraph opens with "Transcriber's Note" or another heading that only an e-text has."""
    if label_end(paragraph):
        return True
    heading = _heading(APPENDIX.sub("", paragraph, count=1), 90)
    return bool(ABOUT.match(heading)) and bool(FILE.search(heading)) and not PERSON.search(heading)


def label_end(paragraph: str) -> int:
    """Return where the label that opens a paragraph ends; 0 without one, or if a sentence goes on from its words."""
    found = OPENING.match(paragraph)
    label = LABEL.match(paragraph, found.end()) if found is not None and found.end() < 400 else None
    if found is None or label is None:
        return 0
    line = paragraph[label.end() :].partition("\n")[0]
    head, colon, _ = line.partition(":")
    if any(sign in PAIRS for sign in found[0]) or LABEL_ENDS.match(line):
        return label.end()
    if colon or ("\n" not in paragraph.strip() and not line.endswith((".", "!", "?"))):
        return 0 if len(head) > 80 or "," in head or PERSON.search(head) else label.end()
    return 0


def is_bare_label(paragraph: str) -> bool:
    """Return whether a paragraph is a maker's label and nothing else."""
    at = label_end(paragraph)
    return at > 0 and not paragraph[at:].strip(" \t\n*_=:.|+-])}>")


def is_plain_label(paragraph: str) -> bool:
    """Return whether a paragraph opens with a heading that a note of the file and a printed book may both have."""
    words = re.findall(r"[^\W\d_][\w'’]*", _heading(paragraph, 80).lower())
    return 0 < len(words) <= 12 and all(word in PLAIN_WORDS for word in words)


def _heading(paragraph: str, longest: int) -> str:
    """Return the heading that opens a paragraph: its own line, in capitals, or ended by a colon; "" without one."""
    first, _, rest = paragraph.partition("\n")
    if rest and first[:1].isalpha() and ":" not in first and not first.isupper():
        return ""  # like most paragraphs of a book
    line = opening(paragraph[:500])
    head, colon, _ = line.partition(":")
    ends = paragraph.rstrip(" \t\n*_=#~+|-").endswith((".", "!", "?", ","))
    if not colon and ("\n" in paragraph.strip() or ends) and not line.isupper():
        return ""
    return "" if len(head) > longest or '"' in head or "“" in head else head
