"""Numbers, ordinals and neighbours inside a summary: "in Chapter 12", "the final scene", "in the previous chapter".

A place in this part (by its name) becomes "this chapter", any other "another chapter"; what is said about it stays.
"""

import re

from scrollwork.preprocessing.chapters.edits import Passage, plural
from scrollwork.preprocessing.chapters.locators import SURE, Locator
from scrollwork.preprocessing.chapters.words import COUNT, LAST, NEIGHBOURS, NOVEL, ORDINAL, ORDINALS, WORK

VERB = (
    r"(?=\s+(?:opens?|begins?|starts?|ends?|closes?|concludes?|takes\s+place|is\s+set|deals?|continues?|focuses|consists?"
    r"|covers?|describes?|introduces?|returns?|details?|picks?\s+up)\b)"
)
NTH = re.compile(
    rf"\b(?P<owner>the|this|these|his|her|its|their|our|an|{NOVEL}['’]s|section['’]s)\s+(?:(?:two|three|four|five)\s+)?(?:very\s+)?"
    rf"(?P<order>{ORDINAL}|{LAST}|{'|'.join(sorted(NEIGHBOURS))}|\d{{1,3}}(?:st|nd|rd|th))\s+(?:and\s+(?:{ORDINAL}|{LAST})\s+)?"
    rf"(?:{COUNT}\s+)?(?:(?:short|brief|long|lengthy|main)\s+)?"
    r"(?:(?P<sure>chapters?|cantos?|staves?|scenes?)\b(?!['’]s)"
    rf"|(?P<weak>acts?|books?|parts?|sections?|volumes?|letters?|phases?)\b(?P<verb>{VERB})?)",
    re.I,
)
OF_SEVERAL = re.compile(
    rf"\bthe\s+(?:{ORDINAL}|{LAST})\s+of\s+(?:the\s+|these\s+)?{COUNT}\s+(?:\w+\s+)?(?P<noun>chapters|scenes|cantos|acts|books|parts)\b",
    re.I,
)
OF_WORK = re.compile(rf"\s+(?:of|in)\s+(?:the|this)\s+{WORK}\b", re.I)
BARE_NEIGHBOURS = re.compile(
    r"(?<!the )(?<!these )\b(?:earlier|previous|preceding|later|subsequent|following)\s+"
    r"(?P<noun>chapters|cantos|staves|scenes)\b",
    re.I,
)
BOOK = r"(?:novel|novella|book)"
ELSEWHERE = re.compile(
    rf"\b(?:(?:earlier|later)\s+(?:on\s+)?(?=in\s+(?:the|this)\s+(?:{BOOK}|play|poem)\b)"
    r"|(?P<at>(?:at|towards?|near)\s+the\s+(?:very\s+)?(?:beginning|start|opening|end|close|conclusion)\s+of\s+)"
    rf"(?=the\s+{BOOK}\b(?!\s+(?:he|she|they|that|which|of|by|on|about|lent|with)\b)))",
    re.I,
)
# "the first chapter in the new history of man" is not a chapter of the book
OF_LIFE = re.compile(
    r"\s*(?:(?:in|of)\s+)?(?:(?:his|her|their|my|our|your|one['’]s|a|an|the\s+new)\s+(?:\w+\s+){0,2}?"
    r"(?:life|lives|history|world|marriage|career|book|story)\b|the\s+(?:book|novel)\s+(?:he|she|they|that)\b"
    r"|(?:the\s+)?(?:history|life)\b)",
    re.I,
)
OF_SMALLER = re.compile(r"\s+of\s+(?:the|this|that)\s+(?:chapter|scene|act|evening|night|day|opera|ballet)\b", re.I)
NTH_OF = re.compile(rf"\bthe\s+(?:{ORDINAL}|{LAST})\s+(?P<unit>scene|chapter|act|part)\s+of\s+$", re.I)
OPENS_WITH = re.compile(r"(?:^|[.!?\"”]\s+)(?:In|As|At|During)\s+$")
# "the lengthy Chapter 49" takes no "this"
DETERMINED = re.compile(
    r"\b(?:the|this|that|each|an?|his|her|their|our)\s+"
    r"(?:(?!(?:of|in|at|from|by|to|on|for|with|as|and|or)\b)[a-z-]+\s+)?$",
    re.I,
)
IS = re.compile(r"\b(?:is|was)\s+$")
IN_THE = re.compile(r"\b(?:in|of|from|since)\s+(?:the|this)\s+$", re.I)
PAGES = re.compile(r"(?:pp?|pgs?|pages?|ll?|lines?)\.?\s*\d+(?:\s*[-–—,]\s*\d+){0,4}", re.I)
CITED = re.compile(r"[IVX]+\.[ivx]+(?:\.\d+(?:[-–—]\d+)?)?|\d+\.\d+\.\d+(?:[-–—]\d+)?")
PARENTHESIS = re.compile(r"[ \t]*(?:\(([^()\n]{1,60})\)|\[([^\[\]\n]{1,60})\])")
BESIDE_PLACE = re.compile(
    r"see|cf|compare|in|from|as|described|also|earlier|later|back|e|g|i|p|pp|page|pages|l|ll|line|lines|and|of", re.I
)


