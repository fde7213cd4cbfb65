"""Keys of configuration files, each declared once: its kind, its meaning, and whether it is required.

The checks and the JSON Schemas for editors (config/schema/) both come from these declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Any, Protocol

Schema = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where a value is in a TOML file. tables: the names in [the.header]. inner: keys of the inline tables in it."""

    file: str
    tables: tuple[str, ...] = ()
    inner: str = ""

    def below(self, name: str, inline: bool) -> Place:
        """Return the place of the table `name` in this one. inline: it is written as `name = {...}`."""
        if inline or self.inner:
            return Place(self.file, self.tables, f"{self.inner} {name}".strip())
        return Place(self.file, (*self.tables, name))

    def __str__(self) -> str:
        table = f"[{'.'.join(self.tables)}]" if self.tables else ""
        return f"{self.file}: {table} {self.inner}".replace(":  ", ": ").rstrip(": ")


class BadValue(ValueError):
    """A configuration file contains an invalid value; the message names file, table and key."""


class Kind(Protocol):
    """What a value may be."""

    def check(self, at: Place, name: str, value: Any) -> None:
        """Raise BadValue unless the value is of this kind. name: of the key."""

    def schema(self) -> Schema:
        """Return the kind as JSON Schema (draft 2020-12)."""


@dataclass(frozen=True)
class Plain:
    """A value of some types. what: its name in errors. written: its JSON Schema."""

    types: tuple[type, ...]
    what: str
    written: Mapping[str, Any]

    def check(self, at: Place, name: str, value: Any) -> None:
        wrong_type = not isinstance(value, self.types) or (isinstance(value, bool) and bool not in self.types)
        if wrong_type or (isinstance(value, float) and not isfinite(value)):
            raise BadValue(f"{at}: {name} must be {self.what}, not {value!r}")

    def schema(self) -> Schema:
        return dict(self.written)


TEXT = Plain((str,), "text", {"type": "string"})
WHOLE = Plain((int,), "a whole number", {"type": "integer"})
NUMBER = Plain((int, float), "a number", {"type": "number"})
FLAG = Plain((bool,), "true or false", {"type": "boolean"})
ANY_TABLE = Plain((dict,), "a table", {"type": "object"})
ANY_LIST = Plain((list,), "a list", {"type": "array"})
TEXT_OR_TABLE = Plain((str, dict), "text or a table", {"type": ["string", "object"]})
ANYTHING = Plain((object,), "anything", {})


@dataclass(frozen=True)
class Between:
    """A number within bounds, which are included. kind: NUMBER, or WHOLE for whole ones alone."""

    low: float
    high: float
    kind: Plain = NUMBER

    def check(self, at: Place, name: str, value: Any) -> None:
        what = f"{self.kind.what} from {self.low} to {self.high}"
        Plain(self.kind.types, what, {}).check(at, name, value)
        if not self.low <= value <= self.high:
            raise BadValue(f"{at}: {name} must be {what}, not {value!r}")

    def schema(self) -> Schema:
        return {**self.kind.written, "minimum": self.low, "maximum": self.high}


SHARE = Between(0, 1)


@dataclass(frozen=True)
class Freshness:
    """When stored answers are asked for anew: "never", "run", or a number of whole days from which they are old."""

    words: tuple[str, ...] = ("never", "run")

    def check(self, at: Place, name: str, value: Any) -> None:
        days = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_DAYS
        if value not in self.words and not days:
            raise BadValue(f"{at}: {name} must be {FRESHNESS}, not {value!r}")

    def schema(self) -> Schema:
        return {"anyOf": [{"enum": list(self.words)}, {"type": "integer", "minimum": 1, "maximum": MOST_DAYS}]}


MOST_DAYS = 99_999
FRESHNESS = f"never, run, or a number of whole days from 1 to {MOST_DAYS:,}"


