"""Collect the answers of one line of a page, input by input. examples.py puts them into the index of a task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from scrollwork.records.response import how_ended, scored_text
from scrollwork.records.score import SUM
from scrollwork.reporting.page.chunks import Series
from scrollwork.reporting.page.usage import Usage

PLACES = 4  # decimals of a score in the page; artifacts have unrounded scores
NOT_ASKED, ANSWERED, FAILED, MISSING, WITHOUT_GOLD = ".", "a", "f", "m", "g"  # state of an input for a line

Values = tuple[Any, ...]  # of a row's columns, in order
# Columns that are read of answers, failures (records/response.py) and scores; the first three say whose they are.
ANSWER = (
    *("example_id", "draw", "model", "text", "finish_reason", "input_tokens", "cached_tokens", "output_tokens"),
    *("reported_model", "attempts", "cost_nano_usd", "scored_characters"),
)
FAILURE = ("example_id", "draw", "model", "kind", "status", "message", "attempts")
SCORE = ("example_id", "draw", "model", "value", "components", "flags", "parsed")
Answered = tuple[str, Values, Values | None]  # ANSWERED with ANSWER and SCORE (None without gold), FAILED with FAILURE


class Answers:
    """Collects the answers of one line, input by input. members: names of a family's seeds, or the model's name."""

    def __init__(self, series: Series, members: Sequence[str]) -> None:
        self._series = series
        self._members = {name: number for number, name in enumerate(members)}
        self._row: int | None = None  # the current input
        self._held: list[list[Any]] = []  # its answers
        self._counts: list[int] = []  # their words
        self._numbers: list[float] = []  # their values
        self.at: dict[int, int] = {}
        self.values: dict[int, list[float]] = {}
        self.words: dict[int, list[int]] = {}
        self.others: list[int] = []  # words of answers that are not shown
        self.ended: dict[str, list[int]] = {}
        self.usage = Usage()
        self.reported: dict[str, int] = {}
        self.components: dict[str, int] = {}
        self._answered: dict[int, set[int]] = {}
        self._failed: set[int] = set()

    def count(self, state: str, one: Values) -> None:
        """Count an answer or failure that is not shown."""
        if state == FAILED:
            self.usage.failures += 1
        else:
            _, _, _, text, _, *tokens, _, attempts, cost, limit = one
            self.usage.count(tokens, attempts, cost)
            self.others.append(len(scored_text(text, limit).split()))

    def take(self, row: int, state: str, one: Values, score: Values | None) -> None:
        """Add an answer or failure to be shown. row: number of its input."""
        if row != self._row:
            self._flush()
            self._row = row
        if state == FAILED:
            _, _, model, kind, status, message, attempts = one
            self._failed.add(row)
            self.usage.failures += 1
            self._held.append([self._members[model], None, kind, status, message, attempts])
            return
        _, _, model, text, finish, given, cached, written, reported, attempts, cost, limit = one
        member, reason = self._members[model], how_ended(finish, limit)
        self.usage.count((given, cached, written), attempts, cost)
        self._counts.append(len(scored_text(text, limit).split()))
        if reason != "complete":
            rows = self.ended.setdefault(reason, [])
            rows += [] if row in rows[-1:] else [row]
        by = self.reported.setdefault(reported, len(self.reported))
        value = [member, text, reason, given, cached, written, by, attempts, cost, limit]
        if score is not None:
            _, _, _, number, components, flags, parsed = score
            self._numbers.append(number)
            value += (_rounded(number), self._components(components), dict(flags), parsed)
        self._held.append(value)

    def _components(self, given: Iterable[tuple[str, float]]) -> list[float | None]:
        """The components of a score, without counts, in the order in which their names first came."""
        found = {name: _rounded(value) for name, value in given if not name.startswith(SUM)}
        if found.keys() != self.components.keys():
            for name in found:
                self.components.setdefault(name, len(self.components))
        return list(map(found.get, self.components))

    def state(self, row: int, gold: bool) -> str:
        """The state of an input that was asked, as one letter."""
        if len(self._answered.get(row, ())) == len(self._members):
            return ANSWERED if gold else WITHOUT_GOLD
        return FAILED if row in self._failed else MISSING

    def close(self) -> None:
        """Write the last answers."""
        self._flush()
        self._series.close()

    def _flush(self) -> None:
        if self._row is not None:
            weight = sum(len(value[1] or "") + 60 for value in self._held)
            self.at[self._row] = self._series.add(str(self._row), self._held, weight)
            answered = {value[0] for value in self._held if value[1] is not None}
            if answered:
                self._answered.setdefault(self._row, set()).update(answered)
                self.words.setdefault(self._row, []).extend(self._counts)
            if self._numbers:
                self.values.setdefault(self._row, []).extend(self._numbers)
        self._held, self._counts, self._numbers = [], [], []


@lru_cache(1 << 16)  # many scores are equal, and correct rounding takes ten times as long as a lookup
def _rounded(value: float) -> float:
    return round(value, PLACES)


def rounded(value: float | None) -> float | None:
    """A score as the page has it; None stays."""
    return None if value is None else _rounded(value)
