"""Maximum-weight bipartite matchings of many small sparse graphs at once, in numpy.

Rows first bid for columns (auction algorithm, Bertsekas 1988, with epsilon 0); the rest are placed by augmenting paths
of least cost (Jonker and Volgenant 1987). A row may stay unmatched, which is worth 0. All problems advance in lockstep,
so that one numpy operation serves hundreds of them; each takes the steps that it would take alone, so results do not
depend on the rest of the batch. Totals are those of `scipy.optimize.linear_sum_assignment`
(tests/scoring/test_assignment.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]

NONE, ALONE = -1, -2
BIDS = 4  # per row, on average; rows that outbid each other by tiny amounts are placed by paths instead
CELLS_AT_ONCE = 1 << 19  # of a batch: problems times rows times the most edges of a row


def heaviest(problem: Numbers, row: Numbers, column: Numbers, weight: Floats, problems: int) -> Floats:
    """Return the weight of the heaviest matching of each problem, shape (problems,).

    problem, row, column, weight: of each edge, shape (edges,), unique and sorted by (problem, row, column). Rows and
    columns are numbered from 0 in every problem, and each row has an edge. weight: positive.
    """
    found = np.zeros(problems)
    if not len(problem):
        return found
    begins = run_starts(row, problem)
    slot = np.arange(len(row)) - np.repeat(begins, np.append(begins[1:], len(row)) - begins)
    segments = run_starts(problem)
    rows, columns, edges = np.zeros((3, problems), dtype=np.intp)
    for most, one in ((rows, row), (columns, column), (edges, slot)):
        most[problem[segments]] = np.maximum.reduceat(one, segments) + 1
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


def run_starts(*keys: npt.NDArray[np.signedinteger]) -> Numbers:
    """Return the indices at which runs of equal keys begin. keys: arrays of equal length."""
    changes = np.zeros(len(keys[0]), dtype=bool)
    changes[:1] = True
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changes)


class _Matching:
    """Problems in lockstep. Rows and columns are numbered over all problems, each with `most` rows and `width` columns.

    neighbours, weights: [row, edge]; the last column of a problem stands for no edge. price: of each column; it never
    falls and is 0 while the column is free. column_of: a row's column, ALONE (unmatched), or NONE (not yet placed).
    """

    def __init__(self, neighbours: Numbers, weights: Floats, rows: Numbers, width: int) -> None:
        """Number rows and columns over all problems. rows: how many each problem has.

        neighbours, weights: [problem, row, edge], columns from 0 in each problem, `width` for no edge.
        """
        count, self.most, self.edges = neighbours.shape
        self.width = width + 1
        self.first_row, self.first_column = np.arange(count) * self.most, np.arange(count) * self.width
        self.end_row = self.first_row + rows
        self.neighbours = (neighbours + self.first_column[:, None, None]).reshape(-1, self.edges)
        self.weights = weights.reshape(-1, self.edges)
        self.price = np.zeros(count * self.width)
        self.price[self.first_column + width] = np.inf
        self.row_of = np.full(count * self.width, NONE, dtype=np.intp)
        self.column_of = np.full(count * self.most, NONE, dtype=np.intp)

    def total(self) -> Floats:
        """Return the weight of the heaviest matching of each problem, shape (problems,)."""
        self.bid()
        self.place()
        taken = np.flatnonzero(self.neighbours == self.column_of[:, None])
        problem = taken // (self.most * self.edges)
        # added in sequence, as if the problem were alone
        found: Floats = np.bincount(problem, self.weights.ravel()[taken], len(self.first_row)).astype(np.float64)
        return found

    def bid(self) -> None:
        """Let each row take its most valuable column and raise its price until the second choice is worth the same.

        The row that loses the column bids again. A row with two equal best choices, the first of them taken, is left to
        `place`.
        """
        row, upcoming, end = self.first_row, self.first_row + 1, self.end_row
        left = BIDS * (end - row)
        while len(row):
            columns = self.neighbours.take(row, axis=0)
            worth = self.weights.take(row, axis=0)
            worth -= self.price.take(columns)
            best = worth.argmax(axis=1)
            best += np.arange(0, worth.size, self.edges)
            most, column = worth.take(best), columns.take(best)
            worth.put(best, 0.0)  # staying unmatched is a choice too
            gap = most - worth.max(axis=1)
            former = self.row_of.take(column)
            stays = most <= 0
            if stays.any():
                self.column_of[row[stays]] = ALONE
            owned = former != NONE
            takes = ~stays & (~owned | (gap > 0))
            who, what = row[takes], column[takes]
            self.price[what] += gap[takes]
            self.row_of[what] = who
            self.column_of[who] = what
            out = takes & owned
            self.column_of[former[out]] = NONE
            row = np.where(out, former, upcoming)
            upcoming = upcoming + ~out
            left = left - 1
            on = (row < end) & (left > 0)
            if not on.all():
                row, upcoming, end, left = row[on], upcoming[on], end[on], left[on]

    def place(self) -> None:
        """Place each remaining row by a path of least cost to a free column or a row that becomes unmatched (Dijkstra).

        A problem goes on to its next row while others still search. Costs are prices less weights; the cost of a row's
        present pair, which every later row on a path has, is subtracted.
        """
        free = (self.column_of == NONE).reshape(-1, self.most)
        free &= np.arange(self.most) < (self.end_row - self.first_row)[:, None]
        waiting = np.flatnonzero(free.ravel())
        problem = waiting // self.most
        begins = np.flatnonzero(np.diff(problem, prepend=NONE))  # the first waiting row of each problem
        turn, turns = begins, np.append(begins[1:], len(waiting))
        start = waiting[turn]
        first = self.first_column[problem[begins]]
        row, base = start, np.zeros(len(start))  # base: distance of the row, less the cost of its pair
        distance = np.full((len(start), self.width), np.inf)  # of columns reached but not settled
        settled = np.full_like(distance, np.inf)  # of settled columns
        before = np.full(distance.shape, NONE, dtype=np.intp)  # the row from which a column is reached
        nearest_alone, who_alone = np.full(len(start), np.inf), start
        while len(start):
            offset = np.arange(0, distance.size, self.width)
            columns = self.neighbours.take(row, axis=0)
            at = columns + (offset - first)[:, None]
            through = self.price.take(columns)
            through -= self.weights.take(row, axis=0)
            through += base[:, None]
            nearer = (through < distance.take(at)) & np.isinf(settled.take(at))
            reached = at[nearer]
            distance.put(reached, through[nearer])
            before.put(reached, np.broadcast_to(row[:, None], at.shape)[nearer])
            closer = base < nearest_alone
            nearest_alone, who_alone = np.where(closer, base, nearest_alone), np.where(closer, row, who_alone)
            here = distance.argmin(axis=1) + offset
            lowest = distance.take(here)
            column = here - offset + first
            owner = self.row_of.take(column)
            alone = nearest_alone <= lowest
            ends = alone | (owner == NONE)
            on = np.flatnonzero(~ends)
            settled.put(here[on], lowest[on])
            distance.put(here[on], np.inf)
            row = owner
            pair = self.neighbours.take(owner[on], axis=0) == column[on, None]
            base = lowest - self.price.take(column)
            base[on] += self.weights.take(owner[on], axis=0)[pair]
            if len(on) == len(start):
                continue
            done = np.flatnonzero(ends)
            paid = np.minimum(nearest_alone, lowest)[done, None] - settled[done]
            self.price.reshape(-1, self.width)[first[done] // self.width] += np.maximum(paid, 0.0)
            last = np.where(alone, who_alone, before.take(here))[done]
            taken = np.where(alone, ALONE, column)[done]
            self._augment(start[done], last, taken, first[done], before[done])
            turn = turn + ends
            goes_on = turn < turns
            start = waiting.take(turn, mode="clip")
            distance[done] = settled[done] = np.inf
            nearest_alone[done], base[done] = np.inf, 0.0
            row[done] = who_alone[done] = start[done]
            if not goes_on.all():
                turn, turns, start, first = turn[goes_on], turns[goes_on], start[goes_on], first[goes_on]
                row, base, nearest_alone, who_alone = (one[goes_on] for one in (row, base, nearest_alone, who_alone))
                distance, settled, before = distance[goes_on], settled[goes_on], before[goes_on]

    def _augment(self, start: Numbers, row: Numbers, column: Numbers, first: Numbers, before: Numbers) -> None:
        """Give each row on the path, from its end, the column that follows it; the path begins with the row `start`."""
        each = np.arange(len(start))
        while len(row):
            former = self.column_of[row]
            self.column_of[row] = column
            held = column != ALONE
            self.row_of[column[held]] = row[held]
            on = row != start
            start, column, first, each = start[on], former[on], first[on], each[on]
            row = before[each, column - first]
