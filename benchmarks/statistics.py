"""Do intervals and tests hold what they say, on clustered scores of realistic shape; what they cost for a whole run.

1,000 data sets each, of which the truth is known: how often the 95 % interval holds it, how often two equal models are
told apart at 5 %, how often a difference of the size that is called detectable is found. A rate that is more than 2
points off its nominal value is marked, and none is left out: with few documents some are.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.analysis.statistics.intervals import Clusters, Floats, Headline, interval, resampled_headlines
from scrollwork.analysis.statistics.paired import Pair, detectable_difference, paired_averages, paired_comparison
from scrollwork.scoring.registry import metric

TRIALS = 1_000
OFF = 2.0  # points that a rate may be off
SHARED = 0.3  # share of the variance that inputs of one document have in common
ALIKE = 0.5  # share of the variance that two models have in common on one input
ROUGE = ("rouge1", "rouge2", "rougeL")

# inputs and documents of the ten tasks, about as ZeroSCROLLS has them
WHOLE = {
    "gov_report": ("rouge_geo", 500, 500),
    "summ_screen_fd": ("rouge_geo", 337, 337),
    "qmsum": ("rouge_geo", 281, 35),
    "squality": ("rouge_geo", 260, 52),
    "qasper": ("f1", 500, 210),
    "narrative_qa": ("f1", 500, 270),
    "quality": ("accuracy", 500, 115),
    "musique": ("f1", 500, 500),
    "space_digest": ("es", 500, 500),
    "book_sum_sort": ("concordance", 500, 125),
}


@dataclass(frozen=True)
class Shape:
    """n inputs; documents of 1 to 10 inputs each, or as many documents as said."""

    kind: str
    inputs: int
    documents: int = 0

    @property
    def index(self) -> NDArray[np.intp]:
        """The document of each input; the same in every trial."""
        random = np.random.default_rng([self.inputs, self.documents])
        if self.documents:
            return np.sort(np.arange(self.inputs) % self.documents)
        sizes = random.integers(1, 11, self.inputs)
        return np.repeat(np.arange(self.inputs), sizes)[: self.inputs]


def normals(random: np.random.Generator, index: NDArray[np.intp]) -> Floats:
    """Standard normal values, correlated within documents."""
    common = random.standard_normal(int(index[-1]) + 1)[index]
    values: Floats = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * random.standard_normal(len(index))
    return values


def uniform(values: Floats) -> Floats:
    """Phi of normal values."""
    grid = np.linspace(-6, 6, 4001)
    density = np.exp(-(grid**2) / 2)
    whole: Floats = np.interp(values, grid, np.cumsum(density) / density.sum())
    return whole


def accuracy(values: Floats, shift: float = 0.0) -> dict[str, Floats]:
    """Right or wrong, 60 % right."""
    return {"accuracy": 100.0 * (uniform(values) < 0.6 + shift / 100)}


def f1(values: Floats, shift: float = 0.0) -> dict[str, Floats]:
    """Half of the answers share nothing with the reference, one in six is right, the rest lies between; mean 33.3."""
    rank = uniform(values)
    return {"f1": np.clip(300.0 * (rank - 0.5), 0.0, 100.0) + shift}


def rouge(values: Floats, shift: float = 0.0) -> dict[str, Floats]:
    """ROUGE-1 of 15 to 60, -2 of 0 to 30 and skew, -L of 8 to 35; means 37.5, 8, 21.5."""
    rank = uniform(values)
    r1, r2, rl = 15 + 45 * rank, 30 * rank ** (30 / 8 - 1), 8 + 27 * rank
    more = shift / TRUE_ROUGE  # of every mean, and so of their geometric mean; the spread stays
    moved = (r1 + 37.5 * more, r2 + 8 * more, rl + 21.5 * more)
    return dict(zip(ROUGE, moved, strict=True))


TRUE_ROUGE = float(np.cbrt(37.5 * 8 * 21.5))
KINDS: Mapping[str, tuple[Callable[..., dict[str, Floats]], str, float]] = {  # scores, metric, true value
    "accuracy": (accuracy, "accuracy", 60.0),
    "f1": (f1, "f1", 100 / 3),
    "rouge": (rouge, "rouge_geo", TRUE_ROUGE),
}
SHAPES = [
    *(Shape(kind, inputs) for inputs in (150, 300, 500) for kind in KINDS),
    *(Shape(kind, 260, 20) for kind in ("rouge", "accuracy")),
    *(Shape(kind, 100, 10) for kind in ("rouge", "accuracy")),
    *(Shape(kind, 50, 5) for kind in ("rouge", "accuracy")),
]


def main(small: bool = False) -> list[str]:
    """The lines of the report. small: a twentieth of the trials."""
    trials = TRIALS // 20 if small else TRIALS
    lines = [
        f"{trials:,} trials each; nominal: interval 95, false alarms 5, power 80; ! more than {OFF:g} points off "
        f"(sampling error of a rate of 95: {100 * np.sqrt(0.95 * 0.05 / trials):.1f})",
        "| scores | inputs | documents | interval holds | false alarms | interval of difference holds | power |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    for shape in SHAPES:
        rates = simulated(shape, trials)
        cells = [shown(100 * rate, nominal) for rate, nominal in zip(rates, (95, 5, 95, 80), strict=True)]
        documents = int(shape.index[-1]) + 1
        lines.append(f"| {shape.kind} | {shape.inputs} | {documents} | {' | '.join(cells)} |")
    return [*lines, *whole_run()]


def shown(rate: float, nominal: float) -> str:
    """A rate in percent, marked where it is off; power is promised by no test, so it is not marked."""
    return f"{rate:.1f}" + (" !" if abs(rate - nominal) > OFF and nominal != 80 else "")


def simulated(shape: Shape, trials: int) -> tuple[float, float, float, float]:
    """Shares of trials: the interval holds the value, two equal models are told apart, the interval of their difference
    holds 0, models that differ by what is detectable are told apart."""
    make, metric_name, truth = KINDS[shape.kind]
    headline = metric(metric_name).headline
    index = shape.index
    clusters = Clusters.of([f"{one:04d}" for one in index])
    random = np.random.default_rng([20230523, shape.inputs, shape.documents, len(shape.kind)])
    holds = alarms = paired_holds = powerful = 0
    shift = 0.0
    for trial in range(trials):
        both, ours, theirs = (normals(random, index) for _ in range(3))
        mixed = [np.sqrt(ALIKE) * both + np.sqrt(1 - ALIKE) * own for own in (ours, theirs)]
        one, other = (outcomes(make(values), index) for values in mixed)
        low, high = interval([resampled_headlines(one.components, clusters, headline, "task")])
        holds += low <= truth <= high
        found = paired_comparison(Pair.of(one, other, headline, "task"))
        assert found is not None
        assert found.interval is not None
        assert found.test is not None
        assert found.standard_error is not None
        alarms += found.test.p <= 0.05
        paired_holds += found.interval[0] <= 0 <= found.interval[1]
        called = (
            detectable_difference(found.standard_error, len(clusters)) or found.standard_error
        )  # too few documents: none is
        shift += (called - shift) / (trial + 1)  # the mean of what was called detectable so far
        moved = paired_comparison(Pair.of(outcomes(make(mixed[0], shift), index), other, headline, "task"))
        assert moved is not None
        assert moved.test is not None
        powerful += moved.test.p <= 0.05
    return holds / trials, alarms / trials, paired_holds / trials, powerful / trials


def outcomes(components: Mapping[str, Floats], index: NDArray[np.intp]) -> Outcomes:
    """Scores of one model."""
    names = tuple(f"{place:05d}" for place in range(len(index)))
    clusters = tuple(f"{one:04d}" for one in index)
    return Outcomes(names, clusters, {name: values[None] for name, values in components.items()}, len(index))


def whole_run() -> Iterator[str]:
    """What a whole ZeroSCROLLS costs, from per-input scores."""
    random = np.random.default_rng(7)
    models: list[dict[str, tuple[Outcomes, Headline]]] = []
    for _ in range(5):
        own = {}
        for task, (metric_name, inputs, documents) in WHOLE.items():
            index = Shape(metric_name, inputs, documents).index
            values = (
                rouge(normals(random, index))
                if metric_name == "rouge_geo"
                else {metric_name: f1(normals(random, index))["f1"]}
            )
            own[task] = outcomes(values, index), metric(metric_name).headline
        models.append(own)
    inputs = sum(one[1] for one in WHOLE.values())
    began = time.perf_counter()
    parts = [
        resampled_headlines(one.components, one.grouped, headline, task) for task, (one, headline) in models[0].items()
    ]
    for part in parts:
        interval([part])
    interval(parts)
    seconds = time.perf_counter() - began
    yield f"one model, {inputs:,} inputs, 2,000 resamples, every task and the average: {seconds:.2f} s"
    began = time.perf_counter()
    pairs = 0
    for place, ours in enumerate(models):
        for theirs in models[place + 1 :]:
            pairs += 1
            sides = [Pair.of(ours[task][0], theirs[task][0], ours[task][1], task) for task in WHOLE]
            for side in sides:
                paired_comparison(side)
            paired_averages(sides)
    seconds = time.perf_counter() - began
    asked = f"{len(models)} models, {pairs} pairs, 2,000 resamples and 9,999 permutations a task, and the averages"
    yield f"{asked}: {seconds:.1f} s"


if __name__ == "__main__":
    print("\n".join(main("--small" in sys.argv)))
