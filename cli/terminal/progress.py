"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scrollwork.cli.terminal.common import say
from scrollwork.pipeline import progress

LONG_S = 10.0  # a stage that took longer has a line of its own, and one so often while it runs
EVERY_S = 30.0  # a line of all stages


@contextmanager
def progress_display(quiet: bool, stages: int) -> Iterator[None]:
    """Show how far the `stages` stages are while the body runs."""
    if quiet:
        yield
        return
    listener: Any = Bars(stages) if sys.stderr.isatty() else Lines(stages)
    progress.listen(listener)
    try:
        with listener:
            yield
    finally:
        progress.listen(None)


class Lines:
    """A line for a stage that takes long, one a while for all others, and one of everything at the end."""

    def __init__(self, stages: int) -> None:
        self._lock = threading.RLock()  # an interrupt is told by the thread that it interrupts
        self._stages = stages
        self._began: dict[str, float] = {}
        self._paced: dict[str, tuple[float, int] | None] = {}  # since when, and with how much done; None: not steady
        self._told: dict[str, float] = {}
        self._ended = 0
        self._built: Counter[str] = Counter()  # stages of each kind

    def __enter__(self) -> Lines:
        self._start = self._said = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self._built:
            told = ", ".join(f"{count:,} {kind}" for kind, count in self._built.items())
            self.said(f"built: {told} ({time.monotonic() - self._start:.1f} s)")

    def said(self, text: str) -> None:
        with self._lock:
            self._say(text)

    def started(self, title: str) -> None:
        with self._lock:
            self._began[title] = self._told[title] = time.monotonic()
            self._paced[title] = self._began[title], 0

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        now = time.monotonic()
        with self._lock:
            paced = self._paced.get(title) or (now, done)
            self._paced[title] = paced if steady else None
            if done and now - self._told.get(title, now) > LONG_S:
                self._told[title] = now
                began, before = paced
                left = ""
                if steady and done > before:
                    left = f", about {(now - began) / (done - before) * (total - done):,.0f} s left"
                self._say(f"{title}: {done:,} of {total:,}{left}")

    def ended(self, title: str, how: str) -> None:
        now = time.monotonic()
        with self._lock:
            self._ended += 1
            if how == "built":
                self._built[title.partition(" ")[0]] += 1
            seconds = now - self._began.get(title, now)
            if how == "failed" or (how != "reused" and seconds > LONG_S):
                self._say(f"{how}: {title} ({seconds:.1f} s)")
            elif now - self._said > EVERY_S:
                self._say(f"{self._ended:,} of {self._stages:,} stages, last {title}")

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        say(text)


class Bars:
    """One line a running stage, with count and time left, and a line for all of them."""

    def __init__(self, stages: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._stages = stages
        self._rows: dict[str, Any] = {}
        self._unsteady: set[str] = set()
        self._counts = {"reused": 0, "built": 0, "failed": 0}
        self._lock = threading.RLock()  # an interrupt is told by the thread that it interrupts

    def __enter__(self) -> Bars:
        self._progress.start()
        self._all = self._progress.add_task("stages", total=self._stages)
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def said(self, text: str) -> None:
        self._progress.update(self._all, description=text)

    def started(self, title: str) -> None:
        with self._lock:
            self._rows[title] = self._progress.add_task(title, total=None)

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        with self._lock:
            if title not in self._rows:
                return
            if steady and title not in self._unsteady:
                self._progress.update(self._rows[title], completed=done, total=total)
            else:  # forgets the pace, and with it the time left
                self._progress.reset(self._rows[title], completed=done, total=total)
            (self._unsteady.discard if steady else self._unsteady.add)(title)

    def ended(self, title: str, how: str) -> None:
        with self._lock:
            self._counts[how] = self._counts.get(how, 0) + 1
            if title in self._rows:
                self._progress.remove_task(self._rows.pop(title))
            said = ", ".join(f"{count} {name}" for name, count in self._counts.items() if count)
            self._progress.update(self._all, description=f"stages: {said}", completed=sum(self._counts.values()))
