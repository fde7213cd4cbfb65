"""One model's batches in one run: those that it submits, and those that it finds open.

Everything is stored before it is sent (write-ahead): a batch and its request keys before any of it is uploaded, and the
time of its creation before the request that creates it. So after a kill, the next process knows every batch. It gives
up a batch that was never sent, looks in the provider's list for one whose creation was not confirmed, and waits for one
that exists. A creation is never repeated: requests of a lost batch are sent in another batch.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

from scrollwork.models.base import Call, CallProblem
from scrollwork.models.engine.retry import ends_the_run
from scrollwork.models.engine.usage_bounds import Bounds, bounds_of, shared_most
from scrollwork.models.hosted.batch_steps import BatchSteps, Unconfirmed
from scrollwork.models.hosted.batches import BatchState, may_exist
from scrollwork.models.hosted.model import place_of
from scrollwork.models.vendors.fill import beyond_answer
from scrollwork.models.vendors.marks import batch_group, cache_marks, least_ordered_prefix
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from scrollwork.pipeline import progress
from scrollwork.pipeline.calling import CallSettings, budget_of, known_price, stop_of
from scrollwork.pipeline.session import Session
from scrollwork.storage.answers.rows import StoredBatch, StoredFailure
from scrollwork.storage.digest import sha256_of
from scrollwork.tasks.generate.batch_claims import MOST_TRIES, Claims
from scrollwork.tasks.generate.batch_files import BatchBudget, BatchFile, seconds_since, unique_calls
from scrollwork.tasks.generate.batch_results import Bounding, Collector, batch_failure
from scrollwork.tasks.generate.stored_answers import stored_failure, under_other_names

log = logging.getLogger("scrollwork")
SETTLE_S = 60.0  # how long the provider's list is searched for a batch before it counts as never created
PATIENCE_S = 600.0  # how long results that lack answers are downloaded again before these answers count as lost
LATE_S = 2 * 86_400.0  # age of a batch after which that is not done
OLD_S = 7200.0  # since its creation began to be sent (this may take half an hour): then one look is enough


class ModelBatches:
    """One model's batches in one run: those that it submits, and those that it finds open."""

    def __init__(self, model: str, calling: CallSettings, session: Session, steps: BatchSteps) -> None:
        self.model, self._calling, self._store, self._steps = model, calling, session.store, steps
        self._table = calling.tables[model]
        self._provider = str(self._table["provider"])
        self._place = place_of(self._provider, self._table)
        self._folder = session.home.folder / "tmp"
        self._claims = Claims.of(session.store, model, calling.run, calling.retry_failed)
        price = known_price(model, self._table)
        cheaper = None if price is None else price.in_batch()
        self._budget = BatchBudget(budget_of(calling, session.store), cheaper, beyond_answer(self._table))
        self._collector = Collector(session.store, steps, cheaper, self._folder)
        self._stop = stop_of(calling)
        self.held = self._claims.held  # open batches that are ours, by our name for them
        self.todo: set[str] = set()  # keys of requests that need another batch
        self._stuck: dict[str, str] = {}  # held batches that cannot be looked up, and why
        self._most_requests = steps.interface.most_requests
        self._group = batch_group(self._table)
        self._full = False  # the provider takes no more batches until one of ours ends
        self._said: dict[str, str] = {}  # the last warning on each batch
        self._first_look: dict[str, float] = {}  # when each unconfirmed batch was first looked for; time.monotonic()
        self._first_results: dict[str, float] = {}  # when each was first seen to have ended; time.monotonic()
        self.all_calls_seen = True  # all wanted calls were looked at
        self.stopped = ""  # why nothing more is submitted, "" while it may be
        self.bounds_of_requests: Bounding = lambda _: {}  # returns the bounds of requests' tokens

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Renew the claims while the body runs; then release them, and the budget reserved for batches that still wait:
        these count in the run that collects them, and online requests must not wait for their reserve."""
        with self._claims.renewed():
            try:
                yield
            finally:
                for batch in self.held.values():
                    self._budget.give(batch.most_nano_usd, 0)

    @property
    def waits(self) -> bool:
        """Return whether results may still come."""
        looked_at = any(name not in self._stuck for name in self.held)
        more = (self.todo or not self.all_calls_seen) and not self.stopped
        return looked_at or bool(self._claims.claimed_by_others) or bool(more)

    @property
    def ready(self) -> bool:
        """Return whether requests are left to submit and may be submitted."""
        return not self.stopped and not self._full and bool(self.todo or not self.all_calls_seen)

    # ---- submitting

    def submit(self, batches: Iterable[list[Call]]) -> None:
        """Submit the calls without an answer, and set `all_calls_seen` to whether all calls were looked at."""
        self.all_calls_seen = False
        batch_file: BatchFile | None = None
        for call, entry in self._entries(self.with_prefixes(self._claimed(batches))):
            if batch_file is not None and not batch_file.takes(entry):
                self._send(batch_file)
                batch_file = None
            amount = self._budget.most(call)
            if not self.stopped and not self._stop.level and not self._budget.take(amount):
                self.stopped = self._budget.reason
                if batch_file is not None and self._budget.drops(batch_file):
                    self.stopped, batch_file = self._budget.reason, None
            if self.stopped or self._stop.level:
                break
            batch_file = batch_file or BatchFile.empty(self._steps.interface, self._folder, self._most_requests)
            batch_file.add(call.key, entry, amount)
        else:
            self.all_calls_seen = True
        if batch_file is not None and self._stop.level:
            self._budget.drop(batch_file)
            batch_file = None
        self._claims.give_back(self._claims.requests.difference(batch_file.keys if batch_file is not None else ()))
        if batch_file is not None:
            self._send(batch_file)

    def _claimed(self, batches: Iterable[list[Call]]) -> Iterator[Call]:
        """Claim and yield the calls that are neither stored nor claimed by another process."""
        for batch in batches:
            calls = unique_calls(batch)
            yield from (calls[key] for key in self._claims.take(list(calls)))

    def with_prefixes(self, calls: Iterable[Call], least: int = 0) -> Iterator[Call]:
        """Yield the calls with the prefixes that `least` of them share, by default as many as a breakpoint pays for;
        without any if none does and `least` is 0."""
        if least or self._group:
            return with_shared_prefixes(
                calls, least_ordered_prefix(self._table), cache_marks(self._table), least or self._group
            )
        return iter(calls)

    def bounds(self, call: Call) -> Bounds:
        """Return the bounds of a call's tokens in a batch, where any call with a shared prefix may come first."""
        ask = replace(call.ask, follows=bool(call.ask.shared_prefixes))
        return replace(bounds_of(ask, self._steps.interface.body(call)), shared=shared_most(ask))

    def _entries(self, calls: Iterable[Call]) -> Iterator[tuple[Call, bytes]]:
        """Yield each call with its entry for the file. Store a failure for a call that cannot have one."""
        for call in calls:
            try:
                yield call, self._steps.interface.entry(call)
            except CallProblem as problem:
                self._store.add([], [self._failure(call.key, problem)])
                self._claims.give_back([call.key])

    def _send(self, batch_file: BatchFile) -> None:
        """Store the batch, submit it, and store the provider's id for it."""
        digest = batch_file.seal()
        batch = self._row(digest, batch_file.most_nano_usd)
        self._claims.store_before_sending(batch, batch_file.keys)

        def sending() -> None:
            self._forget_taken_over()
            if batch.batch_id not in self.held:
                raise CallProblem("terminal", "another process has taken the batch over", status=400)
            self._claims.save(replace(self.held[batch.batch_id], submitted=time.time()))

        with batch_file.file:
            try:
                seen = self._steps.submit(batch_file.file, batch.batch_id, digest, sending)
            except Unconfirmed as doubt:
                log.warning("%s: a batch of %s requests may have been made (%s); it is looked for", self.model,
                            f"{len(batch_file.keys):,}", doubt)  # fmt: skip
                return
            except CallProblem as problem:
                if batch.batch_id not in self.held:
                    log.warning("%s: %s", self.model, problem)
                elif self.held[batch.batch_id].submitted is None or not may_exist(problem):
                    self._lost(batch.batch_id, problem.message, batch_file.keys)
                    self.stopped = self.stopped or problem.message
                return
        self._confirmed(batch.batch_id, seen, len(batch_file.keys))

    def _row(self, digest: str, most_nano_usd: int) -> StoredBatch:
        """Make the row of a batch that is about to be submitted."""
        name = sha256_of([self._calling.run, digest, uuid4().hex])
        most = most_nano_usd if self._budget.price is not None else None
        row = StoredBatch(name, "intent", self._provider, self.model, None, digest, time.time())
        return replace(row, place=self._place, most_nano_usd=most)

    def _confirmed(self, name: str, seen: BatchState, requests: int) -> None:
        self._claims.save(replace(self.held[name], state="submitted", provider_batch_id=seen.batch_id))
        progress.say(f"{self.model}: {requests:,} requests wait in batch {seen.batch_id}")

    # ---- following them

    def adopt(self) -> None:
        """Claim open batches of this model whose process has ended."""
        self._claims.held_by_others.clear()
        for batch in self._store.open_batches():
            if batch.model != self.model or batch.batch_id in self.held:
                continue
            if batch.place != self._place:
                self._say_stuck(batch.batch_id, f"it was submitted to {batch.place}, not to {self._place}")
            elif (ours := self._claims.adopt(batch)) is not None:
                self._budget.hold(ours.most_nano_usd)

    def _forget_taken_over(self) -> None:
        """Forget batches that another process has taken over."""
        for batch in self._claims.taken_over():
            self._budget.give(batch.most_nano_usd, 0)

    def look(self) -> bool:
        """Look up every batch once and collect those that have ended. Return whether any is no longer open."""
        self._forget_taken_over()
        self.adopt()
        before = len(self.held)
        for name in list(self.held):
            if self._stop.level == 2:
                break
            try:
                self._look_at(name)
                self._stuck.pop(name, None)
            except CallProblem as problem:
                if problem.status == 404 and self._calling.retry_failed:
                    self._lost(name, problem.message)
                elif problem.kind != "transient" or ends_the_run(problem):
                    self._say_stuck(name, problem.message)
                else:
                    self._say_once(name, f"could not be looked at: {problem}")
        self.todo |= self._claims.given_up_by_others()
        self._tell_foreign()
        ended = len(self.held) < before
        if ended:
            self._full = False
            if self.stopped == self._budget.reason:  # the batch's unspent reserve is free again
                self.stopped = ""
        return ended

    def _tell_foreign(self) -> None:
        """Warn of batches that hold requests of ours under another name of the model."""
        for batch in under_other_names(self._store, self._claims.foreign_batches, self.model):
            what = f"of {batch.model!r}, another name of this model, holds requests of this run"
            self._say_once(batch.batch_id, f"{what}: run that with --batch to take it in")

    def _look_at(self, name: str) -> None:
        batch = self.held[name]
        if batch.state == "intent" and not self._exists(batch):
            return
        batch = self.held[name]
        try:
            seen = self._steps.look(str(batch.provider_batch_id))
        except CallProblem as problem:
            if problem.status != 404 or (listed := self._from_list(batch)) is None:
                raise
            seen = listed
        if seen.state == "ended":
            first = self._first_results.setdefault(name, time.monotonic())
            patient = time.monotonic() - first <= PATIENCE_S and seconds_since(batch.submitted) <= LATE_S
            found = self._collector.collect(batch, seen, self._calling.run, self.bounds_of_requests, patient)
            self._end(name, "collected", found.summary, found.cost)
            self.stopped = self.stopped or found.common_failure
            self._requeue(batch, {} if found.common_failure else found.to_ask_again)
            progress.say(f"{self.model}: batch {seen.batch_id} has ended: {found.summary}")
        elif seen.state in ("refused", "gone"):
            self._refused(name, seen)
        elif seen.why:
            self._say_once(name, seen.why)

    def _from_list(self, batch: StoredBatch) -> BatchState | None:
        """Return the batch from the provider's list, which may have another id than its creation returned; None if the
        list lacks it. Raises CallProblem."""
        keys = self._store.batch_requests(batch.batch_id)
        known = self._store.batch_names() - {batch.provider_batch_id}
        found = self._steps.find(batch.batch_id, batch.submitted or batch.created, keys, known)
        if found.batch is None and found.open:
            raise CallProblem("transient", f"it has another id, if it is batch {', '.join(found.open[:3])}")
        if found.batch is not None and found.batch.batch_id != batch.provider_batch_id:
            self._confirmed(batch.batch_id, found.batch, len(keys))
        return found.batch

    def _exists(self, batch: StoredBatch) -> bool:
        """Return whether the provider has a batch whose creation was not confirmed; give it up if it was never made."""
        if batch.submitted is None:
            self._lost(batch.batch_id, "it was never sent")
            return False
        keys = self._store.batch_requests(batch.batch_id)
        found = self._steps.find(batch.batch_id, batch.submitted, keys, self._store.batch_names())
        if found.batch is not None:
            self._confirmed(batch.batch_id, found.batch, len(keys))
            return True
        if found.open:
            waits = ", ".join(found.open[:3])
            self._say_once(batch.batch_id, f"whether it is batch {waits} will be known when that has ended")
        elif self._looked_for_long(batch):
            self._lost(batch.batch_id, "it never came about")
        return False

    def _looked_for_long(self, batch: StoredBatch) -> bool:
        """Return whether the provider's list was searched long enough for this batch (SETTLE_S, OLD_S)."""
        first = self._first_look.setdefault(batch.batch_id, time.monotonic())
        return time.monotonic() - first > SETTLE_S or seconds_since(batch.submitted) > OLD_S

    def _refused(self, name: str, seen: BatchState) -> None:
        keys = list(self._store.batch_requests(name))
        self._lost(name, seen.why or "the provider refused it", keys)
        if seen.full and (self.held or len(keys) > 1):
            for key in keys:
                self._claims.tries[key] -= 1
            self._full = bool(self.held)
            if not self.held:
                self._most_requests = max(1, len(keys) // 2)
        elif seen.state == "refused":
            self.stopped = self.stopped or f"batch {seen.batch_id} was refused: {seen.why}"

    def _requeue(self, batch: StoredBatch, missing: dict[str, CallProblem]) -> None:
        """Put requests without an answer in another batch, or give them up for this run after MOST_TRIES."""
        given_up = {key: problem for key, problem in missing.items() if self._claims.tries[key] >= MOST_TRIES}
        self._store.add([], [self._failure(key, problem) for key, problem in given_up.items()])
        self.todo |= set(missing) - set(given_up)
        quota = next((problem for problem in missing.values() if ends_the_run(problem)), None)
        if quota is not None:
            self.stopped = self.stopped or quota.message

    def _failure(self, key: str, problem: CallProblem) -> StoredFailure:
        tries = max(1, self._claims.tries[key])
        return stored_failure(batch_failure(key, problem, tries), self._provider, self.model)

    def _lost(self, name: str, why: str, keys: Collection[str] | None = None) -> None:
        """Give up a batch that did nothing or cannot be collected: its requests go into another batch. keys: of its
        requests, None to read them from the store."""
        keys = self._store.batch_requests(name) if keys is None else keys
        self._end(name, "lost", why, 0)
        self.todo |= set(keys)
        log.warning("%s: a batch of %s requests is given up: %s", self.model, f"{len(keys):,}", why)

    def _end(self, name: str, state: str, message: str, cost: int) -> None:
        batch = replace(self.held[name], state=state, ended=time.time(), message=message)
        batch = replace(batch, owner=batch.owner or (self._calling.run if state == "collected" else ""))
        self._claims.end(batch)
        self._budget.give(batch.most_nano_usd, cost)

    def _say_stuck(self, name: str, why: str) -> None:
        if name in self.held:
            self._stuck[name] = why
        self._say_once(name, f"cannot be looked at: {why}. --retry-failed gives up one that the provider has not")

    def _say_once(self, name: str, what: str) -> None:
        if self._said.get(name) != what:
            self._said[name] = what
            log.warning("%s: a batch %s", self.model, what)