def number(passage: Passage) -> None:
    """Replace numbers: "Chapter 8 begins" -> "This chapter begins", "as in Act II" -> "as in another act".

    Parentheses with nothing else are removed.
    """
    parentheses(passage)
    text = passage.text
    for locator in passage.found:
        start, unit = _with_ordinal(text, locator)
        mine = passage.place.holds(locator.places)
        noun = passage.noun(unit, own=mine is not False)
        noun = plural(noun) if locator.many else noun
        if start == locator.start and DETERMINED.search(text[max(0, start - 40) : start]):
            passage.edit("number", start, locator.end, noun)
            continue
        begins = passage.starts_sentence(start)
        if mine is None:
            mine = begins or bool(OPENS_WITH.search(text[max(0, start - 12) : start]))
        passage.edit("number", start, locator.end, _this_or_other(noun, mine=mine, many=locator.many, begins=begins))


def _with_ordinal(text: str, locator: Locator) -> tuple[int, str]:
    """Return where the locator starts, including "the third scene of" before it, and its smallest unit then."""
    match = NTH_OF.search(text[max(0, locator.start - 60) : locator.start])
    return (locator.start - len(match[0]), match["unit"].lower()) if match else (locator.start, locator.unit)


def _this_or_other(noun: str, *, mine: bool, many: bool, begins: bool) -> str:
    """Return the words that replace a place."""
    word = ("these" if mine else "other") if many else ("this" if mine else "another")
    return f"{word.capitalize() if begins else word} {noun}"


def parentheses(passage: Passage) -> None:
    """Remove parentheses that hold only places, pages or lines."""
    for match in PARENTHESIS.finditer(passage.text):
        inner = match[1] or match[2]
        places = passage.places_in(match.start(), match.end())
        rest = inner.strip()
        for one in places:
            rest = rest.replace(passage.text[one.start : one.end], " ", 1)
        beside = [word for word in re.split(r"[^A-Za-z]+", rest) if word]
        if (
            (places and all(BESIDE_PLACE.fullmatch(word) for word in beside))
            or PAGES.fullmatch(inner.strip())
            or CITED.fullmatch(inner.strip())
        ):
            passage.edit("number", match.start(), match.end())


def ordinal(passage: Passage) -> None:
    """Replace "the first chapter", "this final scene", "The fourth book begins" with this or another part."""
    for match in OF_SEVERAL.finditer(passage.text):
        passage.edit("ordinal", match.start(), match.end(), f"one of several {match['noun'].lower()}")
    for match in NTH.finditer(passage.text):
        if match["order"].lower() not in NEIGHBOURS:
            _replace(passage, match, "ordinal")


def neighbour(passage: Passage) -> None:
    """Replace "the previous chapter" with "another chapter", "later in the novel" with "elsewhere in the novel"."""
    for match in NTH.finditer(passage.text):
        if match["order"].lower() in NEIGHBOURS:
            _replace(passage, match, "neighbour")
    for match in BARE_NEIGHBOURS.finditer(passage.text):
        word = "Other" if passage.starts_sentence(match.start()) else "other"
        passage.edit("neighbour", match.start(), match.end(), f"{word} {match['noun'].lower()}")
    for match in ELSEWHERE.finditer(passage.text):
        word = "elsewhere in " if match["at"] else "elsewhere "
        passage.edit("neighbour", match.start(), match.end(), word.capitalize() if match[0][0].isupper() else word)


def _replace(passage: Passage, match: re.Match[str], rule: str) -> None:
    """Replace one ordinal and its noun with "this" or "another" and the noun."""
    text, owner, order = passage.text, match["owner"].lower(), match["order"].lower()
    noun = (match["sure"] or match["weak"]).lower()
    many = noun.endswith("s")
    unit = "stave" if noun == "staves" else noun.removesuffix("s")
    if OF_LIFE.match(text, match.end()) or (unit == "scene" and OF_SMALLER.match(text, match.end())):
        return
    begins = passage.starts_sentence(match.start())
    if match["weak"] and not _of_this_book(passage, match, unit, begins=begins):
        return
    shown = unit if unit in SURE else passage.noun(unit, own=True)
    mine = owner in ("this", "these") or (match.start() <= passage.begins and order in NEIGHBOURS)
    if order in ORDINALS or order[0].isdigit():
        nth = ORDINALS.get(order) or int(order[:-2])
        told = passage.place.holds(((unit, nth, nth),))
        alone = len({one for one, _, _ in passage.place.places}) == 1  # "the first scene" of the act, or of the play?
        mine = mine or (begins if told is None else told and (begins or alone))
    elif order not in NEIGHBOURS:
        mine = mine or begins
    shown = plural(shown) if many else shown
    if IS.search(text[max(0, match.start() - 8) : match.start()]) and not many:  # "This is the first chapter"
        passage.edit(rule, match.start(), match.end(), f"a {shown}")
        return
    passage.edit(rule, match.start(), match.end(), _this_or_other(shown, mine=mine, many=many, begins=begins))


def _of_this_book(passage: Passage, match: re.Match[str], unit: str, *, begins: bool) -> bool:
    """Return whether "the third book" is one of this book: it begins or ends, the work is named, the part has a number.

    "The last acts of magic" and "the second letter" are not.
    """
    after = passage.text[match.end() : match.end() + 40]
    if match["verb"] is not None:
        return begins or after.strip().startswith(("beg", "open", "end"))
    if OF_WORK.match(after):
        return True
    numbered = any(unit == one for one, _, _ in passage.place.places) and not after.startswith(" of ")
    if unit == "act":
        return numbered and bool(IN_THE.search(passage.text[max(0, match.start() - 8) : match.start("order")]))
    if unit == "letter":  # "the second letter" of a part called "Letter 2"
        nth = ORDINALS.get(match["order"].lower(), 0)
        return numbered and bool(passage.place.holds((("letter", nth, nth),)))
    return numbered and unit in ("book", "volume")
