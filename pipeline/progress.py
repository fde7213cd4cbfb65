"""Send the progress of stages to the listener of this process, if there is one.

The listener is, for example, the progress display of a command. Stages are known by their titles (`Node.title`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


class Listener(Protocol):
    """Receives the progress of stages. Its methods are called from several threads."""

    def said(self, text: str) -> None:
        """Take a message that belongs to no stage."""

    def started(self, title: str) -> None:
        """Note that a stage begins."""

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        """Note that `done` of `total` items of a stage are finished.

        steady: True if the time that the rest will take can be estimated from the pace so far.
        """

    def ended(self, title: str, how: str) -> None:
        """Note that a stage ended. how: "reused", "built", "failed", or "stopped" by the user."""


@dataclass(frozen=True)
class Standing:
    """Progress of a stage that asks a model, in requests.

    done: answered, or failed for good. total: all requests of the stage. failed: how many of `done` failed.
    spent_nano_usd: what this process spent on the stage, in billionths of a dollar, without the `unpriced` calls.
    unpriced: number of calls of unknown cost.
    """

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


_nobody = _Nobody()
_listener: Listener = _nobody
_muted = ContextVar("muted", default=False)  # of a run beside the one that is shown, in another thread


def listen(listener: Listener | None) -> None:
    """Send progress to `listener` from now on, in place of any other; None to send it to nobody."""
    global _listener
    _listener = listener or _nobody


@contextmanager
def muted() -> Iterator[None]:
    """Send nothing that this thread reports while the body runs: the listener shows another run."""
    before = _muted.set(True)
    try:
        yield
    finally:
        _muted.reset(before)


def _heard() -> Listener:
    return _nobody if _muted.get() else _listener


def say(text: str) -> None:
    """Report a message that belongs to no stage."""
    _heard().said(text)


def started(title: str) -> None:
    """Report that a stage begins."""
    _heard().started(title)


def tell(title: str, done: int, total: int, steady: bool = True) -> None:
    """Report that `done` of `total` items of a stage are finished. steady: see `Listener.moved`."""
    _heard().moved(title, done, total, steady)


def ended(title: str, how: str) -> None:
    """Report that a stage ended. how: as of `Listener.ended`."""
    _heard().ended(title, how)


_standings: dict[str, Standing | None] = {}  # of the stages that are watched, by title


def watch(title: str) -> None:
    """Start to keep the progress of a stage, so that `standing` returns it."""
    _standings[title] = None


def asked(title: str, standing: Standing) -> None:
    """Report the progress of a stage that asks a model. It is kept only if the stage is watched."""
    if title in _standings:
        _standings[title] = standing


def standing(title: str) -> Standing | None:
    """Return the last progress of a watched stage; None if none was reported, or if the stage is not watched."""
    return _standings.get(title)


def unwatch(title: str) -> None:
    """Stop keeping the progress of a stage."""
    _standings.pop(title, None)
