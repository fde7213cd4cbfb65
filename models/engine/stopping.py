"""Stop a run: at the first request, send no more and wait for answers in flight; at the second, cancel them."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Stop:
    """A request to stop, shared by whatever may stop a run and its engines. Signal handlers may call `set`: no locks.

    level: 0 go on, 1 send no more and wait for what is in flight, 2 cancel what is in flight. of: another one, whose
    requests count here too.
    """

    def __init__(self, of: Stop | None = None) -> None:
        self._level, self._reason, self._of = 0, "", of
        self._held = False
        self._wakes: tuple[Callable[[], None], ...] = ()
        self._lock = threading.Lock()  # for tell and forget

    @property
    def level(self) -> int:
        """The larger of the own level and that of the other one."""
        return max(self._level, self._of.level if self._of is not None else 0)

    @property
    def reason(self) -> str:
        """Why to stop; "" where nothing is to stop."""
        return (self._of.reason if self._of is not None else "") or self._reason

    @property
    def held(self) -> bool:
        """Whether nothing may be sent for now (`hold`)."""
        return self._held or (self._of is not None and self._of.held)

    def hold(self) -> None:
        """Have the engines send nothing until `go_on`; what is in flight ends as usual. From any thread."""
        self._held = True

    def go_on(self) -> None:
        """Undo `hold`."""
        self._held = False
        for wake in self._wakes:
            wake()

    def set(self, reason: str = "stopped") -> None:
        """Raise the level by one, to 2 at most, and wake the engines."""
        self._reason = self._reason or reason
        self._level = min(2, self._level + 1)
        for wake in self._wakes:
            wake()

    def clear(self) -> None:
        """Go on: what was set here is forgotten."""
        self._level, self._reason = 0, ""

    @property
    def heard(self) -> bool:
        """Return whether an engine runs that would obey."""
        return bool(self._wakes)

    def tell(self, wake: Callable[[], None]) -> None:
        """Have `wake` called, which must not raise, when the level rises."""
        with self._lock:
            self._wakes = (*self._wakes, wake)
        if self._of is not None:
            self._of.tell(wake)

    def forget(self, wake: Callable[[], None]) -> None:
        """Undo `tell`."""
        with self._lock:
            self._wakes = tuple(other for other in self._wakes if other != wake)
        if self._of is not None:
            self._of.forget(wake)
