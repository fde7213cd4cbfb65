"""Statistics of a built task: distributions of lengths and spread, their histograms, and the spread of each pair."""

from dataclasses import dataclass

from scrollwork.records.base import Row

MEASURES = (
    "documents",  # of an example; this and the next two are of a whole data set, before anything is drawn from it
    "tokens_in",  # of the documents of an example, as a prompt shows them
    "tokens_out",  # of what a model is asked to write
    "words_in",  # white-space words of an input: the whole prompt
    "words_document",  # of all documents of an input
    "words_out",  # of a reference
    "references",  # of an input
    "spread",  # of an output's bigrams in the input, in words; only outputs with two or more bigrams found
    "in_document",  # 1 if the document contains a reference's words in one piece, else 0; question answering
)


@dataclass(frozen=True)
class Distribution(Row):
    """One measure over a task and split: `count` values, None if there are none. Quantiles interpolate linearly."""

    suite: str
    task: str
    split: str
    measure: str
    count: int
    mean: float | None = None
    smallest: float | None = None
    p5: float | None = None
    q1: float | None = None
    median: float | None = None
    q3: float | None = None
    p95: float | None = None
    largest: float | None = None

    def check(self) -> None:
        self.require(self.measure in MEASURES, "measure", f"{self.measure!r} is none of {', '.join(MEASURES)}")
        self.require(self.count >= 0, "count", "is negative")
        empty = [self.mean, self.smallest, self.p5, self.q1, self.median, self.q3, self.p95, self.largest].count(None)
        self.require(empty == (0 if self.count else 8), "mean", "there are values exactly where something was counted")


@dataclass(frozen=True)
class Bin(Row):
    """Number of values of a measure that are at least `low` and below `high`. Bins without values have no row."""

    suite: str
    task: str
    split: str
    measure: str
    low: int
    high: int
    count: int

    def check(self) -> None:
        self.require(0 <= self.low < self.high, "low", f"{self.low} to {self.high} is no bin")
        self.require(self.count > 0, "count", "must be positive")


@dataclass(frozen=True)
class Spread(Row):
    """One output and its input. reference: its place among the references, None if the query is the output.

    bigrams: different ones in the output; found: of these, in the input; spread: None if fewer than two are found.
    """

    suite: str
    task: str
    split: str
    example_id: str
    reference: int | None
    bigrams: int
    found: int
    spread: float | None

    def check(self) -> None:
        self.require(0 <= self.found <= self.bigrams, "found", f"{self.found} of {self.bigrams}")
        self.require((self.spread is None) == (self.found < 2), "spread", "needs two bigrams that are found")
        self.require(self.spread is None or self.spread >= 0, "spread", "is negative")
