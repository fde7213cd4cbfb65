"""The bootstrap over windows: what is drawn, how often categories come out, what may not matter."""

from __future__ import annotations

import numpy as np
import pytest

from scrollwork.analysis.windows import bootstrap
from scrollwork.analysis.windows.bootstrap import resample_counts
from scrollwork.analysis.windows.fit import fitting
from scrollwork.analysis.windows.fit.candidates import COW, PIG
from scrollwork.analysis.windows.fit.cow import Options
from scrollwork.analysis.windows.fit.fitting import Settings, TaskFit, fit_tasks
from scrollwork.analysis.windows.observations import read_observations
from tests.analysis.dolce.dolce_vectors import NOISE, observations


def test_windows_that_overlap_are_drawn_as_if_they_did_not() -> None:
    units, lengths = np.array([100]), np.array([[0, 1, 50, 100, 7]])
    counts = np.array([[[0, 0, 1.0], [60, 0, 40], [20, 0, 31], [1, 0, 0], [0, 0, 0]]])
    found = resample_counts(units, lengths, counts, 4000, np.random.default_rng(1))
    assert found.sum(axis=3) == pytest.approx(np.tile(counts.sum(axis=2), (4000, 1, 1)))
    assert (found[:, :, [0, 3, 4]] == counts[:, [0, 3, 4]]).all()
    assert found.mean(axis=0) == pytest.approx(counts, abs=1.0)
    assert found[:, 0, 1, 0].std() == pytest.approx(np.sqrt(100 * 0.6 * 0.4), rel=0.05)
    assert set(np.unique(found[:, 0, 2, 0])) == {0, 25.5, 51}, "two windows of 50 units lie beside each other in 100"


def fitted(rows: list[dict[str, object]], scenario: str = COW, **more: object) -> TaskFit:
    settings = Settings(scenario, cow=Options(noise=NOISE), **more)  # type: ignore[arg-type]
    (found,) = fit_tasks(read_observations(rows).tasks, settings)
    return found


def row(length: int, outcome: str, count: int = 1) -> dict[str, object]:
    return {"task": "t", "problem": "p", "units": 100, "length": length, "outcome": outcome, "count": count}


@pytest.mark.parametrize("scenario", [COW, PIG])
def test_probabilities_are_no_shares_of_draws(scenario: str) -> None:
    plain, drawn = (fitted(observations(), scenario, draws=draws) for draws in (0, 40))
    for one, other in zip(plain.problems, drawn.problems, strict=True):
        assert (one.complexity, one.redundancy, one.weight) == (other.complexity, other.redundancy, other.weight)
        assert sum(other.probabilities) == pytest.approx(1)
        assert other.probabilities[other.category] == max(other.probabilities)
        assert other.undecided == (max(other.probabilities) < 0.8)
    assert [one.probabilities for one in plain.problems] != [one.probabilities for one in drawn.problems]
    assert sum(drawn.shares) == pytest.approx(1)


def test_windows_that_tell_nothing_are_decided_by_drawing_them_again() -> None:
    (problem,) = fitted([row(100, "1")], draws=20).problems
    assert problem.probabilities == pytest.approx([0.2] * 5)
    assert problem.undecided
    sure = fitted([row(0, "idk"), row(1, "1", 60), row(1, "idk", 40), row(10, "1", 91), row(100, "1")], draws=20)
    assert (sure.problems[0].category, sure.problems[0].undecided) == (1, False)


def test_pieces_change_what_is_drawn_or_two_calls_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = fitted(observations(), draws=12)
    assert fitted(observations(), draws=12) == wanted
    monkeypatch.setattr(bootstrap, "CELLS", 1)
    once = fitted(observations(), draws=12)
    assert [one.probabilities for one in once.problems] == [one.probabilities for one in wanted.problems]
    assert fitted(observations(), draws=12, seed=1) != wanted
    for wrong in ({"draws": -1}, {"draws": fitting.MOST_DRAWS + 1}, {"seed": -1}):
        with pytest.raises(ValueError, match="bootstrap"):
            Settings(**wrong)
