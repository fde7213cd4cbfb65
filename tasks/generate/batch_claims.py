"""Claims of this process on requests and open batches: leases that run out when the process ends."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from scrollwork.storage.answers.rows import StoredBatch
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.digest import sha256_of
from scrollwork.tasks.generate.stored_answers import is_to_be_asked, stored_states
from scrollwork.tasks.generate.while_asking import LEASE_S, renewed_claims

MOST_TRIES = 3  # how many batches of one run may hold the same request


@dataclass
class Claims:
    """Claims of one run on one model's requests and batches.

    held: open batches that this process has claimed, by our name for them. held_by_others: names of open batches that
    other processes have claimed. foreign_batches: names of other batches in which requests of ours wait. requests:
    claimed ones that are about to be put in a file. tries: how many batches of this run held each request.
    claimed_by_others: requests.
    """

    store: ResponseStore
    owner: str
    retry_failed: bool
    held: dict[str, StoredBatch] = field(default_factory=dict)
    held_by_others: set[str] = field(default_factory=set)
    foreign_batches: set[str] = field(default_factory=set)
    requests: set[str] = field(default_factory=set)
    tries: Counter[str] = field(default_factory=Counter)
    claimed_by_others: set[str] = field(default_factory=set)
    _leases: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, store: ResponseStore, model: str, run: str, retry_failed: bool) -> Claims:
        """Start without claims, under a new owner name."""
        return cls(store, f"{run}.{sha256_of([model, os.getpid(), uuid4().hex])[:16]}", retry_failed)

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew the claims while the body runs; then give them back."""
        with renewed_claims(self.store, self._leases, self.owner):
            try:
                yield
            finally:
                self.store.release(list(self._leases), self.owner)

    def take(self, keys: Sequence[str]) -> list[str]:
        """Claim those of these requests that are missing; return the ones that are now ours, each once."""
        todo = self.missing([key for key in keys if key not in self.requests])
        if not todo:
            return []
        ours = self.store.claim(todo, self.owner, LEASE_S)
        in_ours = {key for key, name in self.store.in_batches(todo).items() if name in self.held}
        self.claimed_by_others |= set(todo) - ours - in_ours
        self._leases |= dict.fromkeys(ours)
        self.requests |= ours
        return [key for key in todo if key in ours]

    def missing(self, keys: Sequence[str]) -> list[str]:
        """List the requests that are still to be sent: not answered, not failed for good, not tried too often."""
        states = stored_states(self.store, keys, self.retry_failed)
        tries = self.tries
        return [
            key
            for key in keys
            if tries[key] < MOST_TRIES
            and is_to_be_asked(states.get(key), self.retry_failed and not tries[key])  # retry a failure once in a run
        ]

    def give_back(self, keys: Collection[str]) -> None:
        """Release the claims, so that other processes or the next run may send these requests."""
        self.store.release(keys, self.owner)
        self._forget(keys)

    def store_before_sending(self, batch: StoredBatch, keys: Collection[str]) -> None:
        """Store a batch before anything of it is sent. It now holds its requests, in place of the claims on them."""
        self.store.claim([batch.batch_id], self.owner, LEASE_S)
        self._leases[batch.batch_id] = None
        self.store.intend(batch, keys, self.owner)
        self.held[batch.batch_id] = batch
        self._forget(keys)
        self.tries.update(keys)

    def _forget(self, keys: Collection[str]) -> None:
        self.requests.difference_update(keys)
        for key in keys:
            self._leases.pop(key, None)

    def adopt(self, batch: StoredBatch) -> StoredBatch | None:
        """Claim an open batch and return its present row: its last owner may have changed it since it was read.

        Return None if another process has claimed it, or it is no longer open.
        """
        if not self.store.claim([batch.batch_id], self.owner, LEASE_S):
            self.held_by_others.add(batch.batch_id)
            return None
        now = next((one for one in self.store.open_batches() if one.batch_id == batch.batch_id), None)
        if now is None:
            self.store.release([batch.batch_id], self.owner)
            return None
        self._leases[batch.batch_id] = None
        self.held[batch.batch_id] = now
        return now

    def taken_over(self) -> list[StoredBatch]:
        """Drop and return the batches that another process took over because this one slept longer than its lease."""
        ours = self.store.renew(list(self.held), self.owner, LEASE_S) if self.held else set()
        gone = [batch for name, batch in self.held.items() if name not in ours]
        for batch in gone:
            self._drop(batch.batch_id)
        return gone

    def save(self, batch: StoredBatch) -> None:
        """Store the new state of a batch that is ours."""
        self.store.save_batch(batch)
        self.held[batch.batch_id] = batch

    def end(self, batch: StoredBatch) -> None:
        """Store that a batch is over, and drop it."""
        self.store.save_batch(batch)
        self.store.release([batch.batch_id], self.owner)
        self._drop(batch.batch_id)

    def _drop(self, name: str) -> None:
        del self.held[name]
        self._leases.pop(name, None)

    def given_up_by_others(self) -> set[str]:
        """Return the requests that other processes gave up, but not those that wait in a batch."""
        if not self.claimed_by_others:
            return set()
        waiting = self.missing(list(self.claimed_by_others))
        in_batches = self.store.in_batches(waiting)
        self.claimed_by_others = {key for key in waiting if in_batches.get(key) in self.held_by_others}
        self.foreign_batches |= set(in_batches.values()).difference(self.held_by_others, self.held)
        return {key for key in waiting if key not in in_batches}
