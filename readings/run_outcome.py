"""The outcome of a run: how each stage ended, and the page that was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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

    @property
    def failures(self) -> list[tuple[str, str]]:
        """Return (title, error) of the stages that failed; shares of one stage that failed alike are one."""
        alike: dict[tuple[str, str], list[str]] = {}
        for one in self.failed:
            whole = replace(one.node, labels=tuple(label for label in one.node.labels if label[0] != "shard"))
            alike.setdefault((whole.title, one.error), []).append(one.node.title)
        return [(whole if len(titles) > 1 else titles[0], error) for (whole, error), titles in alike.items()]
