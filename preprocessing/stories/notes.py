"""Where a note by those who made the file ends: with its bracket, its box, or its last paragraph about the file."""

import re

from scrollwork.preprocessing.stories.changes import FRAME
from scrollwork.preprocessing.stories.cut import Paragraph
from scrollwork.preprocessing.stories.labels import LABEL, PAIRS, is_bare_label, is_label, is_plain_label, opening
from scrollwork.preprocessing.stories.narration import PERSON, QUOTED, is_narrated
from scrollwork.preprocessing.stories.note_words import (
    ELECTRONIC,
    FOOTNOTE,
    NOTE_WORDS,
    OF_THE_FILE,
    OPENS,
    STRICT,
    goes_on,
    is_ours,
    is_sure_note,
    may_follow,
)

CHAPTER = re.compile(r"\W*(?:chapter|part|letter|book)\s+(?:the\s+)?\w+\W*\Z", re.I)
LONGEST_BRACKET = 1_500  # characters of a note in brackets without a label


def closing_bracket(text: str, start: int, end: int) -> int:
    """Return where the bracket that opens at `start` closes, one past it; -1 if it does not."""
    opened, shut = text[start], PAIRS[text[start]]
    depth, at = 0, start
    while at < end:
        left, right = text.find(opened, at, end), text.find(shut, at, end)
        if right < 0:
            return -1
        if 0 <= left < right:
            depth, at = depth + 1, left + 1
        else:
            depth, at = depth - 1, right + 1
            if depth == 0:
                return at
    return -1


def note_end(text: str, found: list[Paragraph], index: int, end: int) -> int:
    """Return where a note that starts with paragraph `index` ends, by its bracket, its box, or its words."""
    paragraph = found[index]
    stripped = paragraph.text.lstrip(" \t*_=")
    if stripped[:1] in PAIRS and LABEL.search(stripped[:80]):
        shut = closing_bracket(text, paragraph.start + len(paragraph.text) - len(stripped), end)
        if is_bare_label(paragraph.text) and 0 <= shut <= paragraph.end:
            pass  # its notes are below
        elif shut >= 0:
            line_end = text.find("\n", shut, end)
            rest = text[shut : line_end if line_end >= 0 else end]
            return shut + len(rest) if not rest.strip(" \t*_=.") else shut
        else:
            return paragraph.end
    alone = len(paragraph.lines) == 1 and len(paragraph.text.strip(" \t*_=:.|+-")) < 60
    framed = index > 0 and FRAME.fullmatch(found[index - 1].text) is not None
    own = alone and index + 1 < len(found) and FOOTNOTE.match(found[index + 1].text)  # its notes are numbered
    stop, block = paragraph.end, alone
    for number, following in enumerate(found[index + 1 :]):
        text = following.text
        if following.gap > 1 and not (alone and number == 0 and following.gap < 4):
            break
        if is_label(text):
            break
        if FRAME.fullmatch(text):
            stop = following.end if framed else stop
            continue
        deep = all(line.startswith(("  ", "\t")) for line in following.lines)
        numbered = own and FOOTNOTE.match(text) and (NOTE_WORDS.search(text) or '"' in text)
        first = alone and number == 0 and may_follow(text)
        if (text.isupper() and not text.rstrip().endswith((":", "."))) or not (goes_on(following) or numbered or first):
            if not (block and deep):
                break
            continue  # in an indented block, up to the last paragraph that can only be a note's
        block = block and (deep or number == 0)
        stop = following.end
    return stop


def labelled_end(text: str, found: list[Paragraph], index: int, end: int, titled: bool = False) -> int:
    """Return where a note with a label ends; 0 if a tale in the story has such a label. titled: before the story."""
    stop = note_end(text, found, index, end)
    if index and CHAPTER.match(found[index - 1].text) and is_bare_label(found[index].text):  # a chapter's title
        bare = QUOTED.sub('""', text[found[index].end : stop])
        if not (ELECTRONIC.search(bare) or STRICT.search(bare)):
            return 0
    return stop if is_ours(found[index].text, text[found[index].start : stop], titled) else 0


def bracket_end(text: str, paragraph: Paragraph, end: int) -> int:
    """Return where a note about the file in a bracket, without a maker's label, ends; 0 if there is none."""
    if paragraph.text.lstrip()[:1] not in PAIRS:
        return 0
    at = paragraph.end - len(paragraph.text.lstrip())
    stop = closing_bracket(text, at, min(end, at + LONGEST_BRACKET))
    if stop < 0:
        return 0
    body = QUOTED.sub('""', text[at:stop])
    words = {word.lower() for word in NOTE_WORDS.findall(body)}
    ours = (ELECTRONIC.search(body) or OF_THE_FILE.search(body)) and not text[stop : stop + 2].strip()
    return (
        stop
        if ours and len(words) > 1 and not (is_narrated(body) or PERSON.search(body) or FOOTNOTE.match(body))
        else 0
    )


def unlabelled_end(text: str, found: list[Paragraph], index: int, end: int) -> int:
    """Return where a note before the title ends that has a plain label or none; 0 if there is none."""
    paragraph = found[index]
    plain = is_plain_label(paragraph.text)
    if FOOTNOTE.match(paragraph.text) or not (plain or OPENS.match(opening(paragraph.text))):
        return 0
    stop = note_end(text, found, index, end) if plain else paragraph.end
    return stop if is_sure_note(paragraph.text, text[paragraph.start : stop]) else 0
