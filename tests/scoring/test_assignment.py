"""Heaviest matchings beside scipy's."""

import time

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from scrollwork.scoring.parts import assignment
from scrollwork.scoring.parts.assignment import heaviest


def graph(rng, rows, columns, share, kinds):
    """A table of weights, 0 for no edge, in which every row has one; kinds: how many different weights, 0 for any."""
    weights = rng.integers(1, kinds + 1, (rows, columns)) / kinds if kinds else rng.random((rows, columns)) + 1e-3
    table = np.where(rng.random((rows, columns)) < share, weights, 0.0)
    table[np.arange(rows), rng.integers(0, columns, rows)] = 0.5
    return table


def edges(tables):
    found = [np.nonzero(table) for table in tables]
    problem = np.repeat(np.arange(len(tables)), [len(rows) for rows, _ in found])
    row, column = (np.concatenate([each[side] for each in found]) for side in (0, 1))
    return problem, row, column, np.concatenate([table[at] for table, at in zip(tables, found, strict=True)])


def best(table):
    return table[linear_sum_assignment(table, maximize=True)].sum()


def tables(count, seed=3):
    rng = np.random.default_rng(seed)
    return [
        graph(rng, *rng.integers(1, 25, 2), share=rng.choice([0.0, 0.05, 0.2, 1.0]), kinds=rng.choice([0, 1, 2, 5]))
        for _ in range(count)
    ]


@pytest.mark.parametrize("bids", [0, 1, 4])
def test_matching_is_not_the_heaviest(bids, monkeypatch):
    monkeypatch.setattr(assignment, "BIDS", bids)  # 0: paths do all of it
    some = tables(1500)
    assert heaviest(*edges(some), len(some)) == pytest.approx([best(table) for table in some], abs=1e-12)


def test_total_depends_on_what_stands_beside_it(monkeypatch):
    some = tables(300)
    together = heaviest(*edges(some), len(some)).tolist()
    assert together == [heaviest(*edges([table]), 1)[0] for table in some]
    monkeypatch.setattr(assignment, "CELLS_AT_ONCE", 50)
    assert heaviest(*edges(some), len(some)).tolist() == together


def test_problem_without_edges_weighs_something():
    problem, row, column, weight = edges(tables(3))
    found = heaviest(2 * problem + 1, row, column, weight, 8)
    assert (found[[0, 2, 4, 6, 7]] == 0).all()
    assert (found[[1, 3, 5]] > 0).all()
    empty = np.zeros(0, dtype=np.intp)
    assert heaviest(empty, empty, empty, np.zeros(0), 2).tolist() == [0.0, 0.0]


def test_row_must_be_matched_at_a_loss():
    # both rows want column 0; the second has nothing else, and its place is worth less
    table = np.array([[0.9, 0.1], [0.5, 0.0]])
    assert heaviest(*edges([table]), 1) == pytest.approx([0.9])


def test_large_problem_takes_minutes():
    rng = np.random.default_rng(1)
    table = graph(rng, 300, 300, 0.02, 4)
    began = time.process_time()
    assert heaviest(*edges([table]), 1) == pytest.approx([best(table)])
    assert time.process_time() - began < 20
