"""Estimate the output of a call: measured on the answers of a home, else guessed from references and effort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.base import CHARACTERS
from scrollwork.models.vendors.fill import likely_thoughts
from scrollwork.pipeline.session import Session

ENOUGH = 10  # fewest answers whose mean is better than a guess


class AnswerLengths:
    """The output tokens of a model's calls, and the reasoning among them.

    found: (number of answers, sum of their reasoning tokens, sum of their output tokens) by the request's limit of new
    tokens. A limit identifies task and effort: it is the task's token limit plus the room for reasoning, which depends
    on the effort. Tasks with one limit share a mean.
    """

    def __init__(self, table: Mapping[str, Any], found: Mapping[int, tuple[int, int, int]]) -> None:
        self._guess, self._found = likely_thoughts(table), found

    def answers(self, limit: int) -> int:
        """Return how many answers an estimate for this limit is measured on, 0 for a guess."""
        answers, _, _ = self._found.get(limit, (0, 0, 0))
        return answers if answers >= ENOUGH else 0

    def thoughts(self, limit: int) -> int:
        """Return the reasoning tokens of a call with this limit: the mean of `answers`, rounded, or a guess."""
        answers = self.answers(limit)
        if not (self._guess and answers):
            return self._guess
        return min(round(self._found[limit][1] / answers), limit)

    def output(self, limit: int, text_tokens: int) -> int:
        """Return the output tokens of a call with this limit, reasoning among them: the mean of `answers`, rounded.

        Without enough of them it is the expected text, of `text_tokens`, and the guessed reasoning.
        """
        if answers := self.answers(limit):
            return min(round(self._found[limit][2] / answers), limit)
        return min(text_tokens + self.thoughts(limit), limit)


def answer_lengths(model: str, table: Mapping[str, Any], session: Session) -> AnswerLengths:
    """Read the lengths of a model's answers from a home. Raises StorageError."""
    return AnswerLengths(table, session.store.output_tokens(model, CHARACTERS) if session.home.has_store else {})
