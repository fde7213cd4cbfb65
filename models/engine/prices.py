"""What tokens cost: by the day, the hour and the length of the prompt; online and in a batch.

Exact: nano-dollars a token as decimals, and a price in dollars a million tokens is a thousand times as many of them.
Sums are rounded up to whole nano-dollars.
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
from scrollwork.models.vendors.families import CACHE_MINIMUM, cache_least, family_of, vendors
from scrollwork.models.vendors.tiers import shares_of

NANO = 10**9  # nano-dollars a dollar
PER_TOKEN = Decimal(1000)  # nano-dollars a token for a dollar a million tokens
UNDER_WAY_S = 900.0  # from when a call is sent until a vendor counts it at the latest, as far as is known
IN_BATCH_S = 25 * 3600.0  # the same in a batch, which its vendor ends after a day
ALWAYS = ""  # the first day of a price without a date
ONE = Decimal(1)


class UnknownPrice(ValueError):
    """No price for a model; the message has the line to add."""


@dataclass(frozen=True)
class Rates:
    """Nano-dollars a token; of a tier or an hour, factors on them."""

    input: Decimal = ONE
    output: Decimal = ONE
    cached: Decimal = ONE
    cache_write: Decimal = ONE

    def times(self, other: Rates) -> Rates:
        """Each by its factor."""
        return Rates(
            self.input * other.input,
            self.output * other.output,
            self.cached * other.cached,
            self.cache_write * other.cache_write,
        )

    def of(self, usage: Usage) -> int:
        """The price of a usage; tokens that it does not report count as none."""
        cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
        plain = max(0, (usage.input_tokens or 0) - cached - written)
        inputs = plain * self.input + cached * self.cached + written * self.cache_write
        return round_up(inputs + (usage.output_tokens or 0) * self.output)

    def most(self, input_tokens: int, output_tokens: int) -> int:
        """The highest price: no token from the cache, each written to it."""
        return round_up(input_tokens * max(self.input, self.cache_write) + output_tokens * self.output)


@dataclass(frozen=True)
class Peak:
    """Hours that cost more. days: 1 for Monday; hours: [from, to); both in UTC."""

    days: tuple[int, ...]
    hours: tuple[tuple[float, float], ...]
    factor: Decimal

    def at(self, moment: datetime) -> Decimal:
        """The factor then, 1 outside of them. moment: in UTC."""
        if moment.isoweekday() not in self.days:
            return ONE
        hour = moment.hour + moment.minute / 60 + moment.second / 3600
        return self.factor if any(first <= hour < last for first, last in self.hours) else ONE


@dataclass(frozen=True)
class Price:
    """Of a model. listed: by the first day of each, rising. long: (tokens of a prompt above which the factors hold for
    the whole request, factors), rising. batch: share to pay in a batch. cache_minimum: tokens of a prompt below which
    nothing can come from the cache. services: what tiers cost by the standard price, by name. counted_within_s: from
    when a request is sent until its vendor counts it, at most. Times are unix seconds, None for now."""

    listed: tuple[tuple[str, Rates], ...]
    long: tuple[tuple[int, Rates], ...] = ()
    peak: Peak | None = None
    batch: Decimal = ONE
    cache_minimum: int = CACHE_MINIMUM
    services: Mapping[str, Decimal] = field(default_factory=dict)
    counted_within_s: float = UNDER_WAY_S

    def rates(self, prompt_tokens: int = 0, when: float | None = None) -> Rates:
        """The rates of a request that is sent at a time. prompt_tokens: all of the prompt, cached ones among them."""
        moment = datetime.fromtimestamp(time.time() if when is None else when, UTC)
        today = moment.date().isoformat()
        rates = [one for day, one in self.listed if day <= today] or [self.listed[0][1]]
        tier = [factors for above, factors in self.long if prompt_tokens > above] or [Rates()]
        hour = ONE if self.peak is None else self.peak.at(moment)
        return rates[-1].times(tier[-1]).times(Rates(hour, hour, hour, hour))

    def of(self, usage: Usage, when: float | None = None) -> int:
        """What the vendor charges for a reply, nano-dollars."""
        return self.rates(usage.input_tokens or 0, when).of(usage)

    def counted(self, usage: Usage, ask: Ask, when: float | None = None, service: str = "") -> int:
        """Return what a reply counts for in a budget and in the rows, nano-dollars.

        A vendor's word about its cache cannot be checked. So cached tokens are believed up to what another request
        that was sent begins with too; the rest is plain input. Where requests share a prefix, so that the cache was
        asked for, and the vendor does not say what it wrote, all is taken as written.
        service: the tier that it counts for, "" for standard (models/vendors/tiers.py)."""
        fits = (usage.input_tokens or 0) >= self.cache_minimum
        most, written = shared_most(ask) if fits else 0, usage.cache_write_tokens
        if written is None and ask.prefix_digest and fits:
            written = max(0, (usage.input_tokens or 0) - (usage.cached_tokens or 0))
        believed = replace(usage, cached_tokens=min(usage.cached_tokens or 0, most), cache_write_tokens=written)
        return self.at(service).of(believed, when)

    def at(self, service: str) -> Price:
        """The same at a tier of service; "", or one that is not known: standard."""
        share = self.services.get(service, ONE)
        if share == ONE:
            return self
        factors = Rates(share, share, share, share)
        return replace(self, listed=tuple((day, one.times(factors)) for day, one in self.listed), services={})

    def most(self, input_tokens: int, output_tokens: int, when: float | None = None) -> int:
        """What a call of at most so many tokens may cost: the dearest of all tiers that it may come to, and of all
        prices until it is counted."""
        return max(self._possible(input_tokens, output_tokens, time.time() if when is None else when))

    def _possible(self, input_tokens: int, output_tokens: int, when: float) -> Iterator[int]:
        lengths = [0, *(above + 1 for above, _ in self.long if above < input_tokens)]
        ends = [*(above for above, _ in self.long if above < input_tokens), input_tokens]
        hours = range(3600, int(self.counted_within_s), 3600) if self.peak else ()
        for moment in (when, *(when + later for later in hours), when + self.counted_within_s):
            for first, last in zip(lengths, ends, strict=True):
                yield self.rates(first, moment).most(last, output_tokens)

    def in_batch(self) -> Price:
        """The same in a batch, of everything."""
        share = Rates(self.batch, self.batch, self.batch, self.batch)
        listed = tuple((day, one.times(share)) for day, one in self.listed)
        return replace(self, listed=listed, batch=ONE, counted_within_s=IN_BATCH_S)


def round_up(nano: Decimal) -> int:
    """Whole nano-dollars, rounded up."""
    return int(nano.to_integral_value(ROUND_CEILING))


def dollars(nano: int) -> str:
    """For a person: "$12.34", and "$0.0042" where cents would say nothing."""
    value = Decimal(nano) / NANO
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def nano(usd: str | float | int | Decimal) -> int:
    """Nano-dollars of so many dollars."""
    return round_up(Decimal(str(usd)) * NANO)


KNOWN = ("input", "cached", "output", "cache_write", "batch", "long", "date", "source")


def price_of(name: str, table: Mapping[str, Any]) -> Price:
    """The price of a model's table, online. What the table does not say (the price itself, tiers, hours, the share of a
    batch, the factors of a cache) is that of its vendor's family.

    Raises UnknownPrice with the line to add, ValueError naming a wrong key.
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
    takes_batches = known is not None and known.family.provider != "compatible"  # through a client of ours
    batch = own.get("batch", facts.get("service", {}).get("batch", 1) if takes_batches else 1)
    return Price(
        listed=tuple((one["from"], rates_of(name, one, cache)) for one in listed),
        long=tuple((one["above"], factors_of(name, one)) for one in own.get("long", facts.get("long", ()))),
        peak=peak_of(facts.get("peak")),
        batch=number(name, "batch", batch),
        cache_minimum=cache_least(table),
        services=shares_of(facts),
    )


