"""Nights of a simulated model: scores of inputs in documents, of many shapes, all with a known truth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.nights.night import Night, TaskScores
from scrollwork.analysis.statistics.intervals import Floats

SD = 20.0  # of an input's difference between two nights, in points
SURE = 0.08  # share of inputs that a model answers by the toss of a coin (binary)
RARE, JUMP = 0.05, 60.0  # share of inputs whose score differs between two nights, and by how much (rare)


@dataclass(frozen=True)
class Shape:
    """kind: normal, tails (t with 3 degrees of freedom), rare (most differences are 0), binary (0 or 100; eight inputs
    in a hundred are tossed), right and wrong (98 % or 2 % right), kept (what a change did to an input stays).

    rho: correlation within documents. documents: even (of `size`), uneven (1 to 41, `size` in a mean). wander: standard
    deviation of what all inputs of a task share on a night, in points. sd: of an input's difference between two nights
    (normal), in points; scores of normal are not cut at 0 and 100, so that a drop is what it says.
    """

    kind: str = "normal"
    rho: float = 0.0
    items: int = 500
    size: int = 5
    documents: str = "even"
    tasks: int = 10
    wander: float = 0.0
    drift: float = 0.0  # points a night
    sd: float = SD


@dataclass
class Model:
    """A model that is asked every night. Its inputs are the same every night."""

    shape: Shape
    random: np.random.Generator
    index: NDArray[np.intp] = field(init=False)
    items: tuple[str, ...] = field(init=False)
    documents: tuple[str, ...] = field(init=False)
    steps: dict[str, Floats] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        shape = self.shape
        if shape.documents == "even":
            sizes = np.full(shape.items, shape.size)
        else:
            sizes = np.minimum(self.random.geometric(1 / shape.size, shape.items), 8 * shape.size + 1)
        self.index = np.repeat(np.arange(shape.items), sizes)[: shape.items]
        self.items = tuple(f"i{number:05d}" for number in range(shape.items))
        self.documents = tuple(f"d{number:05d}" for number in self.index)

    def noise(self) -> Floats:
        """Standard normal values, correlated within documents."""
        common = self.random.standard_normal(int(self.index[-1]) + 1)[self.index]
        own = self.random.standard_normal(len(self.index))
        values: Floats = np.sqrt(self.shape.rho) * common + np.sqrt(1 - self.shape.rho) * own
        return values

    def scores(self, task: str, shift: float, changed: bool) -> Floats:
        """Scores of one task, 0 to 100. shift: of the true mean."""
        kind, noise = self.shape.kind, self.noise()
        if kind == "kept":
            if task not in self.steps:
                self.steps[task] = noise * SD
            found = 50 + shift + (self.steps[task] if changed else 0 * noise)
        elif kind == "tails":
            common = np.sqrt(self.random.chisquare(3, int(self.index[-1]) + 1) / 3)[self.index]
            found = 50 + shift + SD / np.sqrt(6) * noise / common
        elif kind == "rare":
            jumps = np.where(_uniform(noise) < RARE / 2, JUMP, 0.0) * self.random.choice((-1.0, 1.0), len(noise))
            lost = self.random.random(len(noise)) < -shift / 50
            found = np.where(lost, 0.0, np.clip(50 + jumps, 0, 100))
        elif kind in ("binary", "right", "wrong"):
            if task not in self.steps:
                sure = np.where(self.random.random(len(noise)) < 0.6, 1.0, 0.0)
                tossed = self.random.random(len(noise)) < SURE
                chances = {"binary": np.where(tossed, 0.5, sure), "right": 0.98, "wrong": 0.02}
                self.steps[task] = chances[kind] + np.zeros(len(noise))
            kept = self.random.random(len(noise)) >= -shift / 100 / self.steps[task].mean()
            found = 100.0 * ((_uniform(noise) < self.steps[task]) & kept)
        else:
            found = 50 + shift + self.shape.sd / np.sqrt(2) * noise
        found = found + self.shape.wander * self.random.standard_normal()
        return found if kind == "normal" else np.clip(found, 0, 100)

    def night(self, name: str, drop: float = 0.0, changed: bool = False) -> Night:
        """One night. drop: of the first task, in points. changed: the model was altered (for what stays)."""
        texts = (None,) * self.shape.items
        return Night(
            name,
            {
                f"task{number}": TaskScores(
                    self.items,
                    self.documents,
                    self.scores(f"task{number}", -drop if number == 0 else 0.0, changed),
                    texts,
                )
                for number in range(self.shape.tasks)
            },
        )


def _uniform(values: Floats) -> Floats:
    """Phi of normal values."""
    grid = np.linspace(-6, 6, 4001)
    density = np.exp(-(grid**2) / 2)
    whole: Floats = np.interp(values, grid, np.cumsum(density) / density.sum())
    return whole
