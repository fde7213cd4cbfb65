"""Rank the models of everything that a home has scored for a suite with runs (SEAM)."""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.readings.home_scores import HomeScores
from scrollwork.readings.runs.experiments import experiments
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.storage.home import Home
from scrollwork.suites.tokenizers import length_tokenizer
from scrollwork.suites.vocabularies import load
from scrollwork.tasks.rank.parameters import rank_parameters
from scrollwork.tasks.rank.ranking import ranking_of
from scrollwork.tasks.report.behind_scores import ScoredTask


def rank(home: Home, scores: HomeScores, tasks: Sequence[ScoredTask]) -> Ranks:
    """Rank the models. tasks: artifacts for the correlation of scores with prompt lengths; empty to leave that out."""
    parameters = rank_parameters(scores.suite, [], scores.params.get("upper_bounds", ()), length_tokenizer())
    tokenizer = load(parameters.lengths, home)
    return ranking_of(parameters, scores.artifacts, tasks, tokenizer, experiments(home, scores.suite.name))
