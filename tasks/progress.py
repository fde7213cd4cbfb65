"""How far the stages are, told to whoever listens in this process: the command's bars, or nobody."""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """Hears of stages by title. May be called from several threads."""

    def said(self, text: str) -> None:
        """What happens outside of stages."""

    def started(self, title: str) -> None:
        """A stage begins."""

    def moved(self, title: str, done: int, total: int) -> None:
        """`done` of `total` items of a stage are finished."""

    def ended(self, title: str, how: str) -> None:
        """A stage ended: reused, built or failed."""


class _Nobody:
    def said(self, text: str) -> None: ...
    def started(self, title: str) -> None: ...
    def moved(self, title: str, done: int, total: int) -> None: ...
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


def tell(title: str, done: int, total: int) -> None:
    """Say how far a stage is."""
    _listener.moved(title, done, total)


def ended(title: str, how: str) -> None:
    """Say how a stage ended."""
    _listener.ended(title, how)
