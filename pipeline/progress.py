"""Progress of stages, sent to the listener of this process (the progress bars of a command), if there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Listener(Protocol):
    """Receives progress of stages by their titles. Called from several threads."""

    def said(self, text: str) -> None:
        """A message that belongs to no stage."""

    def started(self, title: str) -> None:
        """A stage begins."""

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        """`done` of `total` items of a stage are finished. steady: how fast says how long the rest takes."""

    def ended(self, title: str, how: str) -> None:
        """A stage ended: reused, built or failed."""


@dataclass(frozen=True)
class Standing:
    """Progress of a stage that asks a model, in requests. done: answered or failed for good; failed: of those done.
    spent_nano_usd: by this process for this stage, in billionths of a dollar, without the `unpriced` calls."""

    done: int
    total: int
    failed: int = 0
    spent_nano_usd: int = 0
    unpriced: int = 0

    def __str__(self) -> str:
        unknown = f" and {self.unpriced:,} calls of unknown cost" if self.unpriced else ""
        spent = f"${self.spent_nano_usd / 10**9:,.4f}{unknown} spent"
        return f"{self.done - self.failed:,} of {self.total:,} answered, {self.failed:,} failed, {spent}"


class _Nobody:
    def said(self, text: str) -> None: ...
    def started(self, title: str) -> None: ...
    def moved(self, title: str, done: int, total: int, steady: bool) -> None: ...
    def ended(self, title: str, how: str) -> None: ...


_listener: Listener = _Nobody()


def listen(listener: Listener | None) -> None:
    """Send progress to `listener` from now on; None to stop."""
    global _listener
    _listener = listener or _Nobody()


def say(text: str) -> None:
    """Report a message that belongs to no stage."""
    _listener.said(text)


def started(title: str) -> None:
    """Report that a stage begins."""
    _listener.started(title)


def tell(title: str, done: int, total: int, steady: bool = True) -> None:
    """Report that `done` of `total` items of a stage are finished. steady: whether the pace predicts the rest."""
    _listener.moved(title, done, total, steady)


def ended(title: str, how: str) -> None:
    """Report how a stage ended: reused, built or failed."""
    _listener.ended(title, how)


_standings: dict[str, Standing | None] = {}  # of stages that somebody watches, by title


def watch(title: str) -> None:
    """Keep the progress of a stage from now on, for `standing`."""
    _standings[title] = None


def asked(title: str, standing: Standing) -> None:
    """Report the progress of a stage that asks a model."""
    if title in _standings:
        _standings[title] = standing


def standing(title: str) -> Standing | None:
    """The last progress of a watched stage; None if it has asked nothing."""
    return _standings.get(title)


def unwatch(title: str) -> None:
    """Stop keeping the progress of a stage."""
    _standings.pop(title, None)
