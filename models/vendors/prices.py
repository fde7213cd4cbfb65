"""What a family's tokens cost: by the day, the hour, the length of the prompt, the lifetime in the cache, the tier."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from scrollwork.models.vendors.families import Family

STANDARD = "standard"
LENGTHS = ("input", "cached", "cache_write", "output")


@dataclass(frozen=True)
class Rates:
    """USD per million tokens, exact."""

    input: Decimal
    cached: Decimal
    cache_write: Decimal
    output: Decimal


def rates(family: Family, when: datetime, prompt_tokens: int, tier: str = STANDARD, lifetime: str = "") -> Rates | None:
    """What a request costs that begins at a time, aware of its zone. prompt_tokens: all of the prompt, what the cache
    held among them. tier: standard, batch, flex or fast. lifetime: of what is written to the cache; "" for the
    shortest. None where no price is known, for that day or tier."""
    when = when.astimezone(UTC)
    listed = [one for one in family.get("price", ()) if one["from"] <= when.date().isoformat()]
    factor = Decimal(1) if tier == STANDARD else _factor(family, tier)
    if not listed or factor is None:
        return None
    price = {name: _exact(listed[-1].get(name, listed[-1]["input"])) for name in LENGTHS}
    price["cache_write"] = _written(family, price, lifetime)
    passed = [one for one in family.get("long", ()) if prompt_tokens > one["above"]]
    length = {name: _exact(passed[-1].get(name, 1)) if passed else Decimal(1) for name in LENGTHS}
    hour = peak(family, when)
    return Rates(**{name: price[name] * length[name] * factor * hour for name in LENGTHS})


def peak(family: Family, when: datetime) -> Decimal:
    """The factor of the hour, 1 outside the hours that cost more. when: in UTC."""
    hours: dict[str, Any] = family.get("peak", {})
    if when.isoweekday() not in hours.get("days", ()):
        return Decimal(1)
    hour = when.hour + when.minute / 60
    busy = any(first <= hour < last for first, last in hours["hours"])
    return _exact(hours["factor"]) if busy else Decimal(1)


def _factor(family: Family, tier: str) -> Decimal | None:
    found = family.get(f"service.{tier}")
    return None if found is None else _exact(found)


def _written(family: Family, price: dict[str, Decimal], lifetime: str) -> Decimal:
    """The price of writing: as listed for the shortest lifetime, else by its factor on input."""
    factors = family.get("cache.write", {})
    if not lifetime or lifetime not in factors or lifetime == next(iter(factors)):
        return price["cache_write"]
    return price["input"] * _exact(factors[lifetime])


def _exact(value: float) -> Decimal:
    return Decimal(repr(value))
