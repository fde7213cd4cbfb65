"""What readers of logs share: rows collected into the columns of a Log, and the usual names of ids and clusters."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import NO_VALUE, Floats, LogError, ValueNote, log_error
from scrollwork.preprocessing.raw.errors import printable

ID_FIELDS = ("id", "example_id", "item_id", "sample_id", "question_id", "_id")
CLUSTER_FIELDS = ("cluster", "document", "document_id", "doc")
MOST_METRICS = 1000
SHOWN = 60  # characters of a value that a message quotes
NAMED = 3  # places that a note names


def number_of(value: object) -> tuple[float, str]:
    """Return (score, "") for a finite number or a boolean, else (NaN, why it is no score)."""
    if value is None:
        return NO_VALUE, "null"
    if isinstance(value, (bool, int, float)):
        try:
            number = float(value)
        except OverflowError:
            return NO_VALUE, "a number too large"
        if math.isfinite(number):
            return number, ""
        return NO_VALUE, "NaN" if math.isnan(number) else "an infinite number"
    if value == "":
        return NO_VALUE, "empty"
    return NO_VALUE, f"{printable(str(value), SHOWN)!r}, no number"


class ScoreRows:
    """Scores collected row by row. A metric that a row lacks has no value there."""

    def __init__(self, metrics: Iterable[str] = ()) -> None:
        """metrics: names that come first, in this order; others follow as they are met."""
        self._columns: dict[str, dict[int, float]] = {name: {} for name in metrics}
        self._why: dict[int, list[str]] = {}
        self._reasons: Counter[tuple[str, str]] = Counter()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, values: Mapping[str, object], error: str = "", quiet: Collection[str] = ()) -> int:
        """Add a row and return its number. Raises LogError for too many metrics.

        error: why the row has no score at all; its values are not taken then.
        quiet: metrics whose missing values are no failure.
        """
        if len(values) > MOST_METRICS or len(self._columns) > MOST_METRICS:
            raise LogError(f"there are more than {MOST_METRICS} metrics: are their names those of items?")
        row, self._length = self._length, self._length + 1
        if error:
            self._why[row] = [printable(error, 300)]
            for name in values:
                self._columns.setdefault(name, {})
            return row
        for name, value in values.items():
            number, why = number_of(value)
            column = self._columns.setdefault(name, {})
            if not why:
                column[row] = number
            elif name not in quiet:
                self._why.setdefault(row, []).append(f"{name}: {why}")
                self._reasons[name, why] += 1
        return row

    def scores(self) -> dict[str, Floats]:
        """Return an array a metric; metrics without any value are left out unless no metric has one."""
        found = {}
        for name, values in self._columns.items():
            column = np.full(self._length, NO_VALUE)
            if values:
                column[list(values)] = list(values.values())
            found[name] = column
        return {name: column for name, column in found.items() if self._columns[name]} or found

    def failures(self) -> dict[int, str]:
        """Return why rows have no score, or none of a metric, by row."""
        return {row: "; ".join(parts) for row, parts in sorted(self._why.items())}

    def notes(self) -> list[ValueNote]:
        """Return a sentence a metric and reason, for values that are no scores."""
        return [no_score(name, why, count) for (name, why), count in sorted(self._reasons.items())]


def no_score(metric: str, why: str, count: int) -> ValueNote:
    """Return the sentence for values of a metric that are no scores."""
    values, are = ("value", "is") if count == 1 else ("values", "are")
    return ValueNote(f"{count} {values} of {metric} {are} no score: {why}", metric)


def left_out(places: Sequence[str], why: str, kind: str = "row") -> str:
    """Return the sentence for what was left out. places: "line 7" and the like, the first ones are named."""
    what = f"1 {kind} was" if len(places) == 1 else f"{len(places)} {kind}s were"
    named = ", ".join(places[:NAMED]) + (", ..." if len(places) > NAMED else "")
    return f"{what} left out, {why}: {named}"


def at_path(row: Mapping[str, Any], path: str) -> Any:
    """Return what a path with dots names in nested objects, None where there is nothing. A key may hold dots itself."""
    value: Any = row
    if path in row:
        return row[path]
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def as_object(value: object) -> Mapping[str, Any]:
    """Return a JSON object, {} for anything else that a file may hold in its place."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> list[Any]:
    """Return a JSON list, [] for anything else that a file may hold in its place."""
    return value if isinstance(value, list) else []


def settings_text(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return settings as text, without those that are not set; what is no text as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
        for name, value in settings.items()
        if value is not None and value != ""
    }


def label_of(value: object) -> str:
    """Return an id or a cluster as text: "" for what is none (null, an object, a list)."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # 7.0 is what a table with gaps makes of 7
    return str(value) if isinstance(value, (str, int, float)) and value == value else ""


def first_label(row: Mapping[str, Any], fields: Iterable[str]) -> str:
    """Return the first of the fields that a row has a label in, "" if it has none."""
    return next((label for field in fields if (label := label_of(row.get(field)))), "")


def all_or_none(labels: Sequence[str]) -> Sequence[str] | None:
    """Return labels if every row has one, else None: rows without an id could only be paired by chance."""
    return labels if labels and all(labels) else None


def note_missing_ids(labels: Sequence[str]) -> list[str]:
    """Return a sentence on why ids are not used if some rows have one and some have none, else nothing."""
    lacking = sum(not label for label in labels)
    return [f"ids are not used: {lacking} of {len(labels)} rows have none"] if 0 < lacking < len(labels) else []


def any_or_none(labels: Sequence[str]) -> Sequence[str] | None:
    """Return labels if any row has one, else None."""
    return labels if any(labels) else None


def require_field(options_field: str, labels: Sequence[str], source: object) -> None:
    """Raise LogError if a field that the user named is in no row."""
    if options_field and labels and not any(labels):
        raise log_error(str(source), "", f'no row has a value in the field "{options_field}"')
