"""Observations of problems as arrays to be fitted: outcomes by length for COW, binned scores for PIG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from scrollwork.analysis.windows.fit import cow, pig
from scrollwork.analysis.windows.fit.combinatorics import Ints
from scrollwork.analysis.windows.observations import Problem

TAU = 0.5
CELLS = 1_000_000  # of an array of counts, [problems, lengths, outcomes or bins], unless one problem has more


def pieces(problems: Sequence[Problem], outcomes: int) -> Iterator[list[Problem]]:
    """Yield neighbouring problems, as many as fit into an array of CELLS, and at least one."""
    piece: list[Problem] = []
    most = 0
    for problem in problems:
        most = max(most, len(problem.lengths))
        if piece and (len(piece) + 1) * most * outcomes > CELLS:
            yield piece
            piece, most = [], len(problem.lengths)
        piece.append(problem)
    if piece:
        yield piece


def outcome_counts(problems: Sequence[Problem], tau: float = TAU) -> cow.Counts:
    """Return right, wrong and declined answers of each problem at its lengths, ascending."""
    units, lengths, places = _columns(problems)
    counts = np.zeros((*lengths.shape, 3))
    for row, one in enumerate(problems):
        for (length, place), count in one.right_wrong_declined(tau).items():
            counts[row, places[row][length], place] += count
    return cow.Counts(units, lengths, counts)


def score_counts(problems: Sequence[Problem]) -> pig.Binned:
    """Return scores of each problem at its lengths, ascending, in bins."""
    units, lengths, places = _columns(problems)
    counts = np.zeros((*lengths.shape, pig.BINS))
    for row, one in enumerate(problems):
        points = one.points()
        of = pig.bin_of([score for _, score in points])
        for (length, _), count, place in zip(points, points.values(), of.tolist(), strict=True):
            counts[row, places[row][length], place] += count
    return pig.Binned(units, lengths, counts)


def _columns(problems: Sequence[Problem]) -> tuple[Ints, Ints, list[dict[int, int]]]:
    """Return (units [problems], lengths [problems, most lengths], the column of each length of each problem)."""
    of = [one.lengths for one in problems]
    lengths = np.zeros((len(of), max(map(len, of), default=0)), dtype=np.int64)
    for row, own in enumerate(of):
        lengths[row, : len(own)] = own
    places = [{length: column for column, length in enumerate(own)} for own in of]
    return np.array([one.units for one in problems], dtype=np.int64), lengths, places
