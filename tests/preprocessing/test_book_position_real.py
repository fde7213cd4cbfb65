"""Real summaries still tell where they stand, told by a detector that shares nothing with the rules."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from scrollwork.preprocessing.chapters.strip import RULES
from scrollwork.preprocessing.datasets.book_sum_sort import chosen_books, part, story_parts, without_position
from scrollwork.preprocessing.raw.files import RawFiles

SHARED = Path(os.environ.get("SCROLLWORK_SHARED") or Path(__file__).resolve().parents[3] / "shared")
FOLDER = SHARED / "data" / "raw" / "booksum" / "finished_summaries"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not FOLDER.is_dir(),
        reason=f"no real summaries at {FOLDER}: set SCROLLWORK_SHARED to the folder that holds data/raw/booksum",
    ),
]
DOCS = Path(__file__).resolve().parents[2] / "docs" / "booksumsort.md"
NUMBER = (
    r"(?:\d{1,3}|(?=[ivxlc])c{0,2}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve|\w+teen|twenty|thirty|forty|fifty)(?!\w)"
)
ORDER = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\w+teenth|\w+tieth|last|final|next|previous"
    r"|preceding|following|opening|closing|concluding|penultimate|subsequent)"
)
WORK = r"(?:novel|novella|play|book|story|narrative|poem)"
BROAD = {
    "number": rf"\b(?:chapters?|acts?|scenes?|parts?|books?|cantos?|volumes?|staves?|letters?|sections?|phases?)\s+{NUMBER}",
    "order": rf"\b{ORDER}\s+(?:\w+\s+)?(?:chapters?|acts?|scenes?|parts?|books?|cantos?|volumes?|staves?|letters?)\b",
    "opens": rf"\b{WORK}\s+(?:\w+\s)?(?:opens?|begins?|starts?|ends?|concludes?|closes?)\b",
    "end": rf"\b(?:beginning|start|end|close|opening|outset|conclusion|rest|middle)\s+of\s+(?:the|this)\s+{WORK}\b",
    "section": r"\b(?:prologue|epilogue|preface|foreword|appendix)\b",
}  # fmt: skip
DETECT = {what: re.compile(pattern, re.I) for what, pattern in BROAD.items()}
# summaries of all 2,480 (introductions included) in which the detector finds something: before, and at most after.
# What is left was read one by one: letters, acts and parts of the story, plays on a stage in it, performed epilogues.
LEFT = {"number": (184, 2), "order": (80, 31), "opens": (44, 8), "end": (18, 9), "section": (19, 11)}


@cache
def edited() -> list[tuple[str, str, tuple[str, ...]]]:
    """Every summary of every source: as published, after the edits, and the rules that changed it."""
    files = tuple(
        (path.relative_to(FOLDER.parents[1]).as_posix(), path)
        for path in sorted(FOLDER.glob("*/*/section_*_part_*.txt"))
    )
    raw = RawFiles("book_sum_sort", {"records": files})
    found = []
    for title, _, own in chosen_books(files, (), every=True):
        parts = [part(raw, file) for file in own if '"summary": ""' not in file[1].read_text(encoding="utf-8")]
        for one, after in without_position(title, parts, tuple(RULES)):
            found.append((one.text, after.text, tuple(edit.rule for edit in after.edits)))
    return found


def test_every_summary_at_hand_was_read() -> None:
    assert len(edited()) == 2_479  # one of the 2,480 is empty


@pytest.mark.parametrize("what", DETECT)
def test_more_summaries_tell_their_place_than_were_read(what: str) -> None:
    before = sum(bool(DETECT[what].search(text)) for text, _, _ in edited())
    after = sum(bool(DETECT[what].search(text)) for _, text, _ in edited())
    assert before == LEFT[what][0]
    assert after <= LEFT[what][1]


def test_rules_fire_more_or_less_often_than_documented() -> None:
    counts = Counter(rule for _, _, rules in edited() for rule in rules)
    told = re.findall(r"^\| `(\w+)` \|.*\| ([\d,]+) \|$", DOCS.read_text(encoding="utf-8"), re.M)
    assert {rule: counts[rule] for rule in RULES} == {rule: int(count.replace(",", "")) for rule, count in told}


def test_edits_take_more_than_a_place() -> None:
    longest = [
        (len(before), len(after), rules)
        for before, after, rules in edited()
        if len(after) < 0.8 * len(before) and "introduction" not in rules
    ]
    assert longest == []


def test_edits_leave_a_summary_of_nothing_or_a_blank_line() -> None:
    assert all(after and "\n\n" not in after for _, after, _ in edited())


def test_parts_left_out_are_more_than_introductions() -> None:
    files = tuple((path.as_posix(), path) for path in sorted(FOLDER.glob("*/*/section_*_part_*.txt")))
    raw = RawFiles("book_sum_sort", {"records": files})
    out = Counter(
        one.name
        for _, _, own in chosen_books(files, (), every=True)
        for parts in [[part(raw, file) for file in own if '"summary": ""' not in file[1].read_text(encoding="utf-8")]]
        for one in parts
        if one not in story_parts(parts, tuple(RULES))
    )
    assert sum(out.values()) == 20
    assert {name for name in out if re.search(r"chapter|act\b|scene|book|\d", name, re.I)} == set()
