"""What tokens cost, by the day, the hour and the length of the prompt; online and in a batch.

Exact: nano-dollars a token, as decimals; 1 dollar a million tokens is 1000 of them. Sums are rounded up to whole
nano-dollars.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Any

from scrollwork.models.base import Ask, Usage
from scrollwork.models.engine.usage_bounds import shared_most
from scrollwork.models.vendors.families import family_of, vendors
from scrollwork.models.vendors.marks import CACHE_MINIMUM, cache_least, is_unmarked
from scrollwork.models.vendors.tiers import shares_of

NANO = 10**9  # nano-dollars in a dollar
PER_TOKEN = Decimal(1000)  # nano-dollars a token at one dollar a million tokens
UNDER_WAY_S = 900.0  # the longest known time from sending a call until its vendor counts it
IN_BATCH_S = 25 * 3600.0  # the same in a batch, which vendors end after a day
ALWAYS = ""  # the first day of a price without a date
ONE = Decimal(1)


class UnknownPrice(ValueError):
    """A model without a price; the message has the line to add."""


@dataclass(frozen=True)
class Rates:
    """Nano-dollars a token, or factors on them for a long prompt, a service tier or an hour."""

    input: Decimal = ONE
    output: Decimal = ONE
    cached: Decimal = ONE
    cache_write: Decimal = ONE

    def times(self, other: Rates) -> Rates:
        """Return each rate multiplied by its factor."""
        return Rates(
            self.input * other.input,
            self.output * other.output,
            self.cached * other.cached,
            self.cache_write * other.cache_write,
        )

    def of(self, usage: Usage) -> int:
        """Return the price of a usage; tokens that it does not report count as none."""
        cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
        plain = max(0, (usage.input_tokens or 0) - cached - written)
        inputs = plain * self.input + cached * self.cached + written * self.cache_write
        return round_up(inputs + (usage.output_tokens or 0) * self.output)

    def most(self, input_tokens: int, output_tokens: int) -> int:
        """Return the highest price: no token is read from the cache, each is written to it."""
        return round_up(input_tokens * max(self.input, self.cache_write) + output_tokens * self.output)


@dataclass(frozen=True)
class Peak:
    """Hours that cost more. days: 1 for Monday; hours: [from, to); both in UTC."""

    days: tuple[int, ...]
    hours: tuple[tuple[float, float], ...]
    factor: Decimal

    def at(self, moment: datetime) -> Decimal:
        """Return the factor at a moment in UTC; 1 outside the peak hours."""
        if moment.isoweekday() not in self.days:
            return ONE
        hour = moment.hour + moment.minute / 60 + moment.second / 3600
        return self.factor if any(first <= hour < last for first, last in self.hours) else ONE


@dataclass(frozen=True)
class Price:
    """The price of a model. Times are seconds since 1970, None for now.

    listed: (first day, rates), ascending. long: (tokens of a prompt above which the factors hold for the whole request,
    factors), ascending. batch: share to pay in a batch. cache_minimum: tokens of a prompt below which none can come
    from the cache. services: price of service tiers as a share of the standard price, by name. counted_within_s:
    longest time from sending a request until its vendor counts it. unmarked: the cache keeps what is marked, and
    requests cannot mark: nothing is written.
    """

    listed: tuple[tuple[str, Rates], ...]
    long: tuple[tuple[int, Rates], ...] = ()
    peak: Peak | None = None
    batch: Decimal = ONE
    cache_minimum: int = CACHE_MINIMUM
    services: Mapping[str, Decimal] = field(default_factory=dict)
    counted_within_s: float = UNDER_WAY_S
    unmarked: bool = False

    def rates(self, prompt_tokens: int = 0, when: float | None = None) -> Rates:
        """Return the rates of a request that is sent at a time.

        prompt_tokens: of the whole prompt, cached ones included.
        """
        moment = datetime.fromtimestamp(time.time() if when is None else when, UTC)
        today = moment.date().isoformat()
        rates = [one for day, one in self.listed if day <= today] or [self.listed[0][1]]
        tier = [factors for above, factors in self.long if prompt_tokens > above] or [Rates()]
        hour = ONE if self.peak is None else self.peak.at(moment)
        return rates[-1].times(tier[-1]).times(Rates(hour, hour, hour, hour))

    def of(self, usage: Usage, when: float | None = None) -> int:
        """Return what the vendor charges for a reply, in nano-dollars."""
        return self.rates(usage.input_tokens or 0, when).of(usage)

    def counted(self, usage: Usage, ask: Ask, when: float | None = None, service: str = "") -> int:
        """Return what a reply counts for in a budget and in the rows, in nano-dollars.

        What a vendor reports about its cache cannot be checked. So cached tokens are believed only up to the beginning
        that another sent request shares; the rest is plain input. If requests share a prefix, so that caching was
        wanted, and the vendor does not report what it wrote, all of it counts as written. service: the tier that it
        counts for, "" for standard (models/vendors/tiers.py).
        """
        fits = (usage.input_tokens or 0) >= self.cache_minimum
        most, written = shared_most(ask) if fits else 0, usage.cache_write_tokens
        if written is None and ask.prefix_digest and fits and not self.unmarked:
            written = max(0, (usage.input_tokens or 0) - (usage.cached_tokens or 0))
        believed = replace(usage, cached_tokens=min(usage.cached_tokens or 0, most), cache_write_tokens=written)
        return self.at(service).of(believed, when)

    def at(self, service: str) -> Price:
        """Return the price at a service tier; "" and an unknown tier are standard."""
        share = self.services.get(service, ONE)
        if share == ONE:
            return self
        factors = Rates(share, share, share, share)
        return replace(self, listed=tuple((day, one.times(factors)) for day, one in self.listed), services={})

    def most(self, input_tokens: int, output_tokens: int, when: float | None = None) -> int:
        """Return the most that a call of at most so many tokens may cost.

        This is the highest of all length tiers that it may fall into, and of all prices until it is counted.
        """
        return max(self._possible(input_tokens, output_tokens, time.time() if when is None else when))

    def _possible(self, input_tokens: int, output_tokens: int, when: float) -> Iterator[int]:
        lengths = [0, *(above + 1 for above, _ in self.long if above < input_tokens)]
        ends = [*(above for above, _ in self.long if above < input_tokens), input_tokens]
        hours = range(3600, int(self.counted_within_s), 3600) if self.peak else ()
        for moment in (when, *(when + later for later in hours), when + self.counted_within_s):
            for first, last in zip(lengths, ends, strict=True):
                yield self.rates(first, moment).most(last, output_tokens)

    def in_batch(self) -> Price:
        """Return the price in a batch."""
        share = Rates(self.batch, self.batch, self.batch, self.batch)
        listed = tuple((day, one.times(share)) for day, one in self.listed)
        return replace(self, listed=listed, batch=ONE, counted_within_s=IN_BATCH_S)


def round_up(nano: Decimal) -> int:
    """Return whole nano-dollars, rounded up."""
    return int(nano.to_integral_value(ROUND_CEILING))


def dollars(nano: int) -> str:
    """Return an amount for people to read: "$12.34", or "$0.0042" if cents would say nothing."""
    value = Decimal(nano) / NANO
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def nano(usd: str | float | int | Decimal) -> int:
    """Return the nano-dollars in so many dollars, rounded up."""
    return round_up(Decimal(str(usd)) * NANO)


KNOWN = ("input", "cached", "output", "cache_write", "batch", "long", "date", "source")


def price_of(name: str, table: Mapping[str, Any]) -> Price:
    """Return the online price of a model's table.

    What the table does not say (the price itself, tiers, hours, the share in a batch, the factors of a cache) comes
    from its vendor's family. Raises UnknownPrice with the line to add, ValueError naming a wrong key.
    """
    known = family_of(table)
    facts: Mapping[str, Any] = known.family.facts if known is not None else {}
    own = table.get("price")
    if not isinstance(own, Mapping) or "input" not in own or "output" not in own:
        if not facts.get("price") or own:
            raise UnknownPrice(unknown_price(name, table))
        own = {}
    for key in own:
        if key not in KNOWN:
            raise ValueError(f"model {name!r}: price.{key} is not known; there are: {', '.join(KNOWN)}")
    listed = [{"from": ALWAYS, **own}] if own else list(facts["price"])
    cache = facts.get("cache", {})
    takes_batches = known is not None and known.family.provider != "compatible"  # others have a client of their own
    batch = own.get("batch", facts.get("service", {}).get("batch", 1) if takes_batches else 1)
    return Price(
        listed=tuple((one["from"], rates_of(name, one, cache)) for one in listed),
        long=tuple((one["above"], factors_of(name, one)) for one in own.get("long", facts.get("long", ()))),
        peak=peak_of(facts.get("peak")),
        batch=number(name, "batch", batch),
        cache_minimum=cache_least(table),
        services=shares_of(facts),
        unmarked=is_unmarked(table),
    )


def rates_of(name: str, price: Mapping[str, Any], cache: Mapping[str, Any]) -> Rates:
    """Return rates as they are listed.

    cached, cache_write: if not listed, the input rate times the family's factor (of the shortest lifetime); without a
    factor, the input rate.
    """
    entry = number(name, "input", price["input"])
    write = next(iter(cache.get("write", {}).values()), 1)
    cached = (
        number(name, "cached", price["cached"]) if "cached" in price else entry * exact_number(cache.get("read", 1))
    )
    written = (
        number(name, "cache_write", price["cache_write"]) if "cache_write" in price else entry * exact_number(write)
    )
    output = number(name, "output", price["output"])
    return Rates(entry * PER_TOKEN, output * PER_TOKEN, cached * PER_TOKEN, written * PER_TOKEN)


def factors_of(name: str, tier: Mapping[str, Any]) -> Rates:
    """Return the factors of a length tier; those that it does not list are 1."""
    return Rates(**{key: number(name, f"long.{key}", tier[key]) for key in tier if key != "above"})


def peak_of(found: Mapping[str, Any] | None) -> Peak | None:
    """Return the hours that cost more, None if there are none."""
    if not found:
        return None
    hours: Sequence[Sequence[float]] = found["hours"]
    return Peak(tuple(found["days"]), tuple((one[0], one[1]) for one in hours), exact_number(found["factor"]))


def unknown_price(name: str, table: Mapping[str, Any]) -> str:
    """Return the message for a model without a price."""
    return (
        f"model {name!r} has no price, so what it costs cannot be bounded; add it in USD per million tokens:\n"
        f'{header(name, table)}\nprice = {{ input = 0.00, output = 0.00, date = "YYYY-MM-DD", source = "..." }}'
    )


def header(name: str, known: Mapping[str, Any]) -> str:
    """Return the first lines of a user's own table for a model.

    For a model given as PROVIDER:ID they include what makes the table mean the same model.
    """
    provider, _, model_id = name.partition(":")
    own = model_id or name
    quoted = json.dumps(own, ensure_ascii=False)
    table = f"[{own if re.fullmatch(r'[A-Za-z0-9_-]+', own) else quoted}]"
    client = vendors()[provider].client if provider in vendors() else {"provider": provider}
    if provider == "compatible":
        client["base_url"] = str(known.get("base_url", ""))
    lines = [f'{key} = "{value}"' for key, value in client.items()]
    return "\n".join([table, *lines, f"id = {quoted}"] if model_id else [table])


def number(name: str, key: str, value: Any) -> Decimal:
    """Return a price as it is written. Raises ValueError."""
    try:
        found = exact_number(value)
    except InvalidOperation:
        found = Decimal(-1)
    if isinstance(value, bool) or not found.is_finite() or found < 0:
        raise ValueError(f"model {name!r}: price.{key} = {value!r} must be a number, 0 or more")
    return found


def exact_number(value: Any) -> Decimal:
    """Return a number as it is written. Raises decimal.InvalidOperation."""
    return Decimal(str(value))
