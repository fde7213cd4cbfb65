"""What is noted of nights beside their rows: what was accepted, what is muted, which began, which were not finished."""

from __future__ import annotations

from dataclasses import dataclass

from scrollwork.records.base import Row
from scrollwork.records.nights.dates import LATEST, is_date
from scrollwork.records.nights.night import CAUSES


@dataclass(frozen=True)
class Acceptance(Row):
    """A night that somebody accepted: those that follow are compared with it. at: unix seconds. by: "" if unknown."""

    night: str
    digest: str
    by: str
    at: int

    def check(self) -> None:
        self.require(0 <= self.at <= LATEST, "at", "is no time in unix seconds")


@dataclass(frozen=True)
class Mute(Row):
    """A task whose drop raises no alarm up to and with a date (UTC). A later mute of the task takes its place."""

    task: str
    until: str
    by: str
    at: int

    def check(self) -> None:
        self.require(is_date(self.until), "until", f"{self.until!r} is no date such as 2026-12-24")
        self.require(0 <= self.at <= LATEST, "at", "is no time in unix seconds")


@dataclass(frozen=True)
class Begun(Row):
    """A night that began, so that it is finished after a kill. epochs: names, of the models at the same places."""

    models: tuple[str, ...]
    epochs: tuple[str, ...]
    at: int

    def check(self) -> None:
        self.require(len(self.models) == len(self.epochs), "epochs", "are not as many as models")
        self.require(0 <= self.at <= LATEST, "at", "is no time in unix seconds")


@dataclass(frozen=True)
class Unfinished(Row):
    """A night that ended before it was whole. settings: as in its row. why: what is missing and why, or the error."""

    suite: str
    settings: str
    models: tuple[str, ...]
    run: str
    why: tuple[str, ...]
    at: int

    def check(self) -> None:
        self.require(bool(self.models), "models", "is empty")
        self.require(bool(self.why), "why", "is empty")
        self.require(0 <= self.at <= LATEST, "at", "is no time in unix seconds")


@dataclass(frozen=True)
class FullSet(Row):
    """Why the full set was asked on a night that began, so that a killed one goes on with it. causes: of CAUSES."""

    causes: tuple[str, ...]
    why: str
    at: int

    def check(self) -> None:
        unknown = next((one for one in self.causes if one not in CAUSES), "")
        self.require(not unknown, "causes", f"{unknown!r} is none of {', '.join(CAUSES)}")
        self.require(0 <= self.at <= LATEST, "at", "is no time in unix seconds")
