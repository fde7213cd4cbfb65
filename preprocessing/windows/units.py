"""Units of a context: what a spec of letters makes of a text. Dolce (dolce.md 8, dolce_tasks.toml).

Texts in, character spans out: a unit is [start, end) of the text, so that a window of units is one span of a document
and no text is copied. Letters are applied from left to right, each within the spans that the one before left. Spans are
in order and do not overlap; between them are only separators and white space, for q and u also what no pattern covers.
Spans without a word are no units. Every spec accepts any text, in time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer  # type: ignore[import-untyped]

Span = tuple[int, int]

MULTI_BREAK = re.compile(r"(?:\n *){2,}")
LINE_BREAK = re.compile(r"\n")
REVIEW = re.compile(r"Review #\d+")
PASSAGE = re.compile(r"Passage \d+:")
TRIPLET = ("Passage:", "Question:", "Answer:\n", "\n")
PAIR = ("Dialogue:", "Summary:", "\n")


def units(text: str, spec: str) -> list[Span]:
    """Return the units of a text, [] if it has none. Raises ValueError for an invalid spec (`check_spec`)."""
    check_spec(spec)
    seen = text
    spans = [(0, len(text))]
    for letter in spec:
        if letter == "r":
            seen = seen.replace(",", ".")  # the same length, so offsets stay
        else:
            split = SPLITS[letter]
            spans = [found for start, end in spans for found in split(seen, start, end) if has_words(text, found)]
    return [span for span in spans if has_words(text, span)]


def check_spec(spec: str) -> None:
    """Raise ValueError for a spec with an unknown letter, and for one that splits nothing."""
    unknown = set(spec) - {*SPLITS, "r"}
    if unknown or not set(spec) & set(SPLITS):
        raise ValueError(f"units {spec!r}: must be letters of {', '.join(sorted([*SPLITS, 'r']))}, one that splits")


def window_span(spans: list[Span], first: int, length: int, characters: int) -> Span:
    """Return the characters of `length` units from unit `first` on; all units are the whole text, margins included.

    characters: of the text. Raises ValueError for a window without units or beyond the last.
    """
    if not 0 <= first < first + length <= len(spans):
        raise ValueError(f"{length} units from {first} on are no window of {len(spans)}")
    return (0, characters) if length == len(spans) else (spans[first][0], spans[first + length - 1][1])


def has_words(text: str, span: Span) -> bool:
    """Return whether a span has something other than white space."""
    return span[0] < span[1] and not text[span[0] : span[1]].isspace()


def split_at(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    """Yield what separators separate, without them."""
    at = start
    for match in pattern.finditer(text, start, end):
        yield at, match.start()
        at = match.end()
    yield at, end


def blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield what breaks of two lines and more separate."""
    return split_at(MULTI_BREAK, text, start, end)


def lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield lines; "\\r" is a character, and a line of it alone is no unit."""
    return split_at(LINE_BREAK, text, start, end)


def line_pairs(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield every two lines that are not blank; the last one alone if their number is odd."""
    found = [line for line in lines(text, start, end) if has_words(text, line)]
    for number in range(0, len(found), 2):
        yield found[number][0], found[min(number + 1, len(found) - 1)][1]


def split_at_headings(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Span]:
    """Yield from one heading to the next, with the heading; what precedes the first is a unit too."""
    at = start
    for match in pattern.finditer(text, start, end):
        yield at, trimmed_end(text, at, match.start())
        at = match.start()
    yield at, trimmed_end(text, at, end)


def reviews(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield reviews, each with its "Review #i"."""
    return split_at_headings(REVIEW, text, start, end)


def passages(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield passages, each with its "Passage i:"."""
    return split_at_headings(PASSAGE, text, start, end)


def trimmed_end(text: str, start: int, end: int) -> int:
    """Return the end of a span without the white space at its end."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def sequences(marks: tuple[str, ...], text: str, start: int, end: int) -> Iterator[Span]:
    """Yield stretches from the first mark to the end of the next of each of the others.

    These are the matches of re.findall for the marks with .*? between them, which may take quadratic time. The last
    mark, a line's end, may be the end of the text.
    """
    at = text.find(marks[0], start, end)
    while at >= 0:
        stop = at
        for mark in marks:
            found = text.find(mark, stop, end)
            if found < 0 and mark != "\n":
                return
            stop = end if found < 0 else found + len(mark)
        yield at, stop
        at = text.find(marks[0], stop, end)


def triplets(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield passage, question and answer as one."""
    return sequences(TRIPLET, text, start, end)


def dialogues(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield dialogue and summary as one."""
    return sequences(PAIR, text, start, end)


def sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield sentences as NLTK's Punkt model for English finds them, without white space around them."""
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    for first, last in tokenizer().span_tokenize(inner.lstrip()):
        yield start + first, start + last


class Contexts(dict[str, int]):
    """Orthographic contexts of words, 0 for others; NLTK's own table grows with every word looked up."""

    def __missing__(self, word: str) -> int:
        return 0


@cache
def tokenizer() -> PunktSentenceTokenizer:
    """Return NLTK's tokenizer, with the model's tables from a package that needs no download.

    That package's own tokenizer joins mere punctuation to the sentence before: up to a fifth fewer sentences in papers.
    Raises ModuleNotFoundError, naming the extra, without one of them.
    """
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
        from punkt import load_model
    except ModuleNotFoundError as error:
        if error.name not in ("nltk", "punkt"):
            raise
        line = f"{error.name} is not installed: pip install 'scrollwork[dolce]'"
        raise ModuleNotFoundError(line, name=error.name) from error

    model, tables = load_model("english"), PunktParameters()
    tables.abbrev_types = set(model.abbrev_types)
    tables.collocations = set(model.collocations)
    tables.sent_starters = set(model.sent_starters)
    tables.ortho_context = Contexts(model.ortho_context)
    return PunktSentenceTokenizer(tables)


SPLITS: Mapping[str, Callable[[str, int, int], Iterator[Span]]] = {
    "b": blocks,
    "c": line_pairs,
    "l": lines,
    "n": reviews,
    "o": passages,
    "q": triplets,
    "s": sentences,
    "t": sentences,  # of text that is already tokenised: a full stop stands alone, and still ends a sentence
    "u": dialogues,
}
