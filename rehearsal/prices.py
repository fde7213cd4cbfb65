"""Prices of a family by date, length of the prompt, hour and service tier (fact sheet, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

NANO = 1_000  # a dollar per million tokens is 1,000 nano-dollars a token


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens, as the vendor lists them. since: the first day of this price (ISO date)."""

    input: str
    cached: str
    output: str
    write: str = "0"
    write_long: str = "0"
    since: str = "2000-01-01"


@dataclass(frozen=True)
class Tier:
    """Price factors for the whole request if its prompt is longer than `above` tokens."""

    above: int
    input: str
    output: str


@dataclass(frozen=True)
class Family:
    """A model as its vendor describes it (sections 1.1 to 1.4, 3, 5). cache: breakpoints, steps, blocks or none
    (caches.py). minimum: tokens of the shortest cached prefix. ends: date of its shutdown. peak: dearer in the hours of
    PEAK."""

    id: str
    vendor: str
    prices: tuple[Price, ...]
    efforts: tuple[str, ...] = ()
    default: str = "none"
    sampling: str = "always"  # always | never | none (with effort none only)
    cache: str = "none"
    minimum: int = 1_024
    max_input: int = 128_000
    context: int = 128_000
    max_output: int = 16_384
    tiers: tuple[Tier, ...] = ()
    ends: str | None = None
    aliases: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()  # Anthropic: accepted types of thinking, the default first
    served: str = ""  # the model's name in the reply, if it differs
    peak: bool = False


PEAK = ((1, 4), (6, 10))  # DeepSeek, Monday to Friday, hours of UTC (section 5)
SERVICE = {"batch": "0.5", "flex": "0.5", "default": "1", "standard": "1", "priority": "2"}


def rates(family: Family, moment: datetime, service: str, prompt: int) -> dict[str, Decimal]:
    """Nano-dollars a token, by kind. moment: in UTC. service: a key of SERVICE. prompt: its length in tokens."""
    day = moment.date().isoformat()
    price = [one for one in family.prices if one.since <= day][-1]
    into = out = Decimal(SERVICE[service]) * NANO
    for tier in family.tiers:
        if prompt > tier.above:
            into, out = into * Decimal(tier.input), out * Decimal(tier.output)
    if family.peak and moment.weekday() < 5 and any(start <= moment.hour < end for start, end in PEAK):
        into, out = into * 2, out * 2
    return {
        "input": Decimal(price.input) * into,
        "cached": Decimal(price.cached) * into,
        "write": Decimal(price.write) * into,
        "write_long": Decimal(price.write_long) * into,
        "output": Decimal(price.output) * out,
    }
