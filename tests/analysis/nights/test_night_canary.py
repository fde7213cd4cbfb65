"""The canary: what it asks for, what it misses, what it may not take as usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import scipy

from benchmarks.nights.canaries import CanaryShape, canary_alarms, canary_finds
from scrollwork.analysis.nights.canary import canary_verdict
from scrollwork.analysis.nights.night import ItemScore, Night, NightError
from scrollwork.analysis.nights.rule import STANDARD

TASKS = ("qasper", "qmsum")
ITEMS = tuple(f"q{number}" for number in range(25))
ASKED = dict.fromkeys(TASKS, ITEMS)


def night(
    name: str,
    seed: int,
    *,
    drop: float = 0.0,
    text: str = "same",
    altered: Sequence[str] = TASKS,
    items: Sequence[str] = ITEMS,
    unanswered: Sequence[str] = (),
    reported: Sequence[str] = (),
) -> Night:
    """A night of two tasks. text: of the answers of the altered tasks. drop: in points, of all of them."""
    random = np.random.default_rng(seed)
    rows = {
        task: [
            ItemScore(
                item,
                f"d {item}",
                None if item in unanswered else float(np.clip(random.normal(60 - drop, 14), 0, 100)),
                None if item in unanswered else (text if task in altered else "same"),
            )
            for item in items
        ]
        for task in TASKS
    }
    return Night.of(name, rows, frozenset(reported))


def nights(count: int, first_seed: int = 100) -> list[Night]:
    return [night(f"night {number}", first_seed + number) for number in range(count)]


def test_an_input_that_tonight_lacks_is_not_missed() -> None:
    few = night("tonight", 2, items=ITEMS[:10])
    found = canary_verdict(night("reference", 1), few, nights(3), asked=ASKED)
    assert found.ask_all
    assert (found.asked, found.missing, found.items) == (50, 30, 20)
    assert "30 of its 50 inputs cannot be compared with reference (30 of 50 have no answer tonight)" in found.sentence
    assert not canary_verdict(night("reference", 1), few, nights(3)).ask_all  # only what tonight has is known


@pytest.mark.parametrize("tonight", [night("tonight", 2, unanswered=ITEMS), night("tonight", 2, items=("other",))])
def test_a_canary_without_answers_is_quiet(tonight: Night) -> None:
    found = canary_verdict(night("reference", 1), tonight, nights(3), asked=ASKED)
    assert found.ask_all
    assert (found.missing, found.items, found.difference, found.p_drop) == (50, 0, None, 1.0)
    whole = Night("tonight", {"another task": tonight.tasks["qasper"]})
    assert canary_verdict(night("reference", 1), whole, nights(3), asked=ASKED).missing == 50


def test_one_missing_answer_asks_for_everything() -> None:
    found = canary_verdict(night("reference", 1), night("tonight", 2, unanswered=()), nights(3), asked=ASKED)
    assert (found.ask_all, found.missing, found.sentence) == (
        False,
        0,
        "The canary of 50 inputs shows no change.",
    )
    one = replace(STANDARD, coverage=0.9)
    assert not canary_verdict(night("r", 1), night("t", 2, unanswered=ITEMS[:2]), nights(3), one, ASKED).ask_all
    assert canary_verdict(night("r", 1), night("t", 2, unanswered=ITEMS[:3]), nights(3), one, ASKED).ask_all


def test_inputs_that_the_reference_lacks_count_as_compared() -> None:
    found = canary_verdict(night("reference", 1, items=ITEMS[:5]), night("tonight", 2), nights(3), asked=ASKED)
    assert found.ask_all
    assert (found.missing, found.items) == (0, 10)
    assert "40 of its 50 inputs cannot be compared with reference (0 of 50" in found.sentence


def test_inputs_that_were_not_asked_are_compared() -> None:
    asked = {"qasper": ITEMS[:10]}
    found = canary_verdict(night("reference", 1), night("tonight", 2), nights(3), asked=asked)
    assert (found.asked, found.items) == (10, 10)


def test_other_texts_are_not_seen() -> None:
    found = canary_verdict(night("reference", 1), night("tonight", 2, text="new"), nights(3), asked=ASKED)
    assert found.ask_all
    assert (found.changed, found.usually) == (1.0, 0.0)
    assert found.p_changed <= STANDARD.level / 2
    assert "100 % of its answers are others than in reference, 0 % on earlier nights" in found.sentence


def test_a_model_that_samples_asks_every_night() -> None:
    sampled = [night(f"night {number}", number, text=f"text {number}") for number in range(6)]
    found = canary_verdict(sampled[0], sampled[-1], sampled[1:-1], asked=ASKED)
    assert (found.changed, found.usually, found.p_changed, found.ask_all) == (1.0, 1.0, 1.0, False)


def test_the_first_night_says_that_nothing_changed() -> None:
    reference, tonight = night("reference", 1), night("tonight", 2, text="new")
    first = canary_verdict(reference, tonight, asked=ASKED)
    assert (first.changed, first.usually, first.ask_all, first.untold) == (1.0, None, True, True)
    assert first.sentence.endswith("and no earlier night says how many usually are.")
    known = canary_verdict(reference, tonight, asked=ASKED, before=nights(2))
    assert (known.ask_all, known.untold) == (True, False)


@pytest.mark.parametrize(("share", "asks"), [(0.0, False), (0.5, False), (0.52, True)])
def test_the_first_night_asks_for_few_other_texts_or_not_for_most(share: float, asks: bool) -> None:
    """Half of the texts may be others by chance where a model samples a little; that it shows no change is not said."""
    reference, same, other = night("reference", 1), night("tonight", 1), night("tonight", 1, text="new")
    tasks = {}
    for task, scores in same.tasks.items():
        count = round(share * len(scores.items))
        tasks[task] = replace(scores, answers=other.tasks[task].answers[:count] + scores.answers[count:])
    found = canary_verdict(reference, replace(same, tasks=tasks), asked=ASKED)
    assert (found.ask_all, found.untold) == (asks, asks), found.sentence
    assert ("shows no change" in found.sentence) is (share == 0)
    assert ("cannot tell" in found.sentence) is (share == 0.5)


def test_a_night_with_a_report_tells_what_is_usual() -> None:
    """Its texts were others; taken as usual they would hide those of tonight."""
    reference, tonight = night("reference", 1), night("tonight", 9, text="new")
    bad = night("bad", 3, text="new", reported=["qasper"])
    earlier = [night("good", 2), bad, night("good again", 4), night("and again", 5), night("and again", 6)]
    found = canary_verdict(reference, tonight, earlier, asked=ASKED)
    assert (found.usually, found.ask_all) == (0.0, True)
    unknown = [replace(one, reported=frozenset()) for one in earlier]
    assert canary_verdict(reference, tonight, unknown, asked=ASKED).usually == pytest.approx(1 / 5)


def test_a_drop_that_stands_asks_every_night() -> None:
    reference = night("reference", 1)
    tonight = night("tonight", 9, text="new", altered=["qasper"])
    standing = [night(f"night {number}", 10 + number, reported=["qasper"]) for number in range(4)]
    found = canary_verdict(reference, tonight, standing, asked=ASKED)
    assert (found.items, found.changed, found.ask_all) == (25, 0.0, False)
    both = [replace(one, reported=frozenset(TASKS)) for one in standing]
    found = canary_verdict(reference, tonight, both, asked=ASKED)
    assert (found.items, found.ask_all) == (0, False)
    assert found.sentence == "The canary is compared with nothing: drops of all its tasks stand reported."
    # a reference that was itself taken after the drop is the state that nights are compared with
    after = replace(reference, reported=frozenset(TASKS))
    assert canary_verdict(after, night("tonight", 9, text="new"), both, asked=ASKED).ask_all


def test_a_fall_of_scores_is_not_seen() -> None:
    found = canary_verdict(night("reference", 1), night("tonight", 2, drop=25), nights(9), asked=ASKED)
    assert found.ask_all
    assert found.difference == pytest.approx(-25, abs=8)
    assert found.interval is not None
    assert found.interval[0] < found.difference < found.interval[1]
    assert f"its mean fell by {-found.difference:.1f} points" in found.sentence
    assert not canary_verdict(night("reference", 1), night("tonight", 2, drop=-25), nights(9), asked=ASKED).ask_all


def test_a_lucky_reference_asks_for_everything() -> None:
    """Nights before the reference are no nights since it: all but the first are no window of a canary."""
    found = canary_verdict(night("reference", 1, drop=-8), night("tonight", 2), asked=ASKED, before=nights(5))
    assert (found.window, found.ask_all) == (1, False)
    assert found.p_drop > STANDARD.level


def test_texts_that_change_as_usual_ask_for_everything() -> None:
    """They were the reference's on one night, and were others on all nights since: tonight is as usual."""
    since = [night(f"night {number}", 20 + number, text="new", altered=["qasper"]) for number in range(8)]
    tonight = night("tonight", 9, text="new", altered=["qasper"])
    found = canary_verdict(night("reference", 1), tonight, [night("first", 2), *since], asked=ASKED)
    assert found.changed == 0.5
    assert found.p_changed > STANDARD.level / 2
    assert not found.ask_all


def test_a_canary_that_asks_for_nothing_is_quiet() -> None:
    for asked in ({}, {"qasper": ()}):
        with pytest.raises(NightError, match="night 'tonight': the canary asks for no input"):
            canary_verdict(night("reference", 1), night("tonight", 2), asked=asked)


def test_an_input_on_another_document_is_compared() -> None:
    moved = Night.of("tonight", {"qasper": [ItemScore(item, "elsewhere", 50.0) for item in ITEMS]})
    with pytest.raises(NightError, match=r"elsewhere.*in the reference"):
        canary_verdict(night("reference", 1), moved)


def test_a_canary_asks_too_often_without_change() -> None:
    """More than this many of 200 nights have a chance of 1 in 10,000 at 1 % a night."""
    found = canary_alarms(CanaryShape(), STANDARD, 20, 10)
    assert sum(found.asked) <= scipy.stats.binom(200, STANDARD.level).ppf(1 - 1e-4)


def test_a_canary_overlooks_a_large_change() -> None:
    assert canary_finds(CanaryShape(), STANDARD, 10.0, 0.0, 10, 2, 20)[-1] >= 0.8
    assert canary_finds(CanaryShape(), STANDARD, 0.0, 0.5, 10, 1, 20)[0] >= 0.95
