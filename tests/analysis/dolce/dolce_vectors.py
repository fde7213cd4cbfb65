"""Published problems and test vectors of the fact sheet."""

from __future__ import annotations

import numpy as np

from scrollwork.analysis.windows.fit.cow import Counts

NOISE = (0.01, 0.05, 0.94)
LENGTHS = [0, 1, 2, 5, 10, 20, 50, 100]
# QuALITY: C, counts of (1, 0, IDK) at LENGTHS and at C, rebuilt from the printed frequencies
II = (
    498,
    [
        [0, 0, 1],
        [116, 2, 380],
        [215, 2, 280],
        [336, 5, 153],
        [401, 15, 73],
        [442, 7, 30],
        [449, 0, 0],
        [399, 0, 0],
        [1, 0, 0],
    ],
)
III = (
    408,
    [
        [0, 0, 1],
        [2, 1, 405],
        [2, 1, 404],
        [4, 4, 396],
        [8, 12, 379],
        [19, 16, 354],
        [46, 2, 311],
        [46, 0, 263],
        [1, 0, 0],
    ],
)
IV = (
    381,
    [[0, 0, 1], [0, 0, 381], [4, 0, 376], [0, 0, 377], [0, 0, 372], [4, 0, 358], [10, 0, 322], [14, 0, 268], [1, 0, 0]],
)
V = (
    408,
    [[0, 0, 1], [0, 0, 408], [0, 0, 407], [0, 0, 404], [0, 0, 399], [0, 0, 389], [0, 0, 359], [0, 3, 306], [0, 0, 1]],
)
QUALITY = {"II": II, "III": III, "IV": IV, "V": V}

THREE = {
    "A": [[0, 0, 1], [2, 0, 8], [4, 0, 5], [6, 0, 0], [1, 0, 0]],
    "B": [[1, 0, 0], [9, 1, 0], [8, 1, 0], [6, 0, 0], [1, 0, 0]],
    "D": [[0, 0, 1], [0, 3, 7], [0, 2, 7], [1, 1, 4], [1, 0, 0]],
}


def quality(*names: str) -> Counts:
    """Published problems as one task."""
    units = np.array([QUALITY[name][0] for name in names])
    lengths = np.array([[*LENGTHS, QUALITY[name][0]] for name in names])
    return Counts(units, lengths, np.array([QUALITY[name][1] for name in names], dtype=np.float64))


def three() -> Counts:
    """The problems A, B and D of the EM test vector."""
    counts = np.array(list(THREE.values()), dtype=np.float64)
    return Counts(np.array([10, 10, 10]), np.array([[0, 1, 2, 5, 10]] * 3), counts)


def observations() -> list[dict[str, object]]:
    """The same as rows."""
    return [
        {"task": "t", "problem": name, "units": 10, "length": length, "outcome": outcome, "count": count}
        for name, rows in THREE.items()
        for length, row in zip((0, 1, 2, 5, 10), rows, strict=True)
        for outcome, count in zip(("1", "0", "idk"), row, strict=True)
        if count
    ]
