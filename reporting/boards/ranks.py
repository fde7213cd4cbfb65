"""A ranking over runs (SEAM) for a report: the rows of records/ranking.py, and lookups of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from scrollwork.records.base import Row
from scrollwork.records.prompt import FULL
from scrollwork.records.ranking import (
    COMPUTED,
    NO_SCORE,
    PUBLISHED,
    Correlated,
    Dominates,
    FormatPoint,
    LeftOut,
    LengthPoint,
    ModelRank,
    Stable,
    TaskRank,
    TaskSpread,
    VarianceSource,
)

TABLES: Mapping[str, type[Row]] = MappingProxyType(
    {
        "models": ModelRank,
        "tasks": TaskRank,
        "spreads": TaskSpread,
        "dominance": Dominates,
        "stability": Stable,
        "formats": FormatPoint,
        "lengths": LengthPoint,
        "correlations": Correlated,
        "variances": VarianceSource,
        "left_out": LeftOut,
    }
)  # as the stage rank writes them


@dataclass(frozen=True)
class Ranks:
    """Rows by table, of every split; all are empty for a suite without runs."""

    models: Sequence[ModelRank] = ()
    tasks: Sequence[TaskRank] = ()
    spreads: Sequence[TaskSpread] = ()
    dominance: Sequence[Dominates] = ()
    stability: Sequence[Stable] = ()
    formats: Sequence[FormatPoint] = ()
    lengths: Sequence[LengthPoint] = ()
    correlations: Sequence[Correlated] = ()
    variances: Sequence[VarianceSource] = ()
    left_out: Sequence[LeftOut] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in TABLES)

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits with a ranking or something left out of it; the test split first."""
        found = {row.split for row in self.models} | {row.split for row in self.left_out}
        return tuple(sorted(found, key=lambda name: (name != "test", name)))

    def of(self, split: str) -> Ranks:
        """The rows of one split."""
        own = {name: [row for row in getattr(self, name) if row.split == split] for name in TABLES}
        return replace(self, **own)

    def ranked(self, source: str = COMPUTED) -> list[ModelRank]:
        """Models of a source, the lowest AR first. source: COMPUTED (here) or PUBLISHED (in the paper)."""
        return [row for row in self.models if row.source == source]

    def column(self, task: str, source: str = COMPUTED) -> list[TaskRank]:
        """A data set's models by rank, those without a score last. Ties are in the order of analysis/runs/ranking.py,
        because a row's arrow compares it with the row above."""
        rows = [row for row in self.tasks if (row.task, row.source) == (task, source)]
        return sorted(rows, key=lambda row: (row.mean is None, row.rank, row.model, row.arm != FULL, row.arm))

    def datasets(self, source: str = COMPUTED) -> list[str]:
        """The data sets of a source, in the suite's order."""
        return list(dict.fromkeys(row.task for row in self.tasks if row.source == source))

    def proxies(self) -> dict[str, str]:
        """Notes on data sets that are scored by a proxy metric, by task."""
        return {row.task: row.proxy for row in self.tasks if row.proxy}

    def of_model(self, row: ModelRank) -> list[TaskRank]:
        """A model's ranks on all data sets, in the suite's order."""
        return [one for one in self.tasks if (one.source, one.model, one.arm) == (row.source, row.model, row.arm)]

    def compared(self) -> list[str]:
        """The data sets whose scores can be compared with the paper's, in the suite's order."""
        printed, proxies = self.datasets(PUBLISHED), self.proxies()
        return [task for task in self.datasets() if task in printed and task not in proxies]

    def without_score(self) -> dict[tuple[str, str, str], list[str]]:
        """Data sets on which a ranked model has no score, by (model, arm, reason)."""
        found: dict[tuple[str, str, str], list[str]] = {}
        for one in self.left_out:
            if one.kind == NO_SCORE:
                found.setdefault((one.model, one.arm, one.reason), []).append(one.task)
        return found

    def model(self, model: str, arm: str = FULL) -> ModelRank | None:
        """The rank of a model that was run here; None without one."""
        return next((row for row in self.ranked() if (row.model, row.arm) == (model, arm)), None)

    def of_paper(self, name: str) -> ModelRank | None:
        """The rank of a published row among the paper's rows; None without one."""
        return next((row for row in self.ranked(PUBLISHED) if row.model == name), None)

    @property
    def published(self) -> bool:
        """Whether there are published rows."""
        return any(row.source == PUBLISHED for row in self.models)

    def runs_needed(self) -> int | None:
        """The least number of runs with which 95 % of resampled rankings equal the full one; None if unknown."""
        return min((row.runs for row in self.stability if row.enough), default=None)


def label(model: str, arm: str) -> str:
    """A model's name in tables, with its arm unless that is "full"."""
    return model if arm == FULL else f"{model} ({arm})"
