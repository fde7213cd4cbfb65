"""Whose turn it is on the devices of this process: one checkpoint is loaded, and whoever asks it goes first.

Stages of a run go side by side in threads. Two checkpoints at once would not fit, and stages of two in any order would
load each of them again and again.
"""

from __future__ import annotations

import threading
from typing import Any

from scrollwork.models.engine.stopping import Stop

LOOK_S = 0.2  # between two looks at whether a person has stopped the run


class Turns:
    """One at a time; those that want what is loaded before those that want another."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = False
        self._waiting: list[str] = []
        self._key = ""
        self._loaded: Any = None

    def take(self, key: str, stop: Stop) -> bool:
        """Wait for the turn of who wants `key`. False where the run was stopped before it came."""
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
        """The turn is over."""
        with self._changed:
            self._taken = False
            self._changed.notify_all()

    def loaded(self, key: str) -> Any:
        """What was kept under `key`, None where it is not that."""
        return self._loaded if key == self._key else None

    def keep(self, key: str, loaded: Any) -> None:
        """Keep this for the next turn, and nothing else. By whoever has the turn."""
        self._key, self._loaded = key, loaded
