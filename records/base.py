"""The base of all rows: an Arrow schema derived from the fields, and values that are checked when a row is built.

A row is a frozen dataclass. Its field types are the schema: str, int, float, bool, T | None, tuple[T, ...],
Mapping[str, float | bool] and other rows. Building a row checks each value against its type, so that whatever reaches
Parquet can be read back as the same row (architecture, "Rows"). Only `as_written` builds rows without this check.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pyarrow as pa

F = TypeVar("F", bound=Callable[..., Any])

INT64 = range(-(2**63), 2**63)
EXACT = range(-(2**53), 2**53 + 1)  # integers that a 64-bit float holds exactly


def cached(function: F) -> F:
    """Remember results as functools.cache does, and keep the function's type."""
    return cast(F, cache(function))


class InvalidRow(ValueError):
    """A value that a row cannot hold; the message names the row's type, the field and the problem."""


ENTRY = ("key", "value")  # columns of an entry of a mapping, which is stored as a list of entries
LONG = 1 << 10
_encoded_last: tuple[str, bytes] = ("", b"")


def utf8(text: str) -> bytes:
    """Return the text in UTF-8. Raises UnicodeEncodeError for lone surrogates.

    The last long text is cached, as a document is hashed, checked and stored one after the other.
    """
    global _encoded_last
    if len(text) < LONG:
        return text.encode("utf-8")
    known, data = _encoded_last
    if known is not text:
        data = text.encode("utf-8")
        _encoded_last = (text, data)
    return data


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys, no spaces and no escapes: equal values give equal text.

    Raises ValueError for NaN and infinities.
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Row:
    """Base of all rows. Subclasses add fields, and override `check` for rules between fields."""

    def __post_init__(self) -> None:
        values = self.__dict__
        for name, test in _tests(type(self)):
            problem = test(values[name])
            if problem:
                raise InvalidRow(f"{type(self).__name__}.{name}: {problem}")
        self.check()

    def check(self) -> None:
        """Check rules between fields. Raises InvalidRow through `require`."""

    def require(self, holds: bool, field: str, problem: str) -> None:
        """Raise InvalidRow naming `field` unless `holds`."""
        if not holds:
            raise InvalidRow(f"{type(self).__name__}.{field}: {problem}")

    @classmethod
    def schema(cls) -> pa.Schema:
        """Return the Arrow schema: fields in declaration order, nullable only if the type allows None."""
        schema: pa.Schema = _schema(cls)
        return schema

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for Arrow: mappings as lists of pairs, rows as dicts."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Make the row from values read from Arrow. Raises InvalidRow for unknown or missing fields."""
        makers = _makers(cls)
        unknown = sorted(set(values) - set(makers))
        if unknown:
            raise InvalidRow(f"{cls.__name__}: unknown field {unknown[0]!r}")
        try:
            return cls(**{name: makers[name](value) for name, value in values.items()})
        except TypeError as error:
            raise InvalidRow(f"{cls.__name__}: {error}") from error


R = TypeVar("R", bound=Row)


def from_batch(cls: type[R], batch: pa.RecordBatch) -> Iterator[R]:
    """Yield the rows of an Arrow record batch, in order."""
    for values in batch.to_pylist():
        yield cls.from_dict(values)


def as_written(cls: type[R], columns: Iterable[list[Any]]) -> Iterator[R]:
    """Yield the rows of a part whose digest was just checked: they were checked when written, and are not again.

    columns: plain values of every field, in declaration order.
    """
    kinds = types_of(cls)
    given = [
        values
        if (optional(kind) or kind) in SCALARS
        else map(_maker_of(kind, _unchecked, f"{cls.__name__}.{name}"), values)
        for (name, kind), values in zip(kinds.items(), columns, strict=True)
    ]
    for values in zip(*given, strict=True):
        row = object.__new__(cls)
        row.__dict__.update(zip(kinds, values, strict=True))
        yield row


def _unchecked(cls: type[R]) -> Callable[[Mapping[str, Any]], R]:
    """Make the function that builds a row within such rows."""
    makers = [(name, _maker_of(kind, _unchecked, f"{cls.__name__}.{name}")) for name, kind in types_of(cls).items()]

    def build(values: Mapping[str, Any]) -> R:
        row = object.__new__(cls)
        row.__dict__.update((name, make(values[name])) for name, make in makers)
        return row

    return build


# --- from a field's type: how it is checked, stored and read ---------------------------------------------------------


def _text_problem(value: Any) -> str | None:
    if type(value) is str and value.isascii():  # isascii() is known without looking at the characters
        return None
    if not isinstance(value, str):
        return f"expected text, got {type(value).__name__}"
    try:
        utf8(value)
    except UnicodeEncodeError as error:
        return (
            f"character {error.start} is a lone surrogate (U+{ord(value[error.start]):04X}), "
            "which UTF-8 and Parquet cannot hold; decode the source with errors='replace' or drop the record"
        )
    return None


def _int_problem(value: Any) -> str | None:
    if type(value) is int and value in INT64:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        return f"expected a whole number, got {type(value).__name__}"
    return None if value in INT64 else "does not fit 64 bits"


def _float_problem(value: Any) -> str | None:
    if type(value) is float and math.isfinite(value):
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return f"expected a number, got {type(value).__name__}"
    if isinstance(value, int):
        return None if value in EXACT else "is a whole number too large for a float to hold exactly"
    return None if math.isfinite(value) else f"{value} is not a finite number"


