"""The register of nights in a home (docs/nights.md). A file is made only where it does not exist, and never changed.

    HOME/nights/<digest>.night.json               a night (records/nights/night.py)
    HOME/nights/<digest>.scores.json.gz           the score of each input on a night; its name is its own digest
    HOME/nights/<settings>-<epochs>.begun.json    a night that began
    HOME/nights/<settings>-<epochs>.full.json     the full set was asked on it, and why
    HOME/nights/<settings>-<epochs>.ended.json    its row was written
    HOME/nights/<number>.accepted.json            a night was accepted; the highest number is the last
    HOME/nights/<number>.muted.json               a task was muted; likewise
    HOME/nights/<number>.unfinished.json          a night ended before it was whole, and why; likewise

So two commands that finish the same night at the same time leave one row, also on object stores. A file that cannot be
read is left where it is, named in a note, and passed over.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from scrollwork.records.base import InvalidRow, Row, canonical_json
from scrollwork.records.nights.decisions import Acceptance, Begun, FullSet, Mute, Unfinished
from scrollwork.records.nights.night import NightRow
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location

R = TypeVar("R", bound=Row)

FOLDER, NIGHT, SCORES = "nights", ".night.json", ".scores.json.gz"
BEGUN, FULL_SET, ENDED = ".begun.json", ".full.json", ".ended.json"
ACCEPTED, MUTED, UNFINISHED = ".accepted.json", ".muted.json", ".unfinished.json"
LOGS = (ACCEPTED, MUTED, UNFINISHED)
DIGEST = 16  # hex digits of a digest in a file name
TRIES = 100  # to append to a log that others append to at the same time
ADVICE = "put it back from a backup, or move it out of the folder"
_NAMES = {
    NIGHT: re.compile(r"[0-9a-f]{16}\.night\.json"),
    ACCEPTED: re.compile(r"[0-9]{4,}\.accepted\.json"),
    MUTED: re.compile(r"[0-9]{4,}\.muted\.json"),
    UNFINISHED: re.compile(r"[0-9]{4,}\.unfinished\.json"),
    BEGUN: re.compile(r"[0-9a-f]{16}-[0-9a-f]{16}\.begun\.json"),
    FULL_SET: re.compile(r"[0-9a-f]{16}-[0-9a-f]{16}\.full\.json"),
}
_SCORES_NAME = re.compile(r"([0-9a-f]{32})(-[0-9]+)?\.scores\.json\.gz")

Columns = Mapping[str, list[Any]]  # of a task: items, documents, scores, answers
COLUMNS = ("items", "documents", "scores", "answers")


class Nights:
    """The nights of one home. notes: what is wrong with files that were passed over; it grows as files are read."""

    def __init__(self, home: str) -> None:
        self._folder = Location(f"{home}/{FOLDER}")
        self.notes: list[str] = []

    def rows(self) -> list[NightRow]:
        """Read all nights, the oldest first. Damaged files are passed over (`notes`)."""
        found = [row for _, row in self._every(NIGHT, NightRow)]
        return sorted(found, key=lambda row: (row.ended, row.name))

    def find(self, digest: str) -> NightRow | None:
        """Return the night of a digest, None if there is none. Raises StorageError for a damaged file."""
        name = f"{digest}{NIGHT}"
        if not self._folder.exists(name):
            return None
        return self._read(name, NightRow, self._folder.read(name))

    def write(self, row: NightRow) -> NightRow:
        """Store a night unless it stands already; returns the row that stands. Raises StorageError."""
        self._folder.create(f"{row.digest}{NIGHT}", _bytes(row))
        standing = self.find(row.digest)
        assert standing is not None
        return standing

    def write_scores(self, scores: Mapping[str, Mapping[str, Columns]]) -> str:
        """Store the scores of a night, by model and task; returns the name of the file.

        Equal scores make one file. Where it is damaged, they are stored beside it, under a number, and it is noted.
        """
        data = gzip.compress(canonical_json(scores).encode("utf-8"), mtime=0)
        digest = sha256_of(scores)[:32]
        for number in range(1, TRIES):
            name = f"{digest}{SCORES}" if number == 1 else f"{digest}-{number}{SCORES}"
            if self._folder.create(name, data):
                return name
            try:
                self.scores(name)
            except StorageError as error:
                self._note(str(error))
                continue
            return name
        raise StorageError(f"{self._folder}/{digest}{SCORES}: damaged, and {TRIES} more beside it; {ADVICE}")

    def scores(self, name: str) -> dict[str, dict[str, Columns]]:
        """Read the scores of a night, by model and task. Raises StorageError, naming the file, for damaged ones."""
        place = f"{self._folder}/{name}"
        told = _SCORES_NAME.fullmatch(name)
        if told is None:
            raise StorageError(f"{self._folder}: {name!r} is no name of a file of scores")
        try:
            found = json.loads(gzip.decompress(self._folder.read(name)))
        except (OSError, EOFError, ValueError, RecursionError) as error:
            raise StorageError(f"{place}: cannot be read ({error}); {ADVICE}") from error
        if not isinstance(found, dict) or sha256_of(found)[:32] != told[1]:
            raise StorageError(f"{place}: its content is not what its name says; {ADVICE}")
        return dict(found)

    def begun(self, settings: str) -> list[Begun]:
        """List the nights of these settings (a digest) that began and have not ended, the oldest first."""
        ended = {name.removesuffix(ENDED) for name in self._folder.names() if name.endswith(ENDED)}
        every = self._every(BEGUN, Begun, prefix=f"{settings}-")
        return sorted((row for name, row in every if name.removesuffix(BEGUN) not in ended), key=lambda row: row.at)

    def begin(self, settings: str, begun: Begun) -> None:
        """Note that a night began; nothing is changed if that stands."""
        self._folder.create(f"{_begun_name(settings, begun.models, begun.epochs)}{BEGUN}", _bytes(begun))

    def ask_full(self, settings: str, begun: Begun, told: FullSet) -> None:
        """Note why the full set is asked on a night that began; nothing is changed if that stands."""
        self._folder.create(f"{_begun_name(settings, begun.models, begun.epochs)}{FULL_SET}", _bytes(told))

    def full_set(self, settings: str, begun: Begun) -> FullSet | None:
        """Return why the full set was asked on a night that began; None if it was not, or the file is damaged."""
        found = self._every(FULL_SET, FullSet, prefix=_begun_name(settings, begun.models, begun.epochs))
        return next((row for _, row in found), None)

    def end(self, row: NightRow, begun: Sequence[Begun] = ()) -> None:
        """Note that the row of a night that began was written; nothing is changed if that stands.

        begun: as which it began, where it was asked in further epochs.
        """
        asked = [(one.model, one.epoch) for one in row.models if one.epoch]
        own = Begun(tuple(model for model, _ in asked), tuple(epoch for _, epoch in asked), row.ended)
        for one in (own, *begun):
            if one.models:
                name = _begun_name(row.settings, one.models, one.epochs)
                self._folder.create(f"{name}{ENDED}", canonical_json({"night": row.name}).encode("utf-8"))

    def accepted(self) -> list[Acceptance]:
        """List what was accepted, in this order."""
        return [row for _, row in self._every(ACCEPTED, Acceptance)]

    def accept(self, acceptance: Acceptance) -> None:
        """Note that a night is accepted."""
        self._append(ACCEPTED, acceptance)

    def muted(self, day: str) -> dict[str, str]:
        """Return the tasks that are muted on a day, and until when. day: 2026-11-28."""
        return {mute.task: mute.until for mute in self.mutes(day)}

    def mutes(self, day: str) -> list[Mute]:
        """List the mutes that stand on a day, by task. day: 2026-11-28."""
        last = {row.task: row for _, row in self._every(MUTED, Mute)}
        return [last[task] for task in sorted(last) if day <= last[task].until]

    def mute(self, mute: Mute) -> None:
        """Note that a task is muted."""
        self._append(MUTED, mute)

    def unfinished(self, rows: Sequence[NightRow]) -> list[Unfinished]:
        """List the last night of each suite, settings and models that was not whole, unless nights with all of these
        models were stored since. rows: all, the oldest first."""
        stored = {(row.suite, row.settings, one.model): row.ended for row in rows for one in row.models}
        last = {(one.suite, one.settings, one.models): one for _, one in self._every(UNFINISHED, Unfinished)}
        return [
            one
            for one in last.values()
            if any(one.at > stored.get((one.suite, one.settings, model), -1) for model in one.models)
        ]

    def leave(self, unfinished: Unfinished) -> None:
        """Note that a night ended before it was whole."""
        self._append(UNFINISHED, unfinished)

    def _append(self, kind: str, row: Row) -> None:
        """Add a file under the next number. Raises StorageError if others were always faster."""
        for _ in range(TRIES):
            last = max((_number(name) for name in self._names(kind)), default=0)
            if self._folder.create(f"{last + 1:04d}{kind}", _bytes(row)):
                return
        raise StorageError(f"{self._folder}: {TRIES} other commands wrote at the same time; try again")

    def _names(self, kind: str) -> list[str]:
        """List the files of a kind; logs in order of their numbers."""
        found = [name for name in self._folder.names() if _NAMES[kind].fullmatch(name)]
        return sorted(found, key=_number) if kind in LOGS else found

    def _every(self, kind: str, row: type[R], prefix: str = "") -> list[tuple[str, R]]:
        """Read all files of a kind, with their names; what cannot be read is noted."""
        names = [name for name in self._names(kind) if name.startswith(prefix)]
        remote = self._folder.local is None
        contents = self._folder.read_each(names) if remote else (self._read_local(name) for name in names)
        found = []
        for name, data in zip(names, contents, strict=True):
            if data is None:
                continue  # moved away in the meantime
            try:
                found.append((name, self._read(name, row, data)))
            except StorageError as error:
                self._note(str(error))
        return found

    def _read_local(self, name: str) -> bytes | None:
        """Return the bytes of a local file, None if it is gone; what cannot be read is noted, and is None too."""
        try:
            return self._folder.read(name)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note(f"{self._folder}/{name}: {error.strerror}; {ADVICE}")
            return None

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _read(self, name: str, row: type[R], data: bytes) -> R:
        """Make the row of a file. Raises StorageError, naming file and field."""
        try:
            found = row.from_dict(json.loads(data))
        except InvalidRow as error:
            raise StorageError(f"{self._folder}/{name}: {error}; {ADVICE}") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StorageError(f"{self._folder}/{name}: is not as a night is written ({error}); {ADVICE}") from error
        if isinstance(found, NightRow) and name != f"{found.digest}{NIGHT}":
            raise StorageError(f"{self._folder}/{name}: field 'digest' is {found.digest!r}, of another file; {ADVICE}")
        return found


def _begun_name(settings: str, models: Sequence[str], epochs: Sequence[str]) -> str:
    """Return the name of a night that began, without ending. settings: a digest. epochs: of the models, in order."""
    return f"{settings}-{sha256_of(sorted(zip(models, epochs, strict=True)))[:DIGEST]}"


def _number(name: str) -> int:
    return int(name.partition(".")[0])


def _bytes(row: Row) -> bytes:
    return (json.dumps(row.to_dict(), indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")
