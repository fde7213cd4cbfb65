"""Recognition of the credits of those who made the file, among the book's own words.

A paragraph is a credit only if it opens like one and gives evidence: a library, an address, a machine, or nothing but
names. "Produced by the sea, the fog rolled in" opens like one and stays. The nearer to the story, the stronger the
evidence must be: names are enough only before the title, and where someone acts or speaks it is a story.
"""

import re

from scrollwork.preprocessing.stories.credit_patterns import (
    ADDRESS,
    DATED,
    DISPLAY,
    EVIDENCE,
    FILE_ROLES,
    FIRST_WORD,
    FIRST_WORDS,
    GIVEN,
    HARD,
    HINT,
    HONOURED,
    I_MADE,
    LEAVE,
    LIBRARY,
    MADE,
    MAKERS,
    NAME_WORDS,
    OF_ITSELF,
    OWED,
    PLAIN,
    PRODUCERS,
    RELATED,
    ROLES,
    RULED,
    SIGN,
    STAGED,
    THIS,
    WORK,
)
from scrollwork.preprocessing.stories.narration import has_action, is_narrated

LONGEST_CREDIT = 1_500  # characters; the longest of the 46 real ones has 400


def is_credit(text: str, leading: bool, titled: bool = False, inside: bool = False) -> bool:
    """Return whether a paragraph names those who made the file. leading: before the title, where names are enough.

    titled: after the title and before the story, where naming an e-text is proof; elsewhere only an address is. inside:
    in the story, where names and dates are a letter's or a report's.
    """
    text = text.lstrip()
    if text[:1] in "*=_#~+.-":
        text = RULED.sub("", text, count=1).lstrip("*")
    first = FIRST_WORD.match(text)
    if len(text) > LONGEST_CREDIT or not first:
        return False
    if leading and (DISPLAY.match(text) or all(map(SIGN.fullmatch, text.split("\n")))):
        return True
    if first[1].lower() in FIRST_WORDS:
        opened = MAKERS.match(text) or I_MADE.match(text)
        if has_action(text):  # a story, unless it has an address
            return leading and opened is not None and bool(HARD.search(text, opened.end()))
        if _made(text, leading) or (not inside and (DATED.match(text) or _roles(text, leading))):
            return True
        if opened is not None and (EVIDENCE if leading or titled else HARD).search(text, opened.end()):
            return True
        opened = OWED.match(text) or opened or GIVEN.match(text)
        if leading and (PLAIN.match(text) or (opened is not None and _names_work(text, opened))):
            return True
    return leading and len(text) < 400 and (_names_library(text) or bool(PRODUCERS.search(text)) or _is_address(text))


def _made(text: str, leading: bool) -> bool:
    """Return whether a paragraph says what was done to the e-text; after the title, also by whom, from what or when."""
    made = MADE.match(text)
    if made is None or leading or HARD.search(text) or LEAVE.search(made[0]):
        return made is not None
    sentence = re.split(r"[.!?;]\s", text[made.end() :], maxsplit=1)[0]
    return not is_narrated(text) and bool(re.search(r"[A-Z\d]", sentence))


def _is_address(text: str) -> bool:
    return bool(ADDRESS.search(text)) and only_names(ADDRESS.sub("", text))


def _names_library(text: str) -> bool:
    """Return whether a paragraph mentions this book, or scans, and an online library."""
    first = text.partition("\n")[0]  # a title above a credit stays
    if has_action(text) or not (THIS.search(first) or HARD.search(first) or LIBRARY.search(first)):
        return False
    return bool((HARD.search(text) and OF_ITSELF.search(text)) or (LIBRARY.search(text) and THIS.search(text)))


def _names_work(text: str, opened: re.Match[str]) -> bool:
    """Return whether what opens like a credit before the title goes on with names, or with what is done to files."""
    if STAGED.search(text) or (opened.re is OWED and HONOURED.search(text)):
        return False
    if opened.re is MAKERS and (
        not WORK.match(text) or opened[0].lower().endswith("for")
    ):  # its verb suits files, but its object is of print
        return False
    return bool(HINT.search(text, opened.end())) or only_names(text[opened.end() :], RELATED)


def _roles(text: str, leading: bool) -> bool:
    """Return whether a text says who scanned, proofread, formatted, and nothing else."""
    opened = ROLES.match(text) if leading or FILE_ROLES.search(text) else None
    if opened is None or len(text) > 400 or (not leading and HONOURED.search(text)):
        return False
    if opened[0].endswith(":") and not FILE_ROLES.search(text):
        return False
    return only_names(text[opened.end() :]) or (leading and bool(EVIDENCE.search(text, opened.end())))


def only_names(text: str, more: frozenset[str] = frozenset()) -> bool:
    """Return whether a text is a list of names.

    Every word has a capital or a digit, except small words between them, which may be from `more` too.
    """
    words = re.findall(r"[^\W_][\w.'’-]*", text)
    if not words or len(words) > 60 or text.rstrip().endswith(("!", "?", ":", ";", "--")):
        return False
    names = sum(word[0].isupper() or any(sign.isdigit() for sign in word) for word in words)
    small = all(
        word[0].isupper() or word.rstrip(".").lower() in NAME_WORDS | more or any(sign.isdigit() for sign in word)
        for word in words
    )
    return (small and names > 0) or (len(words) == 1 and not text.rstrip().endswith("."))
