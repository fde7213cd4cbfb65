"""How complex and redundant problems' evidence is, from a model's answers on windows of their contexts (Dolce)."""

from dataclasses import dataclass

from scrollwork.records.base import Row

CATEGORIES = ("I", "II", "III", "IV", "V")
SCENARIOS = COW, PIG = ("cow", "pig")
HOLISTIC = ("solved", "unsolved", "unobserved")  # a problem of V, by what the whole context leads to


@dataclass(frozen=True)
class Complexity(Row):
    """A problem. units: C of its context. complexity: lambda, None for infinite; redundancy: k. weight: of the oracle.

    windows: answered ones. likelihood: log. probabilities: of CATEGORIES, 0 to 1. category: of the fitted pair, or with
    a bootstrap the likeliest; undecided: its probability is below 0.8. full: the score on the whole context, 0 to 100,
    None if it was not answered; solved: at least half of the answers there are right. dip: of its scores, and p, in a
    task of graded scores; empty if that was not tested.
    """

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
    solved: bool | None
    dip: tuple[float, ...]

    def check(self) -> None:
        self.require(self.category in CATEGORIES, "category", f"{self.category!r} is none of {', '.join(CATEGORIES)}")
        self.require(self.scenario in SCENARIOS, "scenario", f"{self.scenario!r} is none of {', '.join(SCENARIOS)}")
        self.require(len(self.dip) in (0, 2), "dip", "the dip and its p, or none")
        self.require(len(self.probabilities) == len(CATEGORIES), "probabilities", "one a category")
        self.require(self.complexity is None or self.complexity >= 0, "complexity", "is negative")


@dataclass(frozen=True)
class Mixture(Row):
    """A task, or its part in one scenario. noise: (b1, b0, bI), empty in PIG. windows, answered, declined: counts.

    low, high: thresholds of lambda (low of k too), the smaller ones of this task and of its twins, the same task in
    other suites. shares: of problems by category, undecided ones included, as the paper counts. decided: only decided
    problems, by category; holistic: those of V among these, split as in HOLISTIC. expected: mean probability of each
    category, share_lows and share_highs its 95 % interval. All shares are 0 to 1, of all problems.
    """

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
    twins: tuple[str, ...]
    shares: tuple[float, ...]
    decided: tuple[float, ...]
    holistic: tuple[float, ...]
    expected: tuple[float, ...]
    share_lows: tuple[float, ...]
    share_highs: tuple[float, ...]
    windows: int
    answered: int
    declined: int

    def check(self) -> None:
        self.require(self.scenario in SCENARIOS, "scenario", f"{self.scenario!r} is none of {', '.join(SCENARIOS)}")
        for name in ("shares", "decided", "expected", "share_lows", "share_highs"):
            self.require(len(getattr(self, name)) == len(CATEGORIES), name, "one a category")
        self.require(len(self.holistic) == len(HOLISTIC), "holistic", ", ".join(HOLISTIC))
        self.require(len(self.noise) in (0, 3), "noise", "right, wrong and declined, or none")


@dataclass(frozen=True)
class AtLength(Row):
    """Answers of a task on windows of one length, all problems together. length: in units, None for whole contexts.

    right, wrong, declined: shares, 0 to 1; right is a score from the threshold on. score: mean, 0 to 100.
    """

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


@dataclass(frozen=True)
class ProblemAtLength(Row):
    """A problem at one length of its windows: the paper's tables. length: in units, of whole contexts all of them.

    observed, fitted, oracle: in COW the shares of (right, wrong, declined) that were observed, that the fit expects,
    and that its oracle gives; in PIG one mean score; all 0 to 1. posterior: of the oracle, given each outcome; empty in
    PIG. weight: of the oracle at this length.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    example_id: str
    scenario: str
    length: int
    windows: int
    observed: tuple[float, ...]
    fitted: tuple[float, ...]
    oracle: tuple[float, ...]
    posterior: tuple[float, ...]
    weight: float

    def check(self) -> None:
        self.require(self.scenario in SCENARIOS, "scenario", f"{self.scenario!r} is none of {', '.join(SCENARIOS)}")
        wanted = 3 if self.scenario == COW else 1
        for name in ("observed", "fitted", "oracle"):
            self.require(len(getattr(self, name)) == wanted, name, f"has {wanted} numbers in {self.scenario}")
        self.require(len(self.posterior) == 3 * (self.scenario == COW), "posterior", "one an outcome, in COW")


@dataclass(frozen=True)
class Plane(Row):
    """The probability that a window of `length` units shows the evidence, by lambda and k (COW).

    units: of the context, the task's largest. values: 0 to 1, of each k for the first lambda, then for the second; 0 if
    lambda k is more than the context has.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    units: int
    length: int
    complexities: tuple[int, ...]
    redundancies: tuple[int, ...]
    values: tuple[float, ...]

    def check(self) -> None:
        wanted = len(self.complexities) * len(self.redundancies)
        self.require(len(self.values) == wanted, "values", f"{len(self.values)} in place of {wanted}")


@dataclass(frozen=True)
class WindowOutcomes(Row):
    """Where the windows of one length of a typical problem begin, by what was answered. starts: first units, from 0.

    right, wrong, declined: such starts, ascending; right is a score from the threshold on. If several seeds answered a
    window, the first one counts.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    example_id: str
    scenario: str
    category: str
    units: int
    length: int
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    declined: tuple[int, ...]


@dataclass(frozen=True)
class Passage(Row):
    """A window of a typical problem that was answered right, of those that do not overlap, the shortest first.

    In PIG also the one with the best score. first: its first unit, from 0; length: in units. start, end: characters of
    the document. score: 0 to 100.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    example_id: str
    scenario: str
    category: str
    units: int
    first: int
    length: int
    document_id: str
    start: int
    end: int
    score: float

    def check(self) -> None:
        self.require(0 <= self.start <= self.end, "start", f"{self.start}..{self.end} is no span")
        self.require(self.first >= 0 and self.first + self.length <= self.units, "first", "is outside the context")


@dataclass(frozen=True)
class Agreement(Row):
    """Two models' fits of the same problems of a task; the first is the reference.

    scenario, other_scenario: of the parts with these problems, as each model has its own split into COW and PIG.
    without_first: problems that need no context by either are left out, as in the paper. problems: how many both have.
    rc: mean relative change of lambda and k, 0 to 1; rho: Spearman's, None if one of them never changes; kl: of the
    noise, in nats, None in PIG. same: share of problems in the same category.
    """

    suite: str
    task: str
    split: str
    scenario: str
    model: str
    arm: str
    other: str
    other_arm: str
    without_first: bool
    problems: int
    rc_complexity: float
    rho_complexity: float | None
    rc_redundancy: float
    rho_redundancy: float | None
    kl: float | None
    same: float
    other_scenario: str
