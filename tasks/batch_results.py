"""Results of a batch into the store: answers at the price of a batch, failures, and what is to be asked again."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from models.base import CallProblem, Reply, Usage
from models.batch_desk import Desk
from models.batches import BadLine, Line, Sight
from models.budget import Price
from storage.errors import naming_full_disks
from storage.responses import ResponseStore
from storage.store_rows import AGAIN, DONE, WAITING, StoredAnswer, StoredAttempt, StoredBatch, StoredFailure
from tasks.batch_files import seconds_since
from tasks.calls import chunks

COMMIT = 200  # results in one transaction: answers may be long
LONGEST_LINE = 64 * 2**20  # bytes of a result that are read


@dataclass
class Collected:
    """What a batch gave. again: requests without an answer, with the reason; cost: nano-dollars that are known."""

    answered: int = 0
    failed: int = 0
    cost: int = 0
    again: dict[str, CallProblem] = field(default_factory=dict)
    strange: Counter[str] = field(default_factory=Counter)  # lines that say nothing of a request of this batch

    @property
    def told(self) -> str:
        """For a person."""
        said = f"{self.answered:,} answered"
        said += f", {self.failed:,} failed for good" if self.failed else ""
        said += f", {len(self.again):,} without an answer" if self.again else ""
        lines = "; ".join(f"{count:,} lines: {what}" for what, count in self.strange.most_common(3))
        return f"{said} ({lines})" if lines else said


class Collector:
    """Takes in a batch that has ended. May be killed at any point: the next one does the same again, at no harm."""

    def __init__(self, store: ResponseStore, desk: Desk, price: Price | None, folder: Path) -> None:
        self._store, self._desk, self._price, self._folder = store, desk, price, folder

    def collect(self, batch: StoredBatch, sight: Sight, run: str) -> Collected:
        """Store its results. run: as of which they count, if no other has begun. Raises CallProblem, StorageError."""
        if not batch.owner:
            batch = replace(batch, owner=run)
            self._store.save_batch(batch)
        found = Collected()
        waiting = {key for key, state in self._store.batch_requests(batch.batch_id).items() if state == WAITING}
        for path in sight.results:
            with naming_full_disks("results of a batch", str(self._folder)), self._file() as file:
                self._desk.download(path, file)
                for lines in chunks(self._lines(file, waiting, found), COMMIT):
                    self._store_lines(batch, lines, found)
        missing = CallProblem("transient", "the batch ended without a result for it")
        found.again |= dict.fromkeys(waiting, missing)
        self._store.settle_requests(batch.batch_id, dict.fromkeys(found.again, AGAIN))
        return found

    def _file(self) -> BinaryIO:
        self._folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=self._folder)

    def _lines(self, file: BinaryIO, waiting: set[str], found: Collected) -> Iterator[Line]:
        """Results of requests that wait, each once."""
        file.seek(0)
        while data := file.readline(LONGEST_LINE):
            if not data.strip():
                continue
            try:
                line = self._desk.interface.line(data)
            except BadLine as error:
                found.strange[str(error)] += 1
                continue
            if line.key not in waiting:
                found.strange["of no request that waits in it"] += 1
                continue
            waiting.remove(line.key)
            yield line

    def _store_lines(self, batch: StoredBatch, lines: list[Line], found: Collected) -> None:
        answers, failures, attempts, states = [], [], [], {}
        for line in lines:
            usage, cost = self._charged(line.result)
            found.cost += cost or 0
            attempts.append(self._attempt(batch, line, usage, cost))
            if isinstance(line.result, Reply):
                answers.append(answer_of(batch, line.key, line.result, cost))
                states[line.key] = DONE
            elif line.result.kind == "terminal":
                failures.append(failure_of(batch, line.key, line.result))
                states[line.key] = DONE
            else:
                found.again[line.key] = line.result
                states[line.key] = AGAIN
        self._store.add(answers, failures, attempts)
        self._store.settle_requests(batch.batch_id, states)
        found.answered += len(answers)
        found.failed += len(failures)

    def _charged(self, result: Reply | CallProblem) -> tuple[Usage, int | None]:
        """(usage, what it cost; None where nobody knows). Providers charge for what was answered only."""
        if isinstance(result, CallProblem):
            if result.paid is None:
                return Usage(), 0 if result.status is None or result.status >= 400 else None
            usage = result.paid
        else:
            usage = result.usage
        return usage, self._price.of(usage) if self._price and usage.input_tokens is not None else None

    def _attempt(self, batch: StoredBatch, line: Line, usage: Usage, cost: int | None) -> StoredAttempt:
        """Known by the batch, so that a second collector adds nothing."""
        answered = isinstance(line.result, Reply)
        return StoredAttempt(
            request_key=line.key,
            owner=f"{batch.owner}.{batch.batch_id[:16]}",
            number=1,
            provider=batch.provider,
            model=batch.model,
            outcome="answered" if isinstance(line.result, Reply) else line.result.kind,
            status=200 if answered else line.result.status,  # type: ignore[union-attr]
            message="" if isinstance(line.result, Reply) else line.result.message,
            started=batch.created,
            seconds=seconds_since(batch.submitted),
            **vars(usage),
            cost_nano_usd=cost,
        )


def answer_of(batch: StoredBatch, key: str, reply: Reply, cost: int | None) -> StoredAnswer:
    """An answer that came in a batch; its latency is the batch's."""
    usage: Mapping[str, int | None] = vars(reply.usage)
    return StoredAnswer(
        request_key=key,
        provider=batch.provider,
        model=batch.model,
        text=reply.text,
        finish_reason=reply.finish_reason,
        reported_model=reply.reported_model,
        latency_s=seconds_since(batch.submitted),
        attempts=1,
        cost_nano_usd=cost,
        **usage,
    )


def failure_of(batch: StoredBatch, key: str, problem: CallProblem, tries: int = 1) -> StoredFailure:
    """A request of a batch that gave none."""
    kind = "terminal" if problem.kind == "terminal" else "transient"
    return StoredFailure(key, batch.provider, batch.model, kind, problem.status, problem.message, tries)
