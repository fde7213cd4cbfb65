"""Models ranked over the data sets of a suite that is run several times, and further results on their runs (SEAM).

source: COMPUTED here, or PUBLISHED, as a paper prints means and deviations. Ranks of the two are never mixed.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrollwork.records.base import Row

COMPUTED, PUBLISHED = "computed", "published"
FORMAT, LENGTH = "format", "length"  # what scores are correlated with
REFUSED, NO_RANK, NO_SCORE, RUN_OUT = "refused", "unranked", "na", "run"  # why something is left out


@dataclass(frozen=True)
class ModelRank(Row):
    """A model over all data sets. ar: mean rank over `tasks` data sets; models without a score rank last.

    arsd: mean of std / mean, a fraction, over `counted` of them; None over none. compared_ar, compared_arsd: over the
    `compared` data sets for which both this table and the paper's have comparable scores; None over none.

    *_low, *_high: 95 % intervals by resampling runs; best: share of resamples in which its AR is the lowest. None if a
    score has too few runs.
    """

    suite: str
    split: str
    source: str
    model: str
    arm: str
    ar: float
    arsd: float | None
    tasks: int
    counted: int
    compared_ar: float | None
    compared_arsd: float | None
    compared: int
    ar_low: float | None = None
    ar_high: float | None = None
    arsd_low: float | None = None
    arsd_high: float | None = None
    best: float | None = None

    def check(self) -> None:
        self.require(self.source in (COMPUTED, PUBLISHED), "source", f"{self.source!r} is neither")
        self.require((self.arsd is None) == (self.counted == 0), "arsd", "stands if something counts in it")
        self.require((self.compared_ar is None) == (self.compared == 0), "compared_ar", "stands if there is a data set")


@dataclass(frozen=True)
class Box(Row):
    """A box plot of run scores. low, high: ends of the whiskers."""

    q1: float
    median: float
    q3: float
    low: float
    high: float
    fliers: tuple[float, ...]


@dataclass(frozen=True)
class TaskRank(Row):
    """A model on a data set. rank: from 1, equal means share a rank. mean, std (population): None for NA.

    reason: why NA. scores: of the runs that count, in their order; none in a published row. proxy: a note on the metric
    if it stands in for the benchmark's, else "". arrow: 1 - eps_min of the model ranked next above over this one, None
    at the top and if it is not known.
    """

    suite: str
    split: str
    source: str
    task: str
    metric: str
    model: str
    arm: str
    rank: float
    mean: float | None
    std: float | None
    relative_std: float | None
    scores: tuple[float, ...]
    box: Box | None
    arrow: float | None
    reason: str = ""
    proxy: str = ""

    def check(self) -> None:
        self.require((self.mean is None) == (self.std is None), "std", "stands beside a mean")
        self.require((self.box is None) == (not self.scores), "box", "is of the scores")


@dataclass(frozen=True)
class TaskSpread(Row):
    """The spread on a data set. arsd: mean over `models` models of std / mean."""

    suite: str
    split: str
    source: str
    task: str
    arsd: float | None
    models: int


@dataclass(frozen=True)
class Dominates(Row):
    """One model over the next on a data set. eps: violation ratio, exact; eps_min: its upper bound (SEAM, 4)."""

    suite: str
    split: str
    task: str
    better: str
    better_arm: str
    worse: str
    worse_arm: str
    eps: float
    eps_min: float
    arrow: float


@dataclass(frozen=True)
class Stable(Row):
    """Rankings by AR from so many runs, drawn with replacement. same: share that orders all pairs as the full one does.

    tau: mean Kendall's tau with it. enough: from here on, `same` is at least 95 %.
    """

    suite: str
    split: str
    runs: int
    same: float
    tau: float | None
    enough: bool


@dataclass(frozen=True)
class Correlated(Row):
    """Correlation of a data set's scores with FORMAT or LENGTH. published: Pearson's r as the paper prints it.

    FORMAT: a point for each model and run, the share of answers in the form asked for, 0 to 100. LENGTH: a point for
    each model and instance, the length of its prompt in `unit`.
    """

    suite: str
    split: str
    task: str
    against: str
    unit: str
    pearson: float | None
    spearman: float | None
    points: int
    published: float | None = None


@dataclass(frozen=True)
class FormatPoint(Row):
    """A model's run on a data set. in_format, score: 0 to 100."""

    suite: str
    split: str
    task: str
    model: str
    arm: str
    run: int
    in_format: float
    score: float


@dataclass(frozen=True)
class LengthPoint(Row):
    """A model on an instance. length: of its prompt. score: 0 (its worst answer on the data set) to 1 (its best).

    It is averaged over the runs that have the instance.
    """

    suite: str
    split: str
    task: str
    model: str
    arm: str
    instance: str
    length: int
    score: float


@dataclass(frozen=True)
class VarianceSource(Row):
    """Runs of a model on a data set in which only `vary` differed. variance: of their scores (ddof 1).

    low, high: its 95 % interval. own: without the variance of the model's own sampling; share: of all own ones. draws,
    total, rest: see analysis/runs/variance.py.
    """

    suite: str
    split: str
    task: str
    model: str
    arm: str
    vary: str
    runs: int
    mean: float
    variance: float
    low: float
    high: float
    own: float
    share: float | None
    draws: float | None
    total: float | None
    rest: float | None


@dataclass(frozen=True)
class LeftOut(Row):
    """What a ranking does not count, and why. task: "" for all.

    kind: REFUSED (the model's runs are of other draws), NO_RANK (the model, for another reason), NO_SCORE (NA on the
    data set), RUN_OUT (these runs of it).
    """

    suite: str
    split: str
    task: str
    model: str
    arm: str
    kind: str
    runs: tuple[int, ...]
    reason: str

    def check(self) -> None:
        self.require(self.kind in (REFUSED, NO_RANK, NO_SCORE, RUN_OUT), "kind", f"{self.kind!r} is unknown")
        self.require(bool(self.reason), "reason", "is empty")
