"""Small logs for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import Log, digest_of

COLUMNS = ("ids", "positions", "contents", "prompts", "clusters", "repeats")


def a_log(
    scores: Sequence[float] = (), *, model: str = "alpha", metric: str = "exact", tool: str = "kit", **columns: Any
) -> Log:
    """A log of one task with one metric, or those of `more`."""
    more = columns.pop("more", {})
    values = {metric: scores, **more} if len(scores) or not more else more
    columns = {"source": f"{model}.log", "task": "facts", **columns}
    return Log(
        tool=tool,
        model=model,
        scores={name: np.asarray(one, dtype=np.float64) for name, one in values.items()},
        **columns,
    )


def texts(count: int, stem: str = "q") -> list[str]:
    return [f"{stem}{number}" for number in range(count)]


def prompts(names: Sequence[str]) -> list[str]:
    return [digest_of(f"What is {name}?") for name in names]


def shuffled(log: Log, seed: int = 1, *, renumber: bool = False) -> Log:
    """The same log in another order of rows; renumber: the tool counts positions (and ids, if it gave them) anew."""
    order = list(range(len(log)))
    random.Random(seed).shuffle(order)
    columns = {
        name: None if (values := getattr(log, name)) is None else [values[row] for row in order] for name in COLUMNS
    }
    if renumber and columns["positions"] is not None:
        columns["positions"] = log.positions
    truncated = None if log.truncated is None else log.truncated[order]
    return replace(
        log,
        scores={metric: np.asarray(values)[order] for metric, values in log.scores.items()},
        failures={order.index(row): text for row, text in log.failures.items()},
        truncated=truncated,
        **columns,
    )
