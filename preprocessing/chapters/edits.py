"""What the rules on position-revealing text share: the passage being edited, its edits, how they are applied."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from scrollwork.preprocessing.chapters.locators import Locator, Place, locators

# a sentence starts at the start of the text or of a line, after . ! ? (and closing quotes), or after an opening quote
STARTS = re.compile(r"(?:^|\n|[.!?…](?:[\"'”’)\]]|\s)*\s|[.!?]\s*[\"”]\s*|(?:^|\s)[\"“‘(\[])\s*$")
MOST_HEADINGS = 8  # in a row
SPACE = re.compile(r"\s*")
BLANKS = re.compile(r"[ \t]*")
KEPT_UNITS = frozenset({"chapter", "scene", "canto", "stave", "letter", "episode"})


@dataclass(frozen=True)
class Edit:
    """One change by a named rule: characters start to end of the original, `removed`, became `replacement`."""

    rule: str
    start: int
    end: int
    removed: str
    replacement: str


@dataclass
class Passage:
    """A summary being edited: the original text, what its name and its book tell, and the edits so far, in text order.

    place: of the part, from its name. found: the places in the book that the text names.
    """

    text: str
    name: str
    book: "Book"
    place: Place = field(init=False)
    edits: list[Edit] = field(default_factory=list)
    found: list[Locator] = field(init=False)

    def __post_init__(self) -> None:
        self.place = Place.of(self.name)
        self.found = list(locators(self.text))

    def edit(self, rule: str, start: int, end: int, replacement: str = "") -> bool:
        """Record a change, unless it overlaps an earlier one or changes nothing; return whether it was recorded."""
        if start >= end or not self.free(start, end) or self.text[start:end] == replacement:
            return False
        made = Edit(rule, start, end, self.text[start:end], replacement)
        self.edits.insert(bisect_right(self.edits, start, key=lambda edit: edit.start), made)
        return True

    def free(self, start: int, end: int) -> bool:
        """Return whether no edit touches these characters."""
        at = bisect_left(self.edits, end, key=lambda edit: edit.start)
        return at == 0 or self.edits[at - 1].end <= start

    def cut(self, rule: str, start: int, end: int) -> bool:
        """Remove words at the start of a sentence and capitalise what follows; return whether it was recorded."""
        blanks = BLANKS.match(self.text, end)
        end = blanks.end() if blanks else end
        first = self.text[end : end + 1]
        return self.edit(rule, start, end + 1, first.upper()) if first.islower() else self.edit(rule, start, end)

    def starts_sentence(self, at: int) -> bool:
        """Return whether a sentence starts here, ignoring headings before it that were removed."""
        place = bisect_left(self.edits, at, key=lambda edit: edit.start)
        for edit in reversed(self.edits[max(0, place - MOST_HEADINGS) : place]):
            if edit.replacement or self.text[edit.end : at].strip():
                break
            at = edit.start
        return bool(STARTS.search(self.text[max(0, at - 12) : at])) or self.skip(0) >= at

    def skip(self, at: int) -> int:
        """Return the position of the first character from here on that is not white space."""
        found = SPACE.match(self.text, at)
        return found.end() if found else at

    @property
    def begins(self) -> int:
        """Return where the text starts after the headings that were removed at its start."""
        at = self.skip(0)
        for edit in self.edits:
            if edit.start > at or edit.replacement:
                break
            at = self.skip(edit.end)
        return at

    def after_headings(self) -> Iterator[int]:
        """Yield where text starts after headings: at the start, and after each heading that was removed further on."""
        begins = self.begins
        yield begins
        for edit in list(self.edits):
            if edit.start > begins and edit.rule == "title_line":
                yield self.skip(edit.end)

    def places_in(self, start: int, end: int) -> list[Locator]:
        """Return the places that the text names between two positions."""
        first = bisect_left(self.found, start, key=lambda one: one.start)
        last = bisect_left(self.found, end, key=lambda one: one.start)
        return [one for one in self.found[first:last] if one.end <= end]

    def noun(self, unit: str, *, own: bool) -> str:
        """Return what a part is called instead of by its number: its unit, or "part" for larger units.

        own: the part is this one.
        """
        if unit in KEPT_UNITS or (unit in ("act", "section") and (self.place.smallest in ("", unit) or not own)):
            return unit
        return "part"


@dataclass(frozen=True)
class Book:
    """What a book's summaries tell: its title, words that it writes in lower case, capitalised pairs, names."""

    title: str = ""
    small: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, title: str, texts: list[str]) -> "Book":
        """Read the summaries of a book."""
        small, pairs, names = set[str](), set[tuple[str, str]](), set[str]()
        for text in texts:
            words = re.findall(r"[A-Za-z][\w'’-]*[.,;:!?]?", text)
            small.update(word.rstrip(".,;:!?") for word in words if word[0].islower())
            for before, word in pairwise(words):
                if word[0].isupper() and before[-1] not in ".!?:":
                    names.add(stem(word))
            # the first words of a summary may be its title, so they are no evidence of names
            for before, word in pairwise(words[12:]):
                if before[0].isupper() and word[0].isupper() and before[-1] not in ".,;:!?":
                    pairs.add((stem(before), stem(word)))
        return cls(title, frozenset(small), frozenset(pairs), frozenset(names))


def stem(word: str) -> str:
    """Return a word without punctuation and possessive ending."""
    return re.sub(r"['’]s?$", "", word.rstrip(".,;:!?"))


def plural(noun: str) -> str:
    """Return the plural of a noun."""
    return "staves" if noun == "stave" else noun + "s"


def applied(text: str, edits: list[Edit]) -> str:
    """Return the text with its edits applied, without blank lines."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.replacement]
        at = edit.end
    return re.sub(r"\n\s*\n", "\n", "".join([*pieces, text[at:]])).strip()
