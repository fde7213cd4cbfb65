"""Tokens as numbers, against rouge-score's tokenizer."""

import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenize import tokenize

from scrollwork.scoring.rouge import vocabulary
from scrollwork.scoring.rouge.vocabulary import FEWEST_SLOTS, LOWERED, Vocabulary

TEXT = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(codec=None), max_size=40),
    st.text("abZ09 \n.é\u0130\u212a", max_size=300),
    st.lists(st.integers(0, 40).map(lambda size: "x" * size), max_size=20).map(" ".join),
)


def check(known, texts):
    """The numbers of the texts part tokens as rouge-score does, and equal ones are equal."""
    number_of = {}
    for text, read in zip(texts, known.read(texts), strict=True):
        tokens = tokenize(text, None)
        assert len(tokens) == len(read.numbers)
        for token, number in zip(tokens, read.numbers.tolist(), strict=True):
            assert number_of.setdefault(token, number) == number
        lines = [len(tokenize(line, None)) for line in text.split("\n")]
        assert read.lines == tuple(count for count in lines if count)
    assert len(set(number_of.values())) == len(number_of)


@given(st.lists(TEXT, max_size=6))
def test_tokens_are_parted_elsewhere_than_in_rouge_score(texts):
    check(Vocabulary(), texts)


def test_letter_beyond_ascii_whose_lower_case_is_in_ascii_is_lost():
    found = {chr(code) for code in range(128, sys.maxunicode + 1) if any(low < "\x80" for low in chr(code).lower())}
    assert found == {letter for letter, _ in LOWERED}
    check(Vocabulary(), ["\u0130stanbul \u212aelvin x\u0130y", "i stanbul kelvin xi y"])


@pytest.mark.parametrize("portion", [1, 1 << 16])
def test_portions_change_numbers(portion, monkeypatch):
    monkeypatch.setattr(vocabulary, "READ_AT_ONCE", portion)
    rng = random.Random(portion)
    words = ["".join(rng.choices("abcdefgh", k=rng.randint(1, 20))) for _ in range(500)]
    known = Vocabulary()
    for _ in range(3):
        check(known, [" ".join(rng.choices(words, k=rng.randrange(60))) for _ in range(20)])


def test_word_is_lost_when_the_table_grows_or_is_full():
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefgh", k=rng.randint(1, 20))) for _ in range(2 * FEWEST_SLOTS)]
    known = Vocabulary()
    for some in (words[:100], words, words[:100], words):
        check(known, [" ".join(some)])
    assert len(known) == len(set(words))


def test_words_with_the_same_hash_are_taken_for_each_other(monkeypatch):
    monkeypatch.setattr(vocabulary, "ODD", vocabulary.ODD * 0)  # every word at the same place
    known = Vocabulary()
    for _ in range(2):
        check(known, ["one two three four", "four five", "x" * 17 + " " + "x" * 18])


def test_number_changes_with_later_texts():
    known = Vocabulary(stemmed=True)
    before = known.read(["cats running"])[0].numbers.tolist()
    known.read([" ".join(f"word{number}" for number in range(20_000))])
    assert known.read(["cat runs"])[0].numbers.tolist() == before


def test_number_is_above_the_count():
    known = Vocabulary(stemmed=True)
    assert len(known) == 0
    assert known.read(["cats cat dog"])[0].numbers.tolist() == [0, 0, 1]
    assert len(known) == 2
