"""`store repair`: move damaged rows out of the response store, and put back what the snapshots of its home hold."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

from scrollwork.pipeline.snapshots.check import checked_store, compare_with_store, snapshots
from scrollwork.pipeline.snapshots.damaged import Damaged, certain_rows, damaged_snapshot, damaged_snapshots, move_aside
from scrollwork.pipeline.snapshots.rows import refilled_failure, store_row
from scrollwork.storage.answers.check import StoreCheck
from scrollwork.storage.answers.repair import open_or_mend, replace_answers, settle_attempts, take_out_damaged
from scrollwork.storage.answers.rows import ANSWERED
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.artifacts.artifact import LOCK
from scrollwork.storage.home import Home
from scrollwork.storage.location import file_lock as locked


@dataclass(frozen=True)
class Repaired:
    """What a repair did.

    refilled: number of answers and failures that were put back from snapshots. taken_out: a message for each change in
    the store (rows moved to the table `set_aside`, answers replaced, attempts that do not count any more). moved: new
    path of a damaged store file, "" for none; saved: number of rows copied from it. damaged: a message for each damaged
    snapshot, with what was put back from it. conflicts: messages about answers on which snapshots disagree. checked:
    the check of the repaired store, after the repair.
    """

    refilled: int
    taken_out: tuple[str, ...]
    moved: str
    saved: int
    damaged: tuple[str, ...]
    conflicts: tuple[str, ...]
    checked: StoreCheck


def repair(home: Home) -> Repaired:
    """Repair the store of a home, so that it is consistent and agrees with the home's snapshots.

    No model is asked, and nothing is thrown away. Raises StorageError for a database that is not a response store.
    """
    found = list(snapshots(home))
    place = open_or_mend(home.store_place)
    store = place.store
    try:
        done = take_out_damaged(store)
        held = compare_with_store(store, found)
        different = {row.request_key: store_row(row, provider) for row, provider, _ in held.different}
        replace_answers(store, different, "is not what a snapshot holds")
        done += [
            f"answer {row.request_key} of {row.model}: not what its snapshot holds: {', '.join(fields)}"
            for row, _, fields in held.different
        ]
        store.add(
            [store_row(row, provider) for row, provider in held.gone],
            [refilled_failure(row, provider) for row, provider in held.failures_gone],
        )
        count = len(different) + len(held.gone) + len(held.failures_gone)
        torn, lost = [], []
        for one in damaged_snapshots(home):
            number, left = salvage(store, one)
            count += number
            torn.append(f"{one}; {number:,} answers and failures of it were put back{put_away(home, one)}")
            if left:
                lost.append(
                    f"{left:,} answers and failures of {one.folder} can be read nowhere; they may be asked again"
                )
        done += settle_attempts(store)
    finally:
        store.close()
    checked = checked_store(home, list(snapshots(home)))
    checked = replace(checked, problems=(*checked.problems, *lost))
    return Repaired(count, tuple(done), place.moved, place.saved, tuple(torn), tuple(held.conflicts), checked)


def salvage(store: ResponseStore, found: Damaged) -> tuple[int, int]:
    """Put the rows of a damaged snapshot that are certainly unchanged into the store.

    Returns (number of rows put back, number of paid answers and failures that the store still lacks or whose keys
    cannot be read). The second number is 0 for a free model.
    """
    answers, failures = certain_rows(found)
    before = store.states({row.request_key for row in answers} | {row.request_key for row in failures})
    new = {row.request_key: row for row in answers if before.get(row.request_key) != ANSWERED}
    failed = {row.request_key: row for row in failures if row.request_key not in before}
    store.add(
        [store_row(row, found.provider) for row in new.values()],
        [refilled_failure(row, found.provider) for row in failed.values()],
    )
    wanted = found.answered | found.failed
    lacking = len(wanted.difference(store.states(wanted))) if found.paid else 0
    return len({*new, *failed}), lacking + (found.unread if found.paid else 0)


def put_away(home: Home, found: Damaged) -> str:
    """Move a damaged snapshot aside after its answers are in the store. Returns what was done, in words.

    A snapshot of a free model is not moved, because its answers can be computed again. Returns "" if the snapshot is no
    longer damaged, or a process is writing there.
    """
    if not found.paid:
        return "; the next run builds it again"
    with locked(found.folder.local / LOCK) if found.folder.local is not None else nullcontext():
        aside = move_aside(home, found.folder) if damaged_snapshot(home, found.folder) is not None else None
    return f"; it is {aside} now" if aside is not None else ""
