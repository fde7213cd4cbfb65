"""Notes behind the last word of a book: where they start, and which paragraphs below them are theirs."""

import re

from preprocessing.story_changes import FRAME, lists_changes
from preprocessing.story_cut import Paragraph, paragraphs
from preprocessing.story_notes import (
    ELECTRONIC,
    FOOTNOTE,
    OF_THE_FILE,
    OPENS,
    PAIRS,
    PERSON,
    PRINTED,
    closing,
    goes_on,
    is_label,
    is_ours,
    is_plain_label,
    labelled_end,
    may_follow,
    opening,
    proves,
)
from preprocessing.story_told import QUOTED

MOST_LABELS = 12  # labels at the end of a book that are tried
MOST_MISSED = 5  # paragraphs that a note runs past
# most books have none of these near their end
CLUES = (
    "ranscri", "[note", "e-text", "etext", "ebook", "electronic", "errata", "corrections", "hanged to", "corrected to",
    "ypographical", "mendations", "onventions", "isprints", "nderscore", "yphenation", "project gutenberg", "roofread",
)  # fmt: skip
NEAR = 3_000  # characters in which notes are looked for that have no label


def closing_notes(text: str, found: list[Paragraph], end: int) -> list[tuple[int, int]]:
    """Spans of the notes near the end, front to back. What stands below a label is judged paragraph by paragraph."""
    spans: list[tuple[int, int]] = []
    labels = [number for number, paragraph in enumerate(found) if number and is_label(paragraph.text)]
    for number in labels[-MOST_LABELS:]:
        start = found[number].start
        if spans and start < spans[-1][1]:
            continue
        if _bracket_to_the_end(text, found[number], end) and is_ours(found[number].text, text[start:end]):
            return [*spans, (start, end)]
        if stop := labelled_end(text, found, number, end):
            spans += [(start, stop), *_further(found, number, stop)]
    more = _unlabelled(text, found, end)
    return spans + [span for span in more if not spans or spans[-1][1] <= span[0]]


def _further(found: list[Paragraph], index: int, stop: int) -> list[tuple[int, int]]:
    """Paragraphs below a note that can only be a note's, past a few that are not.

    What is short and stands between two entries of a list of changes is a line of the book that the list quotes.
    """
    spans: list[tuple[int, int]] = []
    of_file = bool(OF_THE_FILE.search(opening(found[index].text)))
    missed: list[Paragraph] = []
    above = found[index]
    pending = quotes = False
    for paragraph in found[index + 1 :]:
        if paragraph.start < stop:
            above = paragraph
            continue
        quotes = above.text.rstrip().endswith(" in:")
        if len(missed) > MOST_MISSED or is_label(paragraph.text):
            break
        titled = is_plain_label(paragraph.text) and len(paragraph.lines) == 1
        if quotes or (goes_on(paragraph, of_file) and not titled):
            heading = pending and len(missed) == 1
            listed = lists_changes(above) and lists_changes(paragraph) and all(len(one.text) < 300 for one in missed)
            spans.append((missed[0].start if missed and (heading or listed) else paragraph.start, paragraph.end))
            missed, above = [], paragraph
        else:
            missed.append(paragraph)
        pending = titled or FRAME.fullmatch(paragraph.text) is not None
    return spans


def _unlabelled(text: str, found: list[Paragraph], end: int) -> list[tuple[int, int]]:
    """Spans of a note without a maker's label that runs to the end."""
    for number, paragraph in enumerate(found):  # [Note: ... edition ... spellings ... corrected]
        if number and end - paragraph.start < NEAR and re.match(r"\s*\[\s*Notes?\b", paragraph.text):
            shut = closing(text, text.find("[", paragraph.start), end)
            body = text[paragraph.start : shut]
            bare = QUOTED.sub('""', body)
            ours = not (PERSON.search(bare) or PRINTED.search(bare)) and goes_on(Paragraph(0, len(body), 0, body))
            if shut > 0 and ours and not text[shut:end].strip():
                return [(paragraph.start, end)]
    for number, paragraph in enumerate(found):
        plain = number > 0 and is_plain_label(paragraph.text)
        opens = (
            number > 0
            and end - paragraph.start < NEAR
            and OPENS.match(opening(paragraph.text))
            and not _is_headed(found, number)
        )
        below = found[number + 1] if number + 1 < len(found) else paragraph
        if not (plain or opens) or FOOTNOTE.match(below.text) or FOOTNOTE.match(paragraph.text):
            continue
        if not proves(paragraph.text, text[paragraph.start : end]):
            continue
        stop = paragraph.end
        if plain and len(paragraph.lines) == 1 and may_follow(below.text):
            stop = below.end
        spans = [(paragraph.start, stop), *_further(found, number, stop)]
        of_file = plain and ELECTRONIC.search(text, paragraph.start, stop)
        if of_file or 10 * sum(right - left for left, right in spans) > (9 if opens else 8) * (end - paragraph.start):
            return spans
    return []


def _is_headed(found: list[Paragraph], number: int) -> bool:
    """Whether a heading stands right above: an appendix of the book has one of its own."""
    above = found[number - 1].text.strip()
    return is_plain_label(above) or (
        found[number].gap == 1
        and above.isupper()
        and len(above) < 60
        and not re.match(r"\W*(?:THE END|END|FIN)", above)
    )


def _bracket_to_the_end(text: str, label: Paragraph, end: int) -> bool:
    """Whether a note opens a bracket that only the last sign of the text closes: it quotes lines with lone brackets."""
    opened = label.text.lstrip(" \t*_=")[:1]
    return (
        opened in PAIRS
        and text[:end].rstrip().endswith(PAIRS[opened])
        and closing(text, text.find(opened, label.start), end) < 0
    )


def footnotes_on_the_file(text: str, start: int, end: int) -> list[Paragraph]:
    """Numbered footnotes behind the book that speak of the e-text: what else the library has, which table was split."""
    return [one for one in paragraphs(text, start, end) if FOOTNOTE.match(one.text) and OF_THE_FILE.search(one.text)]
