"""The heaviest one-to-one matchings of many small bipartite graphs at once, in numpy.

Kuhn's problem by shortest augmenting paths (Jonker and Volgenant 1987): rows bid for columns first, the rows that are
left are placed by Dijkstra's algorithm on reduced costs. All problems take their steps side by side, so that a step of numpy
serves hundreds of them; each goes the way that it would go alone, so results do not depend on what stands beside it.
The totals are those of `scipy.optimize.linear_sum_assignment` (tests/scoring/test_assignment.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

BIDS = 4  # a row, on average; rows that outbid each other by next to nothing are placed by paths instead
CELLS_AT_ONCE = 1 << 18
NONE = -1


def heaviest(problem: Numbers, row: Numbers, column: Numbers, weight: Floats, problems: int) -> Floats:
    """The weight of the heaviest matching of each problem, shape (problems,).

    problem, row, column, weight: of each edge, in ascending order of (problem, row, column), each once; rows and columns
    are numbered from 0 in every problem. weight: over 0.
    """
    found = np.zeros(problems)
    rows, columns = (_most(problem, places, problems) for places in (row, column))
    turned = (rows > columns)[problem]
    row, column = np.where(turned, column, row), np.where(turned, row, column)
    rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    order = np.lexsort((rows, columns))
    order = order[rows[order] > 0]
    local = np.zeros(problems, dtype=np.intp)
    begin = 0
    while begin < len(order):
        wide = columns[order[begin:]]
        high = np.maximum.accumulate(rows[order[begin:]])
        size = max(1, int(np.searchsorted(np.arange(1, len(wide) + 1) * wide * high, CELLS_AT_ONCE, "right")))
        some = order[begin : begin + size]
        begin += size
        local[:] = NONE
        local[some] = np.arange(len(some))
        edges = np.flatnonzero(local[problem] != NONE)
        table = np.zeros((len(some), rows[some].max(), columns[some].max()))
        table[local[problem[edges]], row[edges], column[edges]] = weight[edges]
        found[some] = _totals(table, rows[some], columns[some])
    return found


def _most(problem: Numbers, places: Numbers, problems: int) -> Numbers:
    found = np.zeros(problems, dtype=np.intp)
    np.maximum.at(found, problem, places + 1)
    return found


def _totals(table: Floats, rows: Numbers, columns: Numbers) -> Floats:
    """The weight of the heaviest matching in each of table[problem, row, column]; no more rows than columns."""
    outside = np.where(np.arange(table.shape[2]) < columns[:, None], 0.0, np.inf)
    solver = _Solver(outside[:, None] - table, rows)
    solver.bid()
    solver.place()
    taken = solver.column_of
    number, row = np.nonzero(taken != NONE)
    return np.bincount(number, table[number, row, taken[number, row]], len(table))  # one after the other: as if alone


class _Solver:
    """Problems in step. price: of the columns, 0 or less; a column once taken stays taken."""

    def __init__(self, costs: Floats, rows: Numbers) -> None:
        self.costs, self.rows = costs, rows
        count, most, width = costs.shape
        self.price = np.zeros((count, width))
        self.row_of = np.full((count, width), NONE, dtype=np.intp)
        self.column_of = np.full((count, most), NONE, dtype=np.intp)

    def bid(self) -> None:
        """Each row takes the column that is cheapest for it and makes it as dear as its second choice; who had it bids
        again. A row without a cheapest column that is free waits for `place`."""
        active = np.arange(len(self.costs))
        row = np.zeros(len(active), dtype=np.intp)
        upcoming = np.ones(len(active), dtype=np.intp)
        left = BIDS * self.rows
        while len(active):
            reduced = self.costs[active, row] - self.price[active]
            each = np.arange(len(active))
            best = reduced.argmin(axis=1)
            least = reduced[each, best]
            reduced[each, best] = np.inf
            second = reduced.min(axis=1)
            gap = np.where(np.isfinite(second), second - least, 0.0)
            former = self.row_of[active, best]
            takes = (former == NONE) | (gap > 0)
            who, what = active[takes], best[takes]
            self.price[who, what] -= gap[takes]
            self.row_of[who, what] = row[takes]
            self.column_of[who, row[takes]] = what
            out = takes & (former != NONE)
            self.column_of[active[out], former[out]] = NONE
            row = np.where(out, former, upcoming)
            upcoming = np.where(out, upcoming, upcoming + 1)
            left[active] -= 1
            on = (row < self.rows[active]) & (left[active] > 0)
            active, row, upcoming = active[on], row[on], upcoming[on]

    def place(self) -> None:
        """An augmenting path of least cost for every row that has no column."""
        inside = np.arange(self.column_of.shape[1]) < self.rows[:, None]
        free = (self.column_of == NONE) & inside
        while len(active := np.flatnonzero(free.any(axis=1))):
            start = free[active].argmax(axis=1)
            free[active, start] = False
            self._paths(active, start)

    def _paths(self, active: Numbers, start: Numbers) -> None:
        """One path in each problem: from its row to a column that nobody has."""
        width = self.price.shape[1]
        row, lowest = start, np.zeros(len(active))
        distance = np.full((len(active), width), np.inf)
        before = np.full((len(active), width), NONE, dtype=np.intp)
        done = np.zeros((len(active), width), dtype=bool)
        offset = np.zeros(len(active))  # reduced cost of the pair by which the row was reached
        while len(active):
            each = np.arange(len(active))
            through = self.costs[active, row] - self.price[active]
            through += (lowest - offset)[:, None]
            nearer = (through < distance) & ~done
            distance = np.where(nearer, through, distance)
            before = np.where(nearer, row[:, None], before)
            open_ones = np.where(done, np.inf, distance)
            column = open_ones.argmin(axis=1)
            lowest = open_ones[each, column]
            unowned = (open_ones == lowest[:, None]) & (self.row_of[active] == NONE)
            column = np.where(unowned.any(axis=1), unowned.argmax(axis=1), column)
            owner = self.row_of[active, column]
            ends = owner == NONE
            if ends.any():
                self._augment(
                    active[ends], start[ends], column[ends], before[ends], distance[ends], done[ends], lowest[ends]
                )
                on = ~ends
                active, start, column, lowest, owner = active[on], start[on], column[on], lowest[on], owner[on]
                distance, before, done = distance[on], before[on], done[on]
                each = np.arange(len(active))
            done[each, column] = True
            row = owner
            offset = self.costs[active, row, column] - self.price[active, column]

    def _augment(
        self,
        active: Numbers,
        start: Numbers,
        column: Numbers,
        before: Numbers,
        distance: Floats,
        done: npt.NDArray[np.bool_],
        lowest: Floats,
    ) -> None:
        self.price[active] += np.where(done, distance - lowest[:, None], 0.0)
        going = np.arange(len(active))
        while len(going):
            who, what = active[going], column[going]
            row = before[going, what]
            former = self.column_of[who, row]
            self.row_of[who, what] = row
            self.column_of[who, row] = what
            column[going] = former
            going = going[row != start[going]]
