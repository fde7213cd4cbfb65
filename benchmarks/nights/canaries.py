"""How often a canary asks for the full set on nights without change, and how soon it sees one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.nights.draws import SD
from scrollwork.analysis.nights.canary import canary_verdict
from scrollwork.analysis.nights.night import Night, TaskScores
from scrollwork.analysis.nights.rule import Rule

SEED = 20_261_128
TASKS = 10


@dataclass(frozen=True)
class CanaryShape:
    """items: of ten tasks together, each on a document of its own. usual: share of answers whose text differs between
    two nights without change. tossed: share of inputs that make up all of it (1: every input is as likely).

    night: standard deviation of the logarithm of `usual` from night to night (0: every night is alike). sd: of an
    input's difference in score between two nights, in points.
    """

    items: int = 50
    sd: float = SD
    usual: float = 0.02
    tossed: float = 1.0
    night: float = 0.0


@dataclass
class CanaryModel:
    """A model that is asked the same few inputs every night."""

    shape: CanaryShape
    random: np.random.Generator
    chances: NDArray[np.float64] = field(init=False)
    altered: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        shape = self.shape
        tossed = self.random.random(shape.items) < shape.tossed
        # two nights differ if either of them is not the usual text
        self.chances = np.where(tossed, 1 - np.sqrt(1 - min(shape.usual / shape.tossed, 1.0)), 0.0)
        self.altered = np.zeros(shape.items, dtype=np.bool_)

    def alter(self, share: float) -> None:
        """Give a share of the inputs, drawn at random, another usual text."""
        self.altered = self.random.random(self.shape.items) < share

    def night(self, name: str, drop: float = 0.0) -> Night:
        """One night. drop: of the mean score of all tasks, in points."""
        shape = self.shape
        common = np.exp(shape.night * self.random.standard_normal() - shape.night**2 / 2)
        odd = self.random.random(shape.items) < np.minimum(self.chances * common, 1.0)
        scores = 50 - drop + shape.sd / np.sqrt(2) * self.random.standard_normal(shape.items)
        own = self.random.integers(0, 2**62, shape.items)
        tasks = {}
        for task, places in enumerate(np.array_split(np.arange(shape.items), TASKS)):
            names = tuple(f"i{place}" for place in places)
            texts = tuple(str(own[place]) if odd[place] else f"text {self.altered[place]}" for place in places)
            tasks[f"task{task}"] = TaskScores(names, names, scores[places], texts)
        return Night(name, {task: scores for task, scores in tasks.items() if len(scores)})


@dataclass(frozen=True)
class CanaryAlarms:
    """Nights without change, those on which the full set was asked, for the texts and for the scores; by sequence."""

    nights: int
    asked: tuple[int, ...]
    texts: int
    scores: int


def canary_alarms(shape: CanaryShape, rule: Rule, nights: int, sequences: int) -> CanaryAlarms:
    """Simulate sequences of canary nights without change, each after one reference that stays."""
    asked, texts, scores = [], 0, 0
    for sequence in range(sequences):
        model = CanaryModel(shape, np.random.default_rng([SEED, 3, sequence]))
        reference, earlier, own = model.night("reference"), list[Night](), 0
        for number in range(nights):
            tonight = model.night(f"night {number + 1}")
            found = canary_verdict(reference, tonight, earlier, rule)
            own += found.ask_all
            texts += found.p_changed <= rule.level / 2
            scores += found.p_drop <= rule.level / 2 and -(found.difference or 0.0) >= rule.size
            earlier.append(tonight)
        asked.append(own)
    return CanaryAlarms(nights * sequences, tuple(asked), texts, scores)


def canary_finds(
    shape: CanaryShape, rule: Rule, drop: float, altered: float, before: int, nights: int, trials: int
) -> list[float]:
    """Return the share of trials in which a change made the canary ask by its first, second, ... night.

    drop: of all tasks, in points. altered: share of inputs that have another usual text from then on. before: nights
    without change, the reference, their last, included. After it the canary alone was asked until it asks for more.
    """
    counts = np.zeros(nights)
    for trial in range(trials):
        model = CanaryModel(shape, np.random.default_rng([SEED, 4, trial]))
        *known, reference = (model.night(f"before {number}") for number in range(before))
        earlier: list[Night] = []
        model.alter(altered)
        for number in range(nights):
            tonight = model.night(f"night {number + 1}", drop)
            if canary_verdict(reference, tonight, earlier, rule, before=known).ask_all:
                counts[number:] += 1
                break
            earlier.append(tonight)
    return [float(count) / trials for count in counts]
