"""The keys that a vendor's file (config/vendors/*.toml) may have, each declared once; other keys are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any

from scrollwork.models.table_keys import (
    FLAG,
    SHARE,
    TEXT,
    WHOLE,
    BadValue,
    Between,
    Choice,
    Key,
    ListOf,
    MapOf,
    Place,
    Plain,
    Schema,
    Table,
)

# By provider, the endpoints that its client can use, the usual one first.
ENDPOINTS = {
    "openai": ("chat", "responses", "completions"),
    "anthropic": ("messages",),
    "compatible": ("chat", "completions"),
}
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max", "default")  # the lowest first
UNITS_S = {"m": 60.0, "h": 3600.0}  # of lifetimes
FACTOR = Between(0, 100)
PAIRS = ListOf(ListOf(Between(0, 24), exactly=2))


@dataclass(frozen=True)
class Form:
    """Text that must match a regular expression as a whole. what: the name of such a text in errors."""

    pattern: str
    what: str

    def check(self, at: Place, name: str, value: Any) -> None:
        if not (isinstance(value, str) and re.fullmatch(self.pattern, value)):
            raise BadValue(f"{at}: {name} must be {self.what}, not {value!r}")

    def schema(self) -> Schema:
        return {"type": "string", "pattern": f"^({self.pattern})$"}


@dataclass(frozen=True)
class Day:
    """A date as text, "2026-11-30"."""

    def check(self, at: Place, name: str, value: Any) -> None:
        try:
            fits = date.fromisoformat(value).isoformat() == value  # "20261130" and "2026-W48-1" are dates too
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise BadValue(f'{at}: {name} must be a date such as "2026-11-30", not {value!r}')

    def schema(self) -> Schema:
        return {"type": "string", "format": "date"}


@dataclass(frozen=True)
class Hours:
    """Hours of a day, [[from, to), ...], which rise and do not overlap."""

    def check(self, at: Place, name: str, value: Any) -> None:
        PAIRS.check(at, name, value)
        borders = [hour for pair in value for hour in pair]
        if any(first >= last for first, last in value) or borders != sorted(borders):
            raise BadValue(f"{at}: {name} must be hours such as [[1, 4], [6, 10]] that rise and lie apart, not {value}")

    def schema(self) -> Schema:
        return PAIRS.schema()


@dataclass(frozen=True)
class AtLeast:
    """A number of a kind, with a lower bound only."""

    kind: Plain
    least: int

    def check(self, at: Place, name: str, value: Any) -> None:
        self.kind.check(at, name, value)
        if value < self.least:
            raise BadValue(f"{at}: {name} must be {self.least} or more, not {value!r}")

    def schema(self) -> Schema:
        return {**self.kind.schema(), "minimum": self.least}


@dataclass(frozen=True)
class Rising:
    """A list of tables, sorted by one of their keys, whose values must all differ."""

    kind: ListOf
    by: str

    def check(self, at: Place, name: str, value: Any) -> None:
        self.kind.check(at, name, value)
        found = [one[self.by] for one in value]
        if found != sorted(set(found)):
            raise BadValue(f"{at}: {name}: {self.by!r} of {found} overlap; they must rise, each once")

    def schema(self) -> Schema:
        return self.kind.schema()


@dataclass(frozen=True)
class Within:
    """A whole number within bounds, which are included."""

    low: int
    high: int

    def check(self, at: Place, name: str, value: Any) -> None:
        if type(value) is not int or not self.low <= value <= self.high:
            raise BadValue(f"{at}: {name} must be a whole number from {self.low} to {self.high:,}, not {value!r}")

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Rate:
    """A price in USD per million tokens: 0, or not so low that it must be meant for one token. least: above that."""

    least: float

    def check(self, at: Place, name: str, value: Any) -> None:
        MONEY.check(at, name, value)
        if fault := next_to_nothing(value, self.least):
            raise BadValue(f"{at}: {name} {fault}")

    def schema(self) -> Schema:
        return MONEY.schema()


def next_to_nothing(rate: float, least: float) -> str:
    """Return what is wrong with a rate that is too low to be meant for a million tokens; "" if nothing is."""
    return f"is in USD per million tokens, and {rate!r} is next to nothing" if 0 < rate < least else ""


LEAST_RATE, LEAST_CACHED = 0.0005, 0.00002  # USD per million tokens; a lower price was meant for one token
MONEY = Between(0, 100_000)
DAY, POSITIVE, RATE = Day(), AtLeast(WHOLE, 1), Rate(LEAST_RATE)
NAME = Form(r"\S(.*\S)?", "a name")
NAMES = ListOf(NAME)
LIFETIME = Form(r"[1-9][0-9]{0,3}[mh]", 'a lifetime such as "5m" or "1h"')
# Parameters that are sent for every request, and those that other keys of a model's table set.
MAX_TOKENS_NAMES = ("max_tokens", "max_completion_tokens", "max_output_tokens")
OURS = ("model", "messages", "input", "prompt", "system", "stream", "n", *MAX_TOKENS_NAMES)
BY_KEYS = ("temperature", "stop", "stop_sequences")
PARAMETER = Form(
    rf"(?!({'|'.join((*OURS, *BY_KEYS))})(\.|$))[A-Za-z_]\w*(\.[A-Za-z_]\w*)*",
    f"the name of a parameter, and none of {', '.join((*OURS, *BY_KEYS))}",
)
VARIABLE = Form(r"[A-Za-z_][A-Za-z0-9_]*", "the name of an environment variable")
# A header of its own kind: never the one that carries the API key.
HEADER = Form(r"[Xx]-(?![Aa][Pp][Ii]-[Kk][Ee][Yy]$)[A-Za-z0-9-]*[A-Za-z0-9]", 'a header such as "x-conversation-id"')
ADDRESS = Form(r"https?://[^\s/?#@]+(/[^\s?#]*)?", 'an address such as "https://HOST/v1"')

RATES = {
    "input": Key(RATE, "USD per million tokens of input.", needed=True),
    "cached": Key(Rate(LEAST_CACHED), "USD per million tokens that the cache held."),
    "cache_write": Key(RATE, "USD per million tokens written to the cache, for its shortest lifetime."),
    "output": Key(RATE, "USD per million tokens of output, thoughts among them.", needed=True),
}
EFFORT = Table(
    {
        "field": Key(PARAMETER, "The parameter of the request; a dot where it lies in another."),
        "values": Key(ListOf(Choice(EFFORTS[:-1])), "What it may be, the least first."),
        "default": Key(Choice(EFFORTS), "What it is where none is sent."),
        "off": Key(Choice(EFFORTS), "The value that stops thinking; none where it cannot be stopped so."),
    },
    inline=True,
)
THINKING = Table(
    {
        "field": Key(PARAMETER, "The parameter of the request; a dot where it lies in another."),
        "off": Key(TEXT, 'What stops thinking; "" where nothing need be sent; none where it cannot be stopped.'),
        "off_up_to": Key(Choice(EFFORTS), "The highest effort with which it may be stopped."),
    },
    inline=True,
)
CACHE = Table(
    {
        "rule": Key(
            Choice(("breakpoints", "prefix", "blocks", "none")),
            "breakpoints: exact, at marks, written unless told otherwise. prefix: the longest common one, in steps. "
            "blocks: exact, at marks alone. none.",
        ),
        "minimum": Key(POSITIVE, "Tokens of a prefix below which nothing is kept."),
        "step": Key(POSITIVE, "Of rule prefix: what is given back is a multiple of so many tokens."),
        "write": Key(
            MapOf(FACTOR, inline=True, names=LIFETIME),
            "By lifetime (30m, 1h, ...), the shortest first: the price of writing, by that of input.",
        ),
        "read": Key(FACTOR, "The price of what is given back, by that of input."),
        "marks": Key(POSITIVE, "How many marks a request may have."),
        "counted": Key(FLAG, "Whether tokens that are given back count in the limit of tokens a minute."),
        "batch_hits": Key(
            SHARE,
            "The least share of a batch's requests that find their prefix in the cache, 0 to 1, as its vendor says; "
            "without it batches are not marked.",
        ),
        "key": Key(FLAG, "Whether a key of the cache is taken, which requests with one prefix should share."),
        "header": Key(HEADER, "The header that carries the key, where it is not `prompt_cache_key` of the body."),
    },
    inline=True,
)
LONG = Table(
    {
        "above": Key(
            POSITIVE, "Tokens of a prompt, what the cache held among them, above which the factors hold.", needed=True
        ),
        **{name: Key(FACTOR, "Factor on the price, for the whole request.") for name in RATES},
    },
    inline=True,
)
TIERS = Rising(ListOf(LONG), "above")
PRICE = Table({"from": Key(DAY, "The first day.", needed=True), **RATES}, inline=True)
PEAK = Table(
    {
        "days": Key(ListOf(Within(1, 7)), "Days of the week in UTC, 1 for Monday.", needed=True),
        "hours": Key(Hours(), "[from, to) in UTC.", needed=True),
        "factor": Key(FACTOR, "On all prices in these hours.", needed=True),
    },
    inline=True,
)
FACTS: Mapping[str, Key] = {
    "aliases": Key(NAMES, "Other ids of the same model."),
    "released": Key(DAY, "The day of its release."),
    "ends": Key(DAY, "The first day on which the vendor answers no more."),
    "keeps": Key(DAY, "Until when the vendor promises to answer, where no end is announced."),
    "successor": Key(TEXT, "What the vendor names in its place."),
    "context": Key(POSITIVE, "Tokens of input and output together."),
    "max_input": Key(POSITIVE, "Tokens of input at most, where that is less."),
    "max_output": Key(POSITIVE, "New tokens at most, thoughts among them."),
    "endpoints": Key(
        MapOf(
            Table({"min_output": Key(POSITIVE, "New tokens that a request must at least allow.")}, inline=True),
            names=Choice(tuple(dict.fromkeys(chain.from_iterable(ENDPOINTS.values())))),
        ),
        "By name, the first of them usual.",
    ),
    "limit_name": Key(
        Choice(("max_tokens", "max_completion_tokens")),
        "The parameter of the most new tokens, for clients of provider compatible.",
    ),
    "effort": Key(EFFORT, "How much it thinks."),
    "thinking": Key(THINKING, "Whether it thinks."),
    "room": Key(
        MapOf(Within(0, 1_000_000), inline=True, names=Choice(EFFORTS)),
        "Tokens for thoughts on top of the answer's own, by effort.",
    ),
    "sampling": Key(
        Choice(("always", "never", "effort_off", "version")),
        "Whether temperature and the like are taken: always, never, with effort off, or by an older version of the "
        "interface.",
    ),
    "cache": Key(CACHE, "What the prefix cache does."),
    "price": Key(Rising(ListOf(PRICE), "from"), "Prices by the day from which they hold."),
    "long": Key(TIERS, "Factors for long prompts, the shortest border first."),
    "peak": Key(PEAK, "Hours that cost more."),
    "service": Key(
        Table(
            {
                "batch": Key(FACTOR, "What a batch costs, by the standard price."),
                "flex": Key(FACTOR, "What the slow tier costs."),
                "fast": Key(FACTOR, "What the fast tier costs."),
                "ultrafast": Key(FACTOR, "What the fastest one costs."),
            },
            inline=True,
        ),
        "Tiers of service, by what they cost.",
    ),
    "limits": Key(
        Choice(("max_tokens", "actual", "concurrency")),
        "What counts in the limit of tokens: the larger of input and what might be answered, what is used, or requests "
        "at once alone.",
    ),
    "concurrency": Key(POSITIVE, "Requests at once at most."),
    "characters_per_token": Key(Between(0.5, 10), "Of English, for estimates."),
    "passes": Key(NAMES, "Vendors whose models it passes on."),
}
FAMILY: Mapping[str, Key] = {
    "group": Key(NAME, "The [group.NAME] whose values it has where it says none."),
    **FACTS,
    "source": Key(
        MapOf(ListOf(NAME), inline=True, names=Choice(tuple(FACTS))), "By fact, where it is from: names in [sources]."
    ),
}
HEAD: Mapping[str, Key] = {
    "vendor": Key(NAME, "Its name for people.", needed=True),
    "provider": Key(Choice(tuple(ENDPOINTS)), "Which client speaks to it.", needed=True),
    "address": Key(ADDRESS, "Up to /v1.", needed=True),
    "key_env": Key(VARIABLE, "The environment variable that usually holds its key.", needed=True),
    "sources": Key(MapOf(TEXT), "Where facts are from, with the date, by name.", needed=True),
    "default": Key(Table(FAMILY), "What all of its families have where they say nothing else."),
    "group": Key(MapOf(Table(FAMILY)), "What several families share, by name."),
}

NOT_OF_A_TABLE = ("group", "aliases", "passes", "source")  # only a vendor's file can have these keys of a family
OWN_FAMILY = Table({name: key for name, key in FAMILY.items() if name not in NOT_OF_A_TABLE}, inline=True)


def lifetime_s(name: str) -> float:
    """Return the seconds of a lifetime such as "5m" or "1h"."""
    return int(name[:-1]) * UNITS_S[name[-1]]
