"""The contract of a metric, and its outcome for one answer. ZeroSCROLLS 3.2; fact sheet zeroscrolls.md 7.

Every value that leaves scoring/ is on a scale of 0 to 100, finite and unrounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from scrollwork.records.score import SUM

FloatArray = float | npt.NDArray[np.float64]

PRIVATE = "the references are private"


class GoldError(ValueError):
    """A reference that the metric cannot score; the message says what is wrong with it."""


class PredictionError(ValueError):
    """A prediction that is not text. Any text can be scored."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The score of one answer.

    value, components: 0 to 100. parsed: what the metric found in the prediction, None if it found nothing or takes the
    whole text. flags: such as `format_ok`. counts: terms of sums over instances, 0 or more, with names that begin with
    SUM; a Score stores them with the components, and they are averaged alike, since a ratio of means is the ratio of
    the sums. Raises ValueError for a number that is not finite, for a value or component outside 0 to 100, and for a
    name that takes a count for a component or the reverse.
    """

    value: float
    components: Mapping[str, float]
    parsed: str | None = None
    flags: Mapping[str, bool] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_percent("value", self.value)
        for name, component in self.components.items():
            check_percent(f'component "{name}"', component)
            if name.startswith(SUM):
                raise ValueError(f'component "{name}" is named as a count')
        for name, count in self.counts.items():
            if not name.startswith(SUM):
                raise ValueError(f'count "{name}" must be named {SUM}...')
            if not (math.isfinite(count) and count >= 0.0):
                raise ValueError(f'count "{name}" must be a finite number from 0, not {count!r}')
        object.__setattr__(self, "components", dict(self.components))  # copies, which no caller can change
        object.__setattr__(self, "flags", dict(self.flags))
        object.__setattr__(self, "counts", dict(self.counts))

    @property
    def stored(self) -> dict[str, float]:
        """Return components and counts together, as a Score stores them."""
        return {**self.components, **self.counts}


class Metric(Protocol):
    """The contract of a metric, which each module named in names.py satisfies.

    NEEDS: the fields of a row that `score` reads besides the prediction. COMPONENTS: names of the per-instance
    components, in order. VERSION: raised when the same texts get another score. A module may also have: COUNTS, the
    names of its outcomes' counts; `derived(means) -> dict`, values of the task that are not means of components;
    `batch`, which scores many answers at once, and AT_ONCE (batches.py); OPTIONS (registry.py).
    """

    @property
    def NAME(self) -> str: ...
    @property
    def VERSION(self) -> int: ...
    @property
    def RANGE(self) -> tuple[float, float]: ...
    @property
    def NEEDS(self) -> tuple[str, ...]: ...
    @property
    def COMPONENTS(self) -> tuple[str, ...]: ...

    def score(self, prediction: str, references: Sequence[str]) -> Outcome:
        """Return the outcome of one prediction, 0 to 100. Raises GoldError, PredictionError."""

    def headline(self, means: Mapping[str, Any]) -> FloatArray:
        """Return the task value, 0 to 100, from means of components and counts; arrays give an array (bootstrap)."""


def check_percent(what: str, number: float) -> None:
    """Raise ValueError unless `number` is finite and from 0 to 100."""
    if not (math.isfinite(number) and 0.0 <= number <= 100.0):
        raise ValueError(f"{what} must be a finite number from 0 to 100, not {number!r}")


def check_texts(prediction: str, references: Sequence[str]) -> None:
    """Raise PredictionError unless the prediction is text, GoldError unless the references are one text or more."""
    if not isinstance(prediction, str):
        raise PredictionError(f"prediction must be text, not {type(prediction).__name__}")
    if isinstance(references, (str, bytes)):
        raise GoldError("references must be a list of texts, not one text")
    if not references:
        raise GoldError("references must hold at least one text: the list is empty")
    for number, reference in enumerate(references, start=1):
        if not isinstance(reference, str):
            raise GoldError(f"reference {number} must be text, not {type(reference).__name__}")


def single(name: str, fraction: float, parsed: str | None = None, flags: Mapping[str, bool] | None = None) -> Outcome:
    """Return the outcome of a metric with one component. fraction: 0 to 1."""
    value = 100.0 * fraction
    return Outcome(value, {name: value}, parsed, flags or {})
