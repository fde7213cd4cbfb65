"""Outcomes of made-up models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Floats
from scrollwork.scoring.registry import metric

F1 = metric("f1").headline
GEO = metric("rouge_geo").headline
ROUGE = ("rouge1", "rouge2", "rougeL")


def one(values: Sequence[float] | Floats, clusters: Sequence[str] | None = None, asked: int = 0) -> Outcomes:
    """F1 of inputs i000, i001, ... of one model; by default a document each."""
    return several([values], clusters, asked)


def several(
    members: Sequence[Sequence[float] | Floats], clusters: Sequence[str] | None = None, asked: int = 0
) -> Outcomes:
    """The same of a family."""
    count = len(members[0])
    names = tuple(f"i{place:03d}" for place in range(count))
    groups = tuple(clusters) if clusters else tuple(f"d{place:03d}" for place in range(count))
    return Outcomes(names, groups, {"f1": np.array(members, dtype=np.float64)}, asked or count)


def rouge(rows: Floats, clusters: Sequence[str]) -> Outcomes:
    """ROUGE-1, -2, -L as rows of shape (3, inputs)."""
    names = tuple(f"i{place:03d}" for place in range(rows.shape[1]))
    return Outcomes(
        names, tuple(clusters), {name: row[None] for name, row in zip(ROUGE, rows, strict=True)}, len(names)
    )


def documents(sizes: Sequence[int]) -> list[str]:
    """The document of each input: so many inputs of each."""
    return [f"d{place:03d}" for place, size in enumerate(sizes) for _ in range(size)]
