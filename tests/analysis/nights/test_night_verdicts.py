"""The verdict: what it may not depend on, drops that stand and come back, and input that no night can have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb, inf, nan
from typing import Any

import numpy as np
import pytest

from scrollwork.analysis.nights.exchange import least_p
from scrollwork.analysis.nights.night import ItemScore, Night, NightError, TaskScores
from scrollwork.analysis.nights.rule import Rule, level_spent
from scrollwork.analysis.nights.verdict import State, Verdict, verdict
from scrollwork.analysis.statistics.intervals import Floats

TASKS = ("narrativeqa", "qasper", "quality")


def rows(scores: Floats, size: int = 5, answered: float = 1.0) -> list[ItemScore]:
    """Inputs in documents of `size`; the first share of them is answered."""
    return [
        ItemScore(f"q{at:06d}", f"d{at // size:06d}", float(score) if at < answered * len(scores) else None)
        for at, score in enumerate(scores)
    ]


def night(name: str, seed: int, drops: Mapping[str, float] | None = None, items: int = 100, **more: Any) -> Night:
    """A night of three tasks. drops: by task, in points."""
    random = np.random.default_rng(seed)
    drawn = {task: np.clip(random.normal(60 - (drops or {}).get(task, 0.0), 10, items), 0, 100) for task in TASKS}
    return Night.of(name, {task: rows(scores, **more) for task, scores in drawn.items()})


def in_turn(drops: Sequence[float]) -> list[Verdict]:
    """The verdicts of nights on which qasper is so many points lower, each with what was reported before."""
    reference, earlier, found = night("reference", 1000), [], []
    for number, drop in enumerate(drops):
        tonight = night(f"night {number}", number, {"qasper": drop})
        found.append(verdict(reference, tonight, earlier))
        earlier.append(replace(tonight, reported=found[-1].dropped))
    return found


def states(found: Verdict) -> dict[str, State]:
    return {one.task: one.state for one in found.tasks}


@pytest.mark.parametrize(("fall", "named"), [(6.0, True), (0.5, False)])
def test_a_drop_hides_a_fall_of_which_the_gate_cannot_tell(fall: float, named: bool) -> None:
    drawn = np.random.default_rng(5).normal(60, 10, 100)
    few = np.linspace(40, 60, 10)
    reference = Night.of("reference", {"qasper": rows(drawn), "quality": rows(few)})
    tonight = Night.of("tonight", {"qasper": rows(drawn - 12), "quality": rows(few - fall)})
    found = verdict(reference, tonight, [])
    assert states(found) == {"qasper": State.REGRESSED, "quality": State.CANNOT_TELL}
    told = " Lower, too, of which the gate cannot tell: quality by 6.0 points tonight."
    assert found.sentence.endswith(told) is named
    assert ("Lower, too" in found.sentence) is named


def test_a_drop_on_one_task_is_not_named() -> None:
    found = verdict(night("reference", 1), night("tonight", 2, {"qasper": 12.0}), [night("between", 3)])
    assert found.failed
    assert found.dropped == {"qasper"}
    assert [one.task for one in found.of(State.REGRESSED)] == ["qasper"]
    one = found.tasks[1]
    assert one.difference == pytest.approx(-12, abs=4)
    assert found.sentence.startswith(f"qasper fell by {-(one.difference or 0):.1f} points, from ")
    assert "against the accepted night reference" in found.sentence
    assert "corrected over 3 tasks" in found.sentence


def test_a_verdict_depends_on_order_or_names() -> None:
    reference, between, tonight = night("a", 1), night("b", 3), night("c", 2, {"qasper": 5.0})
    plain = verdict(reference, tonight, [between])

    def shuffled(one: Night, name: str) -> Night:
        random = np.random.default_rng(7)
        tasks = {}
        for task in reversed(TASKS):
            scores = one.tasks[task]
            order = random.permutation(len(scores))
            tasks[task] = [ItemScore(scores.items[at], scores.documents[at], float(scores.scores[at])) for at in order]
        return Night.of(name, tasks)

    other = verdict(shuffled(reference, "z"), shuffled(tonight, "y"), [shuffled(between, "x")])
    assert {one.task: one for one in other.tasks} == {one.task: one for one in plain.tasks}
    assert [one.task for one in plain.tasks] == list(TASKS)
    tail = {one.task: one for one in verdict(reference, replace(tonight, name="c"), [between]).tasks}
    assert tail == {one.task: one for one in plain.tasks}


def eight(fall: float, spread: float = 0.01) -> list[ItemScore]:
    """Eight documents of one input, which fall nearly alike: exchange alone decides, 1 of 256 orders."""
    return rows(np.array([50 - fall - spread * at for at in range(8)]) if fall else np.full(8, 50.0), 1)


def test_p_is_not_corrected_by_holm() -> None:
    tasks = {f"t{number}": 0.0 for number in range(10)}
    fell = {**tasks, "t3": 10.0, "t7": 20.0}
    reference = Night.of("reference", {task: eight(0) for task in tasks})
    found = verdict(reference, Night.of("tonight", {task: eight(fall) for task, fall in fell.items()}), rule=Rule(0))
    ps = {one.task: one.p for one in found.tasks}
    assert ps == pytest.approx({**dict.fromkeys(tasks, 1.0), "t3": 10 / 256, "t7": 10 / 256})
    assert not found.failed
    alone = verdict(Night.of("r", {"t3": eight(0)}), Night.of("n", {"t3": eight(10)}))
    assert alone.tasks[0].p == pytest.approx(1 / 256)
    assert alone.failed


def test_a_drop_that_stands_is_reported_again_or_one_that_comes_back_is_not() -> None:
    found = in_turn([0, 0, 15, 15, 15, 0, 0, 0, 0, 15])
    reported = [one.failed for one in found]
    assert reported == [False, False, True, False, False, False, False, False, False, True]
    assert states(found[3])["qasper"] is State.STANDING
    assert "No new drop" in found[3].sentence
    assert "1 still down" in found[3].sentence
    told = r" Still down, as reported before: qasper by \d+\.\d points over the last 2 nights\.$"
    assert re.search(told, found[3].sentence)
    assert found[8].dropped == frozenset()  # no window reaches a night of the drop


def test_nights_of_a_reported_drop_are_what_tonight_is_compared_with() -> None:
    """Six nights of a drop in the baseline would bring its mean down by most of the drop."""
    found = in_turn([0, 0, 0, *[15.0] * 6])
    one = found[-1].tasks[1]
    assert one.state is State.STANDING
    assert one.before == pytest.approx(60, abs=3)
    assert one.difference == pytest.approx(-15, abs=4)


@pytest.mark.parametrize(
    "score", [nan, inf, -inf, True, np.True_, 1e300, -0.1, 100.1, "50", b"50", [50.0], 1j, np.float64(nan)], ids=repr
)
def test_no_score_is_taken(score: Any) -> None:
    wrong = [ItemScore("q0", "d0", 50.0), ItemScore("q1", "d0", score)]
    with pytest.raises(NightError, match=r"^night '2026-11-28', task 'qasper', row 2, item 'q1', field \"score\": "):
        Night.of("2026-11-28", {"qasper": wrong})


@pytest.mark.parametrize(
    "name", ["", "two\nlines", "\x1b[31mred", "\u202eturned", "x" * 301, "\ud800", "a\tb", None, 7]
)
def test_a_name_that_spoils_a_report_is_taken(name: Any) -> None:
    good = ItemScore("q0", "d0", 50.0)
    for wrong, field in (
        (lambda: Night.of(name, {"qasper": [good]}), 'field "name"'),
        (lambda: Night.of("n", {name: [good]}), 'field "task"'),
        (lambda: Night.of("n", {"qasper": [ItemScore(name, "d0", 50.0)]}), 'row 1, field "item"'),
        (lambda: Night.of("n", {"qasper": [ItemScore("q0", name, 50.0)]}), 'row 1, field "document"'),
    ):
        with pytest.raises(NightError, match=field) as met:
            wrong()
        assert str(met.value).isprintable()
        assert len(str(met.value)) < 300


def test_nothing_or_the_same_input_twice_is_a_night() -> None:
    good = ItemScore("q0", "d0", 50.0)
    with pytest.raises(NightError, match="row 2: the item 'q0' stands there twice"):
        Night.of("n", {"qasper": [good, good]})
    with pytest.raises(NightError, match="night 'n': no tasks"):
        Night.of("n", {})
    with pytest.raises(NightError, match="night 'n', task 'qasper': no items"):
        Night.of("n", {"qasper": []})


def test_an_input_that_moved_is_compared() -> None:
    moved = Night.of("tonight", {"qasper": rows(np.full(10, 50.0), size=2)})
    with pytest.raises(NightError, match=r"night 'tonight', task 'qasper', item 'q000002', field \"document\""):
        verdict(Night.of("reference", {"qasper": rows(np.full(10, 50.0), size=5)}), moved)


def test_missing_answers_hide_or_make_a_drop() -> None:
    reference, whole = night("reference", 1), night("tonight", 2)
    gone = Night("tonight", {task: whole.tasks[task] for task in TASKS if task != "qasper"})
    found = verdict(reference, gone)
    assert states(found)["qasper"] is State.INCOMPLETE
    assert (found.complete, found.failed) == (False, False)
    assert "qasper (100 of 100). What could be compared shows no new drop." in found.sentence
    lost = verdict(reference, Night("tonight", {"new": whole.tasks["qasper"]}))
    assert lost.sentence.endswith(". Nothing could be compared.")
    part = verdict(reference, night("tonight", 2, answered=0.9))
    assert set(states(part).values()) == {State.INCOMPLETE}
    assert part.tasks[0].missing == 10
    fell = verdict(reference, night("tonight", 2, {"qasper": 15.0}, answered=0.9))
    assert (fell.failed, fell.complete, fell.dropped) == (True, False, {"qasper"})
    # whatever is not answered: neither side has it
    easy = Night.of("tonight", {task: rows(reference.tasks[task].scores, answered=0.5) for task in TASKS})
    assert {one.difference for one in verdict(reference, easy).tasks} == {0.0}


def test_a_task_that_scores_nothing_is_said_to_be_watched() -> None:
    nothing = Night.of("r", {"qasper": rows(np.zeros(100)), "quality": rows(np.full(100, 50.0))})
    found = verdict(nothing, replace(nothing, name="n"))
    assert found.sentence.endswith(" Below 1 point before, so no drop can be seen: qasper.")


def test_a_task_that_is_new_is_compared_or_unnamed() -> None:
    tonight = night("tonight", 2)
    more = replace(tonight, tasks={**tonight.tasks, "new": tonight.tasks["qasper"]})
    assert verdict(night("reference", 1), more).added == ("new",)


def test_a_document_that_was_another_one_on_a_night_between_ends_the_comparison() -> None:
    reference, tonight = night("reference", 1), night("tonight", 2, {"qasper": 12.0})
    other = night("between", 3).tasks["qasper"]
    moved = TaskScores(other.items, ("elsewhere", *other.documents[1:]), other.scores, other.answers)
    between = Night("between", {**night("between", 3).tasks, "qasper": moved})
    found = verdict(reference, tonight, [between])
    assert states(found)["qasper"] == State.REGRESSED
    assert [one.window + one.against for one in found.tasks] == [3, 2, 3]


@pytest.mark.parametrize("nights", [2, 13])
def test_one_document_shows_a_drop(nights: int) -> None:
    """Its inputs are not independent. The last three of 13 nights are the lowest in 1 of 286 orders only."""
    scores = np.linspace(40, 90, 200)
    falls = [at / 10 - (30 if at >= nights - 3 and at else 0) for at in range(nights)]
    reference, *earlier, tonight = (
        Night.of(f"night {at}", {"qasper": rows(scores + fall, 200)}) for at, fall in enumerate(falls)
    )
    found = verdict(reference, tonight, earlier).tasks[0]
    assert (found.state, found.interval) == (State.CANNOT_TELL, None)
    assert found.p >= 0.5


@pytest.mark.parametrize(("inputs", "state"), [(500, State.CANNOT_TELL), (2000, State.UNCHANGED)])
def test_equal_scores_are_a_change(inputs: int, state: State) -> None:
    """A hundred documents without a difference do not yet show that none has one; four hundred do."""
    same = {"qasper": rows(np.full(inputs, 73.0))}
    found = verdict(Night.of("reference", same), Night.of("tonight", same), [Night.of("between", same)])
    one = found.tasks[0]
    assert (one.state, one.p, one.p_rise, one.difference) == (state, 1.0, 1.0, 0.0)
    low = Night.of("tonight", {"qasper": rows(np.full(inputs, 70.0))})
    assert verdict(Night.of("reference", same), low).failed  # all by the same amount: nothing varies, all fell


def test_right_and_wrong_answers_are_not_tested() -> None:
    random = np.random.default_rng(4)
    right = 100.0 * (random.random(500) < 0.8)
    lost = np.where(random.random(500) < 0.1, 0.0, right)
    reference = Night.of("reference", {"qasper": rows(right)})
    assert verdict(reference, Night.of("tonight", {"qasper": rows(lost)})).failed
    assert verdict(Night.of("reference", {"qasper": rows(lost)}), Night.of("n", {"qasper": rows(right)})).of(
        State.IMPROVED
    )


def test_a_drop_below_the_size_is_reported() -> None:
    scores = np.random.default_rng(2).normal(50, 10, 500).clip(5, 95)
    reference = Night.of("reference", {"qasper": rows(scores)})
    small = Night.of("tonight", {"qasper": rows(scores - 0.9)})
    assert not verdict(reference, small).failed
    assert verdict(reference, small, rule=Rule(size=0.5)).failed


@pytest.mark.parametrize("fall", [0.0, pytest.param(2.0, marks=pytest.mark.slow)])
def test_a_hundred_thousand_inputs_are_too_many(fall: float) -> None:
    count = 100_000
    random = np.random.default_rng(6)
    items, documents = (
        tuple(f"{letter}{at // size:06d}" for at in range(count)) for letter, size in (("q", 1), ("d", 5))
    )

    def many(name: str, fall: float = 0.0) -> Night:
        scores = np.clip(random.normal(60 - fall, 10, count), 0, 100)
        return Night(name, {"qasper": TaskScores(items, documents, scores, (None,) * count)})

    nights = [many(f"night {number}") for number in range(4)]
    assert verdict(nights[0], many("tonight", fall), nights[1:]).failed is bool(fall)


@pytest.mark.parametrize(
    "wrong",
    [{"size": nan}, {"size": 101}, {"level": 0}, {"level": 0.2}, {"windows": 4}, {"baseline": 21}, {"coverage": 0}],
)
def test_a_rule_that_holds_no_level_is_taken(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}: "):
        Rule(**wrong)  # type: ignore[arg-type]


def test_the_level_over_many_nights_is_overspent() -> None:
    assert level_spent(0.05, 365) * 365 == pytest.approx(0.05)
    for chance, nights in ((0.0, 3), (1.0, 3), (0.05, 0)):
        with pytest.raises(ValueError, match="chance"):
            level_spent(chance, nights)


def few(nights: int, documents: int, fall: float, tasks: Sequence[str] = ("qasper", "quality")) -> Verdict:
    """Scores of some documents, one input each, which differ a little from night to night, and fall on the last one."""
    random = np.random.default_rng(3)
    scores = [50 + random.normal(0, 0.5, documents) - (fall if at == nights - 1 else 0) for at in range(nights)]
    reference, *earlier, tonight = (
        Night.of(f"night {at}", {task: rows(one, 1) for task in tasks}) for at, one in enumerate(scores)
    )
    return verdict(reference, tonight, earlier)


def test_a_night_that_could_show_nothing_is_as_good_as_one_without_a_drop() -> None:
    found = few(2, 3, 4.0)
    assert set(states(found).values()) == {State.CANNOT_TELL}
    assert all(one.detectable is None for one in found.tasks)
    fall = -min(one.difference or 0.0 for one in found.tasks)
    assert fall == pytest.approx(4, abs=1)
    assert (
        "Cannot tell: too few documents and nights to report any drop against the accepted night night 0, of qasper (3 "
        f"documents, 2 nights), quality (3 documents, 2 nights); the largest fall is {fall:.1f} points tonight, of qasper."
    ) in found.sentence
    many = few(2, 3, 4.0, tuple(f"t{number}" for number in range(5))).sentence
    assert "t2 (3 documents, 2 nights) and 2 tasks more; " in many


@pytest.mark.parametrize(("nights", "documents"), [(2, 6), (2, 8), (5, 3), (13, 2), (4, 4)])
def test_a_drop_is_said_to_be_out_of_reach_and_is_reported(nights: int, documents: int) -> None:
    """A fall by the same amount everywhere is the clearest there is: reported exactly where one could be."""
    scores = np.linspace(40, 60, documents)
    reference, *earlier, tonight = (
        Night.of(f"night {at}", {"qasper": rows(scores - (20 if at == nights - 1 else 0), 1)}) for at in range(nights)
    )
    found = verdict(reference, tonight, earlier)
    reach = least_p(nights, documents, 3)
    low = max(comb(nights, last) for last in (*range(1, min(3, nights - 1) + 1), nights - 1))
    assert reach == pytest.approx(low**-documents)
    assert found.tasks[0].p >= reach * 0.999
    if not found.failed:
        assert found.tasks[0].p > 0.01
        assert reach > 0.01 or nights**-documents > 0.01  # one last night alone is rarer in no order
    assert ("too few documents and nights" in found.sentence) is (reach > 0.01)


def test_a_drop_that_could_be_found_has_no_size() -> None:
    found = few(10, 4, 0.4, ("qasper",))
    assert found.tasks[0].detectable is not None
    assert "points on a task would be found in 80 % of cases, a smaller one less often; the largest fall is" in (
        found.sentence
    )
