"""Convert rows to Arrow columns, and divide the fields of a row class by how their size is estimated."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin

from scrollwork.records.base import SCALARS, Row, cached, optional, plain, types_of, utf8

if TYPE_CHECKING:
    import pyarrow as pa

R = TypeVar("R", bound=Row)


class Columns(Generic[R]):
    """Collects rows as columns. Texts are kept as UTF-8, which Arrow needs, and which takes less memory than str."""

    def __init__(self, cls: type[R]) -> None:
        import pyarrow as pa

        self._schema = cls.schema()
        self._is_text = [field.type == pa.string() and not field.nullable for field in self._schema]
        self._values: list[list[Any]] = [[] for _ in self._schema]
        self._kept = [
            (name, _stored_by(kind), values.append)
            for (name, kind), values in zip(types_of(cls).items(), self._values, strict=True)
        ]

    def add(self, row: R) -> None:
        """Add a row."""
        given = row.__dict__
        for name, stored, keep in self._kept:
            value = given[name]
            keep(value if stored is None else stored(value))

    def batch(self) -> pa.RecordBatch:
        """Return one Arrow record batch of all rows, with the schema of their class."""
        import pyarrow as pa

        columns = [
            texts(values) if is_text else pa.array(values, type=field.type)
            for field, is_text, values in zip(self._schema, self._is_text, self._values, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)


def to_batch(cls: type[R], rows: Iterable[R]) -> pa.RecordBatch:
    """Return one Arrow record batch of rows, with the schema of `cls`."""
    columns = Columns(cls)
    for row in rows:
        columns.add(row)
    return columns.batch()


def texts(data: Sequence[bytes]) -> pa.Array:
    """Return an Arrow array of texts that are given in UTF-8.

    It is made from buffers, as `pyarrow.array` imports pandas, if that is installed: half a second of a command.
    """
    import pyarrow as pa

    offsets = array("i", accumulate(map(len, data), initial=0))
    return pa.Array.from_buffers(pa.string(), len(data), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(data))])


def _stored_by(kind: Any) -> Callable[[Any], Any] | None:
    """Return the function that converts values of this type for Arrow, None if they need no conversion."""
    if kind is str:
        return utf8
    if (optional(kind) or kind) in SCALARS:
        return None
    if get_origin(kind) is Mapping:
        return lambda value: sorted(value.items())
    return list if get_origin(kind) is tuple and get_args(kind)[0] in SCALARS else plain


@cached
def fields_by_size(cls: Any) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Divide the fields of a row class by how their size is estimated.

    Returns (total bytes of the fields with a fixed size, names of the text fields, names of the other fields). Numbers,
    bools and mappings count as 8 bytes each.
    """
    kinds = {name: optional(kind) or kind for name, kind in types_of(cls).items()}
    texts = tuple(name for name, kind in types_of(cls).items() if kind is str)
    fixed = [name for name, kind in kinds.items() if kind in (int, float, bool) or get_origin(kind) is Mapping]
    return 8 * len(fixed), texts, tuple(name for name in kinds if name not in (*texts, *fixed))