def rates_of(name: str, price: Mapping[str, Any], cache: Mapping[str, Any]) -> Rates:
    """Rates as they are listed. cached, cache_write: where no price stands, input's by the family's factor, for the
    shortest lifetime; without one, input's."""
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
    """The factors of a tier, 1 where it does not say."""
    return Rates(**{key: number(name, f"long.{key}", tier[key]) for key in tier if key != "above"})


def peak_of(found: Mapping[str, Any] | None) -> Peak | None:
    """Hours that cost more, None where there are none."""
    if not found:
        return None
    hours: Sequence[Sequence[float]] = found["hours"]
    return Peak(tuple(found["days"]), tuple((one[0], one[1]) for one in hours), exact_number(found["factor"]))


def unknown_price(name: str, table: Mapping[str, Any]) -> str:
    """What is said where a model has no price."""
    return (
        f"model {name!r} has no price, so what it costs cannot be bounded; add it in USD per million tokens:\n"
        f'{header(name, table)}\nprice = {{ input = 0.00, output = 0.00, date = "YYYY-MM-DD", source = "..." }}'
    )


def header(name: str, known: Mapping[str, Any]) -> str:
    """How a table of one's own for a model begins; of one named on the spot, with what makes it the same model."""
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
    """A price as it is written. Raises ValueError."""
    try:
        found = exact_number(value)
    except InvalidOperation:
        found = Decimal(-1)
    if isinstance(value, bool) or not found.is_finite() or found < 0:
        raise ValueError(f"model {name!r}: price.{key} = {value!r} must be a number, 0 or more")
    return found


def exact_number(value: Any) -> Decimal:
    """A number as it is written."""
    return Decimal(str(value))
