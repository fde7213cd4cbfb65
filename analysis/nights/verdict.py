"""Is tonight's run worse than the accepted night: a verdict on each task, and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil

from scrollwork.analysis.logs.difference import PairedScores
from scrollwork.analysis.nights.aligned import (
    Aligned,
    align,
    can_find,
    chosen_nights,
    detectable_drop,
    one_sided,
    paired_with,
)
from scrollwork.analysis.nights.exchange import Exchanged, exchange_test
from scrollwork.analysis.nights.night import Night
from scrollwork.analysis.nights.rule import STANDARD, Rule
from scrollwork.analysis.nights.sentence import (
    Blind,
    drop_sentence,
    low_sentence,
    lower_sentence,
    missing_sentence,
    quiet_sentence,
    standing_sentence,
)
from scrollwork.analysis.statistics.paired import ALPHA, holm


class State(StrEnum):
    """What is said of a task. Standing: its drop was reported on an earlier night, and is no news."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    CANNOT_TELL = "cannot tell"
    STANDING = "still down"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class TaskVerdict:
    """A task tonight. before, now: means, 0 to 100, of the nights before the window and of those in it.

    window: the last nights that are pooled, tonight included. against: nights before it, from the reference on.
    interval: of the difference, 95 %, clustered by document; None with one document. p: of a drop, p_rise: of a rise,
    one-sided, Holm over the tasks. items, documents: compared. missing: inputs without an answer tonight or in the
    reference; dropped: further ones that a night between lacks. added: inputs that the reference lacks. detectable:
    drop that is found on such a night with a chance of 80 %, None if none can be. items_to_decide: inputs with which
    that is a drop of the rule's size. Numbers are None where no input is shared.
    """

    task: str
    state: State
    asked: int
    missing: int
    items: int = 0
    documents: int = 0
    dropped: int = 0
    added: int = 0
    before: float | None = None
    now: float | None = None
    window: int = 0
    against: int = 0
    interval: tuple[float, float] | None = None
    p: float = 1.0
    p_rise: float = 1.0
    detectable: float | None = None
    items_to_decide: int | None = None

    @property
    def difference(self) -> float | None:
        """Return now - before, in points."""
        return None if self.now is None or self.before is None else self.now - self.before


@dataclass(frozen=True)
class Verdict:
    """All tasks of the reference, in its order. sentence: what happened. added: tasks that the reference lacks."""

    reference: str
    tonight: str
    tasks: tuple[TaskVerdict, ...]
    added: tuple[str, ...]
    sentence: str

    def of(self, *states: State) -> tuple[TaskVerdict, ...]:
        """Return the tasks in one of these states."""
        return tuple(one for one in self.tasks if one.state in states)

    @property
    def failed(self) -> bool:
        """Return whether a drop is reported tonight; one that was reported before and stands is no new one."""
        return bool(self.of(State.REGRESSED))

    @property
    def complete(self) -> bool:
        """Return whether every task had enough answers."""
        return not self.of(State.INCOMPLETE)

    @property
    def dropped(self) -> frozenset[str]:
        """Return the tasks whose drop is reported or stands: `Night.reported` of tonight for the nights to come."""
        return frozenset(one.task for one in self.of(State.REGRESSED, State.STANDING))


@dataclass(frozen=True, eq=False)
class _Tested:
    """The compared nights of a task, their test, and p of a drop and of a rise."""

    aligned: Aligned
    test: Exchanged
    drop: float
    rise: float


def verdict(reference: Night, tonight: Night, earlier: Sequence[Night] = (), rule: Rule = STANDARD) -> Verdict:
    """Compare tonight with the reference, the last accepted night, and with the nights since.

    earlier: full nights after the reference and before tonight, oldest first. A task regressed if p, corrected over the
    tasks, is at or below the rule's level and the drop at least of its size. Raises NightError if the same input is on
    another document than in the reference.
    """
    tested = {task: _tested(task, reference, earlier, tonight, rule) for task in reference.tasks}
    both = {task: (one.drop, one.rise) if one else (1.0, 1.0) for task, one in tested.items()}
    drops, rises = (holm({task: ps[side] for task, ps in both.items()}) for side in (0, 1))
    stood = earlier[-1].reported if earlier else frozenset()
    found = tuple(
        _judged(task, reference, one, (drops[task], rises[task]), rule, task in stood) for task, one in tested.items()
    )
    added = tuple(sorted(set(tonight.tasks) - set(reference.tasks)))
    return Verdict(reference.name, tonight.name, found, added, _sentence(found, reference.name, rule))


