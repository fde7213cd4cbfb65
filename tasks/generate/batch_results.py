"""Store the results of a batch: answers at batch prices, failures, and requests to be asked again."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from scrollwork.models.base import Answer, Attempt, CallFailed, CallProblem, Reply, Usage
from scrollwork.models.engine.breaker import FEW
from scrollwork.models.engine.prices import Price
from scrollwork.models.engine.retry import ends_the_run
from scrollwork.models.engine.usage_bounds import ANY, Bounds, read_in_batch
from scrollwork.models.hosted.batch_steps import BatchSteps
from scrollwork.models.hosted.batches import BadLine, BatchState, Line
from scrollwork.models.hosted.endpoint import with_believed_cost, with_believed_usage
from scrollwork.storage.answers.rows import AGAIN, DONE, WAITING, StoredBatch
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import naming_full_disks
from scrollwork.tasks.generate.batch_files import seconds_since
from scrollwork.tasks.generate.pending import chunks
from scrollwork.tasks.generate.stored_answers import cost_of, stored_answer, stored_attempt, stored_failure

COMMIT = 200  # most results in one transaction, as answers may be long
LONGEST_LINE = 2**23  # most bytes of a result that are read: 32,000 tokens of the longest kind
OTHERS = "of no request that waits in it"
UNREAD = "its result may be one of those that could not be read, and paid"
Bounding = Callable[[Collection[str]], Mapping[str, Bounds]]  # by request key, for requests whose prompts are known


@dataclass
class Collected:
    """The results of a batch. to_ask_again: requests without an answer, with the reason. common_failure: that of all
    requests, if all failed alike, so that none is at fault. cost: nano-dollars; a request of unknown cost counts its
    share of the batch's reserve."""

    answered: int = 0
    failed: int = 0
    cost: int = 0
    to_ask_again: dict[str, CallProblem] = field(default_factory=dict)
    strange_lines: Counter[str] = field(default_factory=Counter)  # lines about no request of this batch
    unread_lines: int = 0  # lines that could not be read, so their request is unknown
    first_unread: str = ""  # why the first of them could not be read
    known_lines: set[str] = field(default_factory=set)  # requests of the other lines
    processed: set[str] = field(default_factory=set)  # those of them that the provider processed, and is paid for
    withheld: dict[str, CallProblem] = field(default_factory=dict)  # failed for good, perhaps not by their own fault
    common_failure: str = ""

    @property
    def summary(self) -> str:
        """Return the results in words."""
        said = f"{self.answered:,} answered"
        said += f", {self.failed:,} failed for good" if self.failed else ""
        said += f", {len(self.to_ask_again):,} without an answer" if self.to_ask_again else ""
        lines = [f"{count:,} lines: {what}" for what, count in self.strange_lines.most_common(3)]
        if self.unread_lines:
            lines.append(f"{self.unread_lines:,} could not be read, and count as paid; the first: {self.first_unread}")
        return f"{said} ({'; '.join(lines)})" if lines else said


