"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scrollwork.tasks import progress

SLOW_S = 1.0  # a stage shorter than this gets no line of its own while it runs


@contextmanager
def shown(quiet: bool, stages: int) -> Iterator[None]:
    """Show how far the `stages` stages are while the body runs."""
    if quiet:
        yield
        return
    listener: Any = Bars(stages) if sys.stderr.isatty() else Lines()
    progress.listen(listener)
    try:
        with listener:
            yield
    finally:
        progress.listen(None)


class Lines:
    """A line when a stage ends that did something, and now and then for a long one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._began: dict[str, float] = {}
        self._told: dict[str, float] = {}

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def said(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def started(self, title: str) -> None:
        with self._lock:
            self._began[title] = self._told[title] = time.monotonic()

    def moved(self, title: str, done: int, total: int) -> None:
        now = time.monotonic()
        with self._lock:
            began = self._began.get(title, now)
            if done and now - self._told.get(title, now) > 10:
                self._told[title] = now
                left = (now - began) / done * (total - done)
                print(f"{title}: {done:,} of {total:,}, about {left:,.0f} s left", file=sys.stderr, flush=True)

    def ended(self, title: str, how: str) -> None:
        with self._lock:
            seconds = time.monotonic() - self._began.get(title, time.monotonic())
            if how != "reused":
                print(f"{how}: {title} ({seconds:.1f} s)", file=sys.stderr, flush=True)


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
        self._counts = {"reused": 0, "built": 0, "failed": 0}
        self._lock = threading.Lock()

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

    def moved(self, title: str, done: int, total: int) -> None:
        with self._lock:
            if title in self._rows:
                self._progress.update(self._rows[title], completed=done, total=total)

    def ended(self, title: str, how: str) -> None:
        with self._lock:
            self._counts[how] = self._counts.get(how, 0) + 1
            if title in self._rows:
                self._progress.remove_task(self._rows.pop(title))
            said = ", ".join(f"{count} {name}" for name, count in self._counts.items() if count)
            self._progress.update(self._all, description=f"stages: {said}", completed=sum(self._counts.values()))
