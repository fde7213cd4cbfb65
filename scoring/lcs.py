"""Longest common subsequences for ROUGE-L, on bit vectors (Hyyro 2004; Lin 2004, sections 3.1-3.2).

rouge-score fills a table of n x m Python numbers: an answer of 1 MB against 500 words takes 0.8 GB. A row of
that table rises by 0 or 1 from column to column, so a row is one integer here, a 0 bit where it rises.
Results are equal to rouge-score's, ties included (tests/scoring/test_lcs.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def positions(tokens: Sequence[str], vocabulary: Collection[str]) -> dict[str, int]:
    """For each token of `vocabulary` that occurs, an integer with bit j set where tokens[j] is that token."""
    masks: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token in vocabulary:
            masks[token] = masks.get(token, 0) | 1 << place
    return masks


def length(left: Sequence[str], right: Sequence[str]) -> int:
    """The number of tokens in a longest common subsequence."""
    short, long = sorted((left, right), key=len)
    masks = positions(short, set(long))
    row = full = (1 << len(short)) - 1
    for token in long:
        if token in masks:
            row = _next_row(row, masks[token], full)
    return _rises(row, len(short))


def matched(reference: Sequence[str], masks: Mapping[str, int], columns: int) -> list[int]:
    """The places in `reference` of one longest common subsequence, last first.

    masks: `positions` of the candidate, which is `columns` tokens long. Among several longest ones it takes
    the one that rouge-score takes: walking back, a tie goes up in the reference before it goes left in the
    candidate.
    """
    if not any(token in masks for token in reference):
        return []
    rows = _rows(reference, masks, columns)
    found: list[int] = []
    i, j = len(reference), columns
    here, above = _rises(rows[i], j), _rises(rows[i - 1], j)
    while i and j:
        column = j - 1
        if masks.get(reference[i - 1], 0) >> column & 1:
            found.append(i - 1)
            i, j, here = i - 1, column, here - 1
        elif here > above and rows[i] >> column & 1:
            j = column  # neither row rises here, so both numbers stand
            continue
        else:
            i, here = i - 1, above
        above = _rises(rows[i - 1], j) if i else 0
    return found


def _rows(reference: Sequence[str], masks: Mapping[str, int], columns: int) -> list[int]:
    row = full = (1 << columns) - 1
    rows = [row]
    for token in reference:
        row = _next_row(row, masks.get(token, 0), full)
        rows.append(row)
    return rows


def _next_row(row: int, mask: int, full: int) -> int:
    step = row & mask
    return ((row + step) | (row - step)) & full


def _rises(row: int, columns: int) -> int:
    """The table's number at that column: how often the row rises up to it."""
    return columns - (row & ((1 << columns) - 1)).bit_count()
