"""Shares as they are stated: of decided problems, V parted by what the whole context leads to."""

from __future__ import annotations

import pytest

from scrollwork.analysis.windows.category_shares import shares_json, stated
from scrollwork.analysis.windows.observations import read_observations


def test_undecided_problems_are_in_a_category_or_parts_of_v_do_not_sum_to_it() -> None:
    problems = [
        (2, True, None),
        (4, True, True),
        (4, False, True),
        (4, False, False),
        (4, False, None),
        (0, False, True),
    ]
    found = stated(problems)
    assert found.decided == pytest.approx((1 / 6, 0, 0, 0, 1 / 2))
    assert found.holistic == pytest.approx((1 / 6, 1 / 6, 1 / 6))
    assert found.undecided == pytest.approx(1 / 3)
    told = shares_json((0, 0, 1, 0, 0), found.decided, found.holistic, found.undecided)
    assert sum(told["shares"].values()) == pytest.approx(1)
    assert list(told["shares"]) == ["I", "II", "III", "IV", "V", "undecided"]
    assert told["holistic"] == pytest.approx({"solved": 1 / 6, "unsolved": 1 / 6, "unobserved": 1 / 6})
    assert told["paper_shares"]["III"] == 1
    with pytest.raises(ValueError, match="no problem"):
        stated([])


@pytest.mark.parametrize(
    ("whole", "solved"),
    [
        ([], None),
        ([{"outcome": "1"}], True),
        ([{"outcome": "idk"}], False),
        ([{"outcome": "0"}], False),
        ([{"score": 0.5}], True),
        ([{"score": 0.49}], False),
        ([{"outcome": "1"}, {"outcome": "0"}], True),
        ([{"outcome": "1"}, {"outcome": "0", "count": 2}], False),
        ([{"score": 1.0}, {"score": 0.3}, {"outcome": "idk"}], False),
    ],
)
def test_shorter_windows_or_the_closed_book_solve_a_problem_that_the_whole_context_does_not(whole, solved) -> None:
    same = {"task": "t", "problem": "p", "units": 9}
    rows = [{**same, "length": length, "outcome": "1", "count": 5} for length in (0, 1, 8)]
    (task,) = read_observations([*rows, *({**same, "length": 9, **row} for row in whole)]).tasks
    assert task.problems["p"].solved(0.5) is solved
