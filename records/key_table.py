"""Numbers by text key, in bounded memory: a stage that looks whether a key came before does not hold a data set's keys.

A key counts by 16 bytes of its BLAKE2b digest: among 10^9 keys, two share one with a probability below 10^-20. Beyond
`KEEP` keys they are moved to a temporary SQLite database, which SQLite removes when the process ends. It lies where
SQLITE_TMPDIR or TMPDIR say, else in /var/tmp, and takes about 35 bytes a key.
"""

from __future__ import annotations

import errno
import sqlite3
from hashlib import blake2b

KEEP = 100_000  # keys in memory, about 15 MB
CACHE_KB = 16_384  # of the database


class KeyTable:
    """A mapping of text to whole numbers of 64 bits (signed). A key's first number stays."""

    def __init__(self, keep: int | None = None) -> None:
        self._keep = KEEP if keep is None else keep
        self._held: dict[bytes, int] = {}
        self._moved: sqlite3.Connection | None = None
        self._count = 0

    def __len__(self) -> int:
        """Return the number of different keys."""
        return self._count

    def add(self, key: str, number: int = 0) -> int | None:
        """Give a new key its number and return None; return the number of a known key, which stays as it is."""
        name = _digest(key)
        if (known := self._number(name)) is not None:
            return known
        self._held[name] = number
        self._count += 1
        if len(self._held) >= self._keep:
            self._move()
        return None

    def get(self, key: str) -> int | None:
        """Return the number of a key, None if it is unknown."""
        return self._number(_digest(key))

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def _number(self, name: bytes) -> int | None:
        if (held := self._held.get(name)) is not None or self._moved is None:
            return held
        found = self._moved.execute("SELECT number FROM keys WHERE name = ?", (name,)).fetchone()
        return None if found is None else int(found[0])

    def _move(self) -> None:
        """Move the keys to the database, sorted: neighbours come to the same pages. Raises OSError (ENOSPC)."""
        try:
            if self._moved is None:
                self._moved = _database()
            self._moved.executemany("INSERT INTO keys VALUES (?, ?)", sorted(self._held.items()))
        except sqlite3.OperationalError as error:
            if "full" not in str(error):
                raise
            raise OSError(errno.ENOSPC, "no space left for temporary files; TMPDIR names their folder") from error
        self._held.clear()


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _database() -> sqlite3.Connection:
    # The name "" is a private database on disk. A stage may be read on by another thread than began it.
    made = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    made.execute(f"PRAGMA cache_size = -{CACHE_KB}")
    made.execute("PRAGMA journal_mode = OFF")
    made.execute("PRAGMA synchronous = OFF")
    made.execute("CREATE TABLE keys (name BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID")
    made.execute("BEGIN")
    return made
