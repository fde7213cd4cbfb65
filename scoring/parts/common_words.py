"""The words of one longest common subsequence of two sentences: the one that the PyPI package `rouge` 1.0.1 finds.

Its table of n x m numbers rises by 0 or 1 from column to column, so a row is one integer here, with a 0 bit where it
rises (Hyyro 2004). Results are equal, ties included (tests/scoring/test_longbench_rouge_l.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def places(sentence: Sequence[str]) -> dict[str, int]:
    """Return for each word an integer with bit j set if it is word j of the sentence, from 0."""
    masks: dict[str, int] = {}
    for place, word in enumerate(sentence):
        masks[word] = masks.get(word, 0) | 1 << place
    return masks


def common_words(sentence: Sequence[str], masks: Mapping[str, int], columns: int) -> set[str]:
    """Return the words in a longest common subsequence of `sentence` and another one.

    masks, columns: `places` of the other sentence, and its length in words. Backtracking resolves a tie by going up in
    `sentence` before going left in the other.
    """
    row = full = (1 << columns) - 1
    rows = [row]
    for word in sentence:
        step = row & masks.get(word, 0)
        row = ((row + step) | (row - step)) & full
        rows.append(row)
    found: set[str] = set()
    i, j = len(sentence), columns
    while i and j:
        if masks.get(sentence[i - 1], 0) >> (j - 1) & 1:
            found.add(sentence[i - 1])
            i, j = i - 1, j - 1
        elif _rises(rows[i], j - 1) > _rises(rows[i - 1], j):
            j -= 1
        else:
            i -= 1
    return found


def _rises(row: int, columns: int) -> int:
    """Return the table's number at that column: how often the row rises up to it."""
    return columns - (row & ((1 << columns) - 1)).bit_count()
