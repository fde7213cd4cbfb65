"""What goes on while a stage asks: its claims are renewed, and calls are held back while the store's database is away.

What came then could not be stored, and would be paid twice.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from scrollwork.models.engine.retry import LONGEST_S
from scrollwork.models.engine.stopping import Stop
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import StorageError

log = logging.getLogger("scrollwork")
LEASE_S = 120.0  # how long a claim lasts; this process renews its claims while it lives
TOLD_S = 3.0  # for which a database may be away in silence: one that restarts is back by then
_lost: set[str] = set()  # names of databases that were waited for in vain


class Held:
    """A `Watch` that holds the calls of a stage back while its store's database is away, for LONGEST_S at most."""

    def __init__(self, database: str, stop: Stop, title: str) -> None:
        self._database, self._stop, self._title = database, stop, title
        self._since: float | None = None
        self._told = False

    def patience_s(self, usual_s: float) -> float:
        """Return LONGEST_S; as usual where that was waited in vain, and after a request to stop."""
        return usual_s if self._database in _lost or self._stop.level else LONGEST_S

    def away(self, seconds: float, error: StorageError) -> None:
        """Hold calls back."""
        if self._since is None:
            self._since = time.monotonic() - seconds
            self._stop.hold()
        held = max(seconds, time.monotonic() - self._since)
        if held > LONGEST_S - 1.0:
            _lost.add(self._database)
        if held > TOLD_S and not self._told:
            self._told = True
            log.warning("%s: answers cannot be stored (%s). Nothing is sent until the database is back, for %.0f "
                        "minutes at most", self._title, error, LONGEST_S / 60)  # fmt: skip

    def back(self) -> None:
        """Let calls go on."""
        since, self._since = self._since, None
        _lost.discard(self._database)
        self._stop.go_on()
        if self._told and since is not None:
            log.warning("%s: the database is back after %.0f s", self._title, time.monotonic() - since)
        self._told = False


@contextmanager
def held_while_away(store: ResponseStore, stop: Stop, title: str) -> Iterator[None]:
    """Hold the calls that `stop` can stop back while the store's database is away. title: for messages."""
    try:
        with store.database.watches.beside(Held(store.name, stop, title)):
            yield
    finally:
        stop.go_on()


@contextmanager
def renewed_claims(store: ResponseStore, keys: Mapping[str, Any], owner: str) -> Iterator[None]:
    """Renew the claims on `keys`, which may change, while the body runs."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(LEASE_S / 4):
            try:
                store.renew(list(keys), owner, LEASE_S)
            except StorageError as error:  # the thread that commits gets the same error
                log.warning("claims could not be renewed: %s", error)

    thread = threading.Thread(target=renew, name="scrollwork-claims", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
