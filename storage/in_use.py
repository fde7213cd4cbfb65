"""Who works in a home now: many runs together, or `gc` alone, so that nothing is removed under a run.

    HOME/.in-use                         of a local home: runs hold it shared, `gc` holds it alone; the kernel lets go
    HOME/plans/<id>.run, <id>.gc         of a remote home: leases, renewed while their process lives

Both sides of a remote home write their lease first and look for the other's then, so at least one of them sees the
other: `gc` gives way, a run waits until `gc` has ended.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from scrollwork.storage.errors import StorageError, naming_full_disks
from scrollwork.storage.location import Location, is_file_at, is_writable

log = logging.getLogger("scrollwork")

LOCK = ".in-use"  # in a local home
FOLDER, RUN, GC = "plans", ".run", ".gc"  # of leases in a remote home
LEASE_S = 1_200.0  # for which a lease stands that is not renewed; clocks of machines may differ by less than half of it
RENEWED_S = 240.0
PAUSE_S = 2.0  # between looks at a lease of gc


class InUse(StorageError):
    """A run is at work in the home, or another `gc`."""


@contextmanager
def at_work(home: str, busy: bool = True) -> Iterator[None]:
    """Keep `gc` out of a home while the block runs; wait while it is at work. Nothing is held in a home that cannot be
    written, as nothing can be removed there either.

    home: its path or URL. busy: False for a run that will build nothing; it holds nothing in a remote home, where a
    lease costs three requests.
    """
    with ExitStack() as stack:
        if "://" not in home:
            stack.enter_context(_shared(Path(home)))
        elif busy:
            stack.enter_context(_lease(home, RUN))
            _wait(home)
        yield


@contextmanager
def alone(home: str) -> Iterator[None]:
    """Be alone in a home while the block runs. Raises InUse, naming who is there."""
    if "://" in home:
        with _lease(home, GC) as own:
            if others := [one for one in _standing(home, (RUN, GC)) if one[0] != own]:
                raise InUse(f"{home}: in use by {'; '.join(told for _, told in others)}. {ADVICE}")
            yield
        return
    path = Path(home) / LOCK
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"{home}: a run is at work here, or another gc. {ADVICE}") from None
        yield
    finally:
        os.close(descriptor)


ADVICE = "Nothing was removed; the same command again when it has ended"


@contextmanager
def _shared(home: Path) -> Iterator[None]:
    if not is_writable(home):
        yield
        return
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        yield  # whoever writes there says what is wrong
        return
    path, told = home / LOCK, False
    while True:
        with naming_full_disks(LOCK, str(home)):
            try:
                descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
            except PermissionError:  # of another user of the same home, whose umask lets us read it
                descriptor = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            if not told:
                log.warning("%s: waiting for scrollwork gc, which is at work here", home)
                told = True
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        if is_file_at(descriptor, path):
            break
        os.close(descriptor)
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _lease(home: str, kind: str) -> Iterator[str]:
    """Hold a lease in a remote home, and yield its name. It is renewed until the block ends, then removed."""
    folder, name, ended = Location(f"{home}/{FOLDER}"), f"{uuid4().hex}{kind}", threading.Event()
    who = f"process {os.getpid()} on {platform.node()}"

    def write() -> None:
        folder.replace(name, json.dumps({"who": who, "until": time.time() + LEASE_S}).encode())

    def renew() -> None:
        while not ended.wait(RENEWED_S):
            with suppress(StorageError, OSError):  # the next one may succeed; the lease stands for some of them
                write()

    write()
    thread = threading.Thread(target=renew, daemon=True, name="lease")
    thread.start()
    try:
        yield name
    finally:
        ended.set()
        thread.join()
        with suppress(StorageError, OSError):  # it ends by itself
            folder.remove(name)


def _wait(home: str) -> None:
    """Wait until no `gc` is at work in a remote home."""
    told = False
    while _standing(home, (GC,)):
        if not told:
            log.warning("%s: waiting for scrollwork gc, which is at work here", home)
            told = True
        time.sleep(PAUSE_S)


def _standing(home: str, kinds: tuple[str, ...]) -> list[tuple[str, str]]:
    """List the leases of a remote home that stand, as (name, who holds it). Objects are written whole, so one that
    cannot be read is not ours."""
    folder, found = Location(f"{home}/{FOLDER}"), []
    names = [name for name in folder.names() if name.endswith(kinds)]
    for name, data in zip(names, folder.read_each(names), strict=True):
        if data is None:
            continue
        try:
            told = json.loads(data)
            until, who = float(told["until"]), str(told["who"])
        except (ValueError, TypeError, LookupError, RecursionError):
            continue
        if until > time.time():
            what = "a run" if name.endswith(RUN) else "gc"
            found.append((name, f"{what} ({who}; {FOLDER}/{name})"))
    return found


def dead_leases(home: str) -> list[str]:
    """List the names of leases in a remote home whose processes have ended without removing them."""
    standing = {name for name, _ in _standing(home, (RUN, GC))}
    return [name for name in Location(f"{home}/{FOLDER}").names() if name.endswith((RUN, GC)) and name not in standing]
