"""Convert Arrow columns to plain Python values: as `to_pylist`, but much faster, with few calls for a whole column."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scrollwork.records.base import ENTRY

if TYPE_CHECKING:
    import pyarrow as pa


def plain_rows(
    batch: pa.RecordBatch, values: Callable[[pa.Array], list[Any]] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch as dicts: the same as `batch.to_pylist()`, but faster.

    values: the function that converts a column, `plain_values` if None.
    """
    names = batch.schema.names
    columns = map(values or plain_values, batch.columns)
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def stored_values(array: pa.Array) -> list[Any]:
    """Return the values of a column of a part: as `plain_values`, with (key, value) pairs for each entry of a mapping.

    Mappings of older parts are Arrow maps, and give the same pairs.
    """
    import pyarrow.types as kinds

    kind = array.type
    entries = kinds.is_list(kind) and kinds.is_struct(kind.value_type)
    if array.null_count or not entries or tuple(field.name for field in kind.value_type) != ENTRY:
        return plain_values(array)
    return _sliced(list(zip(*map(plain_values, array.values.flatten()), strict=True)), array.offsets)


def plain_values(array: pa.Array) -> list[Any]:
    """Return the values of an array: the same as `array.to_pylist()`, but faster."""
    import pyarrow.types as kinds

    kind = array.type
    if array.null_count == len(array):
        return [None] * len(array)
    if kinds.is_string(kind):
        return _listed(array)
    if array.null_count:
        return list(array.to_pylist())
    if kinds.is_map(kind):
        return _sliced(list(zip(plain_values(array.keys), plain_values(array.items), strict=True)), array.offsets)
    if kinds.is_list(kind):
        return _sliced(plain_values(array.values), array.offsets)
    if kinds.is_struct(kind):
        names = [field.name for field in kind]
        rows = zip(*map(plain_values, array.flatten()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in rows]
    return _listed(array)


def _listed(array: pa.Array) -> list[Any]:
    found: list[Any] = array.to_pylist() if _quick_lists() else array.to_numpy(zero_copy_only=False).tolist()
    return found


@cache
def _quick_lists() -> bool:
    """Return whether `to_pylist` is as fast as numpy, which is so from pyarrow 26 on.

    It is then preferred: the conversion through numpy imports pandas, if that is installed, which would take a third of
    the time of a command that only reads.
    """
    import pyarrow as pa

    return int(pa.__version__.partition(".")[0]) >= 26


def _sliced(values: list[Any], offsets: pa.Array) -> list[Any]:
    bounds = _listed(offsets)
    return [values[start:end] for start, end in pairwise(bounds)]
