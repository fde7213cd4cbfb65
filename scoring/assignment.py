"""The heaviest one-to-one matchings of many small sparse graphs at once, in numpy.

Rows bid for columns first (Bertsekas 1988, with no least bid); those that are left are placed by augmenting paths of
least cost (Jonker and Volgenant 1987). A row may stay alone, which is worth 0. All problems take their steps side by
side, so that a step of numpy serves hundreds of them; each goes the way that it would go alone, so that results do not
depend on what stands beside it. Totals are those of `scipy.optimize.linear_sum_assignment`
(tests/scoring/test_assignment.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

NONE = -1
BIDS = 4  # a row, on average; rows that outbid each other by next to nothing are placed by paths instead
CELLS_AT_ONCE = 1 << 19  # rows times the most edges of one


def heaviest(problem: Numbers, row: Numbers, column: Numbers, weight: Floats, problems: int) -> Floats:
    """The weight of the heaviest matching of each problem, shape (problems,).

    problem, row, column, weight: of each edge, in ascending order of (problem, row, column), each once; rows and
    columns are numbered from 0 in every problem, and each row has an edge. weight: over 0.
    """
    found = np.zeros(problems)
    if not len(problem):
        return found
    begins = np.flatnonzero(np.diff(problem * (row.max() + 1) + row, prepend=NONE))  # of each row
    degrees = np.diff(begins, append=len(row))
    slot = np.arange(len(row)) - np.repeat(begins, degrees)
    rows, columns, edges = (_most(problem, one, problems) for one in (row, column, slot))
    order = np.argsort(rows * edges, kind="stable")
    order = order[rows[order] > 0]
    local = np.empty(problems, dtype=np.intp)
    while len(order):
        cells = np.maximum.accumulate(rows[order]) * np.maximum.accumulate(edges[order])
        size = max(1, int(np.searchsorted(cells * np.arange(1, len(order) + 1), CELLS_AT_ONCE, "right")))
        some, order = order[:size], order[size:]
        local[:] = NONE
        local[some] = np.arange(len(some))
        own = np.flatnonzero(local[problem] != NONE)
        where = local[problem[own]], row[own], slot[own]
        shape = len(some), int(rows[some].max()), int(edges[some].max())
        width = int(columns[some].max())
        neighbours = np.full(shape, width, dtype=np.intp)
        neighbours[where] = column[own]
        weights = np.zeros(shape)
        weights[where] = weight[own]
        found[some] = _Matching(neighbours, weights, rows[some], width).total()
    return found


def _most(problem: Numbers, places: Numbers, problems: int) -> Numbers:
    found = np.zeros(problems, dtype=np.intp)
    np.maximum.at(found, problem, places + 1)
    return found


class _Matching:
    """Problems in step. neighbours, weights: [problem, row, edge]; the column `width` stands where there is no edge.

    price: of the columns; it never falls, and is 0 while nobody has the column. A row is matched to a column, ALONE, or
    not yet placed (NONE).
    """

    def __init__(self, neighbours: Numbers, weights: Floats, rows: Numbers, width: int) -> None:
        self.neighbours, self.weights, self.rows = neighbours, weights, rows
        count, most, _ = neighbours.shape
        self.alone = width + 1
        self.price = np.zeros((count, width + 1))
        self.price[:, width] = np.inf
        self.row_of = np.full((count, width + 1), NONE, dtype=np.intp)
        self.column_of = np.full((count, most), NONE, dtype=np.intp)

    def total(self) -> Floats:
        """The weights of the heaviest matchings."""
        self.bid()
        self.place()
        problem, row, edge = np.nonzero(self.neighbours == self.column_of[:, :, None])
        taken = self.weights[problem, row, edge]
        # added one after the other: as if alone
        found: Floats = np.bincount(problem, taken, len(self.rows)).astype(np.float64)
        return found

    def bid(self) -> None:
        """Each row takes the column that is worth most to it and makes it as dear as its second choice; who had it
        bids again. A row whose choices are worth the same, and the first is taken, waits for `place`."""
        active = np.arange(len(self.rows))
        row = np.zeros(len(active), dtype=np.intp)
        upcoming = row + 1
        left = BIDS * self.rows
        while len(active):
            each = np.arange(len(active))
            columns = self.neighbours[active, row]
            worth = self.weights[active, row] - self.price[active[:, None], columns]
            edge = worth.argmax(axis=1)
            most, column = worth[each, edge], columns[each, edge]
            worth[each, edge] = 0.0  # to stay alone is a choice too
            gap = most - worth.max(axis=1)
            former = self.row_of[active, column]
            stays = most <= 0
            self.column_of[active[stays], row[stays]] = self.alone
            takes = ~stays & ((former == NONE) | (gap > 0))
            who, what = active[takes], column[takes]
            self.price[who, what] += gap[takes]
            self.row_of[who, what] = row[takes]
            self.column_of[who, row[takes]] = what
            out = takes & (former != NONE)
            self.column_of[active[out], former[out]] = NONE
            row = np.where(out, former, upcoming)
            upcoming = np.where(out, upcoming, upcoming + 1)
            left[active] -= 1
            on = (row < self.rows[active]) & (left[active] > 0)
            if not on.all():
                active, row, upcoming = active[on], row[on], upcoming[on]

    def place(self) -> None:
        """Each row that is not placed gets a path of least cost: Dijkstra's algorithm from it up to a column that
        nobody has or a row that stays alone. A problem goes on to its next row while others are still under way.

        Costs are prices less weights, reduced by the cost of the pair that a row was in, which all rows on a path were.
        """
        free = (self.column_of == NONE) & (np.arange(self.column_of.shape[1]) < self.rows[:, None])
        active = np.flatnonzero(free.any(axis=1))
        start = free[active].argmax(axis=1)
        shape = len(active), self.price.shape[1]
        distance, settled = np.full(shape, np.inf), np.full(shape, np.inf)  # of columns that may be next, that were
        before = np.full(shape, NONE, dtype=np.intp)
        row, base = start.copy(), np.zeros(len(active))  # base: distance of the row, less the cost of its pair
        nearest_alone, who_alone = np.full(len(active), np.inf), start.copy()
        while len(active):
            each = np.arange(len(active))
            columns = self.neighbours[active, row]
            at = each[:, None], columns
            through = base[:, None] + self.price[active[:, None], columns] - self.weights[active, row]
            known = distance[at]
            nearer = (through < known) & np.isinf(settled[at])
            distance[at] = np.where(nearer, through, known)
            before[at] = np.where(nearer, row[:, None], before[at])
            closer = base < nearest_alone
            nearest_alone, who_alone = np.where(closer, base, nearest_alone), np.where(closer, row, who_alone)
            column = distance.argmin(axis=1)
            lowest = distance[each, column]
            owner = self.row_of[active, column]
            alone = nearest_alone <= lowest
            ends = alone | (owner == NONE)
            on = np.flatnonzero(~ends)
            settled[on, column[on]] = lowest[on]
            distance[on, column[on]] = np.inf
            row = owner
            pair = self.neighbours[active[on], owner[on]] == column[on, None]
            base[on] = lowest[on] - self.price[active[on], column[on]] + self.weights[active[on], owner[on]][pair]
            if len(on) == len(active):
                continue
            done = np.flatnonzero(ends)
            reached = np.minimum(nearest_alone, lowest)[done, None]
            self.price[active[done]] += np.maximum(reached - settled[done], 0.0)
            last = np.where(alone, who_alone, before[each, column])[done]
            self._augment(active[done], start[done], last, np.where(alone, self.alone, column)[done], before[done])
            free[active[done], start[done]] = False
            start[done] = row[done] = who_alone[done] = free[active[done]].argmax(axis=1)
            distance[done] = settled[done] = np.inf
            nearest_alone[done], base[done] = np.inf, 0.0
            goes_on = free[active, start] | ~ends
            if not goes_on.all():
                active, start, row, base = active[goes_on], start[goes_on], row[goes_on], base[goes_on]
                distance, settled, before = distance[goes_on], settled[goes_on], before[goes_on]
                nearest_alone, who_alone = nearest_alone[goes_on], who_alone[goes_on]

    def _augment(self, active: Numbers, start: Numbers, row: Numbers, column: Numbers, before: Numbers) -> None:
        """Each row on the path, from its end, takes the column behind it; the last is the one that it begins with."""
        each = np.arange(len(active))
        while len(active):
            former = self.column_of[active, row]
            self.column_of[active, row] = column
            held = column < self.alone
            self.row_of[active[held], column[held]] = row[held]
            on = row != start
            active, start, column, each = active[on], start[on], former[on], each[on]
            row = before[each, column]
