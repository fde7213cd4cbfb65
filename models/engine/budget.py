"""What calls cost, in whole nano-dollars, and a budget that is reserved before sending.

A price in dollars a million tokens is a thousand times as many nano-dollars a token; sums are rounded up.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Any, Protocol

from scrollwork.models.base import Ask, Call, Usage
from scrollwork.models.engine.usage_bounds import byte_bound, shared_most, size_of
from scrollwork.models.hosted.tables import CACHE_MINIMUM

NANO = 10**9  # nano-dollars a dollar
PER_TOKEN = Decimal(1000)  # nano-dollars a token for a dollar a million tokens
ENVELOPE = 64  # tokens of roles and separators around a prompt that nobody counted


class UnknownPrice(ValueError):
    """No price for a model; the message has the line to add."""


class Gate(Protocol):
    """Is asked before each attempt and told how it ended. Methods must not wait; they may be called from any thread."""

    reason: str  # why reserve said no

    def reserve(self, call: Call) -> bool:
        """Whether the attempt may be sent."""
        ...

    def settle(self, call: Call, usage: Usage | None, *, maybe: bool = False) -> None:
        """The attempt ended. usage None: nothing was charged, or with `maybe` nobody knows."""
        ...

    def pending(self) -> bool:
        """Whether attempts under way may free some of what they reserved."""
        ...


@dataclass(frozen=True)
class Price:
    """Nano-dollars a token; cached and cache_write are input's where the table has none. batch: share to pay in one.
    cache_minimum: tokens of a prompt below which nothing is cached."""

    input: Decimal
    output: Decimal
    cached: Decimal
    cache_write: Decimal
    batch: Decimal = Decimal(1)
    cache_minimum: int = CACHE_MINIMUM

    def of(self, usage: Usage) -> int:
        """What the provider charges for a reply, nano-dollars; tokens that it does not report count as none."""
        cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
        plain = max(0, (usage.input_tokens or 0) - cached - written)
        inputs = plain * self.input + cached * self.cached + written * self.cache_write
        return whole(inputs + (usage.output_tokens or 0) * self.output)

    def counted(self, usage: Usage, ask: Ask) -> int:
        """What a reply counts for, in a budget and in the rows: nobody here sees what a provider took from its cache,
        so the discount counts only for what the call before it in the run begins with too; the rest is plain input."""
        most = shared_most(ask) if (usage.input_tokens or 0) >= self.cache_minimum else 0
        return self.of(replace(usage, cached_tokens=min(usage.cached_tokens or 0, most)))

    def in_batch(self) -> Price:
        """The same in a batch, whose requests follow nothing: no discount of a cache."""
        share, plain = self.batch, max(self.input, self.cached)
        return replace(
            self,
            input=self.input * share,
            output=self.output * share,
            cached=plain * share,
            cache_write=self.cache_write * share,
            batch=Decimal(1),
        )

    def most(self, input_tokens: int, output_tokens: int) -> int:
        """What a call may cost at most: no token from the cache, each written to it."""
        return whole(input_tokens * max(self.input, self.cache_write) + output_tokens * self.output)


def whole(nano: Decimal) -> int:
    """Whole nano-dollars, rounded up."""
    return int(nano.to_integral_value(ROUND_CEILING))


def dollars(nano: int) -> str:
    """For a person: "$12.34", and "$0.0042" where cents would say nothing."""
    value = Decimal(nano) / NANO
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def nano(usd: str | float | int | Decimal) -> int:
    """Nano-dollars of so many dollars."""
    return whole(Decimal(str(usd)) * NANO)


def price_of(name: str, table: Mapping[str, Any]) -> Price:
    """The price of a model's table, online. Raises UnknownPrice with the line to add, ValueError naming a wrong key."""
    price = table.get("price")
    if not isinstance(price, Mapping) or "input" not in price or "output" not in price:
        raise UnknownPrice(
            f"model {name!r} has no price, so what it costs cannot be bounded; add it in USD per million tokens:\n"
            f'{header(name)}\nprice = {{ input = 0.00, output = 0.00, date = "YYYY-MM-DD", source = "..." }}'
        )
    known = ("input", "cached", "output", "cache_write", "batch", "date", "source")
    for key in price:
        if key not in known:
            raise ValueError(f"model {name!r}: price.{key} is not known; there are: {', '.join(known)}")
    found = {key: number(name, key, price[key]) for key in ("input", "output", "cached", "cache_write") if key in price}
    entry = found["input"]
    batch = number(name, "batch", price.get("batch", 1))
    return Price(
        input=entry * PER_TOKEN,
        output=found["output"] * PER_TOKEN,
        cached=found.get("cached", entry) * PER_TOKEN,
        cache_write=found.get("cache_write", entry) * PER_TOKEN,
        batch=batch,
        cache_minimum=int(table.get("cache_minimum", CACHE_MINIMUM)),
    )


