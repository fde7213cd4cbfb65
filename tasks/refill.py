"""`store repair`: what is damaged in the response store taken out, what snapshots of its home hold put back."""

from __future__ import annotations

from dataclasses import dataclass

from storage.home import Home
from storage.store_check import Checked
from storage.store_repair import opened, replace_answers, settle_attempts, take_out_damaged
from tasks.snapshot_rows import refilled, refilled_failure
from tasks.verified_answers import checked_store, hold, snapshots


@dataclass(frozen=True)
class Repaired:
    """What a repair did. refilled: answers and failures put back from snapshots; taken_out: rows that stand in the
    table `set_aside` now, in words; moved: where a torn file of the store went, "" for none; saved: rows taken over
    from it; checked: the store as it is now."""

    refilled: int
    taken_out: tuple[str, ...]
    moved: str
    saved: int
    checked: Checked


def repair(home: Home) -> Repaired:
    """Make the store of a home agree with itself and with the home's snapshots. Nothing is asked, nothing thrown away.

    Raises StorageError for a database that is no response store.
    """
    found = list(snapshots(home))
    place = opened(home.store_place)
    store = place.store
    try:
        done = take_out_damaged(store)
        held = hold(store, found)
        different = {row.request_key: refilled(row, provider) for row, provider, _ in held.different}
        replace_answers(store, different, "is not what a snapshot holds")
        done += [
            f"answer {row.request_key} of {row.model}: not what its snapshot holds: {', '.join(fields)}"
            for row, _, fields in held.different
        ]
        store.add(
            [refilled(row, provider) for row, provider in held.gone],
            [refilled_failure(row, provider) for row, provider in held.failures_gone],
        )
        done += settle_attempts(store)
    finally:
        store.close()
    count = len(different) + len(held.gone) + len(held.failures_gone)
    return Repaired(count, tuple(done), place.moved, place.saved, checked_store(home, found))
