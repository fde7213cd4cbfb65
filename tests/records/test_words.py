"""Counting words: the fast count is Python's own, whatever is in the text."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.records.document import Document, text_id_and_words
from scrollwork.records.words import BLOCK, SHORT, words_in
from scrollwork.storage.artifacts.columns import to_batch

SPACES = [char for char in map(chr, range(sys.maxunicode + 1)) if char.isspace()]
hostile = st.text(
    st.sampled_from([*SPACES, "a", "é", "“", "字", "😀", "\x00", "\x08", "\x0e", "\x1b", "\x7f", "\u200b"])
)


def count(text: str) -> int:
    """Of a text made long enough for the fast way, which begins with two words more."""
    return words_in(f"{'x' * SHORT} x {text}".encode()) - 2


def test_white_space_of_some_script_joins_words() -> None:
    assert len(SPACES) > 20
    for space in SPACES:
        assert count(f"one{space}two") == 2, ascii(space)
        assert count(f"{space}“one”{space}") == 1, ascii(space)


def test_character_that_is_no_white_space_parts_words() -> None:
    wrong = [code for code in range(0x3100) if not chr(code).isspace() and count(f"a{chr(code)}b") != 1]
    assert wrong == []


@given(st.text() | hostile)
def test_count_differs_from_that_of_split(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode("utf-8")
    assert count(text) == words_in(text.encode("utf-8")) == len(text.split())


@pytest.mark.parametrize("text", ["ab ", "a  b", "“é” ", "字 \u3000"])
@pytest.mark.parametrize("shift", range(3))
def test_word_on_the_border_of_two_blocks_counts_twice_or_not_at_all(text: str, shift: int) -> None:
    long = "x" * shift + text * (2 * BLOCK // len(text))
    assert count(long) == len(long.split())
    for size in (BLOCK - 1, BLOCK, BLOCK + 1):
        assert count("x" * size) == 1
        assert count("x" * size + " y") == 2
        assert count(" " * size) == 0
        assert count(" " * size + "y ") == 1


def test_words_of_a_document_are_not_those_of_its_text() -> None:
    text = "“One”, two\u00a0three\n" * 20_000
    assert text_id_and_words(text)[1] == Document.of(text, source_file="f").words == 60_000


def test_columns_are_out_of_step_with_the_rows() -> None:
    """Texts are put into Arrow by their own way: empty and non-ASCII ones stand at their offsets."""
    rows = [Document.of(f"{n} 字“{'é' * n}”", title="ü" * (n % 3), source_file="") for n in range(50)]
    assert to_batch(Document, rows).to_pylist() == [row.to_dict() for row in rows]
    assert to_batch(Document, []).num_rows == 0
    to_batch(Document, rows).validate(full=True)
