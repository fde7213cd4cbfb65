"""Removal of the credits and notes before a book and shortly after its title."""

import re

from scrollwork.preprocessing.stories.changes import FRAME
from scrollwork.preprocessing.stories.credit_patterns import (
    EVIDENCE,
    FIRST_WORD,
    FIRST_WORDS,
    HARD,
    HINT,
    MAKERS,
    RULED,
    WORK,
)
from scrollwork.preprocessing.stories.credits import LONGEST_CREDIT, is_credit, only_names
from scrollwork.preprocessing.stories.cut import Cutting, Paragraph, paragraphs, past_blank_lines
from scrollwork.preprocessing.stories.labels import PAIRS, is_label
from scrollwork.preprocessing.stories.notes import bracket_end, closing_bracket, labelled_end, unlabelled_end

FRONT = 9_000  # characters from the header on in which notes are looked for
CHAPTER = re.compile(
    r"\W*(?:chapter|book|part|act|scene|canto|letter|prologue|preface|introduction)\b[^\n]{0,80}\s*\Z"
    r"|\W*[IVXLC\d]+\W*(?:\n[^\n]{0,80})?\Z",
    re.I,
)
# the founder's letter before some plays of 1997 to 2000
DIRECTOR = re.compile(r"Michael S\. Hart\s+Project Gutenberg\s+Executive Director\s+(?:\*+\s+)?")


def strip_front(cut: Cutting) -> None:
    """Cut credits and notes before the title, and notes in labelled paragraphs shortly after it."""
    text = cut.text
    signed = text.find("Executive Director", cut.start, min(cut.end, cut.start + FRONT))
    if signed >= 0 and (letter := DIRECTOR.search(text, cut.start, min(cut.end, cut.start + FRONT))):
        cut.front(letter.end(), "credit")
    limit = min(cut.end, cut.start + FRONT)
    window = min(cut.end, limit + 6_000)
    found = paragraphs(text, cut.start, window)
    index, leading, inside, at = 0, True, False, cut.start
    while index < len(found) and found[index].start < limit:
        paragraph = found[index]
        rule, stop = "", 0
        if is_label(paragraph.text) and (end := labelled_end(text, found, index, cut.end, titled=not inside)):
            rule, stop = "transcriber's note", end
        elif is_credit(paragraph.text, leading, titled=not inside, inside=inside):
            rule, stop = "credit", _shut(text, paragraph, cut.end) or paragraph.start + _before_title(paragraph)
            if paragraph.text.lstrip().lower().startswith("note"):
                stop = _note_tail(found, index)
        elif (not inside and (end := bracket_end(text, paragraph, cut.end))) or (
            leading and (end := unlabelled_end(text, found, index, cut.end))
        ):
            rule, stop = "transcriber's note", end
        elif leading and re.fullmatch(r"\s*HTML version by [^\n]+", paragraph.text):
            rule, stop = "credit", paragraph.end
        elif leading and (size := _first_line(paragraph)):
            rule, stop = "credit", paragraph.start + size
        if rule:
            if leading:
                cut.front(stop, rule)
            else:
                cut.hole(paragraph.start, past_blank_lines(text, stop, cut.end), rule)
            at = stop
            while index < len(found) and found[index].end <= at:
                index += 1
            if index < len(found) and found[index].start < at:  # the rest of a paragraph after a closing bracket
                found[index] = Paragraph(at, found[index].end, 0, text[at : found[index].end])
            continue
        if leading and (size := _below_title(paragraph)):
            cut.hole(paragraph.start + size, paragraph.end, "credit")
        if FRAME.fullmatch(paragraph.text) and leading and index + 1 < len(found) and is_label(found[index + 1].text):
            cut.front(paragraph.end, "transcriber's note")
            index += 1
            continue
        leading = False
        inside = inside or _begins(found, index)
        index += 1


def _begins(found: list[Paragraph], index: int) -> bool:
    """Return whether the story has begun: prose, or a chapter heading that no list of headings continues."""
    text = found[index].text
    if len(text) > 200 and len(found[index].lines[0]) > 50 and text.rstrip().endswith((".", "!", "?", '"', "”")):
        return True
    following = found[index + 1].text if index + 1 < len(found) else ""
    return len(text) < 200 and bool(CHAPTER.match(text)) and not CHAPTER.match(following)


def _before_title(paragraph: Paragraph) -> int:
    """Return the length of a credit: its paragraph, or less if a title in capitals or a sentence is right below it."""
    size = 0
    if RULED.match(paragraph.text) or re.match(r"\W*there\s+(?:is|are)\s", paragraph.text, re.I):
        return len(paragraph.text)
    for number, line in enumerate(paragraph.lines):
        if number and line.isupper() and len(line.strip()) > 3 and not EVIDENCE.search(line):
            return size
        size += len(line) + 1
    proofs = [found.end() for found in EVIDENCE.finditer(paragraph.text)]
    proven, _, below = paragraph.text[proofs[-1] if proofs else 0 :].partition("\n")
    dangles = re.search(r"(?:,|\b(?:and|by|of|the|from|at|to|with|for|in|an?))\s*$", proven)
    if proofs and below[:1].isupper() and not dangles and not (only_names(below) or HINT.search(below)):
        return proofs[-1] + len(proven)
    return len(paragraph.text)


def _first_line(paragraph: Paragraph) -> int:
    """Return the length of a first line that is a credit by itself, above a sentence or title; 0 if there is none."""
    line, _, below = paragraph.text.partition("\n")
    first = FIRST_WORD.match(line)
    if (
        not below[:1].isupper()
        or not first
        or first[1].lower() not in FIRST_WORDS
        or line.rstrip().endswith((",", "and"))
    ):
        return 0
    return len(line) + 1 if WORK.match(line) and is_credit(line, leading=True) else 0


def _shut(text: str, paragraph: Paragraph, end: int) -> int:
    """Return where the bracket closes that a credit opens with; 0 if it opens with none."""
    if paragraph.text[:1] not in PAIRS:
        return 0
    return max(0, closing_bracket(text, paragraph.start, min(end, paragraph.start + LONGEST_CREDIT)))


def _below_title(paragraph: Paragraph) -> int:
    """Return the length of a title with a credit and an address below it in its paragraph; 0 if there is none."""
    size = 0
    for line in paragraph.lines:
        rest = paragraph.text[size:]
        if size and WORK.match(line) and MAKERS.match(line) and HARD.search(rest) and is_credit(rest, leading=True):
            return size
        size += len(line) + 1
    return 0


def _note_tail(found: list[Paragraph], index: int) -> int:
    """Return the end of a note on other versions of the file, which goes on in indented paragraphs with addresses."""
    stop = found[index].end
    for following in found[index + 1 :]:
        deep = all(line.startswith(("   ", "\t")) for line in following.lines)
        if not (deep and EVIDENCE.search(following.text)):
            break
        stop = following.end
    return stop
