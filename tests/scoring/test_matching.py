"""difflib's blocks, found otherwise."""

import time
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.parts.matching import LONG_LINE, LongMatcher, ratio
from tests.some_slow import one_in

ALPHABETS = ("ab", "abc", "x", "abcdefgh \n½\ud800")


@st.composite
def pairs(draw):
    """Two texts over few characters, the second sometimes so long that difflib leaves frequent ones out."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    line = draw(st.text(alphabet, max_size=60))
    reference = draw(st.text(alphabet + "yz", max_size=60)) * draw(st.sampled_from([1, 1, 5, 30]))
    return line, reference


@given(pairs())
def test_blocks_are_others_than_those_of_difflib(texts):
    assert LongMatcher(None, *texts).get_matching_blocks() == SequenceMatcher(None, *texts).get_matching_blocks()


def test_long_line_has_another_ratio_than_difflib_gives_it():
    reference = "    return self.frobnicate(a, b, **kwargs)"
    for line in ("".join(chr(97 + k * k % 23) for k in range(LONG_LINE)), reference + "ab" * LONG_LINE):
        assert 0 < ratio(line, reference) == SequenceMatcher(None, line, reference).ratio()


@pytest.mark.slow
@pytest.mark.parametrize("fill", one_in(2, ["\xe9", "z"]))
def test_many_blocks_in_a_megabyte_cost_a_minute(fill):
    """Each character of the reference is a block, and what is left of the line is looked through again for each."""
    reference = "".join(chr(33 + number) for number in range(90))
    line = "".join(character + fill * 11_000 for character in reference)
    began = time.process_time()
    assert ratio(line, reference) > 0
    assert time.process_time() - began < 20  # 2 s on a slow core
