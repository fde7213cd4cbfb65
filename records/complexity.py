"""How complex and redundant the evidence of problems is, by a model's answers on windows of their contexts (Dolce)."""

from dataclasses import dataclass

from records.base import Row

CATEGORIES = ("I", "II", "III", "IV", "V")
SCENARIOS = COW, PIG = ("cow", "pig")


@dataclass(frozen=True)
class Complexity(Row):
    """A problem. units: C of its context. complexity: lambda, None for infinite; redundancy: k. weight: of the oracle.
    windows: answered ones. probabilities: of CATEGORIES, 0 to 1; category: the likeliest. full: the score on the whole
    context, 0 to 100, None where it was not answered."""

    suite: str
    task: str
    split: str
    model: str
    arm: str
    example_id: str
    scenario: str
    units: int
    windows: int
    complexity: int | None
    redundancy: int
    weight: float
    likelihood: float
    category: str
    probabilities: tuple[float, ...]
    undecided: bool
    full: float | None

    def check(self) -> None:
        self.require(self.category in CATEGORIES, "category", f"{self.category!r} is none of {', '.join(CATEGORIES)}")
        self.require(self.scenario in SCENARIOS, "scenario", f"{self.scenario!r} is none of {', '.join(SCENARIOS)}")
        self.require(len(self.probabilities) == len(CATEGORIES), "probabilities", "one a category")
        self.require(self.complexity is None or self.complexity >= 0, "complexity", "is negative")


@dataclass(frozen=True)
class Mixture(Row):
    """A task, or its part of one scenario. noise: (b1, b0, bI), empty in PIG. low, high: thresholds of lambda (low of k
    too). shares: of problems by their likeliest category; expected: mean probability of each category, share_lows and
    share_highs its 95 % interval; all 0 to 1. Where many problems are undecided the two differ. windows: asked,
    answered and declined ones."""

    suite: str
    task: str
    split: str
    model: str
    arm: str
    scenario: str
    problems: int
    undecided: int
    noise: tuple[float, ...]
    low: int
    high: int
    shares: tuple[float, ...]
    expected: tuple[float, ...]
    share_lows: tuple[float, ...]
    share_highs: tuple[float, ...]
    windows: int
    answered: int
    declined: int

    def check(self) -> None:
        self.require(self.scenario in SCENARIOS, "scenario", f"{self.scenario!r} is none of {', '.join(SCENARIOS)}")
        for name in ("shares", "expected", "share_lows", "share_highs"):
            self.require(len(getattr(self, name)) == len(CATEGORIES), name, "one a category")
        self.require(len(self.noise) in (0, 3), "noise", "right, wrong and declined, or none")


@dataclass(frozen=True)
class AtLength(Row):
    """Answers of a task on windows of one length, all problems together. length: in units, None for whole contexts.
    right, wrong, declined: shares, 0 to 1, by the score that counts as right; score: mean, 0 to 100."""

    suite: str
    task: str
    split: str
    model: str
    arm: str
    length: int | None
    windows: int
    right: float
    wrong: float
    declined: float
    score: float
