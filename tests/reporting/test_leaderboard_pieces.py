"""Columns of the leaderboard in a terminal, where there are more than stand side by side."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrollwork.reporting.boards.terminal import LINE_WIDTH, in_pieces


@given(st.lists(st.integers(1, LINE_WIDTH - 1), max_size=60))
def test_column_is_lost_or_wider_than_the_line(widths: list[int]) -> None:
    pieces = in_pieces(widths)
    assert [place for piece in pieces for place in piece] == list(range(len(widths)))
    for number, piece in enumerate(pieces):
        used = sum(widths[place] + 1 for place in piece)
        assert used <= LINE_WIDTH
        if number + 1 < len(pieces):
            assert used + widths[pieces[number + 1][0]] + 1 > LINE_WIDTH, "what follows would have fitted"