@dataclass(frozen=True)
class Choice:
    """One of some texts.

    others: (what else it may be, in words; function that returns further names), None for nothing else. With `others`,
    any text with a dot is accepted, as it may be `package.module`.
    """

    known: tuple[str, ...]
    others: tuple[str, Callable[[], Iterable[str]]] | None = None

    def check(self, at: Place, name: str, value: Any) -> None:
        if value in self.known or (self.others and isinstance(value, str) and "." in value):
            return
        further = [*self.others[1]()] if self.others else []
        if value not in further:
            there = [*self.known, *further]
            more = f", or {self.others[0]}" if self.others else ""
            raise BadValue(f"{at}: {name} {value!r} is none of {', '.join(there)}{more}{nearest_known(value, there)}")

    def schema(self) -> Schema:
        own: Schema = {"enum": list(self.known)}
        return {"anyOf": [own, {"type": "string", "description": self.others[0]}]} if self.others else own


@dataclass(frozen=True)
class ListOf:
    """A list of values of one kind. exactly: their number, 0 for any."""

    kind: Kind
    exactly: int = 0

    def check(self, at: Place, name: str, value: Any) -> None:
        ANY_LIST.check(at, name, value)
        if self.exactly and len(value) != self.exactly:
            raise BadValue(f"{at}: {name} must hold {self.exactly} values, not {len(value)}")
        for number, one in enumerate(value):
            self.kind.check(at, f"{name}[{number}]", one)

    def schema(self) -> Schema:
        size = {"minItems": self.exactly, "maxItems": self.exactly} if self.exactly else {}
        return {"type": "array", "items": self.kind.schema(), **size}


TEXT_LIST = ListOf(TEXT)


@dataclass(frozen=True)
class MapOf:
    """A table with any keys. inline: it is usually written as `name = {...}`. names: what a key may be."""

    kind: Kind
    inline: bool = False
    names: Kind = TEXT

    def check(self, at: Place, name: str, value: Any) -> None:
        here = at.below(name, self.inline)
        if not isinstance(value, Mapping):
            raise BadValue(f"{here}: must be a table")
        for key, one in value.items():
            self.names.check(here, "key", key)
            self.kind.check(here, key, one)

    def schema(self) -> Schema:
        names = {} if self.names is TEXT else {"propertyNames": self.names.schema()}
        return {"type": "object", **names, "additionalProperties": self.kind.schema()}


@dataclass(frozen=True)
class Key:
    """A key of a table. means: its meaning, for people, in editors and documents. needed: it is required."""

    kind: Kind
    means: str
    needed: bool = False


FRESH = Key(
    Freshness(),
    "When its stored answers are asked for anew: never (default), run, or after so many days; --fresh goes over it.",
)


@dataclass(frozen=True)
class Table:
    """A table whose keys are all known. inline: as in `MapOf`."""

    keys: Mapping[str, Key]
    inline: bool = False

    def check(self, at: Place, name: str, value: Any) -> None:
        here = at.below(name, self.inline) if name else at
        if not isinstance(value, Mapping):
            raise BadValue(f"{here}: must be a table")
        for key in value:
            if key not in self.keys:
                raise BadValue(f"{here}: {unknown_key(key, sorted(self.keys))}")
        if lacking := sorted(key for key, one in self.keys.items() if one.needed and key not in value):
            raise BadValue(f"{here}: lacks {', '.join(lacking)}")
        for key in self.keys:
            if key in value:
                self.keys[key].kind.check(here, key, value[key])

    def schema(self) -> Schema:
        needed = [key for key, one in self.keys.items() if one.needed]
        return {
            "type": "object",
            "properties": {key: {"description": one.means, **one.kind.schema()} for key, one in self.keys.items()},
            "additionalProperties": False,
            **({"required": needed} if needed else {}),
        }


def unknown_key(key: str, there: Sequence[str]) -> str:
    """Return the message about an unknown key, with the nearest known key."""
    return f"unknown key {key!r}; there are: {', '.join(there)}{nearest_known(key, there)}"


def nearest_known(given: Any, known: Sequence[str]) -> str:
    """Return the known name nearest to the given one, as the end of a sentence; "" if none is near."""
    near = get_close_matches(str(given), known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
