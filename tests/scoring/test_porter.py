"""Porter stems against NLTK's, which rouge-score takes."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from scrollwork.scoring.rouge.porter import IRREGULAR, STEP_2, STEP_3, STEP_4, stem

NLTK = PorterStemmer()
ENDS = [suffix.decode() for suffix, _ in [*STEP_2, *STEP_3, *STEP_4]]
ENDS += ["ing", "ed", "eed", "ied", "ies", "sses", "s", "ss", "y", "e", "ll", "yy", "bl", "at", "iz", "full", "al"]


def expected(word):
    return NLTK.stem(word) if len(word) > 3 else word


@given(st.one_of(st.text("abcdeilnorstuyz", max_size=12), st.text("aby", max_size=8), st.text("by1", max_size=30)))
def test_stem_departs_from_nltk(word):
    assert stem(word.encode()).decode() == expected(word)


def test_stem_of_a_word_with_endings_departs_from_nltk():
    rng = random.Random(11)
    for _ in range(20_000):
        word = "".join(rng.choices("aeiouybcdlstwxz1", k=rng.randint(0, 4)))
        word += "".join(rng.choices(ENDS, k=rng.randint(0, 3)))
        assert stem(word.encode()).decode() == expected(word), word


@pytest.mark.parametrize("word", sorted(IRREGULAR))
def test_irregular_form_is_stemmed_by_rule(word):
    assert stem(word).decode() == NLTK.stem(word.decode())


@pytest.mark.parametrize("unit", ["y", "ya", "a", "e", "s", "l", "ation", "ing", "alli", "ness"])
def test_word_of_a_megabyte_stops_the_stemmer(unit):
    word = unit.encode() * (1_000_000 // len(unit))
    began = time.process_time()
    found = stem(word)
    assert time.process_time() - began < 5
    assert word.startswith(found[:-2])
