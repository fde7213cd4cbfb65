"""What the stage that stores answers needs of a remote or a local model, whose answers come one by one."""

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
    """An iterator of results as they come. Calls are taken from the iterable only a bounded window in advance."""

    @property
    def stopped(self) -> str:
        """Return why calls were left without a result, "" if none were."""
        ...

    def stop(self, reason: str = "stopped") -> None:
        """Begin no more calls; those under way end as usual."""
        ...

    def came(self, into: list[Answer | CallFailed | Attempt], most: int) -> None:
        """Append results that are there already, without waiting, until `into` holds `most`; begins no call."""
        ...

    def __iter__(self) -> Running: ...

    def __next__(self) -> Answer | CallFailed | Attempt: ...

    def __enter__(self) -> Running: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Runs(Model, Protocol):
    """A model whose answers take long or cost money, so that each one is committed when it comes."""

    def run(
        self,
        calls: Iterable[Call],
        *,
        gate: Gate | None = None,
        stop: Stop | None = None,
        ledger: LimitsLedger | None = None,
        breaker: Breaker | None = None,
    ) -> Running:
        """Answer the calls. gate: to the budget. stop: shared by all that runs in this process.

        ledger: processes share the provider's limits through it. breaker: through it, all stages stop asking together.
        """
        ...
