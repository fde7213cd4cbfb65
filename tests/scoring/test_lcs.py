"""Bit-vector subsequences against the tables of rouge-score."""

from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import _lcs_table, lcs_ind

from scoring import lcs

TOKENS = st.lists(st.sampled_from("abcd"), max_size=40)


@given(TOKENS, TOKENS)
def test_length_departs_from_the_table(left, right):
    assert lcs.length(left, right) == _lcs_table(left, right)[-1][-1]


@given(TOKENS.filter(bool), TOKENS.filter(bool))
def test_tie_is_broken_another_way_than_in_rouge_score(reference, candidate):
    masks = lcs.positions(candidate, set(reference))
    assert sorted(lcs.matched(reference, masks, len(candidate))) == lcs_ind(reference, candidate)


def test_token_outside_the_vocabulary_gets_a_mask():
    assert lcs.positions(["a", "b", "a"], {"a"}) == {"a": 0b101}