def _tested(task: str, reference: Night, earlier: Sequence[Night], tonight: Night, rule: Rule) -> _Tested | None:
    """Align the nights of a task and test them; None if tonight shares no answered input with the reference."""
    if task not in tonight.tasks:
        return None
    aligned = align(task, reference, chosen_nights(task, earlier, rule), tonight, rule)
    if aligned is None:
        return None
    test = exchange_test(aligned.sums, rule.windows, rule.level, len(reference.tasks), task)
    drop = one_sided(aligned, test.drop, test.lowest, -1, rule.level)
    return _Tested(aligned, test, drop, one_sided(aligned, test.rise, test.highest, 1, rule.level))


def _judged(
    task: str, reference: Night, tested: _Tested | None, ps: tuple[float, float], rule: Rule, stood: bool
) -> TaskVerdict:
    """Give a task its state, from p corrected over the tasks."""
    if tested is None:
        asked = len(reference.tasks[task])
        return TaskVerdict(task, State.INCOMPLETE, asked, asked)
    aligned, test = tested.aligned, tested.test
    rose = ps[1] < ps[0]
    window = (test.highest if rose else test.lowest).nights
    scores = paired_with(aligned, window)
    detectable = detectable_drop(scores, len(aligned.names), rule, len(reference.tasks))
    found = TaskVerdict(
        task,
        State.CANNOT_TELL,
        aligned.asked,
        aligned.missing,
        aligned.items,
        scores.clusters,
        aligned.dropped,
        aligned.added,
        float(scores.b.mean()),
        float(scores.a.mean()),
        window,
        len(aligned.names) - window,
        scores.interval(),
        *ps,
        detectable,
        None if detectable is None or not rule.size else ceil(aligned.items * (detectable / rule.size) ** 2),
    )
    return replace(found, state=_state(found, scores, rule, stood))


def _state(found: TaskVerdict, scores: PairedScores, rule: Rule, stood: bool) -> State:
    """A drop counts also where answers are missing; that they are missing counts before all else that could be said."""
    if found.p <= rule.level and -scores.mean >= rule.size:
        return State.STANDING if stood else State.REGRESSED
    if found.missing > (1 - rule.coverage) * found.asked + 1e-9:
        return State.INCOMPLETE
    if found.p_rise <= rule.level and scores.mean >= rule.size:
        return State.IMPROVED
    inside = scores.equivalence(rule.size) if rule.size else None
    return State.UNCHANGED if inside is not None and inside <= ALPHA else State.CANNOT_TELL


def _sentence(found: Sequence[TaskVerdict], reference: str, rule: Rule) -> str:
    """Say what dropped, else what is missing, else that nothing was found and what could have been; and what is still
    down from earlier nights."""
    states: Mapping[State, list[TaskVerdict]] = {state: [one for one in found if one.state is state] for state in State}
    if worst := sorted(states[State.REGRESSED], key=lambda one: one.difference or 0.0):
        return drop_sentence(
            [
                (one.task, one.before or 0.0, one.now or 0.0, one.interval, one.p, one.window, one.against)
                for one in worst
            ],
            reference,
            len(found),
        ) + lower(found, rule)
    standing = standing_sentence([(one.task, -(one.difference or 0.0), one.window) for one in states[State.STANDING]])
    if lacking := states[State.INCOMPLETE]:
        missing = [(one.task, one.missing, one.asked) for one in lacking]
        return missing_sentence(missing, reference, any(one.items for one in found)) + standing + lower(found, rule)
    least = [one.detectable for one in found if one.detectable is not None]
    counts = {state.value: len(ones) for state, ones in states.items() if ones}
    untold = [one for one in found if one.state is State.CANNOT_TELL]
    tests = sum(one.p > rule.level for one in found)  # Holm: a task that dropped, and stands, is not counted further
    blind: list[Blind] = [
        (one.task, one.documents, nights)
        for one in untold
        if not can_find(one.documents, nights := one.window + one.against, rule, tests)
    ]
    fall = min(((one.difference or 0.0, one.task, one.window) for one in untold), default=(0.0, "", 1))
    low = [one.task for one in found if one.before is not None and one.before < rule.size]
    return (
        quiet_sentence(counts, reference, max(least, default=None), rule.level, blind, fall)
        + standing
        + low_sentence(low, rule.size)
    )


def lower(found: Sequence[TaskVerdict], rule: Rule = STANDARD) -> str:
    """Return a further sentence on tasks that fell by the rule's size or more and of which the gate cannot tell."""
    falls = [(one.task, -(one.difference or 0.0), one.window) for one in found if one.state is State.CANNOT_TELL]
    return lower_sentence([one for one in falls if one[1] >= rule.size])
