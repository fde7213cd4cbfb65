"""Scores for any file of predictions and references: `scrollwork score --metric NAME --pairs FILE`.

A pair is {id, prediction, references: [...], options: [...]}; options may be left out if the metric needs none, other
fields are ignored.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.scoring.aggregate import combine
from scrollwork.scoring.batches import Item, outcomes
from scrollwork.scoring.outcome import GoldError, Metric, Outcome
from scrollwork.scoring.reading.parsing import first_line as first_line_of

JSON_KINDS: Mapping[str, str] = {
    "NoneType": "null",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "str": "a string",
    "list": "a list",
    "dict": "an object",
}


class PairError(ValueError):
    """A pair that cannot be read or scored; the message names the row and the field."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One prediction and what it is scored against: the fields that the metric needs, references among them."""

    id: str
    prediction: str
    gold: Mapping[str, tuple[str, ...]]


class Renamed(dict[str, Any]):
    """A row whose fields have other names in its file, for use in messages. names: the file's names by ours."""

    def __init__(self, fields: Mapping[str, Any], names: Mapping[str, str]) -> None:
        super().__init__(fields)
        self.names = names


def read_pairs(lines: bytes | Iterable[bytes]) -> Iterator[dict[str, Any]]:
    r"""Yield the objects of a JSON Lines file in UTF-8, one per line, so that row n is line n.

    lines: the whole file, or a file opened in binary, which is then read line by line. Lines end at "\n" only; U+2028
    and the like are text. A byte-order mark, "\r\n" and empty lines at the end are tolerated. Raises PairError naming
    the line.
    """
    empty = 0  # line number of the first of the empty lines just read, 0 for none
    for number, raw in enumerate(lines.split(b"\n") if isinstance(lines, bytes) else lines, start=1):
        line = raw.removesuffix(b"\n").removesuffix(b"\r")
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if not line.strip():
            empty = empty or number
            continue
        if empty:
            raise PairError(f"line {empty}: not a JSON object: it is empty")
        yield _object(number, line)


def _object(number: int, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line.decode(), object_pairs_hook=unique_fields)
    except UnicodeDecodeError as error:
        raise PairError(f"line {number}: not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except (ValueError, RecursionError) as error:  # int() raises ValueError for a number of 5,000 digits
        raise PairError(f"line {number}: not a JSON object: {error}") from None
    if not isinstance(row, dict):
        raise PairError(f"line {number}: not a JSON object but {kind_of(row)}")
    return row


def unique_fields(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict. Raises ValueError for a repeated field, which a dict would silently lose."""
    found = dict(fields)
    if len(found) < len(fields):
        twice = next(name for name, times in Counter(name for name, _ in fields).items() if times > 1)
        raise ValueError(f"field {_quoted(twice)} occurs twice")
    return found


def score_pairs(metric: Metric, rows: Iterable[Mapping[str, Any]], *, first_line: bool = False) -> dict[str, Any]:
    """Return {metric, n, value, components, per_instance: [{id, value, components}]}, values 0 to 100 and unrounded.

    components: their means, and the metric's derived values (`derived`). If the metric sums over instances, each
    instance also has `counts`, its terms of the sums.

    first_line: drop newlines before the prediction, then keep its first line only. Raises PairError naming the row
    (from 1) and the field or id, for a missing field that the metric needs, a wrong type, an empty list of references,
    a repeated id, a reference that the metric cannot score; and if there are no rows.
    """
    scored = outcomes(metric, _items(rows, metric.NEEDS, first_line), _unscored)
    found: dict[str, Outcome] = {pair.id: outcome for (_, pair), outcome in scored}
    if not found:
        raise PairError("there is no row: a pairs file holds one JSON object a line")
    summary = combine(metric, list(found.values()))
    return {
        "metric": metric.NAME,
        "n": summary.n,
        "value": summary.value,
        "components": dict(summary.components),
        "per_instance": [
            {
                "id": name,
                "value": outcome.value,
                "components": dict(outcome.components),
                **({"counts": dict(outcome.counts)} if outcome.counts else {}),
            }
            for name, outcome in found.items()
        ],
    }


def _items(
    rows: Iterable[Mapping[str, Any]], needs: Sequence[str], first_line: bool
) -> Iterator[Item[tuple[int, Pair]]]:
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        pair = _pair(number, row, needs)
        if pair.id in seen:
            raise PairError(f'row {number}: field "id": {_quoted(pair.id)} is in an earlier row too')
        seen.add(pair.id)
        yield (number, pair), first_line_of(pair.prediction) if first_line else pair.prediction, pair.gold


def _unscored(key: tuple[int, Pair], error: GoldError) -> PairError:
    number, pair = key
    return PairError(f'row {number}: field "references" of id {_quoted(pair.id)}: {error}')


def _pair(number: int, row: Mapping[str, Any], needs: Sequence[str]) -> Pair:
    if not isinstance(row, Mapping):
        raise PairError(f"row {number}: not an object but {kind_of(row)}")
    name, prediction = (_text(number, row, field) for field in ("id", "prediction"))
    if row.get("options") is not None:  # LongBench writes null where a task has no classes
        _texts(number, row, "options")
    gold = {field: _texts(number, row, field) for field in needs}
    for field, texts in gold.items():
        if not texts:
            raise PairError(f'row {number}: field "{_called(row, field)}" is empty; at least one is needed')
    return Pair(name, prediction, gold)


def _field(number: int, row: Mapping[str, Any], field: str) -> Any:
    if field not in row:
        raise PairError(f'row {number}: field "{_called(row, field)}" is missing')
    return row[field]


def _text(number: int, row: Mapping[str, Any], field: str) -> str:
    value = _field(number, row, field)
    if not isinstance(value, str):
        raise PairError(f'row {number}: field "{_called(row, field)}" must be a string, not {kind_of(value)}')
    return value


def _texts(number: int, row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = _field(number, row, field)
    if not isinstance(value, (list, tuple)):
        raise PairError(f'row {number}: field "{_called(row, field)}" must be a list of strings, not {kind_of(value)}')
    for item in value:
        if not isinstance(item, str):
            raise PairError(f'row {number}: field "{_called(row, field)}" must hold strings only, not {kind_of(item)}')
    return tuple(value)


def _called(row: Mapping[str, Any], field: str) -> str:
    return row.names.get(field, field) if isinstance(row, Renamed) else field


def kind_of(value: object) -> str:
    """Return the type of a JSON value, in words."""
    return JSON_KINDS.get(type(value).__name__, type(value).__name__)


def _quoted(name: str) -> str:
    return json.dumps(name if len(name) <= 80 else name[:80] + "…")
