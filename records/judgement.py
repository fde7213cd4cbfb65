"""What answers look like, one by one and for a whole task: shown in addition to the metric, never instead of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scrollwork.records.base import Row

REFUSALS = ("unanswerable", "context", "declined")
MEASURES = (
    "in_format",  # answers in the form asked for: a letter, a percentage, ids, one sentence, plain prose
    "unreadable",  # the metric found no letter, no percentage or no permutation of the ids
    "unanswerable",  # answers saying that the question has no answer
    "wrongly_unanswerable",  # the same, among inputs that have an answer by every reference
    "lacks_context",  # answers saying that the text does not contain what is asked for
    "declined",  # answers saying that the model cannot or will not answer
    "length_cut",  # answers that the limit of new tokens ended
    "empty",  # answers without a word
    "answer_words",  # mean, in white-space words
    "reference_words",  # mean over inputs of the mean over references, in white-space words
    "length_ratio",  # the first mean over the second; inputs whose references have no words are left out
)
WORDS = ("answer_words", "reference_words")  # in words; length_ratio has no unit; all others are in percent
SLICES = ("document_words", "truncated", "evidence", "answer")


@dataclass(frozen=True)
class Judgement(Row):
    """One input and a model's (or seed's) answer to it; an input without an answer has a row too.

    cluster: digest of the input's group of documents. document_words: white-space words of its whole documents.
    truncated, answer_in, evidence_in: what the prompt's cut removed (scrollwork.records.prompt.PLACES). components: of
    the score. words: of the answer. reference_words: mean over references, None if none is a text to be written
    (scrollwork.records.gold). in_format, readable: None if the metric has no rule. refusal: one of REFUSALS. Without an
    answer, fields that describe it are None.
    """

    suite: str
    task: str
    split: str
    example_id: str
    draw: int
    model: str
    arm: str
    metric: str
    cluster: str
    document_words: int
    truncated: bool
    answer_in: str | None
    evidence_in: str | None
    answered: bool
    components: Mapping[str, float]
    words: int | None
    reference_words: float | None
    in_format: bool | None
    readable: bool | None
    refusal: str | None
    length_cut: bool | None
    answerable: bool

    def check(self) -> None:
        said = (self.words, self.length_cut)
        self.require((None in said) != self.answered, "answered", "an answer has words, and nothing else has")
        self.require(bool(self.components) == self.answered, "components", "an answer has a score, nothing else has")
        self.require(self.refusal is None or self.refusal in REFUSALS, "refusal", f"{self.refusal!r} is not known")
        self.require(self.document_words >= 0, "document_words", "is negative")


@dataclass(frozen=True)
class AnswerMeasure(Row):
    """One of MEASURES over a model's answers, averaged over its members, with a 95 % interval over documents.

    answers: number of inputs.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    metric: str
    measure: str
    value: float
    low: float | None
    high: float | None
    answers: int

    def check(self) -> None:
        self.require(self.measure in MEASURES, "measure", f"{self.measure!r} is none of {', '.join(MEASURES)}")
        self.require(self.answers > 0, "answers", "must be positive")


@dataclass(frozen=True)
class Slice(Row):
    """The score on a part of a task's inputs.

    by: one of SLICES. part: its name, such as "cut" or "1,204 to 3,377". least, most: of document_words, inclusive;
    parts are quartiles of all inputs. asked, answered: inputs of the part. value: over the answered ones, None without
    any.
    """

    suite: str
    task: str
    split: str
    model: str
    arm: str
    metric: str
    by: str
    part: str
    least: int | None
    most: int | None
    asked: int
    answered: int
    clusters: int
    value: float | None
    low: float | None
    high: float | None

    def check(self) -> None:
        self.require(self.by in SLICES, "by", f"{self.by!r} is none of {', '.join(SLICES)}")
        self.require(0 <= self.answered <= self.asked, "answered", f"{self.answered} of {self.asked}")
        self.require((self.value is None) == (self.answered == 0), "value", "stands if something was answered")
