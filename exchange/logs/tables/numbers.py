"""Columns of a plain table as scores: which have numbers, and why a value is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scrollwork.analysis.logs.log import Floats
from scrollwork.exchange.logs.columns import number_of

if TYPE_CHECKING:
    import pyarrow as pa

LEAST_SHARE = 0.5  # of a text column's values that must be numbers, for it to be a metric
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")


@dataclass(frozen=True, eq=False)
class Column:
    """Scores, NaN where there is none, and why, by row."""

    values: Floats
    why: dict[int, str] = field(default_factory=dict)


def text_number(text: str) -> tuple[float, str]:
    """Return (score, "") for a text that is a number, true or false, else (NaN, why it is none)."""
    if text in TRUE or text in FALSE:
        return float(text in TRUE), ""
    try:
        if "_" in text:  # Python takes 1_0 for 10
            raise ValueError
        return number_of(float(text))
    except ValueError:
        return number_of(text)


def column_of_values(values: Sequence[Any]) -> Column:
    """Return the scores of JSON values: numbers and booleans; a text is none, even "1"."""
    found = np.empty(len(values))
    why = {}
    for row, value in enumerate(values):
        found[row], problem = number_of(value)
        if problem:
            why[row] = problem
    return Column(found, why)


def column_of_texts(column: pa.Array, missing: str) -> Column:
    """Return the scores of a column of numbers, booleans, or texts that are numbers. missing: what a null is called."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_null(kind):
        return Column(np.full(len(column), np.nan), dict.fromkeys(range(len(column)), missing))
    if pa.types.is_boolean(kind):
        column = pc.cast(column, pa.int8())
    try:
        numbers = pc.cast(column, pa.float64(), safe=False)
    except pa.ArrowInvalid:  # a text among them; at most as slow as its different texts are many
        encoded = column.dictionary_encode()
        each = [text_number(text) for text in encoded.dictionary.to_pylist()]
        places = pc.fill_null(encoded.indices, len(each)).to_numpy()
        each.append((np.nan, missing))
        values = np.array([value for value, _ in each])[places]
        bad = {place for place, (_, problem) in enumerate(each) if problem}
        rows = np.flatnonzero(np.isin(places, list(bad)))
        return Column(values, {int(row): each[places[row]][1] for row in rows})
    values = np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
    gone = pc.is_null(column).to_numpy(zero_copy_only=False)
    why = {
        int(row): missing if gone[row] else number_of(float(values[row]))[1]
        for row in np.flatnonzero(~np.isfinite(values))
    }
    values[~np.isfinite(values)] = np.nan
    return Column(values, why)


def looks_like_numbers(column: Any, least: int = 0) -> bool:
    """Return whether at least half of a column's values are numbers. column: an Arrow array or a list of JSON values.

    least: how many values there must be; with 0 an empty column may turn out to be one of numbers.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, list):
        given = [value for value in column if value is not None]
        right = sum(isinstance(value, float) or not number_of(value)[1] for value in given)
        return len(given) >= least and right >= LEAST_SHARE * len(given)
    count = len(column) - column.null_count
    kind = column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
    if count < least or not text:
        return bool(count >= least)
    try:
        pc.cast(column, pa.float64())
        return True
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        counts = pc.value_counts(column.drop_null())
        each = zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
        right = sum(times for value, times in each if not text_number(value)[1] or value.lower() == "nan")
        return bool(right >= LEAST_SHARE * count)
