"""How many tokens a call of a reasoning model thinks: measured on the answers of a home, else guessed by its effort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.base import CHARACTERS
from scrollwork.models.vendors.fill import likely_thoughts
from scrollwork.pipeline.session import Session

ENOUGH = 10  # answers whose mean says more than a guess


class Thoughts:
    """Of a model's calls. thought: by the new tokens that a request allowed, (answers, tokens thought in all of
    them)."""

    def __init__(self, table: Mapping[str, Any], thought: Mapping[int, tuple[int, int]]) -> None:
        self._guess, self._thought = likely_thoughts(table), thought

    def answers(self, limit: int) -> int:
        """The answers that the number for this limit is measured on, 0 for a guess or where there is no room to think.

        A limit stands for task and effort: it is the task's length and the room for thoughts, which is another for
        another effort."""
        answers, _ = self._thought.get(limit, (0, 0))
        return answers if self._guess and answers >= ENOUGH else 0

    def per_call(self, limit: int) -> int:
        """Tokens that a call of this limit thinks: the mean of `answers`, rounded, else a guess."""
        answers = self.answers(limit)
        return min(round(self._thought[limit][1] / answers), limit) if answers else self._guess


def thoughts_of(model: str, table: Mapping[str, Any], session: Session) -> Thoughts:
    """Read what a model of that name thought in the answers of a home. Raises StorageError."""
    return Thoughts(table, session.store.thoughts(model, CHARACTERS) if session.home.has_store else {})
