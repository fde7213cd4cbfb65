"""Hold back failures until it is known what caused them: an answer to a later request shows that their prompts did."""

from __future__ import annotations

from collections.abc import Iterable

from scrollwork.models.base import Answer, Attempt, CallFailed
from scrollwork.models.engine.breaker import Breaker

Result = Answer | CallFailed | Attempt


class HeldFailures:
    """Failures held back in one stage. breaker: knows which requests were answered; None for a local model, whose
    failures are always the fault of their prompts."""

    def __init__(self, breaker: Breaker | None) -> None:
        self._breaker = breaker
        self._released: set[str] = set()  # keys of failures that are no longer held back
        self._held: dict[str, CallFailed] = {}  # by request key

    def hold_back(self, results: Iterable[Result]) -> list[Result]:
        """Return the results without failures that are now held back, and with those that are released."""
        if self._breaker is None:
            return list(results)
        given: list[Result] = []
        for result in results:
            if isinstance(result, CallFailed) and not result.own and result.key not in self._released:
                self._held.setdefault(result.key, result)
            else:
                given.append(result)
        over = [failure for failure in self._held.values() if failure.sent < self._breaker.proven]
        for failure in over:
            del self._held[failure.key]
            self._released.add(failure.key)
        return [*given, *over]

    def by_fault(self) -> tuple[list[CallFailed], list[CallFailed]]:
        """Split the failures: those that are their prompts' fault, and those whose requests are to be asked again."""
        waiting = list(self._held.values())
        self._held = {}
        if self._breaker is None:
            return waiting, []
        own: list[CallFailed] = []
        others: list[CallFailed] = []
        last = sum(failure.number > self._breaker.proven for failure in waiting)
        for failure in waiting:
            (others if self._breaker.blames(failure, last) else own).append(failure)
        return own, others
