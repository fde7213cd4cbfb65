"""The outcome of a run: how each stage ended, and the page that was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.pipeline.engines.inline import Finished
from scrollwork.suites.request import Request


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command. report: the page that was written, with scores or with the statistics of a build; None
    if there is none. row: what a home notes of it (`note_run`); {} before its end."""

    request: Request
    finished: tuple[Finished, ...]
    report: Path | None = None
    row: Mapping[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> list[Finished]:
        """Return the stages that failed; stages skipped because of them are not included."""
        return [one for one in self.finished if one.how == "failed"]
