"""The register of epochs in a home: when a model was asked anew, for what, and whether all of it was answered.

    HOME/epochs/<model>-<scope>-<number>.opened.json              made once, by the command that opens the epoch
    HOME/epochs/<model>-<scope>-<number>-<time>.complete.json     made once, when every request has ended

<model> and <scope> are digests: of the model's name, and of what was asked of it. Both files are made only where they
do not exist, so two commands that open the same epoch at the same time get one. An epoch's file is never changed.
"""

from __future__ import annotations

import calendar
import json
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.storage.location import Location

FOLDER, OPENED, COMPLETE = "epochs", ".opened.json", ".complete.json"
STAMP = "%Y%m%dT%H%M%SZ"  # of UTC, in names
DAY_S = 86_400
DIGEST = 12  # hex digits of a digest in a file name
_NAME = re.compile(r"([0-9a-f]{12})-([0-9a-f]{12})-([0-9]{4,})(-[0-9]{8}T[0-9]{6}Z)?\.(opened|complete)\.json")
_EPOCH = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}")


@dataclass(frozen=True)
class Epoch:
    """One asking of a model anew.

    name: as request keys have it; it begins with the time of opening. model: its name. opened: unix seconds. since:
    answers that were asked for from this time on (unix seconds) up to `until` stand in it; None where everything is
    asked. until: what the clock showed, a second rounded up; `opened` is later where an epoch of the future stands.
    earlier: names of the model's other epochs where such answers are looked for. covers: once it is complete,
    what was asked in it ({digest: most inputs a task, 0 for all}, flows/epochs.py). completed: when that was noted, in
    unix seconds, 0 for an open one. run: name of the run that completed it. file: its name in the register, without
    ending.
    """

    name: str
    model: str
    opened: int
    file: str
    since: int | None = None
    until: int | None = None
    earlier: tuple[str, ...] = ()
    covers: Mapping[str, int] = field(default_factory=dict)
    completed: int = 0
    run: str = ""

    @property
    def when(self) -> str:
        """The time of opening, for people: "2026-11-28 03:35 UTC"."""
        return time_text(self.opened)


@dataclass(frozen=True)
class Entry:
    """A file of the register, by its name alone. number: counts the epochs of a scope. stamp: time of opening, of a
    complete one."""

    file: str
    model: str
    scope: str
    number: int
    stamp: str
    complete: bool


class Register:
    """The epochs of one home. The folder is listed once, when the first of them is asked for.

    Raises StorageError, naming file and field, for a file that is no epoch.
    """

    def __init__(self, home: str) -> None:
        self._folder = Location(f"{home}/{FOLDER}")
        self._by_model: dict[str, list[Entry]] | None = None  # by the digest of its name

    def entries(self, model: str = "") -> list[Entry]:
        """List what is registered, of one model if it is named. Other files in the folder are left out."""
        if self._by_model is None:
            found = ((name, _NAME.fullmatch(name)) for name in self._folder.names())
            self._by_model = {}
            for name, one in found:
                if one is not None:
                    entry = Entry(name, one[1], one[2], int(one[3]), (one[4] or "")[1:], one[5] == "complete")
                    self._by_model.setdefault(entry.model, []).append(entry)
        if model:
            return self._by_model.get(short(model), [])
        return [one for some in self._by_model.values() for one in some]

    def complete(self, model: str, scope: str = "") -> list[Entry]:
        """List the model's complete epochs, the newest first; those of one scope if it is given."""
        own = short(scope) if scope else ""
        found = [one for one in self.entries(model) if one.complete and own in ("", one.scope)]
        return sorted(found, key=lambda one: (one.stamp, one.number, one.file), reverse=True)

    def every(self, model: str = "", damaged: list[str] | None = None) -> list[Epoch]:
        """Read all epochs, of one model if it is named, open and complete ones, each once.

        damaged: where a list is given, what is wrong with a file is added to it, and the other epochs are returned.
        """
        entries = {
            (one.model, one.scope, one.number): one for one in sorted(self.entries(model), key=lambda one: one.complete)
        }
        found = []
        for one in entries.values():
            try:
                found.append(self.read(one))
            except StorageError as error:
                if damaged is None:
                    raise
                damaged.append(str(error))
        return found

    def opened(self, model: str, scope: str) -> Epoch | None:
        """Return the epoch of this scope that was opened last and is not complete; None if there is none."""
        own = self._of_scope(model, scope)
        last = max((one.number for one in own), default=0)
        if not last or any(one.complete and one.number == last for one in own):
            return None
        return self.read(next(one for one in own if one.number == last))

    def _of_scope(self, model: str, scope: str) -> list[Entry]:
        own = short(scope)
        return [one for one in self.entries(model) if one.scope == own]

    def is_followed(self, epoch: Epoch) -> bool:
        """Return whether a later epoch of the same scope was opened, so that no command goes on in this one."""
        scope, number = epoch.file.split("-")[1:3]
        return any(one.scope == scope and one.number > int(number) for one in self.entries(epoch.model))

    def open(
        self,
        model: str,
        scope: str,
        asked: Mapping[str, Any],
        *,
        now: float,
        since: int | None = None,
        earlier: Sequence[str] = (),
        part: Epoch | None = None,
    ) -> Epoch:
        """Open the next epoch of a scope, or return the one that another command has just opened.

        asked: what was asked, for people who read the file. now: unix seconds. It is later than each complete epoch of
        the model, also where the clock was set back: what was asked last is the newest. part: an epoch in which a part
        of it was asked, as a night's canary: the new one has its name and its time, so that these answers are its own.
        """
        until = None if since is None else until_of(now)
        now = part.opened if part else max([now, *(time_of(one.stamp) + 1 for one in self.complete(model))])
        if now > LAST:
            last = max(self.complete(model), key=lambda one: one.stamp)
            raise StorageError(f"{self._folder}/{last.file}: its time is at the end of all dates. {ADVICE}")
        number = max((one.number for one in self._of_scope(model, scope)), default=0) + 1
        file = f"{short(model)}-{short(scope)}-{number:04d}"
        name = part.name if part else f"{time.strftime(STAMP, time.gmtime(now))}-{secrets.token_hex(4)}"
        told = {"epoch": name, "model": model, "opened": int(now), "since": since, "until": until}
        told |= {"earlier": list(earlier)}
        self._folder.create(f"{file}{OPENED}", _bytes({**told, "asked": asked}))
        self._by_model = None
        return self.read(Entry(f"{file}{OPENED}", short(model), short(scope), number, "", False))

    def close(self, epoch: Epoch, covers: Mapping[str, int], run: str) -> None:
        """Note that an epoch is complete; nothing is changed if that stands already."""
        told = {"epoch": epoch.name, "model": epoch.model, "opened": epoch.opened, "since": epoch.since}
        told |= {"until": epoch.until, "earlier": list(epoch.earlier)}
        told |= {"complete": int(time.time()), "covers": dict(covers), "run": run}
        stamp = time.strftime(STAMP, time.gmtime(epoch.opened))
        self._folder.create(f"{epoch.file}-{stamp}{COMPLETE}", _bytes(told))
        self._by_model = None

    def read(self, entry: Entry) -> Epoch:
        """Read an epoch. Raises StorageError."""
        try:
            told = json.loads(self._folder.read(entry.file))
        except (OSError, ValueError, RecursionError) as error:
            raise StorageError(f"{self._folder}/{entry.file}: is no epoch ({error}). {ADVICE}") from error
        checks = {**CHECKS, **OF_COMPLETE} if entry.complete else CHECKS
        for name, right in checks.items():
            if not isinstance(told, dict) or not right(told.get(name)) or (name == "model" and of_other(told, entry)):
                raise StorageError(f"{self._folder}/{entry.file}: field {name!r} is missing or wrong. {ADVICE}")
        file = f"{entry.model}-{entry.scope}-{entry.number:04d}"
        since, until = told["since"], told.get("until")
        if since is not None and until is None:  # of a release that did not note it
            until = until_of(told["opened"])
        found = Epoch(told["epoch"], told["model"], told["opened"], file, since, until, tuple(told["earlier"]))
        if not entry.complete:
            return found
        return replace(found, covers=told["covers"], completed=told["complete"], run=told["run"])


