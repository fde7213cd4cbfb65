"""Estimate the reasoning tokens of a call: measured on the answers of a home, else guessed from the model's effort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.base import CHARACTERS
from scrollwork.models.vendors.fill import likely_thoughts
from scrollwork.pipeline.session import Session

ENOUGH = 10  # fewest answers whose mean is better than a guess


class Thoughts:
    """The reasoning tokens of a model's calls. thought: (number of answers, sum of their reasoning tokens) by the
    request's limit of new tokens."""

    def __init__(self, table: Mapping[str, Any], thought: Mapping[int, tuple[int, int]]) -> None:
        self._guess, self._thought = likely_thoughts(table), thought

    def answers(self, limit: int) -> int:
        """Return how many answers the estimate for this limit is measured on, 0 for a guess or without reasoning.

        A limit identifies task and effort: it is the task's token limit plus the room for reasoning, which depends on
        the effort.
        """
        answers, _ = self._thought.get(limit, (0, 0))
        return answers if self._guess and answers >= ENOUGH else 0

    def per_call(self, limit: int) -> int:
        """Return the reasoning tokens of a call with this limit: the mean of `answers`, rounded, or a guess."""
        answers = self.answers(limit)
        return min(round(self._thought[limit][1] / answers), limit) if answers else self._guess


def thoughts_of(model: str, table: Mapping[str, Any], session: Session) -> Thoughts:
    """Read a model's reasoning tokens from the answers of a home. Raises StorageError."""
    return Thoughts(table, session.store.thoughts(model, CHARACTERS) if session.home.has_store else {})
