"""Report what the first replies of a model show before the other requests are sent.

If a home holds no answer of a hosted model, its requests are sent one by one until two are answered (`alone` of
models/engine/breaker.py). These requests belong to the run: their answers are stored like all others.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from scrollwork.models.base import Answer, Attempt, Call
from scrollwork.models.engine.breaker import OF_ONE_PROMPT
from scrollwork.models.hosted.error_replies import message_line
from scrollwork.models.vendors.differences import FirstReply, differences
from scrollwork.pipeline.calling import CallSettings, first_time

log = logging.getLogger("scrollwork")
SILENT = 3  # attempts without any answer before that is reported
LOOKED_AT = 2  # answers that are checked


class FirstReplies:
    """The check of a model's first replies in one stage: it warns once, early, of what a user should know.

    title: of the stage. new: the home holds no answer of the model yet.
    """

    def __init__(self, title: str, model: str, table: Mapping[str, Any], calling: CallSettings, *, new: bool) -> None:
        self._title, self._model, self._table, self._calling = title, model, table, calling
        self._attempts, self._any_answered = 0, False
        self._checks = new
        self._replies: list[FirstReply] = []

    def note_attempt(self, attempt: Attempt) -> None:
        """Note an attempt. Warn if only problems have come so far (the wait may be long, or the address wrong), if the
        first request was refused, or if the reported usage is impossible."""
        self._attempts += 1
        self._any_answered = self._any_answered or attempt.outcome == "answered"
        if (
            attempt.outcome == "transient"
            and self._attempts >= SILENT
            and not self._any_answered
            and self._first_time("no answer")
        ):
            log.warning("%s: no answer so far: %s; it is tried again", self._title, attempt.message)
        of_request = attempt.outcome == "terminal" and attempt.status in OF_ONE_PROMPT  # others end the run and say so
        if of_request and self._checks and not self._any_answered and self._first_time("refused"):
            log.warning("%s: the first request was refused: %s", self._title, attempt.message)
        if attempt.outcome == "answered" and attempt.message and self._first_time("usage"):
            log.warning("%s: %s. Such calls count for what was set aside", self._title, attempt.message)

    def note_answer(self, answer: Answer, call: Call, attempt: Attempt | None) -> None:
        """Note an answer, and warn if it differs from the model's table. attempt: the one that gave it, if known."""
        if self._checks and not self._replies:
            self._checks = self._first_time("first replies")  # only the stage with the first answer looks at it
        if not self._checks or len(self._replies) >= LOOKED_AT:
            return
        tier, doubted = (attempt.service, bool(attempt.message)) if attempt is not None else ("", False)
        last = FirstReply(call.ask, answer.usage, message_line(answer.reported_model), tier, doubted)
        for kind, line in differences(self._table, last, *self._replies):
            if self._first_time(f"first replies: {kind}"):
                log.warning("%s: %s", self._model, line)
        self._replies.append(last)

    def _first_time(self, what: str) -> bool:
        return first_time(self._model, self._calling, what)
