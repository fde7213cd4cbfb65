"""Removal of text that reveals where in its book a summary is, rule by rule (ZeroSCROLLS 3.1.3, by hand there).

The paper's two examples are the model: "Chapter 8 begins with Jane describing" -> "This Chapter begins with Jane
describing", "As the play opens, Hippolytus announces" -> "Hippolytus announces". docs/booksumsort.md has every rule.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scrollwork.preprocessing.chapters.edits import Book, Edit, Passage, applied
from scrollwork.preprocessing.chapters.headings import title_line
from scrollwork.preprocessing.chapters.intro import introduction
from scrollwork.preprocessing.chapters.numbers import neighbour, number, ordinal
from scrollwork.preprocessing.chapters.openers import opener, opening
from scrollwork.preprocessing.chapters.titles import chapter_title, name_of_part

# in this order; if two want the same words, the first gets them
RULES: dict[str, Callable[[Passage], None]] = {
    "introduction": introduction,
    "title_line": title_line,
    "name_of_part": name_of_part,
    "chapter_title": chapter_title,
    "opener": opener,
    "opening": opening,
    "number": number,
    "ordinal": ordinal,
    "neighbour": neighbour,
}


@dataclass(frozen=True)
class Stripped:
    """A summary after its edits, without blank lines; `edits` are in the order of the original text."""

    text: str
    edits: tuple[Edit, ...]


def strip_position(
    text: str, name: str = "", book: Book | None = None, rules: Sequence[str] = tuple(RULES)
) -> Stripped:
    """Remove from a summary what reveals its place, by the named rules. Raises ValueError for an unknown rule.

    name: the part's name in the raw file, e.g. "Book IV, Chapter 7". book: what the book's other summaries tell;
    without it, titles that run into the text are judged by this text alone.
    """
    if unknown := [rule for rule in rules if rule not in RULES]:
        raise ValueError(f"edits are {', '.join(RULES)}; not {unknown[0]!r}")
    passage = Passage(text, name, book or Book.of("", [text]))
    for rule, change in RULES.items():
        if rule in rules:
            change(passage)
    return Stripped(applied(text, passage.edits), tuple(passage.edits))
