"""Progress of a call of the library: in a notebook a line that is updated, in a terminal as the commands show it."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any

from scrollwork.cli.terminal.progress import progress_display
from scrollwork.pipeline import progress
from scrollwork.reporting.page.text import visible

EVERY_S = 0.2  # between two updates of the line: a browser redraws it each time
MOST_RUNNING = 4  # running stages that the line names

_one_shown = threading.Lock()


@contextmanager
def shown_progress(wanted: bool | None, stages: int) -> Iterator[None]:
    """Show how far the `stages` stages are while the body runs. wanted: None for in a notebook or a terminal only.

    One run is shown at a time: a call in another thread meanwhile shows nothing.
    """
    notebook = in_notebook()
    quiet = not wanted if wanted is not None else not (notebook or sys.stderr.isatty())
    if quiet or not _one_shown.acquire(blocking=False):
        with progress.muted():
            yield
        return
    try:
        with shown_in_notebook(stages) if notebook else progress_display(False, stages):
            yield
    finally:
        _one_shown.release()


@contextmanager
def shown_in_notebook(stages: int) -> Iterator[None]:
    """Show a line below the cell while the body runs."""
    listener = NotebookLine(stages)
    progress.listen(listener)
    try:
        yield
    finally:
        progress.listen(None)
        listener.close()


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")  # never imported here: without it there is no notebook
    found = shell.get_ipython() if shell is not None else None
    return found is not None and hasattr(found, "kernel")


class NotebookLine:
    """A line below the cell: stages that ended, and those that run, with their counts."""

    def __init__(self, stages: int) -> None:
        self._lock = threading.RLock()
        self._stages, self._ended, self._message = stages, Counter[str](), ""
        self._running: dict[str, str] = {}
        self._began = self._drawn = time.monotonic()
        display: Any = import_module("IPython.display").display  # there in a notebook, no dependency of ours
        self._handle = display(self.html(), display_id=True)

    def said(self, text: str) -> None:
        """Show a message that belongs to no stage."""
        with self._lock:
            self._message = text
            self._draw()

    def started(self, title: str) -> None:
        """Name a stage that begins."""
        with self._lock:
            self._running[title] = ""
            self._draw()

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        """Show how far a stage is."""
        with self._lock:
            if title in self._running:
                self._running[title] = f" {done:,} of {total:,}"
                self._draw()

    def ended(self, title: str, how: str) -> None:
        """Count a stage that ended."""
        with self._lock:
            self._ended[how] += 1
            self._running.pop(title, None)
            self._draw()

    def close(self) -> None:
        """Show the last numbers."""
        with self._lock:
            self._running.clear()
            self._message = ""
            self._draw(last=True)

    def html(self) -> Html:
        """Return the line; names of stages are escaped."""
        counts = ", ".join(f"{count:,} {how}" for how, count in self._ended.items()) or "starting"
        running = [f"{title}{how_far}" for title, how_far in self._running.items()]
        more = f" and {len(running) - MOST_RUNNING} more" if len(running) > MOST_RUNNING else ""
        now = f"; now: {'; '.join(running[:MOST_RUNNING])}{more}" if running else ""
        done = sum(self._ended.values())
        text = f"{done:,} of {self._stages:,} stages ({counts}), {time.monotonic() - self._began:.0f} s{now}"
        text = visible(text + (f"; {self._message}" if self._message and not running else ""))
        return Html(text, f'<progress value="{done}" max="{max(self._stages, 1)}"></progress> {escape(text)}')

    def _draw(self, last: bool = False) -> None:
        now = time.monotonic()
        if self._handle is not None and (last or now - self._drawn >= EVERY_S):
            self._drawn = now
            self._handle.update(self.html())


class Html:
    """What a notebook shows as HTML, and a front end without HTML as text."""

    def __init__(self, text: str, html: str) -> None:
        self._text, self._html = text, html

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html
