"""Notes after the last word of a book: where they start, and which paragraphs below them are theirs."""

import re

from scrollwork.preprocessing.stories.changes import FRAME, lists_changes
from scrollwork.preprocessing.stories.cut import Paragraph, paragraphs
from scrollwork.preprocessing.stories.labels import PAIRS, is_label, is_plain_label, opening
from scrollwork.preprocessing.stories.narration import PERSON, QUOTED
from scrollwork.preprocessing.stories.note_words import (
    ELECTRONIC,
    FOOTNOTE,
    OF_THE_FILE,
    OPENS,
    PRINTED,
    goes_on,
    is_ours,
    is_sure_note,
    may_follow,
)
from scrollwork.preprocessing.stories.notes import bracket_end, closing_bracket, labelled_end

MOST_LABELS = 12  # labels at the end of a book that are tried
MOST_MISSED = 5  # paragraphs in a row that are not a note's, before a note is taken to end
# most books have none of these near their end
CLUES = (
    "ranscri", "[note", "e-text", "etext", "ebook", "electronic", "errata", "corrections", "hanged to", "corrected to",
    "ypographical", "mendations", "onventions", "isprints", "nderscore", "yphenation", "project gutenberg", "roofread",
)  # fmt: skip
NEAR = 3_000  # characters before the end in which notes without a label are looked for
# a sentence above a list of changes, which must follow
ANNOUNCED = re.compile(
    r"\W*(?:note\s*:\s*)?(?:(?:I|we)\s+have\s+(?:made|corrected)\s+)?(?:the\s+|these\s+)?(?:following\s+)?(?:is\s+a\s+list\s+of\s+)?"
    r"(?:changes|corrections|alterations|emendations|errors|misprints|typos)\s+"
    r"(?:(?:have\s+been|were|are|was)\s+)?(?:made|corrected|fixed|in\s+the|to\s+the)\b",
    re.I,
)


def closing_notes(text: str, found: list[Paragraph], end: int) -> list[tuple[int, int]]:
    """Return spans of the notes near the end, front to back. Paragraphs below a label are judged one by one."""
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
    """Return paragraphs below a note that can only be a note's, past a few that are not.

    A short paragraph between two entries of a list of changes is a line of the book that the list quotes.
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
        announced = ANNOUNCED.match(paragraph.text) and paragraph.text.rstrip().endswith(":")
        pending = titled or bool(announced) or FRAME.fullmatch(paragraph.text) is not None
    return spans


def _unlabelled(text: str, found: list[Paragraph], end: int) -> list[tuple[int, int]]:
    """Return spans of a note without a maker's label that runs to the end."""
    tried = [paragraph for paragraph in found[1:] if paragraph.text.lstrip()[:1] in PAIRS][-MOST_LABELS:]
    for paragraph in tried:
        shut = bracket_end(text, paragraph, end) or _headed_bracket(text, paragraph, end)
        if shut and not text[shut:end].strip():
            return [(paragraph.start, end)]
    for number in [number for number in range(1, len(found)) if _may_open(found, number, end)][-MOST_LABELS:]:
        paragraph = found[number]
        below = found[number + 1] if number + 1 < len(found) else paragraph
        if ANNOUNCED.match(paragraph.text):
            if not (lists_changes(below) or lists_changes(paragraph)):
                continue
        elif not is_sure_note(paragraph.text, text[paragraph.start : end]):
            continue
        stop = below.end if len(paragraph.lines) == 1 and may_follow(below.text) else paragraph.end
        spans = [(paragraph.start, stop), *_further(found, number, stop)]
        if ELECTRONIC.search(text, paragraph.start, stop) or 5 * sum(b - a for a, b in spans) > 4 * (
            end - paragraph.start
        ):
            return spans
    return []


def _may_open(found: list[Paragraph], number: int, end: int) -> bool:
    """Return whether a note may start with a paragraph that has no maker's label: a heading, or its subject."""
    text = found[number].text
    below = found[min(number + 1, len(found) - 1)]
    if FOOTNOTE.match(text) or FOOTNOTE.match(below.text):
        return False
    if ANNOUNCED.match(text) or is_plain_label(text):
        return True
    near = end - found[number].start < NEAR
    return near and OPENS.match(opening(text)) is not None and not _is_headed(found, number)


def _headed_bracket(text: str, paragraph: Paragraph, end: int) -> int:
    """Return where a bracket closes that opens with "Note" and says what was done to the print; 0 if there is none."""
    opened = re.match(r"\s*\[\s*Notes?\b", paragraph.text)
    shut = closing_bracket(text, text.find("[", paragraph.start), end) if opened and end - paragraph.start < NEAR else 0
    if shut <= 0:
        return 0
    body = text[paragraph.start : shut]
    bare = QUOTED.sub('""', body)
    ours = not (PERSON.search(bare) or PRINTED.search(bare)) and goes_on(Paragraph(0, len(body), 0, body))
    return shut if ours else 0


def _is_headed(found: list[Paragraph], number: int) -> bool:
    """Return whether a heading is right above: an appendix of the book has one of its own."""
    above = found[number - 1].text.strip()
    return is_plain_label(above) or (
        found[number].gap == 1
        and above.isupper()
        and len(above) < 60
        and not re.match(r"\W*(?:THE END|END|FIN)", above)
    )


def _bracket_to_the_end(text: str, label: Paragraph, end: int) -> bool:
    """Return whether a note opens a bracket that only the text's last character closes: it quotes lone brackets."""
    opened = label.text.lstrip(" \t*_=")[:1]
    return (
        opened in PAIRS
        and text[:end].rstrip().endswith(PAIRS[opened])
        and closing_bracket(text, text.find(opened, label.start), end) < 0
    )


def footnotes_on_the_file(text: str, start: int, end: int) -> list[Paragraph]:
    """Return numbered footnotes after the book about the e-text: what else the library has, which table was split."""
    return [one for one in paragraphs(text, start, end) if FOOTNOTE.match(one.text) and OF_THE_FILE.search(one.text)]
