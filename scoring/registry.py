"""Metrics by name. Nothing is imported before its name is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from scrollwork.scoring.names import JUDGED, MODULES

if TYPE_CHECKING:  # loads numpy, and the command line needs only the names
    from scrollwork.scoring.outcome import FloatArray, Metric, Outcome


@dataclass(frozen=True, slots=True)
class Configured:
    """A metric module with its options, as a metric that can be pickled."""

    name: str
    options: tuple[tuple[str, bool], ...]

    @property
    def _module(self) -> Any:
        return importlib.import_module(module_of(self.name))

    @property
    def NAME(self) -> str:
        return str(self._module.NAME)

    @property
    def VERSION(self) -> int:
        return int(self._module.VERSION)

    @property
    def RANGE(self) -> tuple[float, float]:
        low, high = self._module.RANGE
        return low, high

    @property
    def NEEDS(self) -> tuple[str, ...]:
        return tuple(self._module.NEEDS)

    @property
    def COMPONENTS(self) -> tuple[str, ...]:
        return tuple(self._module.COMPONENTS)

    @property
    def COUNTS(self) -> tuple[str, ...]:
        return tuple(getattr(self._module, "COUNTS", ()))

    def score(self, prediction: str, references: Sequence[str]) -> Outcome:
        """Call the module's `score` with the options."""
        return cast("Outcome", self._module.score(prediction, references, **dict(self.options)))

    def batch(self, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
        """Call the module's `batch` with the options, or score one by one if it has none."""
        if not hasattr(self._module, "batch"):
            return [self.score(*pair) for pair in zip(predictions, references, strict=True)]
        return cast("list[Outcome]", self._module.batch(predictions, references, **dict(self.options)))

    def headline(self, means: Mapping[str, FloatArray]) -> FloatArray:
        """Call the module's `headline`."""
        return cast("FloatArray", self._module.headline(means))

    def derived(self, means: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
        """Call the module's `derived`; return nothing if it has none."""
        return cast("dict[str, FloatArray]", self._module.derived(means)) if hasattr(self._module, "derived") else {}


def stored_names(metric: Metric) -> tuple[str, ...]:
    """Return the names of the numbers that a Score stores for an answer: components and counts."""
    return (*metric.COMPONENTS, *getattr(metric, "COUNTS", ()))


def known_metrics() -> tuple[str, ...]:
    """Return the names of all metrics that score without judging models."""
    return tuple(MODULES)


def module_of(name: str) -> str:
    """Return the dotted module of a metric, from our name for it or as given. Raises ValueError listing known names."""
    if "." in name:
        return name
    modules = {**MODULES, **JUDGED}
    if name not in modules:
        raise ValueError(f'unknown metric "{name}"; known: {", ".join(modules)}')
    return modules[name]


def metric(name: str, **options: bool) -> Metric:
    """Return the metric of that name. options: those that its module lists in OPTIONS (rouge_geo: stem).

    Raises ValueError for an unknown name, for an option that the metric does not have, and for one that is not a bool.
    """
    module = importlib.import_module(module_of(name))
    offered: tuple[str, ...] = getattr(module, "OPTIONS", ())
    for option, value in options.items():
        if option not in offered:
            raise ValueError(f'metric "{name}" has no option "{option}"; it has: {", ".join(offered) or "none"}')
        if not isinstance(value, bool):
            raise ValueError(f'option "{option}" of metric "{name}" must be true or false, not {value!r}')
    if not options:
        return cast("Metric", module)
    return Configured(name, tuple(sorted(options.items())))
