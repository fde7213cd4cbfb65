"""Convert Arrow columns to plain Python values: as `to_pylist`, but much faster, with few calls for a whole column."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def plain_rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch as dicts: the same as `batch.to_pylist()`, but faster."""
    names = batch.schema.names
    return (dict(zip(names, row, strict=True)) for row in zip(*map(plain_values, batch.columns), strict=True))


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
