"""A story on standard output that is not what the benchmark holds; a call that is wrong and does not say so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from scrollwork.preprocessing.datasets.narrative_qa import strip_story
from tests.preprocessing.test_narrative_stripping import FILM, STORY, modern, told

BOOK = modern("Produced by Judith Boss\n\nTHE CRATE\n\n[Transcriber's Note: spelling was kept.]")(STORY)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    place = tmp_path / "a1.content"
    place.write_text(BOOK, encoding="utf-8")
    return place


def test_printed_story_differs_from_the_curated_one(call, book: Path) -> None:
    status, printed, said = call("strip", str(book), "--kind", "gutenberg")
    assert (status, printed) == (0, strip_story(BOOK.encode(), "gutenberg", "", "").text + "\n")
    assert "start line + credit + transcriber's note" in said


def test_removed_text_is_not_listed(call, book: Path) -> None:
    status, printed, _ = call("--json", "strip", str(book), "--kind", "gutenberg")
    found = json.loads(printed)
    assert (status, told(found["text"])) == (0, told(f"THE CRATE\n\n{STORY}"))
    front, note, back = found["removed"]
    assert [one["where"] for one in found["removed"]] == ["front", "inside", "back"]
    assert front["text"].strip().endswith("Produced by Judith Boss")
    assert note["text"].strip() == "[Transcriber's Note: spelling was kept.]"
    assert back["text"].strip().startswith("End of the Project Gutenberg EBook")
    assert len(found["text"]) + sum(one["characters"] for one in found["removed"]) == len(BOOK)


def test_tags_of_a_script_stay(call, tmp_path: Path) -> None:
    (tmp_path / "film").write_text(f"<html><body><pre>{FILM}</pre></body></html>")
    status, printed, _ = call("--json", "strip", str(tmp_path / "film"), "--kind", "movie")
    assert (status, told(json.loads(printed)["text"])) == (0, told(FILM))


def test_words_of_documents_csv_are_not_used(call, tmp_path: Path) -> None:
    (tmp_path / "story").write_text(f"A site\n\n{STORY}\n\nmore of the site")
    arguments = ("strip", str(tmp_path / "story"), "--kind", "gutenberg")
    status, printed, _ = call(*arguments, "--start", "THE WARM CRATE", "--end", "THE END")
    assert (status, told(printed)) == (0, told(STORY))


@pytest.mark.parametrize(
    ("start", "end"), [("no such words", "THE END"), ("THE WARM CRATE", "no such words"), ("Rain", "")]
)
def test_words_that_do_not_mark_an_end_pass_without_a_word(call, tmp_path: Path, start: str, end: str) -> None:
    (tmp_path / "story").write_text(STORY)
    arguments = ("strip", str(tmp_path / "story"), "--kind", "gutenberg", "--start", start, "--end", end)
    status, printed, said = call(*arguments)
    assert (status, printed) == (1, "")
    assert "documents.csv" in said


def test_words_that_a_marker_makes_needless_end_the_call(call, book: Path) -> None:
    arguments = ("strip", str(book), "--kind", "gutenberg", "--start", "no such words", "--end", "nor these")
    status, _, said = call(*arguments)
    assert status == 0
    assert "the words of --start do not stand in it; a marker was found" in said
    assert "the words of --end do not stand" in said
    assert len(json.loads(call(*arguments, "--json")[1])["warnings"]) == 2


@pytest.mark.parametrize(("data", "status", "word"), [
    (None, 2, "no such file"), (b"", 1, "empty"), (b"PK\x03\x04" + b"x" * 99, 1, "zip"), (bytes(range(256)) * 9, 1, "no text"),
])  # fmt: skip
def test_what_is_no_story_is_printed(call, tmp_path: Path, data: bytes | None, status: int, word: str) -> None:
    place = tmp_path / "a1.content"
    if data is not None:
        place.write_bytes(data)
    found, printed, said = call("strip", str(place), "--kind", "gutenberg")
    assert (found, printed) == (status, "")
    assert word in said
    assert str(place) in said


def test_wrong_call_is_a_failure_of_the_work(call, tmp_path: Path) -> None:
    assert call("strip", str(tmp_path), "--kind", "movie")[0] == 2
    os.mkfifo(tmp_path / "fifo")
    for place in (tmp_path / "fifo", "/dev/zero"):  # either is read for ever
        assert call("strip", str(place), "--kind", "movie")[0] == 2
