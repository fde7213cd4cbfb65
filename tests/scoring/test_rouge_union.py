"""The union of subsequences on integers, against rouge-score's tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import _union_lcs

from scrollwork.scoring.rouge import union
from scrollwork.scoring.rouge.union import _Columns, _lines

LINE = st.lists(st.sampled_from("abcd"), min_size=1, max_size=20)
UNKNOWN = st.lists(st.sampled_from("abx"), min_size=1, max_size=25)


def covered(reference, candidates):
    """The tokens of the union, in order, by the engine's rules for columns."""
    codes = np.array([("abcdefgh".find(token)) for line in candidates for token in line], dtype=np.intp)
    columns = _Columns(list(_lines(codes, [len(line) for line in candidates])))
    return ["abcdefgh"[code] for code in reversed(columns.covered(["abcdefgh".find(token) for token in reference]))]


@given(LINE, st.lists(LINE, min_size=1, max_size=5))
def test_union_departs_from_the_tables(reference, candidates):
    assert covered(reference, candidates) == _union_lcs(reference, candidates)


@given(st.lists(st.sampled_from("ab"), max_size=20), st.lists(UNKNOWN, min_size=1, max_size=4))
def test_unknown_token_of_the_prediction_moves_a_tie(reference, candidates):
    assert covered(reference, candidates) == _union_lcs(reference, candidates)


@pytest.mark.parametrize("bits", [1, 100, 1000])
def test_rows_made_again_differ(bits, monkeypatch):
    monkeypatch.setattr(union, "HELD_BITS", bits)
    rng = np.random.default_rng(bits)
    for _ in range(60):
        reference = list(rng.choice(list("abcd"), rng.integers(1, 60)))
        candidates = [list(rng.choice(list("abcx"), rng.integers(1, 40))) for _ in range(rng.integers(1, 5))]
        assert covered(reference, candidates) == _union_lcs(reference, candidates)


def test_tie_goes_left_before_it_goes_up():
    # both "a b" and "b a" are longest; rouge-score walks back from the end and takes the match there
    assert covered(list("aba"), [list("ab"), list("ba")]) == _union_lcs(list("aba"), [list("ab"), list("ba")])
    assert covered(list("ab"), [list("ba")]) == _union_lcs(list("ab"), [list("ba")]) == ["a"]
