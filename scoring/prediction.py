"""One prediction of a system that ran elsewhere, and what is wrong with a file of them."""

from __future__ import annotations

import json
from dataclasses import dataclass


class SubmissionError(ValueError):
    """A file of predictions that cannot be used; the message names the place in it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the system answered to an input of a task; where it stands in the file.

    error: why there is no answer, "" where there is one. finish: how it ended (records.response.FINISH_REASONS).
    """

    task: str
    id: str
    text: str
    where: str
    error: str = ""
    finish: str = "complete"


def printable(text: str) -> str:
    """The text with "?" for each lone surrogate, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def quoted(text: str) -> str:
    """A text of the file in a message."""
    return json.dumps(text if len(text) <= 80 else text[:80] + "…")


def named(task: str, name: str) -> str:
    """An input in a message."""
    return f"{task}, id {quoted(name)}"
