"""Who is told while a database is away, and says how long it is waited for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from scrollwork.storage.errors import StorageError


class Watch(Protocol):
    """What a database asks and tells while it tries a transaction again, from any thread."""

    def patience_s(self, usual_s: float) -> float:
        """Return for how many seconds a transaction is tried again. usual_s: where nobody watches."""
        ...

    def away(self, seconds: float, error: StorageError) -> None:
        """Note that a transaction fails since so many seconds, and is tried again."""

    def back(self) -> None:
        """Note that one succeeded after `away`."""


class Watches:
    """The watches of one database."""

    def __init__(self) -> None:
        self._all: tuple[Watch, ...] = ()
        self._lock = threading.Lock()  # for `beside`
        self._away = False

    def patience_s(self, usual_s: float) -> float:
        """Return for how many seconds a transaction is tried again: as long as the most patient of them wants."""
        return max((one.patience_s(usual_s) for one in self._all), default=usual_s)

    @contextmanager
    def beside(self, watch: Watch) -> Iterator[None]:
        """Ask and tell `watch` beside the others while the body runs."""
        with self._lock:
            self._all = (*self._all, watch)
        try:
            yield
        finally:
            with self._lock:
                self._all = tuple(one for one in self._all if one is not watch)

    def failed(self, seconds: float, error: StorageError) -> None:
        """Note a failure after which a transaction is tried again, as `Watch.away`."""
        self._away = True
        for watch in self._all:
            watch.away(seconds, error)

    def succeeded(self) -> None:
        """Note a transaction that succeeded."""
        if self._away:
            self._away = False
            for watch in self._all:
                watch.back()
