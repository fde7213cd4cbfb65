"""What a canary is compared with, and what it shows: another version, fingerprint or weights, other answers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from scrollwork.analysis.nights.canary import canary_verdict
from scrollwork.analysis.nights.night import Night, NightError
from scrollwork.analysis.nights.rule import STANDARD, Rule
from scrollwork.readings.nights.answers import ModelNight, task_name
from scrollwork.readings.nights.compared import REACH, night_of, stored_night
from scrollwork.readings.nights.register import Nights
from scrollwork.readings.nights.reported import named, reported_otherwise
from scrollwork.records.nights.night import (
    ANSWERS,
    CHANGES,
    FINGERPRINT,
    FIRST,
    FULL,
    TEXTS,
    VERSION,
    NightModel,
    NightRow,
    NightTask,
)
from scrollwork.storage.errors import StorageError

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

TONIGHT = "tonight"


@dataclass(frozen=True)
class Looked:
    """What a model's canary shows. reference: name of the night that it is compared with. sentence: of its verdict.

    changes: (cause, in words) of what was seen to change; then the full set is asked.
    """

    reference: str
    sentence: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FullNights:
    """The nights of a suite with the same settings, the oldest first, of both kinds."""

    rows: Sequence[NightRow]

    @classmethod
    def read(cls, nights: Nights, suite: str, settings: str) -> FullNights:
        """Read the nights of a home."""
        return cls([row for row in nights.rows() if (row.suite, row.settings) == (suite, settings)])

    def last(self, model: str, tasks: Iterable[str], without: str = "") -> NightRow | None:
        """Return the last night on which the full set of these tasks was asked of a model; None for none.

        without: an epoch whose nights do not count, "" for none. What that night saw needs no further one, so it stands
        for it whether it is the accepted one or not.
        """
        wanted = set(tasks)
        for row in reversed(self.rows):
            one = row.of(model)
            if row.kind != FULL or one is None or (without and one.epoch == without):
                continue
            if wanted.issubset(task.task for task in one.tasks if task.metric):  # without one it was not asked
                return row
        return None

    def other_weights(self, model: str, last: NightRow, served: Sequence[str]) -> str:
        """Say which other weights are served than on a night; "" for none, and where one of both is not known."""
        one = last.of(model)
        if one is None or not one.served or not served or set(one.served) == set(served):
            return ""
        told = named(sorted(set(served) - set(one.served))) or "nothing more"
        return f"{model}: its server lists {told}, in {last.name} it listed {named(_lost(one.served, served))}"

    def days_since(self, row: NightRow, now: float) -> int:
        """Return the days of the calendar (UTC) from a night to a time in unix seconds; negative before it."""
        today = date.fromisoformat(time.strftime("%Y-%m-%d", time.gmtime(now)))
        return (today - date.fromisoformat(row.date)).days

    def around(self, model: str, last: NightRow, epoch: str, rule: Rule) -> tuple[list[NightRow], list[NightRow]]:
        """Return the nights of a model (before, after) the last full one that its canary is compared with.

        Before: since the model was last seen to change; where nights after are known, also since most texts were
        others for the first time, which may have been a change. Of nights in one epoch the last counts, none of
        tonight's (`epoch`).
        """
        by_epoch = {one.epoch or row.name: row for row in self.rows if (one := row.of(model)) is not None}
        by_epoch |= {
            (one.epoch or last.name): last for one in last.models if one.model == model
        }  # not one of fewer tasks
        by_epoch.pop(epoch, None)
        own = [row for row in self.rows if any(row is one for one in by_epoch.values())]
        at = next(place for place, row in enumerate(own) if row is last)
        after, before = own[at + 1 :], list[NightRow]()
        seen = CHANGES_SEEN | ({TEXTS} if after else set())
        for row, later in zip(reversed(own[:at]), reversed(own[1 : at + 1]), strict=True):
            if len(before) == rule.baseline or not seen.isdisjoint(later.causes):
                break
            before.insert(0, row)
        most = REACH * rule.baseline
        return before, after if len(after) <= most + rule.windows else [*after[:most], *after[-rule.windows :]]


CHANGES_SEEN = frozenset(CHANGES)


def task_names(chain: Chain, model: str) -> list[str]:
    """Return what the tasks of a model are called on a night. No node is declared: its epoch may not be chosen yet."""
    return [task_name(part.task.name, part.split, part.arm) for part in chain.asked(model)]


def look(nights: Nights, known: FullNights, model: str, part: ModelNight, epoch: str, rule: Rule = STANDARD) -> Looked:
    """Compare a model's canary with the last night on which the full set was asked of it."""
    last = known.last(model, part.tasks, epoch)
    if last is None:
        told = f"{model}: no night with the full set is stored"
        return Looked("", told, ((FIRST, told),))
    one = last.of(model)
    assert one is not None
    changes = [
        (cause, f"{model}: {text}")
        for cause, what, had, has in (
            (VERSION, "version", one.versions, part.versions),
            (FINGERPRINT, "fingerprint", one.fingerprints, part.fingerprints),
        )
        if (text := reported_otherwise(what, had, has, last.name))
    ]
    asked = {task: columns["items"] for task, columns in part.scores.items()}
    before, after = known.around(model, last, epoch, rule)
    try:
        reference = stored_night(nights, last, model, one.dropped)
        tonight = night_of(TONIGHT, part.scores)
        read = [list(_read(nights, rows, model)) for rows in (after, before)]
        found = canary_verdict(reference, tonight, read[0], rule, asked, read[1])
        sentence, differs, cause = found.sentence, found.ask_all, TEXTS if found.untold else ANSWERS
    except (NightError, StorageError) as error:
        sentence, differs, cause = f"The canary cannot be compared with {last.name}: {error}.", True, ANSWERS
    if differs:
        changes.append((cause, f"{model}: {sentence.removeprefix('Ask the full set: ').removesuffix('.')}"))
    return Looked(last.name, sentence, tuple(changes))


def canary_model(model: str, part: ModelNight, epoch: str, looked: Looked) -> NightModel:
    """Return a model's part of a night on which its canary alone was asked."""
    facts = tuple(sorted(part.versions)), tuple(sorted(part.fingerprints)), part.cost_usd, part.unknown
    tasks: tuple[NightTask, ...] = tuple(part.tasks.values())
    return NightModel(model, epoch, *facts, looked.reference, looked.sentence, False, tasks)


def _read(nights: Nights, rows: Sequence[NightRow], model: str) -> Iterable[Night]:
    """Read nights between; one whose scores cannot be read is left out, with a note."""
    for row in rows:
        one = row.of(model)
        assert one is not None
        try:
            yield stored_night(nights, row, model, one.dropped)
        except (NightError, StorageError) as error:
            nights.notes.append(f"{row.name} is left out of the comparison: {error}")


def _lost(had: Sequence[str], has: Sequence[str]) -> list[str]:
    return sorted(set(had) - set(has)) or sorted(had)
