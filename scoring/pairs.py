"""Any file of predictions and references, scored: `scrollwork score --metric NAME --pairs FILE`.

A pair is {id, prediction, references: [...], options: [...]}; options may be left out, other fields are
ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.aggregate import combine
from scoring.batches import Item, outcomes
from scoring.outcome import GoldError, Metric, Outcome

BYTE_ORDER_MARK = "\ufeff"
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
    """One prediction with its references."""

    id: str
    prediction: str
    references: tuple[str, ...]


def read_pairs(text: str | bytes) -> Iterator[dict[str, Any]]:
    r"""The objects of a JSON Lines file (UTF-8 if bytes), one for each line, so that row n is line n.

    Lines end at "\n" only: U+2028 and its like are text. A byte-order mark, "\r\n" and empty lines at the end
    are tolerated. Raises PairError naming the line.
    """
    for number, line in enumerate(_lines(text), start=1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError of int()
            reason = str(error) if line.strip() else "it is empty"
            raise PairError(f"line {number}: not a JSON object: {reason}") from None
        if not isinstance(row, dict):
            raise PairError(f"line {number}: not a JSON object but {_kind(row)}")
        yield row


def score_pairs(metric: Metric, rows: Iterable[Mapping[str, Any]], *, first_line: bool = False) -> dict[str, Any]:
    """{metric, n, value, components, per_instance: [{id, value, components}]}, values 0 to 100 and unrounded.

    first_line: drop newlines before the prediction, then keep its first line. Raises PairError naming the row
    (from 1) and the field or id: a missing field, a wrong type, no reference, an id seen before, a reference
    that the metric cannot score, no row at all.
    """
    scored = outcomes(metric, _items(rows, first_line), _unscored)
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
            {"id": name, "value": outcome.value, "components": dict(outcome.components)}
            for name, outcome in found.items()
        ],
    }


def keep_first_line(prediction: str) -> str:
    """The first line of a prediction that is not empty, its line end dropped; lines end at a newline only."""
    return prediction.lstrip("\r\n").partition("\n")[0].rstrip("\r")


def _items(rows: Iterable[Mapping[str, Any]], first_line: bool) -> Iterator[Item[tuple[int, Pair]]]:
    seen: set[str] = set()
    for number, row in enumerate(rows, start=1):
        pair = _pair(number, row)
        if pair.id in seen:
            raise PairError(f'row {number}: field "id": {_quoted(pair.id)} stands in an earlier row too')
        seen.add(pair.id)
        prediction = keep_first_line(pair.prediction) if first_line else pair.prediction
        yield (number, pair), prediction, pair.references


def _unscored(key: tuple[int, Pair], error: GoldError) -> PairError:
    number, pair = key
    return PairError(f'row {number}: field "references" of id {_quoted(pair.id)}: {error}')


def _pair(number: int, row: Mapping[str, Any]) -> Pair:
    if not isinstance(row, Mapping):
        raise PairError(f"row {number}: not an object but {_kind(row)}")
    name, prediction = (_text(number, row, field) for field in ("id", "prediction"))
    references = _texts(number, row, "references")
    if not references:
        raise PairError(f'row {number}: field "references" is empty; one reference at least is needed')
    if "options" in row:
        _texts(number, row, "options")
    return Pair(name, prediction, references)


def _field(number: int, row: Mapping[str, Any], field: str) -> Any:
    if field not in row:
        raise PairError(f'row {number}: field "{field}" is missing')
    return row[field]


def _text(number: int, row: Mapping[str, Any], field: str) -> str:
    value = _field(number, row, field)
    if not isinstance(value, str):
        raise PairError(f'row {number}: field "{field}" must be a string, not {_kind(value)}')
    return value


def _texts(number: int, row: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = _field(number, row, field)
    if not isinstance(value, (list, tuple)):
        raise PairError(f'row {number}: field "{field}" must be a list of strings, not {_kind(value)}')
    for item in value:
        if not isinstance(item, str):
            raise PairError(f'row {number}: field "{field}" must hold strings only, not {_kind(item)}')
    return tuple(value)


def _lines(text: str | bytes) -> list[str]:
    if isinstance(text, bytes):
        decoded = [_decoded(number, line) for number, line in enumerate(text.split(b"\n"), start=1)]
    else:
        decoded = text.split("\n")
    lines = [line.removesuffix("\r") for line in decoded]
    lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _decoded(number: int, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise PairError(f"line {number}: not UTF-8: {error.reason} at byte {error.start + 1}") from None


def _kind(value: object) -> str:
    return JSON_KINDS.get(type(value).__name__, type(value).__name__)


def _quoted(name: str) -> str:
    return json.dumps(name if len(name) <= 80 else name[:80] + "…")
