"""A paper's published scores as reference rows: shown next to computed scores under their own label, never mixed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

KINDS = ("baseline", "human", "zero-shot", "few-shot", "fine-tuned", "various")
ROUGE = ("rouge1", "rouge2", "rougeL")  # the values of a row's `rouge`, in order
AS_ASKED = ("zero-shot", "few-shot", "various")  # kinds that are not shown in a label: usual for a benchmark, or mixed


@dataclass(frozen=True)
class Reference:
    """A row of a table in the paper. Mappings are by task.

    tokens: input length. scores: 0-100, as printed; where ROUGE-1, 2 and L are printed, their geometric mean. parts:
    the printed numbers where there are several: ROUGE, or the score of all inputs and of a subset. printed: the text of
    a cell that is on another metric. apart: why the row cannot be compared with others, "" if it can. For repeated runs
    (SEAM): scores are means, stds standard deviations, arrows the dominance of the next better model, na the tasks
    printed as NA."""

    table: str
    label: str
    kind: str
    tokens: int | None
    scores: Mapping[str, float]
    average: float | None
    note: str
    printed: Mapping[str, str] = field(default_factory=dict)
    apart: str = ""
    stds: Mapping[str, float] = field(default_factory=dict)
    arrows: Mapping[str, float] = field(default_factory=dict)
    na: tuple[str, ...] = ()
    parts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"published row {self.label!r}: kind {self.kind!r} is none of {', '.join(KINDS)}")
        if self.stds and set(self.stds) != set(self.scores):
            raise ValueError(f"published row {self.label!r}: scores and stds are of different tasks")
        if twice := set(self.na) & set(self.scores):
            raise ValueError(f"published row {self.label!r}: {', '.join(sorted(twice))}: a score, and NA")

    @property
    def about(self) -> str:
        """Kind (unless it is usual or equals the label) and input length: "fine-tuned, 16,384 tokens"."""
        kind = "" if self.kind in (*AS_ASKED, self.label.lower()) else self.kind
        return ", ".join(filter(None, [kind, f"{self.tokens:,} tokens" if self.tokens else ""]))


@dataclass(frozen=True)
class Published:
    """A paper's tables of scores. split: the split that they are on. titles: by table. rows: of all tables."""

    title: str
    citation: str
    short: str
    url: str
    split: str
    titles: Mapping[str, str]
    rows: tuple[Reference, ...]

    def table(self, name: str) -> tuple[Reference, ...]:
        """The rows of one table, in its order."""
        return tuple(row for row in self.rows if row.table == name)

    @property
    def main(self) -> str:
        """Name of the table that is shown with a leaderboard: the first one."""
        return self.rows[0].table

    def label(self, table: str) -> str:
        """ "published, Shaham et al. 2023, table 3"."""
        return f"published, {self.short}, table {table}"

    def baseline(self, task: str) -> float | None:
        """The naive baseline's printed value for a task."""
        values = (row.scores.get(task) for row in self.table(self.main) if row.kind == "baseline")
        return next(values, None)


def published_of(data: Mapping[str, Any]) -> Published | None:
    """Read the data of config/published/SUITE.toml; None if it has no rows."""
    if not data.get("row"):
        return None
    return Published(
        title=data["title"],
        citation=data["citation"],
        short=data["short"],
        url=data["url"],
        split=data["split"],
        titles={name: table["title"] for name, table in data.get("table", {}).items()},
        rows=tuple(
            Reference(
                table=row["table"],
                label=row["label"],
                kind=row["kind"],
                tokens=row.get("tokens"),
                scores={**_geometric(row.get("rouge", {})), **row.get("scores", {})},
                average=row.get("average"),
                note=row.get("note", ""),
                printed=row.get("printed", {}),
                apart=row.get("apart", ""),
                stds=row.get("stds", {}),
                arrows=row.get("arrows", {}),
                na=tuple(row.get("na", ())),
                parts=_parts(row),
            )
            for row in data["row"]
        ),
    )


def _parts(row: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    subsets = row.get("subset", {})
    rouge: dict[str, tuple[float, ...]] = {task: tuple(values) for task, values in row.get("rouge", {}).items()}
    return {**rouge, **{task: (row["scores"][task], value) for task, value in subsets.items()}}


def _geometric(rouge: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The score of each task whose ROUGE-1, 2 and L are printed: their geometric mean (SCROLLS, section 4)."""
    return {task: math.prod(values) ** (1 / len(values)) for task, values in rouge.items()}
