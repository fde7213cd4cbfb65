"""Charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reporting.board import Board
from reporting.content import Beside, Figure
from reporting.examples import Usage


def figures(
    board: Board,
    beside: Beside,
    usage: Mapping[tuple[str, int], Usage],
    lengths: Mapping[tuple[str, str, int], Sequence[float]],
) -> list[Figure]:
    return []
