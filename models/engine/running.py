"""Models that answer as they go: what the stage that stores their answers needs of a remote or a local one."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Protocol

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, Model
from scrollwork.models.engine.breaker import Breaker
from scrollwork.models.engine.budget import Gate
from scrollwork.models.engine.limits_ledger import LimitsLedger
from scrollwork.models.engine.stopping import Stop


class Running(Protocol):
    """Results as they come; calls are taken from the iterable no further ahead than a bounded window."""

    @property
    def stopped(self) -> str:
        """Why calls were left without a result, "" while none were."""
        ...

    def stop(self, reason: str = "stopped") -> None:
        """Begin no more; what is under way comes as usual."""
        ...

    def came(self, into: list[Answer | CallFailed | Attempt], most: int) -> None:
        """Append results that are there already, without waiting, until `into` holds `most`; starts no call."""
        ...

    def __iter__(self) -> Running: ...

    def __next__(self) -> Answer | CallFailed | Attempt: ...

    def __enter__(self) -> Running: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Runs(Model, Protocol):
    """A model whose answers take long or cost money: each is committed when it comes."""

    def run(
        self,
        calls: Iterable[Call],
        *,
        gate: Gate | None = None,
        stop: Stop | None = None,
        ledger: LimitsLedger | None = None,
        breaker: Breaker | None = None,
    ) -> Running:
        """Put the calls. gate: the budget. stop: shared by all that run in this process. ledger: by it processes
        share the provider's limits. breaker: by it stages stop asking together."""
        ...