ADVICE = (
    "Put it back from a backup, or move it out of the folder: its answers stay in the store, and no run reads them then"
)
LAST = 253_402_300_799  # 9999-12-31, in unix seconds: the last time that a date can be written of


def until_of(now: float) -> int:
    """Return the last time of which answers stand in an epoch that is opened now: times of answers have fractions, and
    those of this second are not asked again."""
    return int(now) + 1


def short(text: str) -> str:
    """Return a text's digest as in a file name."""
    return sha256_of(text)[:DIGEST]


def time_text(seconds: float) -> str:
    """Return a time for people: "2026-11-28 03:35 UTC". seconds: unix time."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def told(name: str, since: int | None) -> str:
    """Return what a report says of an epoch. name: of the epoch. since: as in `Epoch`."""
    opened = time_of(name.partition("-")[0])
    older = "" if since is None else f", those older than {(opened - since) // DAY_S} days"
    return f"asked anew {time_text(opened)}{older} (epoch {name})"


def is_epoch(value: Any) -> bool:
    """Return whether a value may be an epoch's name."""
    return isinstance(value, str) and _EPOCH.fullmatch(value) is not None


def of_other(told: Mapping[str, Any], entry: Entry) -> bool:
    """Return whether a file is of another model than its name says."""
    return short(told["model"]) != entry.model


def time_of(stamp: str) -> int:
    """Return the unix seconds of a time in a file name; 0 for what is no time."""
    try:
        return calendar.timegm(time.strptime(stamp, STAMP))
    except ValueError:
        return 0


def is_time(value: Any) -> bool:
    """Return whether a value is a time in whole unix seconds."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LAST


def is_covering(value: Any) -> bool:
    """Return whether a value says what a complete epoch covers."""
    whole = isinstance(value, dict) and all(isinstance(one, int) for one in value.values())
    return whole and not any(isinstance(one, bool) or one < 0 for one in value.values())


CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "epoch": is_epoch,
    "model": lambda value: isinstance(value, str) and value != "",
    "opened": is_time,
    "since": lambda value: value is None or is_time(value),
    "until": lambda value: value is None or is_time(value),
    "earlier": lambda value: isinstance(value, list) and all(map(is_epoch, value)),
}
OF_COMPLETE: Mapping[str, Callable[[Any], bool]] = {
    "covers": is_covering,
    "complete": is_time,
    "run": lambda value: isinstance(value, str),
}


def _bytes(told: Mapping[str, Any]) -> bytes:
    return (json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")
