"""Units of contexts: every spec by hand, joins give the text back, hostile texts cost linear time."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.preprocessing.windows.units import (
    MULTI_BREAK,
    PAIR,
    SPLITS,
    TRIPLET,
    sequences,
    tokenizer,
    units,
    window_span,
)
from tests.some_slow import one_in

SPECS = ("b", "c", "l", "ls", "lt", "n", "o", "q", "rlt", "s", "t", "u")


def pieces(text: str, spec: str) -> list[str]:
    return [text[start:end] for start, end in units(text, spec)]


def test_blocks_are_not_parted_by_breaks_of_two_lines_and_more() -> None:
    assert pieces("\n\nOne\ntwo.\n\nThree.\n  \n \nFour \n\n", "b") == ["One\ntwo.", "Three.", "Four "]


def test_tab_between_line_ends_parts_blocks() -> None:
    assert pieces("One.\n\t\nTwo.", "b") == ["One.\n\t\nTwo."]


def test_lines_lose_their_indentation_or_blank_ones_count() -> None:
    assert pieces("def f():\n    return 1\n\n \r\nx\r\n", "l") == ["def f():", "    return 1", "x\r"]


def test_pairs_of_lines_count_blank_ones_or_lose_the_odd_one() -> None:
    text = "Question: a\nType: b\n\nQuestion: c\nType: d\nQuestion: e"
    assert pieces(text, "c") == ["Question: a\nType: b", "Question: c\nType: d", "Question: e"]


def test_reviews_lose_what_stands_before_them_or_their_numbers() -> None:
    text = "Hotel.\nReview #0: Fine.\nCold.\nReview #12: Review # of one.\n"
    assert pieces(text, "n") == ["Hotel.", "Review #0: Fine.\nCold.", "Review #12: Review # of one."]


def test_passages_are_not_parted_by_their_headings() -> None:
    assert pieces("Passage 1:\nA\na.\nPassage 22:\nB. In Passage 3 too", "o") == [
        "Passage 1:\nA\na.",
        "Passage 22:\nB. In Passage 3 too",
    ]


def test_triplets_lose_the_last_answer_where_no_line_ends_it() -> None:
    one, two = "Passage:\nP Question: q\nQuestion:\nQ\nAnswer:\nA\n", "Passage:\nP\nQuestion:\nQ\nAnswer:\nB"
    assert pieces(f"{one}\n\n{two}", "q") == [one, two]
    assert pieces(f"{one}Passage: Question: no answer\n", "q") == [one]


def test_pairs_of_dialogue_and_summary_end_at_another_place_than_the_summary() -> None:
    one, two = "Dialogue: A: hi\r\nB: ho\nSummary: They greet.\n", "Dialogue: C: no\nSummary: Alone."
    assert pieces(f"{one}{two}", "u") == [one, two]


def test_sentences_are_not_those_of_nltk() -> None:
    text = 'Dr. Smith paid $3.50 to the U.S. office. "Why?" he asked.  (So it was.) It ended.\nNo stop'
    assert pieces(text, "s") == [
        "Dr. Smith paid $3.50 to the U.S. office.",
        '"Why?"',
        "he asked.",
        "(So it was.)",
        "It ended.",
        "No stop",
    ]


def test_sentences_of_punctuation_alone_are_joined_as_nltk_does_not() -> None:
    assert pieces("It was so!!! ! And so. . So", "s") == ["It was so!!!", "!", "And so.", ".", "So"]


def test_tables_are_not_those_of_nltk_or_grow() -> None:
    units("Xylo. Yttri. Zzz. Qqq! Xylo", "s")
    tables = tokenizer()._params
    sizes = (tables.abbrev_types, tables.collocations, tables.sent_starters, tables.ortho_context)
    assert [len(table) for table in sizes] == [156, 37, 39, 20366]  # punkt_tab, english


def test_sentences_cross_lines_where_lines_come_first() -> None:
    assert pieces("A title\nOne. Two\nthree.", "ls") == ["A title", "One.", "Two", "three."]
    assert pieces("A title\nOne. Two\nthree.", "s") == ["A title\nOne.", "Two\nthree."]


def test_commas_do_not_end_sentences_of_transcripts_or_are_replaced_in_the_text() -> None:
    text = "ok ,  i'm going to begin , well\nright , so"
    assert pieces(text, "rlt") == ["ok ,", "i'm going to begin ,", "well", "right ,", "so"]
    assert pieces(text, "lt") == ["ok ,  i'm going to begin , well", "right , so"]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("text", ["", " ", "\n", "\n \n\n\t\r\n"])
def test_text_without_words_has_units(spec: str, text: str) -> None:
    assert units(text, spec) == []


@pytest.mark.parametrize("spec", SPECS)
def test_one_word_is_no_unit(spec: str) -> None:
    assert units("word", spec) == ([] if spec in "qu" else [(0, 4)])


@pytest.mark.parametrize("spec", ["", "r", "x", "lz", "S"])
def test_unknown_spec_is_taken(spec: str) -> None:
    with pytest.raises(ValueError, match="must be letters of b, c, l, n, o, q, r, s, t, u"):
        units("text", spec)


PIECES = ("a", "Be", " ", "\n", "\n\n", ". ", ", ", "? ", '"', ")", "\r", "\u2028", "é", "Mr.", "...", "\x00", "\u00a0")
MARKS = ("Review #1", "Passage 2:", "Passage:", "Question:", "Answer:\n", "Dialogue:", "Summary:")
ALPHABET = st.sampled_from([*PIECES, *MARKS])
TEXTS = st.lists(ALPHABET, max_size=40).map("".join)


@given(TEXTS, st.sampled_from(SPECS))
def test_units_overlap_or_lose_text_between_them(text: str, spec: str) -> None:
    found = units(text, spec)
    edges = [0, *(edge for span in found for edge in span), len(text)]
    assert edges == sorted(edges), "in order, none over another"
    assert all(text[start:end].strip() for start, end in found)
    outside = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if not set(spec) & set("qu"):
        assert not "".join(outside).strip(), "between units stand separators alone"
    inside = [text[start:end] for start, end in found]
    assert "".join(gap + unit for gap, unit in zip(outside, [*inside, ""], strict=True)) == text


PATTERNS = {
    "q": (TRIPLET, re.compile(r"Passage:.*?Question:.*?Answer:\n.*?\n", re.DOTALL)),
    "u": (PAIR, re.compile(r"Dialogue:.*?Summary:.*?\n", re.DOTALL)),
}


@given(TEXTS, st.sampled_from(sorted(PATTERNS)))
def test_sequences_are_not_what_the_published_pattern_finds(text: str, spec: str) -> None:
    marks, pattern = PATTERNS[spec]
    text += "\n"  # the pattern wants a line's end behind the last one; we take the text's end too
    found = [text[start:end] for start, end in sequences(marks, text, 0, len(text))]
    assert found == pattern.findall(text)


@given(TEXTS)
def test_blocks_and_lines_are_not_what_the_published_patterns_part(text: str) -> None:
    assert pieces(text, "b") == [piece for piece in MULTI_BREAK.split(text) if piece.strip()]
    assert pieces(text, "l") == [piece for piece in text.split("\n") if piece.strip()]


def test_window_is_not_one_span_of_the_text() -> None:
    text = " One. Two.\n\nThree. "
    spans = units(text, "s")
    assert [text[slice(*window_span(spans, first, 2, len(text)))] for first in (0, 1)] == [
        "One. Two.",
        "Two.\n\nThree.",
    ]
    assert window_span(spans, 0, 3, len(text)) == (0, len(text)), "all units are the whole text"
    for first, length in ((0, 0), (0, 4), (2, 2), (-1, 1)):
        with pytest.raises(ValueError, match="no window of 3"):
            window_span(spans, first, length, len(text))


HOSTILE = {
    "marks without end": "Passage:Question:Dialogue:" * 20_000,
    "answers without line": "Passage:Question:Answer:" * 20_000,
    "full stops": "." * 400_000,
    "abbreviations": "a.b. " * 8_000,
    "one word": "x" * 500_000,
    "blanks": " " * 500_000,
    "blank lines": "\n " * 200_000,
    "line and blanks": "\n" + " " * 300_000 + "x",
    "headings": "Review #1Passage 1:" * 20_000,
    "quotes": '."' * 40_000,
}


@pytest.mark.parametrize("kind", one_in(4, HOSTILE))
def test_hostile_text_takes_more_than_linear_time(kind: str) -> None:
    tokenizer()
    for spec in SPECS:
        began = time.process_time()
        units(HOSTILE[kind], spec)
        assert time.process_time() - began < 10, spec


def test_published_numbers_of_units_of_quality_do_not_come_out(shared: Path) -> None:
    path = shared / "raw/leval/LEval-data/Closed-ended-tasks/quality.jsonl"
    if not path.is_file():
        pytest.skip("no L-Eval QuALITY in the shared data")
    texts = [json.loads(line)["input"] for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    counts = [len(units(text, "s")) for text in texts]
    assert {381, 408, 498} <= set(counts), counts  # dolce.md 4: IV, III and V, II


def test_letter_of_the_published_list_is_missing() -> None:
    assert sorted([*SPLITS, "r"]) == sorted("bclnoqrstu")
