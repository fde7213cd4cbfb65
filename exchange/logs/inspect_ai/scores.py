"""Values of inspect_ai's scorers as numbers, by inspect's own rule (`value_to_float` with its usual letters).

| value | score |
|---|---|
| number | itself; NaN and infinite: none, counted |
| true, false | 1, 0 |
| "C", "P", "I", "N" | 1, 0.5, 0, 0 (correct, partly, incorrect, no answer) |
| "yes", "true", "no", "false", in any case | 1, 1, 0, 0 |
| a number as text | the number |
| other text | none, counted (inspect itself takes 0 and warns) |
| object | a metric for each key, "scorer/key", by the rules above |
| list, object within an object | none, counted: its places have no names |
| null | none, counted |

A scorer may tell inspect other letters; the log does not say so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import NO_VALUE, Floats, ValueNote

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MOST_METRICS = 1000  # a scorer that names a metric for each item is no table; each is a column of all rows
MOST_WORDS = 10_000  # texts whose number is remembered
MOST_NOTES = 20  # sentences about values that are no score


class Scores:
    """Scores by metric, a value a row, collected row by row. unscored: (metric, kind of value) and how often."""

    def __init__(self) -> None:
        self._columns: dict[str, list[float]] = {}
        self._names: dict[tuple[str, str], str] = {}  # metrics by scorer and key
        self._rows = 0
        self._numbers: dict[str, float] = dict(LETTERS)
        self.unscored: Counter[tuple[str, str]] = Counter()
        self.too_many = 0

    def add(self, scores: Any) -> str:
        """Add the scores of one sample; return "" if any value is a score, else why none is.

        scores: what the sample says: by scorer, an object with a `value`; None or empty where nothing was scored.
        """
        row, self._rows = self._rows, self._rows + 1
        if not isinstance(scores, dict) or not scores:
            return "no scores"
        scored = False
        for scorer, score in scores.items():
            value = score.get("value") if isinstance(score, dict) else score
            if type(value) is dict:
                for key, part in value.items():
                    name = self._names.get((scorer, key)) or self._named(scorer, key)
                    scored = self._put(name, row, part) or scored
            else:
                scored = self._put(scorer, row, value) or scored
        return "" if scored else self._problem(scores)

    def add_columns(self, count: int, columns: Mapping[str, Sequence[float]]) -> None:
        """Add rows that each have a finite value of every one of these metrics, and of no other."""
        if count:
            for metric, values in columns.items():
                held = self._columns.setdefault(metric, [])
                held += [NO_VALUE] * (self._rows - len(held))
                held += values
            self._rows += count

    def columns(self) -> Mapping[str, Floats]:
        """Return the scores by metric, NaN where a row has none; no metric whose every row has none."""
        found: dict[str, Floats] = {}
        for metric, values in self._columns.items():
            column = np.full(self._rows, NO_VALUE)
            column[: len(values)] = values
            if not np.isnan(column).all():
                found[metric] = column
        return found

    def notes(self) -> list[str]:
        """Return a sentence for each kind of value that is no score."""
        said: list[str] = [
            ValueNote(f"{metric}: {kind} in {count:,} rows: no score", metric)
            for (metric, kind), count in self.unscored.items()
        ]
        if len(said) > MOST_NOTES:
            said[MOST_NOTES:] = [f"{len(said) - MOST_NOTES:,} more metrics or kinds of value that are no score"]
        if self.too_many:
            said.append(f"more than {MOST_METRICS:,} metrics: {self.too_many:,} values of further ones were left out")
        return said

    def _put(self, metric: str, row: int, value: Any) -> bool:
        """Set the value of a metric in a row; return whether it is a score."""
        number = value if type(value) is float else self.number(value)
        scored = -math.inf < number < math.inf  # not NaN either
        if not scored:
            self.unscored[metric, _kind(value)] += 1
            number = NO_VALUE
        values = self._columns.get(metric)
        if values is None:
            if len(self._columns) >= MOST_METRICS:
                self.too_many += 1
                return scored
            values = self._columns[metric] = []
        missing = row - len(values)
        if missing > 0:
            values.extend([NO_VALUE] * missing)
        if missing >= 0:  # else two scorers have one name, "a/b" and the key "b" of "a": the first counts
            values.append(number)
        return scored

    def _named(self, scorer: str, key: str) -> str:
        name = f"{scorer}/{key}"
        if len(self._names) < MOST_METRICS:
            self._names[scorer, key] = name
        return name

    def _problem(self, scores: Mapping[str, Any]) -> str:
        """Say of the first value why it is no score."""
        scorer, score = next(iter(scores.items()))
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            return f"{scorer}: no value of the object is a score"
        return f"{scorer}: {_kind(value)} is no score"

    def number(self, value: Any) -> float:
        """Return the number of a value that is no object, NaN for none."""
        if isinstance(value, str):
            number = self._numbers.get(value)
            if number is None:
                number = number_of(value)
                if len(self._numbers) < MOST_WORDS:
                    self._numbers[value] = number
            return number
        if isinstance(value, (int, float)):
            try:
                return float(value)
            except OverflowError:
                return math.inf
        return NO_VALUE


def number_of(text: str) -> float:
    """Return the number of a text value, NaN for one that is no score."""
    if text in LETTERS:
        return LETTERS[text]
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return NO_VALUE
    return number if math.isfinite(number) and "_" not in text else NO_VALUE


def _kind(value: Any) -> str:
    """Return what a value that is no score is, in words."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"text ({value[:40]!r})" if len(value) < 12 else "text"
    if isinstance(value, (list, dict)):
        return "list" if isinstance(value, list) else "object"
    return "NaN" if value != value else "infinity"
