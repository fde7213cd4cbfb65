"""A budget in whole nano-dollars; what a call may cost is reserved before it is sent."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from decimal import Decimal
from typing import Protocol

from scrollwork.models.base import Ask, Call, Usage
from scrollwork.models.engine.prices import Price, dollars, round_up
from scrollwork.models.engine.usage_bounds import byte_bound, dense_bound

ENVELOPE = 64  # tokens of roles and separators around a prompt that are not counted


class Gate(Protocol):
    """Decides before each attempt whether it may be sent, and is told how it ended.

    Methods must not wait; they may be called from any thread.
    """

    reason: str  # why `reserve` refused

    def reserve(self, call: Call) -> bool:
        """Return whether the attempt may be sent, and reserve its cost."""
        ...

    def settle(self, call: Call, usage: Usage | None, *, maybe: bool = False, service: str = "") -> None:
        """Note that an attempt ended. usage: None if nothing was charged or, with `maybe`, if that is unknown.

        service: the tier that it counts for, "" for standard.
        """
        ...

    def pending(self) -> bool:
        """Return whether attempts in flight may free some of what they reserved."""
        ...


def input_bound(ask: Ask) -> int:
    """Return a call's input tokens: as counted, else a bound that text of any script hardly ever exceeds."""
    if ask.tokens:
        return ask.tokens + ENVELOPE
    return dense_bound(ask.segments) + ENVELOPE


def firm_bound(ask: Ask) -> int:
    """Return the input tokens to assume for a call that is paid for whatever it costs.

    It is the larger of the count and the bound, as no later call can be held back instead.
    """
    return max(input_bound(ask), input_bound(replace(ask, tokens=0)))


def assumed_cost(price: Price, ask: Ask, thoughts: int, when: float | None = None) -> int:
    """Return the nano-dollars that a call counts for if its tokens are unknown.

    It is priced by the firm bound of its input and all output that it may have, both in a budget and in the rows of
    attempts. thoughts: reasoning tokens that it may use. when: it was sent, in seconds since 1970.
    """
    return price.most(firm_bound(ask), ask.max_new_tokens + thoughts, when)


class Budget:
    """Nano-dollars that may be spent; what calls in flight may cost is reserved. Thread-safe.

    At most one call exceeds it, however wrong inputs were counted. What may have been charged for a reply that never
    came counts as spent.
    """

    def __init__(self, limit: int, spent: int = 0) -> None:
        self.limit, self.spent = limit, spent
        self.uncertain = 0  # of what is spent: reserved for replies that never came
        self.reserved = 0
        self._lacked = 0  # what was last wanted and not left
        self._lock = threading.Lock()

    @property
    def gone(self) -> bool:
        """Return whether less is left than was wanted last."""
        return 0 < self._lacked > self.left()

    def left(self) -> int:
        """Return the nano-dollars that are neither spent nor reserved."""
        with self._lock:
            return self.limit - self.spent - self.reserved

    def take(self, amount: int, alone: int | None = None) -> bool:
        """Reserve `amount` and return whether that much was left.

        If nothing else is reserved, it is enough that `alone` is left.
        """
        with self._lock:
            first = alone is not None and not self.reserved and self.spent + alone <= self.limit
            if not first and self.spent + self.reserved + amount > self.limit:
                self._lacked = amount if alone is None else alone
                return False
            self.reserved += amount
            return True

    def hold(self, amount: int) -> None:
        """Reserve an amount that is as good as spent, even beyond the limit: for a batch that was submitted before."""
        with self._lock:
            self.reserved += amount

    def give(self, amount: int, cost: int, *, uncertain: bool = False) -> None:
        """Release a reservation and count what it cost."""
        with self._lock:
            self.reserved -= amount
            self.spent += cost
            if uncertain:
                self.uncertain += cost


class Meter:
    """One model's gate to a budget, which several models may share. Raises nothing: a model without a price has none.

    Calls that are in flight together reserve what no tokenizer exceeds: all counts may be wrong by the same factor, and
    the first reply that shows it comes late. A call that fits only by its count goes alone; it is the one that may
    exceed the budget. An input that was larger than its count raises later counts too. thoughts: output tokens that a
    reasoning model may use in addition to its answer.
    """

    def __init__(self, budget: Budget, price: Price, thoughts: int = 0) -> None:
        self._budget, self._price, self._thoughts = budget, price, thoughts
        self._set_aside: dict[str, list[tuple[int, float]]] = {}  # by request key: (reserved, time of sending)
        self._larger = Decimal(1)  # largest ratio of an input to its count
        self._dearer = Decimal(1)  # largest ratio of a tier's price to the standard price
        self._lock = threading.Lock()
        self.reason = ""

    def reserve(self, call: Call) -> bool:
        """Reserve what the call may cost at most, and return whether the budget allows it."""
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
        """Replace the reservation by what was charged, or by `assumed_cost` if that is unknown."""
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
        """Return whether calls in flight, of any model, may free some of the budget."""
        return self._budget.reserved > 0
