"""Rows of a samples file of lm-evaluation-harness to the columns of a Log: a row a document, a metric for each filter.

| value of a metric | score |
|---|---|
| number, true, false | itself, 1, 0 |
| NaN, infinite, null | none, counted |
| list, object, text | none: parts of a value of the whole corpus, such as (log-likelihood, words) |
| -1 of a metric that is named as a length ("4096", RULER) | none: the document is of another length |

A metric whose values are not averaged (`aggregation` other than mean and nanmean) is left out, with a note. Where a
function of the task aggregates, its value in the results tells whether that is the mean.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scrollwork.analysis.logs.log import (
    BEGINNING,
    NO_VALUE,
    Floats,
    Log,
    ReadOptions,
    beginning_of,
    digest_of,
    log_error,
)
from scrollwork.exchange.logs.cluster_fields import ClusterFields
from scrollwork.exchange.logs.columns import at_path
from scrollwork.exchange.logs.lm_eval.results import MEANS, Results, function_named

FIELDS = {  # of each row; all others are metrics where a row does not list them
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
OWN_IDS = ("id", "_id", "question_id", "pid", "qid", "example_id")  # of a document, the first that identifies each
MOST_METRICS = 1000  # of a task
OTHER_LENGTH = -1.0  # in a metric that is named as a length
ALIKE = 1e-9  # relative difference of two means of the same values


class Rows:
    """Columns filled row by row. Several rows of a document through one filter are rows of the Log, too."""

    def __init__(self, path: Path, task: str, results: Results, options: ReadOptions) -> None:
        self._path, self._task, self._results, self._options = path, task, results, options
        self._filters = results.filters(task)
        self._seen: Counter[tuple[str, str]] = Counter()  # rows by document and filter
        self._places: dict[tuple[str, int], int] = {}  # row of the Log by document and which of its rows
        self._positions: list[str] = []
        self._own_ids: dict[str, list[str]] = {name: [] for name in (OWN_IDS if not options.id_field else ())}
        self._named_ids: list[str] = []
        self._clusters: list[str] = []
        self._contents: list[str] = []
        self._prompts: list[str] = []
        self._beginnings: list[str] = []
        self._columns: dict[str, list[float]] = {}
        self._unscored: Counter[tuple[str, str]] = Counter()
        self._aggregations: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._by_function: dict[str, str] = {}  # metrics that a function of the task aggregates, and what to call it
        self._failures: dict[int, str] = {}
        self._fields = ClusterFields()

    def __len__(self) -> int:
        return len(self._positions)

    def add(self, row: Any, where: str) -> None:
        """Add one row of the file. where: which it is, for errors. Raises LogError for one that is no sample."""
        position = row.get("doc_id") if isinstance(row, dict) else None
        if not isinstance(position, (int, str)) or isinstance(position, bool):
            raise log_error(self._path, where, 'field "doc_id" is missing: this is no row of a samples file')
        name = str(position)
        chosen = row.get("filter")
        if not isinstance(chosen, str):  # 0.4.2: all rows of one filter, then all of the next
            chosen = self._filters[self._seen[name, ""] % len(self._filters)]
            self._seen[name, ""] += 1
        key = (name, self._seen[name, chosen])
        self._seen[name, chosen] += 1
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._positions)
            self._identify(row, name, where)
        self._score(row, chosen, place)

    def log(self, notes: Sequence[str]) -> Log:
        """Make the log. Raises LogError if no metric has scores of items."""
        said = list(notes)
        scores = self._means(self._scores())
        for (metric, kind), count in self._unscored.items():
            said.append(f"{metric}: {kind} in {count:,} row{'s' * (count != 1)}: no score of an item")
        said += [f"{metric}: left out, {why}" for metric, why in self._refused.items()]
        if not scores:
            raise log_error(self._path, "", "no metric has scores of items. " + "; ".join(said[len(notes) :]))
        self._counts(said)
        lower = {name for name in scores if self._results.lower_is_better(self._task, name.rpartition(",")[0])}
        unscored = np.isnan(np.array(list(scores.values()))).all(axis=0)
        return Log(
            source=str(self._path),
            tool="lm_eval",
            task=self._task,
            model=self._results.model,
            scores=scores,
            ids=self._ids(said),
            positions=self._positions,
            contents=self._contents,
            prompts=self._prompts if any(self._prompts) else None,
            beginnings=self._beginnings if any(self._prompts) else None,
            clusters=self._clusters if self._options.cluster_field else None,
            failures={row: why for row, why in self._failures.items() if unscored[row]},
            lower_is_better=frozenset(lower),
            settings=self._results.settings(self._task),
            notes=said,
            cluster_field=self._fields.found(),
        )

    def _identify(self, row: Mapping[str, Any], name: str, where: str) -> None:
        """Add what identifies a document: its position, ids, cluster, and the digests of its content and prompt."""
        document = row.get("doc")
        for field in list(self._own_ids):
            value = document.get(field) if isinstance(document, dict) else None
            if isinstance(value, (int, str)) and not isinstance(value, bool) and value != "":
                self._own_ids[field].append(str(value))
            else:
                del self._own_ids[field]
        if self._options.id_field:
            self._named_ids.append(self._field(row, self._options.id_field, where))
        if self._options.cluster_field:
            self._clusters.append(self._field(row, self._options.cluster_field, where))
        else:
            self._fields.add(name, {"doc": document})
        self._positions.append(name)
        given = row.get("doc_hash")
        self._contents.append(given if isinstance(given, str) else _content_digest(document))
        given, prompt = row.get("prompt_hash"), _prompt(row.get("arguments"))
        self._prompts.append(given if isinstance(given, str) else digest_of(prompt) if prompt else "")
        self._beginnings.append(
            beginning_of(prompt) if len(prompt) > BEGINNING else self._prompts[-1] if prompt else ""
        )

    def _field(self, row: Mapping[str, Any], path: str, where: str) -> str:
        """Return a field of the row, or of its document where the row has none of this name."""
        value, document = at_path(row, path), row.get("doc")
        if value is None and isinstance(document, dict):
            value = at_path(document, path)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            problem = "is missing" if value is None else f"must be a text or a number, is {type(value).__name__}"
            has = ", ".join(f"doc.{key}" for key in document)[:300] if isinstance(document, dict) else "nothing"
            raise log_error(self._path, where, f'field "{path}" {problem}; the document has {has}')
        return str(value)

    def _score(self, row: Mapping[str, Any], chosen: str, place: int) -> None:
        listed = row.get("metrics")
        names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
        problem = ""
        for name in names or [field for field in row if field not in FIELDS]:
            if name not in row or not self._averaged(name):
                continue
            value, metric = row[name], f"{name},{chosen}"
            number = float(value) if isinstance(value, (int, float)) and abs(value) < 1e300 else NO_VALUE
            if number == OTHER_LENGTH and name.isdecimal():
                number = NO_VALUE
            elif math.isnan(number):
                problem = problem or f"{metric}: {_kind(value)} is no score"
                self._unscored[metric, _kind(value)] += 1
            if metric not in self._columns and len(self._columns) >= MOST_METRICS:
                raise log_error(self._path, "", f"more than {MOST_METRICS:,} metrics; is this a samples file?")
            column = self._columns.setdefault(metric, [])
            column.extend([NO_VALUE] * (place + 1 - len(column)))
            column[place] = number
        if problem:
            self._failures.setdefault(place, problem)

    def _averaged(self, name: str) -> bool:
        """Return whether a task's value of a metric is a mean of its items' scores."""
        if name not in self._aggregations:
            how = self._aggregations[name] = self._results.aggregation(self._task, name)
            if function := function_named(how):
                self._by_function[name] = function
            elif how and how not in MEANS:
                self._refuse(name, how)
        return name not in self._refused

    def _refuse(self, name: str, how: str) -> None:
        self._refused[name] = f"its value is no mean of items' scores (aggregation: {how})"

    def _means(self, scores: dict[str, Floats]) -> dict[str, Floats]:
        """Return the scores without those that a function of the task makes another value of than their mean."""
        for metric in list(self._columns):
            name = metric.rpartition(",")[0]
            if name not in self._by_function or (metric not in scores and name.isdecimal()):
                continue  # of the second no document has the length
            how, value = self._by_function[name], self._results.value(self._task, metric)
            if metric not in scores:
                self._refuse(name, how)
            elif value is None or not math.isclose(float(np.nanmean(scores[metric])), value, rel_tol=ALIKE):
                del scores[metric]
                self._refused[name] = f"the mean of its items' scores is not its value in the results ({how})"
            else:
                continue
            for kind in [kind for one, kind in self._unscored if one == metric]:
                del self._unscored[metric, kind]  # said by the refusal
        return scores

    def _scores(self) -> dict[str, Floats]:
        """Return the scores by metric and filter; a metric that has none in any row is left out."""
        found: dict[str, Floats] = {}
        for metric, values in self._columns.items():
            column = np.full(len(self), NO_VALUE)
            column[: len(values)] = values
            if not np.isnan(column).all():
                found[metric] = column
        return found

    def _ids(self, said: list[str]) -> list[str] | None:
        """Return the documents' own ids: the field the user named, else the first that tells all documents apart."""
        if self._options.id_field:
            return self._named_ids
        documents = len(set(self._positions))
        for field, values in self._own_ids.items():
            if len(set(values)) == len(set(zip(values, self._positions, strict=True))) == documents:
                said.append(f'items are identified by "doc.{field}"')
                return values
        said.append("no field of the documents identifies them; doc_id is only a place in the order of this run")
        return None

    def _counts(self, said: list[str]) -> None:
        """Note rows that are there twice, documents that are missing, and answers of which only some were scored."""
        documents = len(set(self._positions))
        if doubled := len(self) - documents:
            said.append(
                f"{doubled:,} rows have the doc_id and the filter of an earlier row (two runs saved at one time?)"
            )
        expected = self._results.documents(self._task)
        if expected and expected != documents:
            said.append(f"{documents:,} of {expected:,} documents are in the file")
        if (repeats := self._results.repeats(self._task)) > 1:
            said.append(f"{repeats} answers to each document: scored is what the filter makes of them, not each")


def _kind(value: Any) -> str:
    """Return what a value that is no score is, in words."""
    if value is None:
        return "null"
    if isinstance(value, (int, float)):
        return "NaN" if value != value else "an infinite number"
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else "an object"


def _content_digest(document: Any) -> str:
    """Return the digest that later versions of lm-eval log as doc_hash."""
    return digest_of(json.dumps(document, indent=2, ensure_ascii=False))


def _prompt(arguments: Any) -> str:
    """Return the first request's prompt, of which lm-eval's prompt_hash is, "" if there is none."""
    prompt = next(_values(next(_values(arguments), None)), None)
    if prompt is None:
        return ""
    return prompt if isinstance(prompt, str) else json.dumps(prompt, ensure_ascii=False)


def _values(held: Any) -> Iterator[Any]:
    if isinstance(held, dict):
        yield from held.values()
    elif isinstance(held, list):
        yield from held
