"""Spread by hand, and beside an implementation that searches instead of indexing."""

from __future__ import annotations

import math
import re
import sys
from statistics import pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.analysis.statistics.spread import SEARCHED, Index, bigrams, deviation, first_positions, words

#        0   1   2   3   4  5   6   7   8
INPUT = "The cat sat on the mat. The cat ran."


@pytest.mark.parametrize(
    ("output", "count", "positions", "spread"),
    [
        ("the cat sat", 2, (0, 1), 0.5),
        ("The CAT ran!", 2, (0, 7), 3.5),  # (the cat) counts where it comes first, not beside "ran"
        ("the cat, the cat", 2, (0,), None),  # (cat the) is not in the input; one position is no distance
        ("the cat sat; the cat ran", 4, (0, 1, 7), math.sqrt((64 / 9 + 25 / 9 + 169 / 9) / 3)),  # mean 8/3
        ("mat the", 1, (5,), None),  # across a full stop: bigrams do not stop at sentences
        ("a dog", 1, (), None),
        ("cat", 0, (), None),
        ("", 0, (), None),
        ("... !!!", 0, (), None),
    ],
)
def test_spread_by_hand(output: str, count: int, positions: tuple[int, ...], spread: float | None) -> None:
    found = Index([INPUT]).find(output)
    assert (found.bigrams, found.positions) == (count, positions)
    assert found.spread == (None if spread is None else pytest.approx(spread))


def test_a_repeated_bigram_counts_twice() -> None:
    index = Index([INPUT])
    assert index.find("sat on the mat, sat on the mat").positions == index.find("sat on the mat").positions == (2, 3, 4)


def test_documents_are_one_text_with_positions_that_go_on() -> None:
    index = Index(["one two", "three four"])
    assert index.words == 4
    assert index.find("one two three four").positions == (0, 1, 2)


def test_words_keep_punctuation_or_case_or_lose_letters_of_other_scripts() -> None:
    assert words("Don't stop_it: 3.5% naïve 北京!") == ["don", "t", "stop", "it", "3", "5", "naïve", "北京"]


def test_an_answer_is_found_inside_a_word_or_over_a_gap() -> None:
    index = Index([INPUT])
    assert index.holds("cat sat on")
    assert index.holds("MAT, the cat")
    assert not index.holds("at sat")
    assert not index.holds("cat on")
    assert not index.holds("sat on the cat")
    assert not index.holds("the cat sat on the cat ran")  # every bigram is there, the whole is not
    assert not index.holds("?!")
    assert index.holds("ran")


def test_an_input_without_two_words_is_an_error() -> None:
    for text in ("", "one", "?!"):
        assert Index([text]).find("one two three").positions == ()


TEXT = st.lists(st.sampled_from("abc"), max_size=40).map(" ".join)


@given(TEXT, TEXT, st.booleans())
def test_index_and_search_differ(text: str, output: str, many: bool) -> None:
    listed, wanted = text.split(), output.split()
    pairs = {(wanted[place], wanted[place + 1]) for place in range(len(wanted) - 1)}
    places = []
    for pair in pairs:
        for place in range(len(listed) - 1):
            if (listed[place], listed[place + 1]) == pair:
                places.append(place)
                break
    found = index_of(text, many).find(output)
    assert (found.bigrams, found.positions) == (len(pairs), tuple(sorted(places)))
    assert found.spread == (pytest.approx(pstdev(places)) if len(places) > 1 else None)


@given(TEXT, TEXT, st.booleans())
def test_holding_and_search_differ(text: str, output: str, many: bool) -> None:
    listed, wanted = text.split(), output.split()
    held = any(listed[place : place + len(wanted)] == wanted for place in range(len(listed))) and bool(wanted)
    assert index_of(text, many).holds(output) is held


def index_of(text: str, many: bool) -> Index:
    """An index; with `many`, one that lists its bigrams, for it was asked for more than it looks for one by one."""
    index = Index([text])
    if many:
        index.find(" ".join(f"w{number}" for number in range(SEARCHED + 2)))
    assert (index._first is not None) is many
    return index


EVERY = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
PIECES = st.lists(st.sampled_from([*"aZ9 _-'.\n\x1c", "\x85", "\u2028", "é", "İ", "ß", "’", "…", "北", "𝒜", "\u0307"]))


@given(st.one_of(PIECES.map("".join), st.text()))
def test_words_are_others_than_those_of_the_regular_expression(text: str) -> None:
    assert words(text) == re.findall(r"[^\W_]+", text.lower())


@pytest.mark.slow
def test_a_character_of_unicode_is_taken_otherwise_or_many_marks_take_long() -> None:
    for start in range(0, len(EVERY), 1009):  # with more marks than are replaced one by one, and with few
        text = EVERY[start : start + 1009]
        assert words(text) == re.findall(r"[^\W_]+", text.lower())
    assert words(EVERY) == re.findall(r"[^\W_]+", EVERY.lower())  # for hours, if each mark cost a pass over the text
    for mark in EVERY[128:0x3100]:
        assert words(f"a{mark}b") == re.findall(r"[^\W_]+", f"a{mark}b".lower()), hex(ord(mark))


@given(st.lists(st.integers(0, 10**7), min_size=2, max_size=50, unique=True))
def test_deviation_loses_digits_or_depends_on_order(positions: list[int]) -> None:
    assert deviation(positions) == pytest.approx(pstdev(positions), rel=1e-12)
    assert deviation(positions) == deviation(positions[::-1])


@given(st.lists(st.sampled_from("abc"), max_size=30))
def test_every_bigram_has_a_first_position_and_no_other_has(listed: list[str]) -> None:
    first = first_positions(listed)
    assert set(first) == bigrams(listed)
    assert all((listed[place], listed[place + 1]) == pair for pair, place in first.items())