class Collector:
    """The collector of ended batches' results. It may be killed at any point and run again: results are stored once."""

    def __init__(self, store: ResponseStore, steps: BatchSteps, price: Price | None, folder: Path) -> None:
        self._store, self._steps, self._price, self._folder = store, steps, price, folder
        self._begun: dict[str, Collected] = {}  # by batch, until all of its results are stored
        self._owned = set[str]()  # batches whose row names whose their results are

    def collect(
        self, batch: StoredBatch, ended: BatchState, run: str, bounding: Bounding = lambda _: {}, patient: bool = False
    ) -> Collected:
        """Store the results of a batch. run: whose they are, unless another run has begun to collect them.

        bounding: returns the bounds of requests' tokens. patient: raise CallProblem (transient) if the results hold
        fewer answers than the provider counts. Raises CallProblem, StorageError.
        """
        if batch.owner:  # a run was killed while it stored the results
            self._owned.add(batch.batch_id)
            return self._collect(batch, ended, bounding, patient)
        self._owned.discard(batch.batch_id)
        try:
            return self._collect(replace(batch, owner=run), ended, bounding, patient)
        except CallProblem:
            withheld = self._begun[batch.batch_id].withheld
            if (
                batch.batch_id in self._owned and not withheld
            ):  # all that is stored is settled: another run may count the rest
                self._store.save_batch(batch)
            raise

    def _collect(self, batch: StoredBatch, ended: BatchState, bounding: Bounding, patient: bool) -> Collected:
        found = self._begun.setdefault(batch.batch_id, Collected())
        states = self._store.batch_requests(batch.batch_id)
        waiting = {key for key, state in states.items() if state == WAITING}
        share = (batch.most_nano_usd or 0) // max(1, len(states))
        # an earlier try may have ended within a file
        found.unread_lines, found.known_lines, found.processed = 0, set(), set()
        found.strange_lines.pop(OTHERS, None)
        bounds: Mapping[str, Bounds] = {}
        refused: dict[str, Line] = {}
        for path in ended.results:
            with naming_full_disks("results of a batch", str(self._folder)), self._file() as file:
                self._steps.download(path, file)
                bounds = bounds or bounding(states)  # settled requests too: others may share a prefix with them
                for lines in chunks(self._lines(file, states, waiting, found, bounds, refused), COMMIT):
                    self._store_lines(batch, lines, found, share)
        counted, lacking = min(ended.done, len(states)), states.keys() - found.known_lines
        none = len(lacking) == len(states)  # such as a page of HTML, or the results of another batch
        if patient and counted and lacking and (none or len(found.processed) + found.unread_lines < counted):
            said = f"its results hold {len(found.processed):,} of the {counted:,} answers that the provider counts"
            raise CallProblem("transient", said)
        for lines in chunks((line for key, line in refused.items() if key in waiting), COMMIT):
            self._store_lines(batch, lines, found, share)
        waiting -= refused.keys()
        paid_for = max(found.unread_lines, counted - len(found.processed))
        lost = sorted(lacking)[:paid_for]  # sorted, so that a second collection takes the same ones
        paid = [Line(key, CallProblem("transient", UNREAD, status=200)) for key in lost if key in waiting]
        self._store_lines(batch, paid, found, share)
        missing = CallProblem("transient", "the batch ended without a result for it")
        found.to_ask_again |= dict.fromkeys(waiting.difference(lost), missing)
        self._settle(batch, found)
        self._store.settle_requests(batch.batch_id, dict.fromkeys(found.to_ask_again, AGAIN))
        return self._begun.pop(batch.batch_id)

    def _file(self) -> BinaryIO:
        self._folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=self._folder)

    def _settle(self, batch: StoredBatch, found: Collected) -> None:
        """Store the withheld failures. If nothing was answered and all failed alike, set `common_failure` instead."""
        refused = {
            key: one for key, one in {**found.to_ask_again, **found.withheld}.items() if (one.status or 0) >= 300
        }
        named = {(one.kind, one.status) for one in (*refused.values(), *found.withheld.values())}
        if not found.answered and not found.failed and len(refused | found.withheld) >= FEW and len(named) == 1:
            last = next(reversed((refused | found.withheld).values()))
            found.common_failure = (
                f"{last.message} (so ended all {len(refused | found.withheld):,} requests of a batch)"
            )
            found.to_ask_again |= found.withheld
        else:
            provider, member = batch.provider, batch.model
            own = [stored_failure(batch_failure(key, one), provider, member) for key, one in found.withheld.items()]
            self._store.add([], own)
            self._store.settle_requests(batch.batch_id, dict.fromkeys(found.withheld, DONE))
            found.failed += len(own)
        found.withheld = {}

    def _lines(
        self,
        file: BinaryIO,
        states: Collection[str],
        waiting: set[str],
        found: Collected,
        bounds: Mapping[str, Bounds],
        refused: dict[str, Line],
    ) -> Iterator[Line]:
        """Yield the answers to requests that still wait, each once, and note the other lines in `found`.

        Failures are put in `refused`, by request: an answer to the same request, which is paid, may follow.
        """
        file.seek(0)
        while data := file.readline(LONGEST_LINE):
            if not data.strip():
                continue
            try:
                line = self._steps.interface.line(data)
            except BadLine as error:
                found.first_unread = found.first_unread or str(error)
                found.unread_lines += 1
                continue
            found.known_lines.add(line.key)
            if line.key in states and (isinstance(line.result, Reply) or (line.result.status or 300) < 300):
                found.processed.add(line.key)
            if line.key not in waiting or (line.key in refused and not isinstance(line.result, Reply)):
                found.strange_lines[OTHERS] += 1
                continue
            result, most = line.result, bounds.get(line.key, ANY)
            result = (
                with_believed_usage(result, most) if isinstance(result, Reply) else with_believed_cost(result, most)
            )
            if result.doubt:
                found.strange_lines[f"such as {result.doubt}" if not found.strange_lines else "usage not believed"] += 1
            own = Line(line.key, result, most.shared)
            if isinstance(result, Reply):
                waiting.remove(line.key)
                yield own
            else:
                refused[line.key] = own

    def _store_lines(self, batch: StoredBatch, lines: list[Line], found: Collected, share: int) -> None:
        if (
            lines and batch.batch_id not in self._owned
        ):  # not before: a run that is killed while it downloads counts none
            self._store.save_batch(batch)
            self._owned.add(batch.batch_id)
        cost_of_all = 0
        answers, failures, attempts, states, again = [], [], [], {}, {}
        provider, member = batch.provider, batch.model
        owner = f"{batch.owner}.{batch.batch_id[:16]}"  # the same in a second collection, so that it adds no attempt
        for line in lines:
            attempt, cost = self._attempt_and_cost(batch, line)
            cost = share if cost is None and self._price is not None else cost
            cost_of_all += cost or 0
            attempts.append(stored_attempt(attempt, provider, member, owner, cost))
            if isinstance(line.result, Reply):
                answers.append(stored_answer(batch_answer(line.key, line.result, batch), provider, member, cost))
                states[line.key] = DONE
            elif ends_the_run(line.result):  # not the request's fault, as in online runs
                again[line.key] = line.result
                states[line.key] = AGAIN
            elif line.result.kind == "terminal" and not line.result.own:
                found.withheld[line.key] = line.result
            elif line.result.kind == "terminal":
                failures.append(stored_failure(batch_failure(line.key, line.result), provider, member))
                states[line.key] = DONE
            else:
                again[line.key] = line.result
                states[line.key] = AGAIN
        self._store.add(answers, failures, attempts)
        self._store.settle_requests(batch.batch_id, states)
        found.to_ask_again |= again
        found.cost += cost_of_all
        found.answered += len(answers)
        found.failed += len(failures)

    def _attempt_and_cost(self, batch: StoredBatch, line: Line) -> tuple[Attempt, int | None]:
        """Return the attempt and its cost (None if unknown). Providers charge for answered requests only."""
        seconds = seconds_since(batch.submitted)
        if isinstance(line.result, Reply):
            usage = line.result.usage
            attempt = Attempt(line.key, 1, "answered", 200, line.result.doubt, batch.created, seconds, usage)
            return attempt, self._cost(usage, line, batch)
        problem = line.result
        attempt = Attempt(line.key, 1, problem.kind, problem.status, problem.message, batch.created, seconds)
        if problem.paid is None:
            return attempt, 0 if problem.status is None or problem.status >= 300 else None
        return replace(attempt, usage=problem.paid), self._cost(problem.paid, line, batch)

    def _cost(self, usage: Usage, line: Line, batch: StoredBatch) -> int | None:
        """Return the cost of usage in nano-dollars, None if unknown. The cache discount counts only for tokens of a
        prefix that the run's requests share."""
        return cost_of(read_in_batch(usage, line.shared), self._price, batch.created)


def batch_answer(key: str, reply: Reply, batch: StoredBatch) -> Answer:
    """Make the answer to a request of a batch. Its latency is the time since the batch was submitted."""
    seconds = seconds_since(batch.submitted)
    return Answer(
        key,
        reply.text,
        reply.finish_reason,
        reply.reported_model,
        reply.usage,
        seconds,
        masked=reply.masked,
        service_tier=reply.service_tier,
        fingerprint=reply.fingerprint,
    )


def batch_failure(key: str, problem: CallProblem, tries: int = 1) -> CallFailed:
    """Make the failure of a request of a batch. tries: in how many batches it was."""
    kind = "terminal" if problem.kind == "terminal" else "transient"
    return CallFailed(key, kind, problem.message, problem.status, tries)
