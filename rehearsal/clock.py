"""The clock of a rehearsal, for cache lifetimes, limits, peak hours and batches. A test can change it."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """A clock that starts at any time and runs at any pace; with pace 0 it stands still until `turn` is called."""

    def __init__(self, start: str | None = None, pace: float = 1.0) -> None:
        """Start at an ISO time (default: now), and run `pace` seconds for each real second."""
        self._base = datetime.fromisoformat(start).timestamp() if start else time.time()
        self._since = time.monotonic()
        self._pace = pace

    def now(self) -> float:
        """The clock's time in seconds since 1970."""
        return self._base + (time.monotonic() - self._since) * self._pace

    def moment(self) -> datetime:
        """The clock's time in UTC."""
        return datetime.fromtimestamp(self.now(), UTC)

    def turn(self, seconds: float = 0.0, start: str | None = None, pace: float | None = None) -> None:
        """Set the time to `start` (ISO), if given, and move it by `seconds`; pace: how fast it runs from now on."""
        self._base = (datetime.fromisoformat(start).timestamp() if start else self.now()) + seconds
        self._since = time.monotonic()
        self._pace = self._pace if pace is None else pace


def iso(seconds: float) -> str:
    """Write a time as RFC 3339, as Anthropic's headers and batches do."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
