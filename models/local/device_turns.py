"""Turns on the devices of this process: one checkpoint is loaded at a time, and whoever needs it goes first.

The stages of a run work in parallel threads. Two checkpoints at once would not fit into memory, and if stages of two
checkpoints took turns in any order, each would be loaded again and again.
"""

from __future__ import annotations

import threading
from typing import Any

from scrollwork.models.engine.stopping import Stop

LOOK_S = 0.2  # seconds between two checks whether the run was stopped


class Turns:
    """One turn at a time. Threads that need what is loaded go before those that need something else."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = False
        self._waiting: list[str] = []
        self._key = ""
        self._loaded: Any = None

    def take(self, key: str, stop: Stop) -> bool:
        """Wait for a turn to use `key`. False if the run was stopped before it came."""
        with self._changed:
            self._waiting.append(key)
            try:
                while self._taken or (self._key in self._waiting and key != self._key):
                    if stop.level:
                        return False
                    self._changed.wait(LOOK_S)
                self._taken = True
                return True
            finally:
                self._waiting.remove(key)

    def give(self) -> None:
        """End the turn."""
        with self._changed:
            self._taken = False
            self._changed.notify_all()

    def loaded(self, key: str) -> Any:
        """Return what was kept under `key`, None if something else was kept last."""
        return self._loaded if key == self._key else None

    def keep(self, key: str, loaded: Any) -> None:
        """Keep this for the next turn, and nothing else. Only the thread that has the turn may call it."""
        self._key, self._loaded = key, loaded
