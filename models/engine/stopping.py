"""Stop a run: at the first request, send no more and wait for answers in flight; at the second, cancel them."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Stop:
    """A request to stop, shared by whatever may stop a run and its engines. Signal handlers may call `set`: no locks.

    level: 0 go on, 1 send no more and wait for what is in flight, 2 cancel what is in flight.
    """

    def __init__(self) -> None:
        self.level = 0
        self.reason = ""
        self._wakes: tuple[Callable[[], None], ...] = ()
        self._lock = threading.Lock()  # for tell and forget

    def set(self, reason: str = "stopped") -> None:
        """Raise the level by one, to 2 at most, and wake the engines."""
        self.reason = self.reason or reason
        self.level = min(2, self.level + 1)
        for wake in self._wakes:
            wake()

    @property
    def heard(self) -> bool:
        """Return whether an engine runs that would obey."""
        return bool(self._wakes)

    def tell(self, wake: Callable[[], None]) -> None:
        """Have `wake` called, which must not raise, when the level rises."""
        with self._lock:
            self._wakes = (*self._wakes, wake)

    def forget(self, wake: Callable[[], None]) -> None:
        """Undo `tell`."""
        with self._lock:
            self._wakes = tuple(other for other in self._wakes if other != wake)
