"""What a chain of stages left: how each of them ended, and the page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scrollwork.pipeline.engines.inline import Finished
from scrollwork.suites.request import Request


@dataclass(frozen=True)
class Outcome:
    """What ran. report: the published page, of scores or of a build's statistics; None where there is none."""

    request: Request
    finished: tuple[Finished, ...]
    report: Path | None = None

    @property
    def failed(self) -> list[Finished]:
        """Stages that failed; stages skipped because of them are not included."""
        return [one for one in self.finished if one.how == "failed"]
