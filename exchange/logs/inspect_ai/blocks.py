"""Many summaries of inspect_ai's samples read at once, as columns by Arrow.

That takes half the CPU of making an object of each (benchmarks/read_logs.py). Only rows of which nothing special is to
be said are taken so: each value is there, of one type a field, and each score is a number. A row with an error, a null
or a NaN is parsed by itself, and a block that Arrow does not read as its schema says (doubled keys, mixed types, fields
that no row had so far, invalid UTF-8, lone surrogates) is left to the plain reader. So nothing is read otherwise than
by `Rows.add`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.logs.log import NO_VALUE, digest_of
from scrollwork.exchange.logs.cluster_fields import LOOKED_AT
from scrollwork.exchange.logs.inspect_ai.rows import REMOVED, THINNED, Columns, Rows
from scrollwork.exchange.logs.json_pieces import ROW, parsed

if TYPE_CHECKING:
    import pyarrow as pa

LINES = ROW.replace(b",", b"\n")  # Arrow reads an object a line
CHUNK = 1 << 20  # bytes that a thread of Arrow reads at once; no row may be longer
LEARNT = 50  # rows by which the fields of a log are known at first
MOST_FIELDS, MOST_DEPTH = 500, 20  # of a summary
MOST_SURPRISES = 8  # blocks that Arrow could not read, after which a log is left to the plain reader
INFINITE = re.compile(rb"[:,\[]-?Inf(?!inity)")  # Arrow takes it for a number, and it is no JSON of any tool
Mask = NDArray[np.bool_]


class Unlike(Exception):
    """Rows whose fields have no common type, or none that is read here."""


class Places:
    """Says which sample of a member comes next, for errors. rows: what all of them are added to."""

    def __init__(self, member: str, rows: Rows) -> None:
        self._member, self._rows, self._before = member, rows, rows.seen

    def next(self) -> str:
        """Return the place of the sample that is added next."""
        return f"{self._member}, sample {self._rows.seen - self._before + 1}"


class Blocks:
    """Adds blocks of summaries to rows. rows: what they are added to."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._type: pa.DataType | None = None
        self._surprises = 0

    def add(self, block: bytes, places: Places) -> bool:
        """Add the rows of a block, or none: False if they are to be added one by one.

        block: objects with commas between them, `id` the first key of each. places: for errors. Raises
        what `Rows.add` does.
        """
        # A lone null in the first line ends the process (pyarrow 26), so each line must begin as a row.
        if self._surprises > MOST_SURPRISES or not block.startswith(ROW[2:]) or b"\n" in block or b"\r" in block:
            return False
        if b"Inf" in block and INFINITE.search(block):
            return False
        lines = block.replace(ROW, LINES)
        try:
            if not block.isascii():
                block.decode("utf-8")  # Arrow does not look at texts that are not asked for
            table = self._read(lines)
            columns, odd = (None, np.ones(0, np.bool_)) if table is None else self._columns(table)
        except Unlike:
            self._surprises = MOST_SURPRISES + 1
            return False
        except UnicodeDecodeError:
            return False
        apart = [int(row) for row in np.flatnonzero(odd)]
        if columns is None or len(apart) > len(odd) // 2:
            return False
        first = max(min(LOOKED_AT - len(self._rows), len(odd)), 0)
        own = lines.split(b"\n") if apart or first else []
        try:
            special = [parsed(own[row]) for row in apart]
            looked_at = [parsed(own[row]) for row in range(first)]
        except ValueError:
            return False
        for sample in looked_at:
            self._rows.look_at(sample)
        begin = 0
        for row, sample in zip(apart, special, strict=True):
            self._rows.add_columns(columns, begin, row)
            self._rows.add(sample, places.next())
            begin = row + 1
        self._rows.add_columns(columns, begin, len(odd))
        return True

    def _read(self, lines: bytes) -> pa.Table | None:
        """Return the rows as a table; None if Arrow does not read them, or not one row a line. Raises Unlike."""
        import pyarrow as pa
        from pyarrow import json as arrow_json

        for attempt in range(3):
            if self._type is None or attempt:  # by the first rows, then by all
                self._learn(b"\n".join(lines.split(b"\n", LEARNT)[:LEARNT]) if attempt < 2 else lines)
            try:
                table = arrow_json.read_json(
                    pa.BufferReader(lines),
                    arrow_json.ReadOptions(block_size=CHUNK),
                    arrow_json.ParseOptions(
                        explicit_schema=pa.schema(list(self._type or ())), unexpected_field_behavior="error"
                    ),
                )
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue
            return table.combine_chunks() if table.num_rows == lines.count(b"\n") + 1 else None
        self._surprises += 1
        return None

    def _learn(self, lines: bytes) -> None:
        """Widen the type of a row by what these rows have. Raises Unlike."""
        import pyarrow as pa

        try:
            rows = parsed(b"[" + lines.replace(LINES, ROW) + b"]")
        except ValueError:
            raise Unlike from None
        found = reduce(merged, map(type_of, rows), self._type or pa.null())
        if not pa.types.is_struct(found) or fields_in(found) > MOST_FIELDS:
            raise Unlike
        self._type = found

    def _columns(self, table: pa.Table) -> tuple[Columns, Mask]:
        """Return what is kept of the rows, and which are odd: those must be read one by one. Raises Unlike."""
        import pyarrow as pa

        held = {name: table.column(name).combine_chunks() for name in table.column_names}
        names, epochs, inputs, scores = (held.get(name) for name in ("id", "epoch", "input", "scores"))
        if names is None or epochs is None or inputs is None or scores is None or "attachments" in held:
            raise Unlike
        if not (is_label(names) and pa.types.is_int64(epochs.type) and pa.types.is_string(inputs.type)):
            raise Unlike
        if not pa.types.is_struct(scores.type):
            raise Unlike
        odd = np.zeros(len(table), np.bool_)
        for column in (names, epochs, inputs, scores):
            odd |= nulls(column)
        for name in ("error", "invalidation"):
            if name in held:
                odd |= ~nulls(held[name])
        found: dict[str, list[float]] = {}
        for metric, column in metrics_in(scores):
            if metric in found:
                raise Unlike
            values = self._numbers(column)
            odd |= ~np.isfinite(values)
            found[metric] = values.tolist()
        if not found:
            raise Unlike
        labels = []
        for path in self._rows.paths:
            label = label_at(held, path)
            texts = [] if label is None else [None if value is None else str(value) for value in label.to_pylist()]
            if texts:
                odd |= np.fromiter(
                    (text is None or len(text) >= THINNED or text == REMOVED for text in texts), np.bool_
                )
            labels.append([text or "" for text in texts])
        limits = np.zeros(len(table), np.bool_) if "limit" not in held else ~nulls(held["limit"])
        prompts = self._rows.prompts.text_digests(inputs.to_pylist())
        if (choices := held.get("choices")) is not None and choices.null_count < len(choices):
            kind = choices.type.value_type if pa.types.is_list(choices.type) else None
            if kind is None or not (pa.types.is_string(kind) or pa.types.is_null(kind)):
                raise Unlike
            prompts = [
                prompt if given is None else digest_of([prompt, *map(str, given)])
                for prompt, given in zip(prompts, choices.to_pylist(), strict=True)
            ]
        return Columns(
            names.to_pylist(), epochs.to_pylist(), limits.tolist(), prompts, labels[0], labels[1], found
        ), odd

    def _numbers(self, column: pa.Array) -> NDArray[np.float64]:
        """Return the scores of values of one type, NaN for what is none. Raises Unlike for lists and objects."""
        import pyarrow as pa

        kind = column.type
        if pa.types.is_string(kind):
            coded = column.dictionary_encode()
            known = np.array([*map(self._rows.score_of, coded.dictionary.to_pylist()), NO_VALUE])
            return known[np.where(nulls(column), len(known) - 1, plain_values(coded.indices, np.int32))]
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        elif not (pa.types.is_int64(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
            raise Unlike
        return np.where(nulls(column), NO_VALUE, plain_values(column.cast(pa.float64(), safe=False), np.float64))


def metrics_in(scores: pa.StructArray) -> Iterator[tuple[str, pa.Array]]:
    """Yield (metric, values) of scorers, as `Scores` names them. Raises Unlike for a scorer without values."""
    import pyarrow as pa

    for scorer, score in children(scores):
        if pa.types.is_struct(score.type):
            values = dict(children(score)).get("value")
            if values is None:
                raise Unlike
        else:
            values = score
        if not pa.types.is_struct(values.type):
            yield scorer, values
            continue
        if not values.type.num_fields:
            raise Unlike
        for key, part in children(values):
            yield f"{scorer}/{key}", part


def children(column: pa.StructArray) -> Iterator[tuple[str, pa.Array]]:
    """Yield the fields of objects; null where the object is."""
    import pyarrow.compute as pc

    for place, field in enumerate(column.type):
        yield field.name, pc.struct_field(column, [place])


def label_at(held: dict[str, pa.Array], path: Sequence[str]) -> pa.Array | None:
    """Return the texts or whole numbers at a path of keys of the row, else of its metadata; None for an empty path.

    Raises Unlike where there are none.
    """
    import pyarrow as pa

    if not path:
        return None
    first, *keys = path if path[0] in held else ("metadata", *path)
    column = held.get(first)
    for key in keys:
        if column is None or not pa.types.is_struct(column.type):
            raise Unlike
        column = dict(children(column)).get(key)
    if column is None or not is_label(column):
        raise Unlike
    return column


def is_label(column: pa.Array) -> bool:
    """Return whether values are texts or whole numbers: 1.0 and 1 would be one number, and are two ids."""
    import pyarrow as pa

    return bool(pa.types.is_string(column.type) or pa.types.is_int64(column.type))


def nulls(column: pa.Array) -> Mask:
    """Return which values are null."""
    return truths(column.is_null())


def truths(column: pa.Array) -> Mask:
    """Return which values are true; null is not."""
    import pyarrow as pa

    known = np.ones(len(column), np.bool_) if not column.null_count else ~nulls(column)
    return known & (plain_values(column.cast(pa.uint8()), np.uint8) > 0)


def plain_values(column: pa.Array, kind: type[np.generic]) -> NDArray[Any]:
    """Return numbers, anything for null. `to_numpy` imports pandas where that is installed, which takes a second."""
    size = np.dtype(kind).itemsize
    data = column.buffers()[1]
    return np.zeros(len(column), kind) if data is None else np.frombuffer(data, kind, len(column), column.offset * size)


def type_of(value: Any, depth: int = 0) -> pa.DataType:
    """Return Arrow's type for a JSON value. Raises Unlike for one that is nested too deeply or has no one type."""
    import pyarrow as pa

    if depth > MOST_DEPTH:
        raise Unlike
    if isinstance(value, dict):
        return pa.struct([(key, type_of(held, depth + 1)) for key, held in value.items()])
    if isinstance(value, list):
        return pa.list_(reduce(merged, [type_of(held, depth + 1) for held in value], pa.null()))
    plain = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    return plain.get(type(value), pa.null())


def merged(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Return the type of values of both types, fields in the order of coming. Raises Unlike if there is none."""
    import pyarrow as pa

    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if pa.types.is_struct(one) and pa.types.is_struct(other):
        fields = {field.name: field.type for field in one}
        for field in other:
            fields[field.name] = merged(fields.get(field.name, pa.null()), field.type)
        return pa.struct(list(fields.items()))
    if pa.types.is_list(one) and pa.types.is_list(other):
        return pa.list_(merged(one.value_type, other.value_type))
    if {one, other} == {pa.int64(), pa.float64()}:
        return pa.float64()
    raise Unlike


def fields_in(kind: pa.DataType) -> int:
    """Return how many fields a type has, those within others too."""
    return 1 + sum(fields_in(kind.field(place).type) for place in range(kind.num_fields))