def _bool_problem(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"expected true or false, got {type(value).__name__}"


SCALARS: dict[type, Callable[[Any], str | None]] = {
    str: _text_problem,
    int: _int_problem,
    float: _float_problem,
    bool: _bool_problem,
}


def optional(kind: Any) -> Any | None:
    """Return T for T | None, else None."""
    if get_origin(kind) in (Union, types.UnionType):
        inner = [part for part in get_args(kind) if part is not type(None)]
        if len(inner) == 1 and len(get_args(kind)) == 2:
            return inner[0]
    return None


def _problem_of(kind: Any) -> Callable[[Any], str | None]:
    """Make the check of a field type. Raises TypeError for a type that a row cannot have."""
    if kind in SCALARS:
        return SCALARS[kind]
    if (inner := optional(kind)) is not None:
        test = _problem_of(inner)
        return lambda value: None if value is None else test(value)
    if get_origin(kind) is tuple:
        item = _problem_of(get_args(kind)[0])

        def sequence(value: Any) -> str | None:
            if not isinstance(value, tuple):
                return f"expected a tuple, got {type(value).__name__}"
            for i, v in enumerate(value):
                if problem := item(v):
                    return f"item {i}: {problem}"
            return None

        return sequence
    if get_origin(kind) is Mapping:
        key_test, value_test = (_problem_of(part) for part in get_args(kind))

        def mapping(value: Any) -> str | None:
            if type(value) is not dict and not isinstance(value, Mapping):  # the second check takes far longer
                return f"expected a mapping, got {type(value).__name__}"
            for k, v in value.items():
                if problem := key_test(k) or value_test(v):
                    return f"key {k!r}: {problem}"
            return None

        return mapping
    if isinstance(kind, type) and issubclass(kind, Row):
        return lambda value: None if isinstance(value, kind) else f"expected {kind.__name__}"
    raise TypeError(f"a row cannot have a field of type {kind}")


def _arrow_type(kind: Any) -> Any:
    import pyarrow as pa

    scalars = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if kind in scalars:
        return scalars[kind]
    if (inner := optional(kind)) is not None:
        return _arrow_type(inner)
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        return pa.list_(pa.field("item", _arrow_type(item), nullable=optional(item) is not None))
    if get_origin(kind) is Mapping:
        key, value = get_args(kind)
        # no Arrow map: `datasets` refuses files that have one
        columns = zip(ENTRY, (key, value), strict=True)
        entry = pa.struct([pa.field(name, _arrow_type(part), nullable=False) for name, part in columns])
        return pa.list_(pa.field("item", entry, nullable=False))
    schema = _schema(kind)
    if tuple(schema.names) == ENTRY:
        raise TypeError(f"the columns of {kind.__name__} are those of the entries of mappings: name them otherwise")
    return pa.struct(list(schema))


def _maker_of(kind: Any, row_maker: Callable[[Any], Callable[[Any], Any]], field: str) -> Callable[[Any], Any]:
    """Make the function that turns a value read from Arrow into the field's value.

    row_maker: makes that function for a row within the row. field: name of the row's type and of the field, for errors.
    """
    if (inner := optional(kind)) is not None:
        make = _maker_of(inner, row_maker, field)
        return lambda value: None if value is None else make(value)
    if get_origin(kind) is tuple:
        if get_args(kind)[0] in SCALARS:
            return tuple
        item = _maker_of(get_args(kind)[0], row_maker, field)
        return lambda value: tuple(item(v) for v in value)
    if get_origin(kind) is Mapping:
        return lambda value: _mapping(value, field)
    if isinstance(kind, type) and issubclass(kind, Row):
        return row_maker(kind)
    return lambda value: value


def _mapping(entries: Any, field: str) -> dict[Any, Any]:
    """Return the mapping with these entries: pairs, or dicts with the columns ENTRY. Raises InvalidRow.

    Older parts have an Arrow map, of which pairs are read.
    """
    if type(entries) is not list and isinstance(entries, Mapping):  # not asking the ABC first is twice as fast
        return dict(entries)
    try:
        pairs = entries
        if entries and isinstance(entries[0], dict):
            pairs = [tuple(map(one.__getitem__, ENTRY)) for one in entries]
        found = dict(pairs)
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidRow(f"{field}: expected entries with {' and '.join(ENTRY)}, got {entries!r:.200}") from error
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidRow(f"{field}: key {twice!r} stands there more than once")
    return found


@cached
def types_of(cls: Any) -> dict[str, Any]:
    """Return the type of each field of a row, by name."""
    hints = get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}


@cached
def _tests(cls: Any) -> tuple[tuple[str, Callable[[Any], str | None]], ...]:
    return tuple((name, _problem_of(kind)) for name, kind in types_of(cls).items())


@cached
def _makers(cls: Any) -> dict[str, Callable[[Any], Any]]:
    kinds = types_of(cls).items()
    return {name: _maker_of(kind, lambda row: row.from_dict, f"{cls.__name__}.{name}") for name, kind in kinds}


@cached
def _schema(cls: Any) -> Any:
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, _arrow_type(kind), nullable=optional(kind) is not None) for name, kind in types_of(cls).items()]
    )


def plain(value: Any) -> Any:
    """Return a field's value as given to Arrow: mappings as sorted pairs, rows as dicts."""
    if isinstance(value, Row):
        return value.to_dict()
    if isinstance(value, Mapping):
        return sorted(value.items())  # one order, so that equal rows give equal bytes
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
