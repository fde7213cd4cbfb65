"""How far the stages are, told to whoever listens in this process: the command's bars, or nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Listener(Protocol):
    """Hears of stages by title. May be called from several threads."""

    def said(self, text: str) -> None:
        """What happens outside of stages."""

    def started(self, title: str) -> None:
        """A stage begins."""

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        """`done` of `total` items of a stage are finished. steady: how fast says how long the rest takes."""

    def ended(self, title: str, how: str) -> None:
        """A stage ended: reused, built or failed."""


@dataclass(frozen=True)
class Standing:
    """How far a stage is that asks a model. done: answered or failed, of total; failed: for good, of those done.
    spent_nano_usd: by this process for this stage, without unpriced calls, whose cost nobody knows."""

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
    """Let `listener` hear of progress; None to stop."""
    global _listener
    _listener = listener or _Nobody()


def say(text: str) -> None:
    """Say what happens outside of stages."""
    _listener.said(text)


def started(title: str) -> None:
    """Say that a stage begins."""
    _listener.started(title)


def tell(title: str, done: int, total: int, steady: bool = True) -> None:
    """Say how far a stage is. steady: whether its pace so far says how long the rest takes."""
    _listener.moved(title, done, total, steady)


def ended(title: str, how: str) -> None:
    """Say how a stage ended."""
    _listener.ended(title, how)


_standings: dict[str, Standing | None] = {}  # of stages that somebody watches, by title


def watch(title: str) -> None:
    """Keep how far a stage is, for `standing`."""
    _standings[title] = None


def asked(title: str, standing: Standing) -> None:
    """Say how far a stage is that asks a model."""
    if title in _standings:
        _standings[title] = standing


def standing(title: str) -> Standing | None:
    """How far a watched stage is; None where it has asked nothing."""
    return _standings.get(title)


def unwatch(title: str) -> None:
    """Forget a stage."""
    _standings.pop(title, None)
