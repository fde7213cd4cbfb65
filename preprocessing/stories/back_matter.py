"""Removal of the notes and credits after the last word of a book."""

from scrollwork.preprocessing.stories.changes import FRAME
from scrollwork.preprocessing.stories.closing import CLUES, NEAR, closing_notes, footnotes_on_the_file
from scrollwork.preprocessing.stories.credits import is_credit
from scrollwork.preprocessing.stories.cut import Cutting, paragraphs, past_blank_lines
from scrollwork.preprocessing.stories.labels import is_bare_label, is_plain_label

BACK = 30_000  # characters before the end that are searched, if they have a clue


def strip_back(cut: Cutting) -> None:
    """Cut notes and credits after the last word of the book."""
    text = cut.text
    floor = max(cut.start, cut.end - BACK)
    # most books end without a note: search less far
    below = text[floor : cut.end].lower()
    clued = any(word in below for word in CLUES)
    reach = BACK if clued else NEAR
    start = text.rfind("\n\n", cut.start, max(cut.start, cut.end - reach)) + 1
    found = paragraphs(text, max(cut.start, start), cut.end)
    while len(found) > 1:
        last = found[-1]
        if is_credit(last.text, leading=False):
            cut.back(last.start, "closing credit")
        elif "closing credit" in cut.rules and (is_plain_label(last.text) or is_bare_label(last.text)):
            cut.back(last.start, "closing note")  # the heading of what was cut
        elif FRAME.fullmatch(last.text) and "closing note" in cut.rules:
            cut.end = last.start  # the line that set the note apart
        else:
            end = cut.end
            _cut_notes(cut, closing_notes(text, found, end))
            if cut.end == end:
                break
        found = [paragraph for paragraph in found if paragraph.start < cut.end]
    for footnote in footnotes_on_the_file(text, floor, cut.end) if clued else ():
        before = text[max(cut.start, footnote.start - 80) : footnote.start].rstrip()
        if text[footnote.end : cut.end].strip() or not before.upper().endswith(("FOOTNOTES", "FOOTNOTES:")):
            cut.hole(footnote.start, past_blank_lines(text, footnote.end, cut.end), "closing note")
        else:
            cut.back(
                text.rfind("\n", 0, cut.start + len(text[cut.start : footnote.start].rstrip())) + 1, "closing note"
            )


def _cut_notes(cut: Cutting, spans: list[tuple[int, int]]) -> None:
    """Cut notes: those at the end move it; those with text of the book below them leave holes."""
    for start, stop in reversed(spans):
        if not FRAME.fullmatch(cut.text, stop, cut.end):
            cut.hole(start, past_blank_lines(cut.text, stop, cut.end), "closing note")
        else:
            cut.back(start, "closing note")
