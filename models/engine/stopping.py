"""Stop, once and twice: send no more and wait for answers in flight; cancel them."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Stop:
    """Shared by whoever may stop a run and the engines that run. `set` may be called from a signal handler: no locks.

    level: 0 go on, 1 send no more, wait for what is in flight, 2 cancel what is in flight.
    """

    def __init__(self) -> None:
        self.level = 0
        self.reason = ""
        self._wakes: tuple[Callable[[], None], ...] = ()
        self._lock = threading.Lock()  # of tell and forget

    def set(self, reason: str = "stopped") -> None:
        """The next level."""
        self.reason = self.reason or reason
        self.level = min(2, self.level + 1)
        for wake in self._wakes:
            wake()

    @property
    def heard(self) -> bool:
        """Whether an engine runs that would heed it."""
        return bool(self._wakes)

    def tell(self, wake: Callable[[], None]) -> None:
        """Call `wake` (which must not raise) when the level rises."""
        with self._lock:
            self._wakes = (*self._wakes, wake)

    def forget(self, wake: Callable[[], None]) -> None:
        """Call it no more."""
        with self._lock:
            self._wakes = tuple(other for other in self._wakes if other != wake)
