"""Places in its book that a summary names: "Chapter 12", "Act II, scene iv", "Chapters 6 through 8", "Book Three"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scrollwork.preprocessing.chapters.words import ORDINAL, ORDINALS

ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
VALUES = {word: value for value, word in enumerate(ONES + TEENS, 1)} | {
    word: value * 10 for value, word in enumerate(TENS, 2)
}
ROMAN = r"(?=[ivxlc])c{0,2}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
UNDER_TEN = "|".join(ONES)
WORD = rf"(?:{'|'.join(TENS)})(?:(?:\s?-\s?|\s)(?:{UNDER_TEN}))?|{'|'.join(TEENS)}|{UNDER_TEN}"
# a year, a time, a percentage or an ordinal is not a place in a book
NUMBER = (
    r"(?:(?P<digits>\d{1,3})(?:\.\d{1,2})?(?![\d%]|[,:]\d|st\b|nd\b|rd\b|th\b)"
    rf"|(?P<word>{WORD})\b|the\s+(?P<nth>{ORDINAL})\b|(?P<roman>{ROMAN})(?!\w|['’](?:m|d|ve|ll)\b))"
)
ANY_NUMBER = re.sub(r"\?P<\w+>", "?:", NUMBER)
# units in order of size, largest first; in a pattern, long forms first
UNITS = {
    "volume": r"volumes?|vols?\.", "book": r"books?|bks?\.", "part": r"parts?|pts?\.", "phase": r"phases?",
    "act": r"acts?", "section": r"sections?", "induction": r"induction", "canto": r"cantos?", "stave": r"staves?",
    "letter": r"letters?", "episode": r"episodes?", "chapter": r"chapters?|chaps?\.?|chs?\.",
    "scene": r"scenes?|scs?\.",
}  # fmt: skip
SIZES = tuple(UNITS)
UNIT = "(?:" + "|".join(f"(?P<{unit}>{forms})" for unit, forms in UNITS.items()) + ")"
PLACE = re.compile(rf"\b{UNIT}(?:\s+(?:no\.\s*|#\s*)?|(?=\d)){NUMBER}", re.I)
MORE = re.compile(
    rf"(?P<by>\s*[-–—]+\s*|\s+(?:(?:to|through|thru|&)\s+|and\s*)|\s*,\s*(?:(?:and|&)\s+)?|\s*&\s*){NUMBER}", re.I
)
LINK = re.compile(r"\s*(?:,|;|:|-|–|—|\.|/)?\s*(?:of\s+(?:the\s+)?|to\s+|through\s+|and\s+|&\s*)?")
# units that hardly ever precede a number in a story
SURE = frozenset({"chapter", "canto", "stave", "scene"})
# what makes lower-case "part two" or "act 2" a place
BEFORE = re.compile(
    r"(?:\b(?:in|of|from|throughout|during|see|to|until|as|by|beginning|end|reads?|with|,)\s+|^\s*)$", re.I
)
AFTER = re.compile(
    r"\s*(?:[.;:,)]|$|(?:and|to|through|of\s+(?:the|this|\w+'s)\s+(?:novel|play|poem|book|story)|where|when|we|the|he|she"
    r"|is|takes|opens?|begins?|starts?|ends?|closes?|concludes?|continues?|deals?|tells?|shows?|describes?|introduces?"
    r"|focuses|returns?|covers?)\b)",
    re.I,
)
# "the Jungle Book 2", "the Stamp Act 3" are names of things; "Genesis, chapter 3" is a place in another book
SCRIPTURE = (
    r"Genesis|Exodus|Leviticus|Deuteronomy|Judges|Samuel|Kings|Psalms?|Proverbs|Isaiah|Jeremiah|Daniel|Matthew|Mark"
    r"|Luke|John|Acts|Romans|Corinthians|Galatians|Hebrews|Revelations?|Bible|Gospels?|Koran|Quran|Testament"
)
PORTION = re.compile(r"\b(?:beginning|start|opening|middle|end|close|rest|half|chapters?|scenes?)\s+of\s+$", re.I)
SACRED = re.compile(rf"(?:{SCRIPTURE}),?\s+$")
ARTICLE = re.compile(r"\b(?:the|an?|this|that|every|which|what|his|her|their)\s+$", re.I)
NAMED = re.compile(
    rf"(?:\b(?:{SCRIPTURE}),?|\b(?!(?:In|Of|From|After|By|During|At|As|And|Both|See|When|Like|The|Only|Throughout|But|If|Until|Here)\b)[A-Z][a-z]+)\s+$"
)
FOREIGN = re.compile(
    rf"\s*(?:(?:bankruptcy|housing|miles|pounds|years|people|men|women|times|ways?|votes?)\b|,?\s*(?:of|in|from)\s+(?:the\s+)?"
    rf"(?:book\s+of\s+)?(?:{SCRIPTURE}|constitution|treaty|law|statute|code|contract|will|encyclop\w+|textbook|(?:his|her|their|my|our)"
    rf"\s+(?:\w+\s+)?(?:memoirs?|diary|journal|history|life|book|novel|contract|will|manuscript))\b)",
    re.I,
)  # fmt: skip


@dataclass(frozen=True)
class Locator:
    """A place that characters start to end of a text name. places: (unit, first, last), in the order of the text.

    many: there are several.
    """

    start: int
    end: int
    places: tuple[tuple[str, int, int], ...]
    many: bool

    @property
    def unit(self) -> str:
        """Return the smallest unit that it names."""
        return max((unit for unit, _, _ in self.places), key=SIZES.index)


def value(match: re.Match[str]) -> int:
    """Return the number in a match of NUMBER."""
    if match["digits"]:
        return int(match["digits"])
    if match["word"]:
        return sum(VALUES[word] for word in re.split(r"[\s-]+", match["word"].lower()) if word)
    return ORDINALS[match["nth"].lower()] if match["nth"] else roman(match["roman"])


def roman(text: str) -> int:
    """Return the value of a Roman numeral."""
    digits = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[letter] for letter in text.lower()]
    return sum(-one if one < after else one for one, after in zip(digits, [*digits[1:], 0], strict=True))


def form(match: re.Match[str]) -> str:
    """Return how a number is written: digits, word, nth or roman."""
    return next(how for how in ("digits", "word", "nth", "roman") if match[how])


def locators(text: str) -> Iterator[Locator]:
    """Yield the places that a text names, from left to right, without overlap."""
    at = 0
    while match := PLACE.search(text, at):
        found = locator_at(text, match)
        if found:
            yield found
        at = found.end if found else match.end()


def locator_at(text: str, match: re.Match[str]) -> Locator | None:
    """Return the locator that starts with a match of PLACE, or None if the words mean something else."""
    if not is_place(text, match):
        return None
    places, end, many = _span(text, match)
    while (following := PLACE.match(text, (link := _link(text, end)))) and link > end:
        unit = unit_of(following)
        between = text[end:link]
        if not is_place(text, following, linked=True):
            break
        if unit == places[-1][0]:  # "Chapter 6 to Chapter 9", but not "Chapters 6-9, Chapters 10-13"
            if not re.search(r"to|through|and|&|[-–—]", between):
                break
            many = True
            if not re.search(r"and|&", between):
                more, end, _ = _span(text, following)
                places = (*places[:-1], (unit, places[-1][1], more[-1][2]))
                continue
        elif any(unit == one for one, _, _ in places) or re.search(r"\band\b|[.;&]|to", between):
            break
        more, end, several = _span(text, following)
        places, many = (*places, *more), many or several
    return Locator(match.start(), end, places, many)


def _link(text: str, end: int) -> int:
    """Return the end of the words that may join two places."""
    match = LINK.match(text, end)
    return match.end() if match else end


def _span(text: str, match: re.Match[str]) -> tuple[tuple[tuple[str, int, int], ...], int, bool]:
    """Return (places, end, whether there are several) for one unit's numbers. Only a plural takes "and" and commas."""
    unit, first = unit_of(match), value(match)
    plural = text[match.start() : match.end()].split()[0].lower().rstrip(".#").endswith("s")
    ranges, end = [(unit, first, first)], match.end()
    while more := MORE.match(text, end):
        dash = re.search(r"[-–—]|to|through|thru", more["by"])
        if form(more) != form(match) or (not plural and not dash) or (not plural and form(match) == "word"):
            break
        low = ranges[-1][1]
        ranges[-1:] = [(unit, low, value(more))] if dash else [ranges[-1], (unit, value(more), value(more))]
        end = more.end()
    return tuple(ranges), end, plural or len(ranges) > 1 or ranges[0][1] != ranges[0][2]