def header(name: str) -> str:
    """How a table of one's own for a model begins; of one named on the spot, with what makes it the same model."""
    provider, _, model_id = name.partition(":")
    own = model_id or name
    quoted = json.dumps(own, ensure_ascii=False)
    table = f"[{own if re.fullmatch(r'[A-Za-z0-9_-]+', own) else quoted}]"
    return f'{table}\nprovider = "{provider}"\nid = {quoted}' if model_id else table


def number(name: str, key: str, value: Any) -> Decimal:
    """A price as it is written. Raises ValueError."""
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        found = Decimal(-1)
    if isinstance(value, bool) or not found.is_finite() or found < 0:
        raise ValueError(f"model {name!r}: price.{key} = {value!r} must be a number, 0 or more")
    return found


def input_bound(ask: Ask) -> int:
    """Input tokens of a call: as counted, else a bound that text of any script hardly passes (three bytes a token)."""
    if ask.tokens:
        return ask.tokens + ENVELOPE
    return size_of(ask.segments) // 3 + ENVELOPE


def firm_bound(ask: Ask) -> int:
    """Input tokens of a call that is paid whatever it proves to be: the larger of what was counted and of the bound, as
    nothing that follows can be held back."""
    return max(input_bound(ask), input_bound(replace(ask, tokens=0)))


def assumed(price: Price, ask: Ask, thoughts: int) -> int:
    """Nano-dollars that a call counts for where nobody knows its tokens: the firm bound of its input, and all the
    output that it may have. The same in a budget and in the rows of attempts."""
    return price.most(firm_bound(ask), ask.max_new_tokens + thoughts)


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
        self._set_aside: dict[str, list[int]] = {}  # at most, by request key
        self._larger = Decimal(1)  # most that an input was larger than counted
        self._lock = threading.Lock()
        self.reason = ""

    def reserve(self, call: Call) -> bool:
        """Set aside what the call may cost at most."""
        bound = max(byte_bound(call.ask), input_bound(call.ask))
        with self._lock:
            tokens = whole(input_bound(call.ask) * self._larger)
        output = call.ask.max_new_tokens + self._thoughts
        counted = self._price.most(min(tokens, bound), output)
        most = self._price.most(bound, output)
        if not self._budget.take(most, alone=counted):
            self.reason = (
                f"the budget of {dollars(self._budget.limit)} would be passed: "
                f"{dollars(self._budget.spent)} are spent, and the next call may cost {dollars(counted)}"
            )
            return False
        with self._lock:
            self._set_aside.setdefault(call.key, []).append(most)
        return True

    def settle(self, call: Call, usage: Usage | None, *, maybe: bool = False) -> None:
        """Replace what was set aside by what was charged; by what a call counts for (`assumed`) where nobody knows."""
        counted = input_bound(call.ask)
        with self._lock:
            amounts = self._set_aside[call.key]
            amount = amounts.pop()
            if not amounts:
                del self._set_aside[call.key]
            if usage is not None and usage.input_tokens:
                self._larger = max(self._larger, Decimal(usage.input_tokens) / counted)
        if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
            self._budget.give(amount, self._price.counted(usage, call.ask))
        else:
            unknown = assumed(self._price, call.ask, self._thoughts) if maybe or usage is not None else 0
            self._budget.give(amount, unknown, uncertain=True)

    def pending(self) -> bool:
        """Whether calls under way, of any model, may free some of the budget."""
        return self._budget.reserved > 0
