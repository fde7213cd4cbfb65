"""Send the requests of a stage to a model. A request is claimed first, and each result is committed when it arrives.

No answer is paid for twice: a request with a stored answer is not sent, one that another process has claimed is waited
for, and after a kill only the requests that were in flight are sent again."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from uuid import uuid4

from scrollwork.models.base import Answer, Attempt, Call, Usage
from scrollwork.models.engine.patience import TOLD_S
from scrollwork.models.engine.retry import LONGEST_S, may_be_charged
from scrollwork.models.engine.running import Running, Runs
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.hosted.tables import key_name_of
from scrollwork.models.vendors.fill import beyond_answer
from scrollwork.models.vendors.marks import cache_marks, least_ordered_prefix
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from scrollwork.models.vendors.tiers import FLEX
from scrollwork.pipeline import progress
from scrollwork.pipeline.calling import (
    STOP,
    CallSettings,
    breaker,
    first_time,
    gate_of,
    given_up,
    known_price,
    ledger_of,
    stop_of,
    stops_heeded,
)
from scrollwork.pipeline.errors import Interrupted
from scrollwork.storage.answers.rows import ANSWERED
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.tasks.generate.first_replies import LOOKED_AT, FirstReplies
from scrollwork.tasks.generate.held_failures import HeldFailures, Result
from scrollwork.tasks.generate.stored_answers import (
    counted_cost,
    is_to_be_asked,
    note_earlier_prompts,
    stored_answer,
    stored_attempt,
    stored_failure,
    stored_states,
    under_other_names,
)
from scrollwork.tasks.generate.while_asking import LEASE_S, held_while_away, renewed_claims

log = logging.getLogger("scrollwork")
Source = Callable[[Collection[str] | None], Iterator[list[Call]]]  # calls of all prompts, or of those with these keys
LOOK_S = 1.0  # between two looks at the requests that other processes have claimed
TOGETHER = 64  # most results in one transaction
AGAIN = 3  # tries to commit paid results after the store has failed


class Asker:
    """The sender of one stage's requests, those without a stored answer. title, total: for messages on its progress."""

    def __init__(self, model: Runs, calling: CallSettings, store: ResponseStore, title: str, total: int) -> None:
        self._model, self._calling, self._store, self._title, self._total = model, calling, store, title, total
        self._owner = f"{calling.run}.{sha256_of([title, os.getpid(), uuid4().hex])[:16]}"
        self._open: dict[str, Call] = {}  # claimed by us, without a result yet
        self._claimed: set[str] = set()  # claimed by us, ended or not: an equal prompt is not sent again
        self._claimed_by_others: set[str] = set()  # claimed by other processes
        self._waiting_since = 0.0  # when the last of those was answered, or the wait for them began
        self._uncommitted: list[Result] = []  # arrived but not committed
        self._last_attempt: dict[str, Attempt] = {}  # the last attempt of each open request
        self._stop, self._done, self._failed = Stop(stop_of(calling)), 0, 0
        self._spent = self._unpriced = 0  # among those done: nano-dollars; attempts of unknown cost
        self._last_failure: Attempt | None = None  # the last attempt that failed
        self._budget_message = ""  # the budget's message once it is used up
        self._batched, self._batch_names = 0, set[str]()  # requests that wait in a batch; our names for these batches
        table = calling.tables[model.name]
        self._price, self._thoughts = known_price(model.name, table), beyond_answer(table)
        self._cached = least_ordered_prefix(table), cache_marks(table)
        self._flex, self._at_standard = table.get("service") == FLEX, 0  # answers from another tier than flex
        new = not store.holds_answers(model.name)
        self._breaker = breaker(model.name, calling, alone=LOOKED_AT if new else 0)
        self._first_replies = FirstReplies(title, model.name, table, calling, new=new)
        self._held_failures = HeldFailures(self._breaker)

    def ask(self, source: Source) -> None:
        """Send the requests without an answer, then wait for other processes'. Raises Interrupted, StorageError."""
        if given_up(self._model.name, self._calling):
            return
        held = held_while_away(self._store, self._stop, self._title)
        with stops_heeded(), held, renewed_claims(self._store, self._open, self._owner):
            try:
                stopped = self._send_calls(source(None))
                self._waiting_since = time.monotonic()
                while self._claimed_by_others and not stopped:
                    stopped = self._wait_for_others(source)
                stopped = self._settle_held_failures() or stopped
            finally:
                self._store.release(list(self._open), self._owner)
        if STOP.level:
            raise Interrupted(f"stopped; {self._done:,} of {self._total:,} are answered and stored")
        if self._batched:
            log.warning("%s: %s requests wait in a batch%s; run it with --batch to wait too", self._title,
                        f"{self._batched:,}", self._other_names())  # fmt: skip
        if stopped:
            log.warning("%s: %s. %s", self._title, stopped, self._advice(stopped))
        if self._flex and self._at_standard:
            log.warning("%s: flex had no room for %s answers; they came from the standard tier, at its price",
                        self._title, f"{self._at_standard:,}")  # fmt: skip

    def _advice(self, stopped: str) -> str:
        """Return what the user can do after the run stopped. stopped: why it did."""
        stands = "What is stored stands; the same command asks the rest"
        if stopped == self._budget_message:
            return f"{stands}, for as much again: a budget is of one run"
        last = self._last_failure
        if last is None or last.message != stopped:
            return stands
        if last.outcome == "quota":
            return f"Wait for the quota's reset, or pay for more. {stands} then"
        key = key_name_of(self._model.provider, self._calling.tables[self._model.name])
        if last.status == 401 and key:
            return f"Look at the key in {key}. {stands} then"
        return stands

    def _send_calls(self, batches: Iterable[list[Call]]) -> str:
        """Send those of the calls that are wanted. Return why calls were left out, "" if none were."""
        gate = gate_of(self._model.name, self._calling, self._store)
        calls = self._noted_as_sent(with_shared_prefixes(self._claimed_calls(batches), *self._cached))
        run = self._model.run(calls, gate=gate, stop=self._stop, ledger=ledger_of(self._store), breaker=self._breaker)
        with run:
            try:
                self._commit_results(run)
            except StorageError:
                self._commit_after_failure(run)
                raise
            except KeyboardInterrupt:  # requests in flight are paid for: wait for their answers
                run.stop("interrupted")
                self._commit_results(run)
                raise
        self._budget_message = gate.reason if gate is not None else ""
        if run.stopped and not self._stop.level and run.stopped != self._budget_message:
            given_up(self._model.name, self._calling, run.stopped)
        return run.stopped

    def _settle_held_failures(self) -> str:
        """Store the held failures that turn out to be their prompts' fault. Return why the other requests stay without
        a result, "" if there are none."""
        own, others = self._held_failures.by_fault()
        self._uncommitted += own
        self._commit(final=True)
        if not others:
            return ""
        tripped = self._breaker.tripped if self._breaker is not None else ""
        reason = tripped or f"{others[-1].message} ({len(others):,} calls ended without an answer after them)"
        given_up(self._model.name, self._calling, reason)
        return reason

    def _claimed_calls(self, batches: Iterable[list[Call]]) -> Iterator[Call]:
        """Claim and yield the calls without a stored result, but not those of other processes or of an equal prompt."""
        for batch in batches:
            calls = {call.key: call for call in batch if call.key not in self._claimed}
            todo = self._missing(calls)
            note_earlier_prompts(calls, self._store, self._breaker)
            ours = self._store.claim(todo, self._owner, LEASE_S) if todo else set()
            self._claimed_by_others |= {key for key in todo if key not in ours}
            self._done += len(batch) - len(todo)
            self._report_progress()
            mine = {key: calls[key] for key in todo if key in ours}
            self._claimed |= set(mine)
            self._open |= mine  # before any is yielded, so that all these claims are renewed and released
            yield from mine.values()

    def _noted_as_sent(self, calls: Iterable[Call]) -> Iterator[Call]:
        """Yield the calls and keep each as it is sent: its cost depends on the prefix that it shares with others."""
        for call in calls:
            self._open[call.key] = call
            yield call

    def _missing(self, keys: Collection[str]) -> list[str]:
        """Return the keys of requests that are to be sent, each once; count the stored failures among the others."""
        states = stored_states(self._store, keys, self._calling.retry_failed)
        missing = {key: None for key in keys if is_to_be_asked(states.get(key), self._calling.retry_failed)}
        self._failed += sum(state != ANSWERED for key, state in states.items() if key not in missing)
        return list(missing)

    def _wait_for_others(self, source: Source) -> str:
        """Wait for other processes' requests, and send those that they gave up. Return why to stop, or ""."""
        time.sleep(LOOK_S)
        if self._stop.level:
            return self._stop.reason
        waiting = self._missing(self._claimed_by_others)
        if came := len(self._claimed_by_others) - len(waiting):
            self._waiting_since = time.monotonic()
            self._done += came
        self._claimed_by_others = set(waiting)
        self._report_progress()
        in_batches = self._store.in_batches(waiting)
        self._claimed_by_others -= set(in_batches)
        self._batched += len(in_batches)
        self._batch_names |= set(in_batches.values())
        waiting = [key for key in waiting if key not in in_batches]
        if not waiting:
            return ""
        free = self._store.claim(waiting, self._owner, LEASE_S)
        if not free:
            return self._why_stop_waiting(len(waiting))
        self._claimed_by_others -= free
        stopped = self._send_calls(source(free))
        self._waiting_since = time.monotonic()
        return stopped

    def _why_stop_waiting(self, count: int) -> str:
        """Return why to stop waiting for another process, which lives but has stored nothing; "" to wait on."""
        held = time.monotonic() - self._waiting_since
        theirs = f"{count:,} requests are asked by another process"
        if held > LONGEST_S:
            reason = f"{theirs}, which has stored none of them for {held / 60:.0f} minutes"
            given_up(self._model.name, self._calling, reason)
            return reason
        if held > TOLD_S and first_time(self._model.name, self._calling, "elsewhere"):
            log.warning("%s: %s, which has stored none of them for %.0f s; waiting", self._title, theirs, held)
        return ""

    def _other_names(self) -> str:
        """Return in words under which other names of the model these batches were submitted; "" for none."""
        names = sorted({repr(one.model) for one in under_other_names(self._store, self._batch_names, self._model.name)})
        return f" of {', '.join(names)}, another name of this model" if names else ""

    # ---- results

    def _commit_results(self, run: Running) -> None:
        """Commit results as they arrive, in one transaction all that have arrived since the last commit."""
        self._commit()  # what an interrupt left uncommitted
        for result in run:
            self._uncommitted.append(result)
            run.came(self._uncommitted, TOGETHER)
            self._commit()

    def _commit(self, final: bool = False) -> None:
        """Commit the results in `_uncommitted`, where they stay if that fails. A result may be there twice.

        Unless `final`, failures that may not be their prompts' fault wait until a later request is answered. Raises
        StorageError."""
        if not final:
            self._uncommitted = self._held_failures.hold_back(self._uncommitted)
        if not self._uncommitted:
            return
        answers, failures, attempts, over = [], [], [], set[str]()
        costs: list[int | None] = []
        reports: list[Callable[[], None]] = []
        provider = self._model.provider
        for result in self._uncommitted:
            call = self._open.get(result.key)
            if call is None:
                continue  # a second copy of a result
            if isinstance(result, Attempt):
                self._last_attempt[result.key] = result
                self._at_standard += result.outcome == "answered" and result.service != FLEX
                cost = self._cost_of_attempt(result, call)
                attempts.append(stored_attempt(result, provider, call.member, self._owner, cost))
                costs.append(cost)
                reports.append(partial(self._first_replies.note_attempt, result))
                self._last_failure = self._last_failure if result.outcome in ("answered", "cancelled") else result
                continue
            over.add(result.key)
            if isinstance(result, Answer):
                attempt = self._last_attempt.get(result.key)
                reports.append(partial(self._first_replies.note_answer, result, call, attempt))
                cost = self._cost_of_usage(result.usage, call, attempt)
                answers.append(stored_answer(result, provider, call.member, cost))
            else:
                failures.append(stored_failure(result, provider, call.member))
        self._store.add(answers, failures, attempts, owner=self._owner)
        self._uncommitted = []
        for report in reports:  # only after the commit, so that each is reported once
            report()
        for key in over:
            del self._open[key]
            self._last_attempt.pop(key, None)
        self._done += len(over)
        self._failed += len(failures)
        self._spent += sum(cost or 0 for cost in costs)
        self._unpriced += costs.count(None)
        self._report_progress()

    def _commit_after_failure(self, run: Running) -> None:
        """Stop sending after the store has failed, and try to store what is in flight, which is paid for."""
        run.stop("the store failed")
        for result in run:
            self._uncommitted.append(result)
        for _ in range(AGAIN):
            try:
                self._commit()
                return
            except StorageError:
                time.sleep(LOOK_S)
        lost = sum(isinstance(one, Answer) for one in self._uncommitted)
        log.error("%s: %s answers that came after the store failed could not be stored", self._title, f"{lost:,}")

    def _cost_of_attempt(self, attempt: Attempt, call: Call) -> int | None:
        """Return the cost of an attempt in nano-dollars, None if the price is unknown."""
        if attempt.outcome != "answered" and attempt.usage == Usage() and not may_be_charged(attempt.status):
            return 0
        return self._cost_of_usage(attempt.usage, call, attempt)

    def _cost_of_usage(self, usage: Usage, call: Call, attempt: Attempt | None) -> int | None:
        """Return the cost of usage in nano-dollars, None if the price is unknown.

        attempt: the one that it belongs to, which may have had a higher token limit than the call first had, or have
        been sent after others with the same documents."""
        if attempt is not None:
            room = call.ask.max_new_tokens if attempt.room is None else attempt.room
            follows, common = attempt.follows, attempt.common_bytes
            call = replace(call, ask=replace(call.ask, max_new_tokens=room, follows=follows, common_bytes=common))
        when, service = (attempt.started, attempt.service) if attempt is not None else (None, "")
        return counted_cost(usage, self._price, call, self._thoughts, when, service)

    def _report_progress(self) -> None:
        one_by_one = self._breaker is not None and self._breaker.alone
        others = bool(self._claimed_by_others) and not self._open  # only other processes' answers are waited for
        progress.tell(self._title, self._done, self._total, steady=not (one_by_one or others))
        told = progress.Standing(self._done, self._total, self._failed, self._spent, self._unpriced)
        progress.asked(self._title, told)
