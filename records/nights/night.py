"""A night: one evaluation out of a row of them, with what was asked, what it scored, and what the gate said of it."""

from __future__ import annotations

from dataclasses import dataclass

from scrollwork.records.base import Row
from scrollwork.records.comparison import few_clusters
from scrollwork.records.nights.dates import LATEST, is_date

FULL, CANARY = "full", "canary"
KINDS = (FULL, CANARY)
REGRESSED, STANDING, INCOMPLETE = "regressed", "still down", "incomplete"  # states of analysis/nights/verdict.py
_STANDING_BEFORE = "muted"  # STANDING, in older rows
NOT_COMPARED = "not compared"
FIRST, UNFINISHED, SCHEDULE = "first", "unfinished", "schedule"  # why the full set was asked
WEIGHTS, VERSION, FINGERPRINT, ANSWERS = "weights", "version", "fingerprint", "answers"
CHANGES = (WEIGHTS, VERSION, FINGERPRINT, ANSWERS)  # the model was seen to change, the last one by the canary's verdict
TEXTS = "texts"  # most of the canary's are others, and no night says how many usually are
CAUSES = (FIRST, UNFINISHED, SCHEDULE, TEXTS, *CHANGES)


@dataclass(frozen=True)
class NightTask(Row):
    """A task of a model on a night.

    task: with split and arm where they are not the plain ones. value, low, high: score of 0 to 100 and its 95 %
    interval, None without any; clusters: groups of documents that this is over. expected, answered: inputs. state: what
    the gate says (analysis/nights/verdict.py), or NOT_COMPARED. before, now: means of the compared inputs, in points,
    of the nights before a window and of those in it; against, window: how many nights these are (the last ones, tonight
    included). low_difference, high_difference: 95 % interval of now - before, over so many `documents`. p: of a drop.
    detectable: points that would be found in 80 % of cases, None if no drop would be. muted_until: date up to which its
    drop raises no alarm, "" if it is not muted.
    """

    task: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    expected: int
    answered: int
    state: str = NOT_COMPARED
    before: float | None = None
    now: float | None = None
    low_difference: float | None = None
    high_difference: float | None = None
    p: float | None = None
    detectable: float | None = None
    muted_until: str = ""
    clusters: int | None = None
    documents: int | None = None
    window: int = 0
    against: int = 0

    def check(self) -> None:
        self.require(0 <= self.answered <= self.expected, "answered", "is not between 0 and expected")
        self.require(not self.muted_until or is_date(self.muted_until), "muted_until", "is no date")

    @property
    def difference(self) -> float | None:
        """Return now - before, in points; None if nothing is compared."""
        return None if self.now is None or self.before is None else self.now - self.before

    @property
    def interval_note(self) -> str:
        """Return why the interval of the score cannot be trusted, "" if it can."""
        return few_clusters(self.clusters)

    @property
    def difference_note(self) -> str:
        """Return why the interval of the difference cannot be trusted, "" if it can."""
        return few_clusters(self.documents, of_two=False)

    @property
    def missing(self) -> int:
        """Return the number of inputs without an answer."""
        return self.expected - self.answered

    @property
    def alarms(self) -> bool:
        """Return whether its drop is reported on this night."""
        return self.state == REGRESSED and not self.muted_until


@dataclass(frozen=True)
class NightModel(Row):
    """A model on a night.

    epoch: in which it was asked, "" for none. versions, fingerprints: as its vendor reported them with the answers.
    cost_usd: of the answers; calls without an answer are not counted. cost_unknown: answers without a known price.
    reference: the night that it is compared with, "" if it is compared with none. sentence: of the gate. failed:
    whether this model ends the night as failed. served: what its own server lists of its weights
    (models/hosted/listing.py), () if nothing is known.
    """

    model: str
    epoch: str
    versions: tuple[str, ...]
    fingerprints: tuple[str, ...]
    cost_usd: float
    cost_unknown: int
    reference: str
    sentence: str
    failed: bool
    tasks: tuple[NightTask, ...]
    served: tuple[str, ...] = ()

    def check(self) -> None:
        names = [one.task for one in self.tasks]
        self.require(len(set(names)) == len(names), "tasks", "has a task twice")

    @property
    def dropped(self) -> frozenset[str]:
        """Return the tasks whose drop is reported on this night, or was before and stands."""
        return frozenset(one.task for one in self.tasks if one.state in (REGRESSED, STANDING, _STANDING_BEFORE))

    def whole(self, coverage: float) -> bool:
        """Return whether each task has at least this share of its answers, 0 to 1."""
        return not self.lacking(coverage)

    def lacking(self, coverage: float) -> list[NightTask]:
        """Return the tasks that have less than this share of their answers, 0 to 1."""
        return [one for one in self.tasks if one.answered < coverage * one.expected - 1e-9]


@dataclass(frozen=True)
class NightRow(Row):
    """A night of a suite.

    name: date and first digits of `digest`. digest: of the settings, the epochs and the scores, so that the same night
    is stored once. ended: unix seconds. kind: one of KINDS. settings: digest of what decides which inputs are asked;
    only nights with the same suite and settings are compared. options: the words of the command that set these.
    version, commit, libraries: of the code: scrollwork's version, its git commit ("" outside a checkout; "+" behind it
    where files were changed), digest of all installed packages with their versions. scores: the file with the scores of
    each input. run: name of the run. causes, why: why the full set was asked, of CAUSES and in words; empty for a
    canary, and where it is asked every night.
    """

    name: str
    digest: str
    suite: str
    settings: str
    kind: str
    ended: int
    options: tuple[str, ...]
    run: str
    version: str
    commit: str
    libraries: str
    scores: str
    models: tuple[NightModel, ...]
    causes: tuple[str, ...] = ()
    why: str = ""

    def check(self) -> None:
        self.require(self.kind in KINDS, "kind", f"{self.kind!r} is none of {', '.join(KINDS)}")
        self.require(0 <= self.ended <= LATEST, "ended", "is no time in unix seconds")
        unknown = next((one for one in self.causes if one not in CAUSES), "")
        self.require(not unknown, "causes", f"{unknown!r} is none of {', '.join(CAUSES)}")
        self.require(is_date(self.date), "name", "does not begin with a date")
        names = [one.model for one in self.models]
        self.require(bool(names) and len(set(names)) == len(names), "models", "is empty, or has a model twice")

    @property
    def date(self) -> str:
        """Return the day on which it began (UTC): 2026-11-28."""
        return self.name[:10]

    @property
    def failed(self) -> bool:
        """Return whether something is wrong with this night: a drop, or answers that are missing."""
        return any(one.failed for one in self.models)

    @property
    def outcome(self) -> str:
        """Return how it ended, in words; no alarm does not say that nothing fell, as a few inputs cannot tell."""
        return "FAILED" if self.failed else "no alarm"

    @property
    def sentence(self) -> str:
        """Return what is to be said of the night: the sentences of the models that failed, else of all."""
        told = [one for one in self.models if one.failed] or list(self.models)
        several = len(self.models) > 1
        return " ".join(f"{one.model}: {one.sentence}" if several else one.sentence for one in told)

    def of(self, model: str) -> NightModel | None:
        """Return the part of a model, None if it was not asked."""
        return next((one for one in self.models if one.model == model), None)
