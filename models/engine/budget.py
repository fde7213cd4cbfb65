"""A budget in whole nano-dollars, which is reserved before sending."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from decimal import Decimal
from typing import Protocol

from scrollwork.models.base import Ask, Call, Usage
from scrollwork.models.engine.prices import Price, dollars, round_up
from scrollwork.models.engine.usage_bounds import byte_bound, dense_bound

ENVELOPE = 64  # tokens of roles and separators around a prompt that nobody counted


class Gate(Protocol):
    """Is asked before each attempt and told how it ended. Methods must not wait; they may be called from any thread."""

    reason: str  # why reserve said no

    def reserve(self, call: Call) -> bool:
        """Whether the attempt may be sent."""
        ...

    def settle(self, call: Call, usage: Usage | None, *, maybe: bool = False, service: str = "") -> None:
        """The attempt ended. usage None: nothing was charged, or with `maybe` nobody knows. service: the tier that it
        counts for, "" for standard."""
        ...

    def pending(self) -> bool:
        """Whether attempts under way may free some of what they reserved."""
        ...


def input_bound(ask: Ask) -> int:
    """Input tokens of a call: as counted, else a bound that text of any script hardly passes."""
    if ask.tokens:
        return ask.tokens + ENVELOPE
    return dense_bound(ask.segments) + ENVELOPE


def firm_bound(ask: Ask) -> int:
    """Input tokens of a call that is paid whatever it proves to be: the larger of what was counted and of the bound, as
    nothing that follows can be held back."""
    return max(input_bound(ask), input_bound(replace(ask, tokens=0)))


def assumed_cost(price: Price, ask: Ask, thoughts: int, when: float | None = None) -> int:
    """Nano-dollars that a call counts for where nobody knows its tokens: the firm bound of its input, and all the
    output that it may have. The same in a budget and in the rows of attempts. when: it was sent, unix seconds."""
    return price.most(firm_bound(ask), ask.max_new_tokens + thoughts, when)


class Budget:
    """Nano-dollars that may be spent; what calls under way may cost is set aside. Thread-safe.

    Passed by one call at most, however wrong inputs were counted. What may have been charged for a reply that never
    came counts as spent.
    """

    def __init__(self, limit: int, spent: int = 0) -> None:
        self.limit, self.spent = limit, spent
        self.uncertain = 0  # of spent: reserved for replies that never came
        self.reserved = 0
        self._lock = threading.Lock()

    def left(self) -> int:
        """Nano-dollars that are neither spent nor reserved."""
        with self._lock:
            return self.limit - self.spent - self.reserved

    def take(self, amount: int, alone: int | None = None) -> bool:
        """Set aside, if there is so much; or while nothing else is set aside, if there is `alone`."""
        with self._lock:
            first = alone is not None and not self.reserved and self.spent + alone <= self.limit
            if not first and self.spent + self.reserved + amount > self.limit:
                return False
            self.reserved += amount
            return True

    def hold(self, amount: int) -> None:
        """Set aside what is as good as spent, whether it fits or not: a batch that was submitted before."""
        with self._lock:
            self.reserved += amount

    def give(self, amount: int, cost: int, *, uncertain: bool = False) -> None:
        """Take back what was set aside and note what it cost."""
        with self._lock:
            self.reserved -= amount
            self.spent += cost
            if uncertain:
                self.uncertain += cost


class Meter:
    """The gate of one model to a budget that several may share. Raises nothing: without a price there is no Meter.

    Calls that go side by side set aside what no tokenizer passes: counts may all be wrong by the same factor, and the
    first reply that tells is late. A call that fits by its count alone goes alone; it is the one that may pass the
    budget. An input that proved larger than it was counted makes later counts larger too.

    thoughts: output tokens that a reasoning model may use beyond those of its answer.
    """

    def __init__(self, budget: Budget, price: Price, thoughts: int = 0) -> None:
        self._budget, self._price, self._thoughts = budget, price, thoughts
        self._set_aside: dict[str, list[tuple[int, float]]] = {}  # at most, and when it was sent, by request key
        self._larger = Decimal(1)  # most that an input was larger than counted
        self._dearer = Decimal(1)  # most that a tier cost by the standard one
        self._lock = threading.Lock()
        self.reason = ""

    def reserve(self, call: Call) -> bool:
        """Set aside what the call may cost at most."""
        bound = max(byte_bound(call.ask), input_bound(call.ask))
        with self._lock:
            tokens, dearer = round_up(input_bound(call.ask) * self._larger), self._dearer
        output, now = call.ask.max_new_tokens + self._thoughts, time.time()
        counted = round_up(self._price.most(min(tokens, bound), output, now) * dearer)
        most = round_up(self._price.most(bound, output, now) * dearer)
        if not self._budget.take(most, alone=counted):
            self.reason = (
                f"the budget of {dollars(self._budget.limit)} would be passed: "
                f"{dollars(self._budget.spent)} are spent, and the next call may cost {dollars(counted)}"
            )
            return False
        with self._lock:
            self._set_aside.setdefault(call.key, []).append((most, now))
        return True

    def settle(self, call: Call, usage: Usage | None, *, maybe: bool = False, service: str = "") -> None:
        """Replace what was set aside by what was charged; by `assumed_cost` where nobody knows that."""
        counted = input_bound(call.ask)
        with self._lock:
            amounts = self._set_aside[call.key]
            amount, sent = amounts.pop()
            if not amounts:
                del self._set_aside[call.key]
            if usage is not None and usage.input_tokens:
                self._larger = max(self._larger, Decimal(usage.input_tokens) / counted)
            self._dearer = max(self._dearer, self._price.services.get(service, Decimal(1)))
        if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
            self._budget.give(amount, self._price.counted(usage, call.ask, sent, service))
        else:
            unknown = assumed_cost(self._price, call.ask, self._thoughts, sent) if maybe or usage is not None else 0
            self._budget.give(amount, unknown, uncertain=True)

    def pending(self) -> bool:
        """Whether calls under way, of any model, may free some of the budget."""
        return self._budget.reserved > 0
