"""Collect requests of a batch in a file within the provider's limits, and within the budget."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from scrollwork.models.base import Call
from scrollwork.models.engine.budget import Budget, firm_bound
from scrollwork.models.engine.prices import Price, dollars
from scrollwork.models.hosted.batches import Interface
from scrollwork.storage.digest import sha256_of
from scrollwork.storage.errors import naming_full_disks


@dataclass
class BatchFile:
    """The requests of one batch, in a temporary file without a name, which is gone when the process ends."""

    interface: Interface
    file: BinaryIO
    most_requests: int
    keys: list[str] = field(default_factory=list)
    most_nano_usd: int = 0
    size: int = 0

    @classmethod
    def empty(cls, interface: Interface, folder: Path, most_requests: int) -> BatchFile:
        """Make a batch file without requests, on the disk of this folder."""
        with naming_full_disks("a batch", str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed when it is sent)
        batch_file = cls(interface, file, min(most_requests, interface.most_requests))
        batch_file._write(interface.opening)
        return batch_file

    def takes(self, entry: bytes) -> bool:
        """Return whether the provider's limits leave room for this entry."""
        size = self.size + len(self.interface.between) + len(entry) + len(self.interface.closing)
        return len(self.keys) < self.most_requests and size <= self.interface.most_bytes

    def add(self, key: str, entry: bytes, most_nano_usd: int) -> None:
        """Add a request. most_nano_usd: its highest possible cost."""
        self._write((self.interface.between if self.keys else b"") + entry)
        self.keys.append(key)
        self.most_nano_usd += most_nano_usd

    def seal(self) -> str:
        """Finish the file and return the digest of its request keys."""
        self._write(self.interface.closing)
        self.file.flush()
        return sha256_of(sorted(self.keys))

    def _write(self, data: bytes) -> None:
        with naming_full_disks("a batch", "the temporary file"):
            self.file.write(data)
        self.size += len(data)


FEWEST = 10  # requests that a budget must leave room for in a later batch, for each may take a day


class BatchBudget:
    """A budget that reserves the highest possible cost of requests, at batch prices.

    budget: None for no limit. price: None if unknown. thoughts: tokens that a model may write beyond its answer.
    reason: why the last reserve was refused, "" if none was.
    """

    def __init__(self, budget: Budget | None, price: Price | None, thoughts: int) -> None:
        self.budget, self.price, self._thoughts = budget, price, thoughts
        self.reason = ""
        self._largest = 0  # requests in a batch that the budget cut

    def most(self, call: Call) -> int:
        """Return the highest possible cost of a request in nano-dollars; 0 if the price is unknown."""
        if self.price is None:
            return 0
        return self.price.most(firm_bound(call.ask), call.ask.max_new_tokens + self._thoughts)

    def take(self, amount: int) -> bool:
        """Reserve an amount in nano-dollars. Return False if the budget does not have it."""
        if self.budget is None or self.budget.take(amount):
            return True
        self.reason = (
            f"the budget of {dollars(self.budget.limit)} would be passed: {dollars(self.budget.spent)} are spent, "
            f"{dollars(self.budget.reserved)} set aside, and the next request may cost {dollars(amount)}"
        )
        return False

    def drops(self, batch_file: BatchFile) -> bool:
        """Drop a batch that the budget cut if it is not worth its wait: what is left of a budget would else go in ever
        smaller batches, one after the other."""
        requests = len(batch_file.keys)
        if requests >= min(FEWEST, self._largest / 2):
            self._largest = max(self._largest, requests)
            return False
        self.drop(batch_file)
        self.reason += f"; room for {requests} more at once is too little for a batch"
        return True

    def drop(self, batch_file: BatchFile) -> None:
        """Drop a batch that is not submitted, and release its reserve."""
        batch_file.file.close()
        self.give(batch_file.most_nano_usd, 0)

    def hold(self, amount: int | None) -> None:
        """Reserve the cost of a batch that another run has submitted. amount: None if unknown."""
        if self.budget is not None:
            self.budget.hold(amount or 0)

    def give(self, amount: int | None, cost: int) -> None:
        """Release the reserve of a batch and note its cost."""
        if self.budget is not None:
            self.budget.give(amount or 0, cost)


def seconds_since(moment: float | None) -> float:
    """Return the seconds since a moment (unix seconds); 0 for None."""
    return max(0.0, time.time() - moment) if moment is not None else 0.0


def unique_calls(calls: Iterable[Call]) -> dict[str, Call]:
    """Return calls by key, so that equal requests are sent once."""
    return {call.key: call for call in calls}