def unit_of(match: re.Match[str]) -> str:
    """Return the unit that a match of PLACE names."""
    return next(unit for unit in UNITS if match[unit])


def is_place(text: str, match: re.Match[str], *, linked: bool = False) -> bool:
    """Return whether "part two" is a place in the book, and not words of the story as in "part two ways".

    linked: it follows another place.
    """
    unit, how = unit_of(match), form(match)
    small, number = match[unit][0].islower(), match[how]
    before = text[max(0, match.start() - 40) : match.start()]
    if FOREIGN.match(text, match.end()):
        return False
    if not linked and NAMED.search(before) and (unit not in SURE or SACRED.search(before)):
        return False
    if how == "nth":  # "Book the Second"
        return not small and number[0].isupper()
    if how == "roman" and len(number) == 1 and not _letter_is_number(unit, number, small, before):
        return False
    if linked or unit in SURE:
        return True
    if small or (how == "word" and number[0].islower()):
        if unit in ("letter", "section"):  # "Letter 12", but not "letter three times"
            return False
        return bool(
            _verb(text, match.end())
            or PORTION.search(before)
            or (BEFORE.search(before) and AFTER.match(text, match.end()))
        )
    return True


def _letter_is_number(unit: str, number: str, small: bool, before: str) -> bool:
    """Return whether a letter after a unit is a Roman numeral, unlike in "a book I read" or "vitamin section C"."""
    if number == "I":
        return not small and not ARTICLE.search(before)
    if number in "CL":
        return unit == "chapter" and not small
    if number in "VX":
        return (not small or unit in SURE) and not ARTICLE.search(before)
    return unit in ("scene", "act") and number in "ivx"


def _verb(text: str, at: int) -> bool:
    """Return whether a verb follows that is said of parts of books."""
    return bool(re.match(r"\s+(?:opens?|begins?|starts?|ends?|closes?|concludes?|takes\s+place)\b", text[at : at + 30]))


@dataclass(frozen=True)
class Place:
    """The place of a part in its book, as its name gives it."""

    places: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, name: str) -> "Place":
        """Read a name: "Book IV, Chapter 7", "Chapters 5-8", "act 3, scene ii"."""
        named = re.sub(r"\bPhase\b", "Phase", name[:200])
        return cls(tuple(place for found in locators(named) for place in found.places))

    @property
    def smallest(self) -> str:
        """Return the smallest unit of the name, "" without any."""
        return max((unit for unit, _, _ in self.places), key=SIZES.index, default="")

    def holds(self, places: tuple[tuple[str, int, int], ...]) -> bool | None:
        """Return whether places lie in this part; None if the name does not tell."""
        told = None
        for unit, first, last in places:
            own = [(low, high) for one, low, high in self.places if one == unit]
            if not own:
                continue
            if not any(first <= high and low <= last for low, high in own):
                return False
            told = True
        return told
