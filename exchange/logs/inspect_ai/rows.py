"""Samples of an inspect_ai log, or their summaries, to the columns of a Log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrollwork.analysis.logs.log import Floats, Log, log_error
from scrollwork.exchange.logs.cluster_fields import LOOKED_AT, ClusterFields
from scrollwork.exchange.logs.inspect_ai.header import Header
from scrollwork.exchange.logs.inspect_ai.prompts import MissingField, Prompts
from scrollwork.exchange.logs.inspect_ai.scores import Scores
from scrollwork.preprocessing.raw.errors import printable

REMOVED = "Key removed from summary (> 1k)"
THINNED = 1000  # characters of a metadata text from which on a summary may have shortened it
MOST_FIELDS, MOST_NAME = 20, 60  # fields of metadata that an error names, and characters of a name
MOST_MESSAGE = 300  # characters of an error that are kept


@dataclass(frozen=True)
class Columns:
    """What is kept of rows of which each has a prompt and scores, no error, and was not invalidated.

    own_ids, clusters: empty where no such field is read. scores: by metric, all finite.
    """

    names: Sequence[int | str]
    epochs: Sequence[int]
    truncated: Sequence[bool]
    prompts: Sequence[str]
    own_ids: Sequence[str]
    clusters: Sequence[str]
    scores: Mapping[str, Sequence[float]]


class Rows:
    """Columns filled sample by sample.

    summaries: whether samples are summaries, whose texts are cut. id_path, cluster_path: fields with ids of our own
    choice and with clusters, () for none.
    """

    def __init__(
        self, path: Path, header: Header, summaries: bool, id_path: Sequence[str], cluster_path: Sequence[str]
    ) -> None:
        self._path, self._header, self._summaries = path, header, summaries
        self._id_path, self._cluster_path = tuple(id_path), tuple(cluster_path)
        self._ids: list[int | str] = []
        self._epochs: list[int] = []
        self._own_ids: list[str] = []
        self._clusters: list[str] = []
        self.prompts = Prompts(summaries)
        self._truncated: list[bool] = []
        self._failures: dict[int, str] = {}
        self._scores = Scores()
        self._unclustered = 0
        self._metadata: list[str] = []  # names of fields of a sample that has no cluster
        self._errors = 0
        self._fields = ClusterFields()
        self.invalidated = 0

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def seen(self) -> int:
        """Return how many samples were added, those that were invalidated too."""
        return len(self._ids) + self.invalidated

    def add(self, sample: Any, where: str) -> None:
        """Add one sample. where: which it is, for errors. Raises LogError for one without id, and MissingField."""
        if not isinstance(sample, dict):
            raise log_error(self._path, where, "a sample must be an object")
        if sample.get("invalidation") is not None:
            self.invalidated += 1
            return
        name, epoch = sample.get("id"), sample.get("epoch", 1)
        if not isinstance(name, (int, str)) or isinstance(name, bool):
            raise log_error(self._path, where, f'field "id" must be a number or a text, is {type(name).__name__}')
        if not isinstance(epoch, int):
            raise log_error(self._path, where, f'field "epoch" must be a number, is {type(epoch).__name__}')
        row = len(self._ids)
        if row < LOOKED_AT:
            self.look_at(sample)
        problem = self._scores.add(sample.get("scores"))
        if (error := sample.get("error")) is not None:
            self._errors += 1
            problem = problem and _message(error)
        if problem:
            self._failures[row] = problem
        self._ids.append(name)
        self._epochs.append(epoch)
        self._truncated.append(sample.get("limit") is not None)
        self.prompts.add(sample)
        if self._id_path:
            self._own_ids.append(self._field(sample, self._id_path, where, required=True))
        if self._cluster_path:
            self._clusters.append(self._field(sample, self._cluster_path, where, required=False))

    def add_columns(self, columns: Columns, begin: int, end: int) -> None:
        """Add the rows from `begin` to `end` of columns, as `add` would one by one."""
        self._ids += columns.names[begin:end]
        self._epochs += columns.epochs[begin:end]
        self._truncated += columns.truncated[begin:end]
        self.prompts.digests += columns.prompts[begin:end]
        self._own_ids += columns.own_ids[begin:end]
        self._clusters += columns.clusters[begin:end]
        self._scores.add_columns(end - begin, {name: held[begin:end] for name, held in columns.scores.items()})

    def look_at(self, sample: Mapping[str, Any]) -> None:
        """Look which fields of a sample may name its document, where none is read."""
        if not self._cluster_path and isinstance(metadata := sample.get("metadata"), dict):
            self._fields.add(str(sample.get("id")), {"metadata": metadata})

    @property
    def paths(self) -> tuple[Sequence[str], Sequence[str]]:
        """Return the keys that lead to an item's own id and to its cluster, () for none."""
        return self._id_path, self._cluster_path

    def score_of(self, text: str) -> float:
        """Return the score that a text stands for, NaN for none."""
        return self._scores.number(text)

    def log(self, notes: Sequence[str], chosen_cluster: bool) -> Log:
        """Make the log. notes: what is known before. chosen_cluster: whether a user named the field of clusters.

        Raises LogError if no sample has a score, or the user's field is missing, and MissingField.
        """
        said = list(notes)
        keep = self._kept(said)
        scores = self._scores.columns()
        if not scores:
            raise log_error(self._path, "", self._why_none())
        said += self._notes()
        repeated = self._header.epochs > 1 or len(set(self._epochs)) > 1
        ids, positions = self._identities(said)
        prompts, beginnings = self.prompts.telling_apart(self._ids), self.prompts.beginnings
        place = {int(old): new for new, old in enumerate(keep)} if len(keep) < len(self._ids) else None
        failures = self._failures if place is None else {
            place[row]: why for row, why in self._failures.items() if row in place
        }  # fmt: skip
        return Log(
            source=str(self._path),
            tool="inspect_ai",
            task=self._header.task,
            task_in_full=self._header.task_in_full,
            model=self._header.model,
            scores=scores if place is None else _picked(scores, keep),
            ids=ids and _chosen(ids, keep, place),
            positions=positions and _chosen(positions, keep, place),
            prompts=_chosen(prompts, keep, place) if any(prompts) else None,
            prompt_part=self.prompts.part,
            beginnings=beginnings and _chosen(beginnings, keep, place),
            clusters=self._all_clusters(said, keep, place, chosen_cluster),
            repeats=_chosen([str(epoch) for epoch in self._epochs], keep, place) if repeated else None,
            failures=failures,
            truncated=np.array(self._truncated, dtype=np.bool_)[keep],
            settings=self._header.settings,
            notes=said,
            cluster_field=self._fields.found(),
        )

    def _why_none(self) -> str:
        """Say that no sample has a score, with the error of the first that ended with one."""
        if not self._ids:
            return "the log has no samples: they were not logged (--no-log-samples), or the run ended before the first"
        none = f"none of {len(self._ids):,} samples has a score"
        if not self._errors:
            return f"{none}; was the log scored?"
        first = next(iter(self._failures.values()))
        return f"{none}; {self._errors:,} ended with an error; of the first sample: {first}"

    def _field(self, sample: Mapping[str, Any], path: Sequence[str], where: str, required: bool) -> str:
        """Return the text of a field of the sample, or of its metadata; "" if it is missing and not required."""
        value = _at(sample, path)
        if value is None and path[0] != "metadata":
            value = _at(sample, ("metadata", *path))
        if self._summaries and (
            value is None or value == REMOVED or (isinstance(value, str) and len(value) >= THINNED)
        ):
            raise MissingField(where)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            if required:
                kind = "is missing" if value is None else f"must be a text or a number, is {type(value).__name__}"
                raise log_error(self._path, where, f'field "{".".join(path)}" {kind}; it was named as the id')
            self._unclustered += 1
            if not self._metadata and isinstance(metadata := sample.get("metadata"), dict):
                self._metadata = [printable(str(name), MOST_NAME) for name in list(metadata)[:MOST_FIELDS]]
            return ""
        return str(value)

    def _kept(self, said: list[str]) -> NDArray[np.int64]:
        """Return the rows that are kept: all but failed attempts that a later row of the same sample replaced."""
        count = len(self._ids)
        if len(set(zip(self._ids, self._epochs, strict=True))) == count and len(set(map(type, self._ids))) < 2:
            return np.arange(count)
        keys = list(zip(map(str, self._ids), self._epochs, strict=True))  # 1 and "1" are one id
        last = {key: row for row, key in enumerate(keys)}
        earlier = [row for row, key in enumerate(keys) if last[key] != row]
        dropped = [row for row in earlier if row in self._failures]
        if dropped:
            said.append(f"{len(dropped):,} failed attempts were left out: a later row has the same sample and epoch")
        if left := len(earlier) - len(dropped):
            said.append(f"{left:,} rows have the id and epoch of a later row; inspect_ai itself counts the last one")
        return np.setdiff1d(np.arange(count), dropped)

    def _identities(self, said: list[str]) -> tuple[list[str] | None, list[str] | None]:
        """Return (ids, positions) of all rows. Ids that inspect numbers itself, 1 to n, are positions."""
        if self._id_path:
            return self._own_ids, None
        names = self._ids
        if names and all(isinstance(name, int) for name in names) and self._numbered():
            if self._summaries and self.prompts.cut:  # questions about one document would be one item
                raise MissingField("prompts")
            said.append("the samples have no ids of their own: 1, 2, ... are their places in the data set")
            return None, [str(name) for name in names]
        return [str(name) for name in names], None

    def _numbered(self) -> bool:
        """Return whether whole-numbered ids are those that inspect gives to samples without one."""
        known = self._header.sample_ids or ()
        numbers = [name for name in (*known, *self._ids) if isinstance(name, int)]
        low, high = min(numbers), max(numbers)
        if self._header.sliced:  # by --limit 40-60: numbers 41 to 60 of a longer data set
            return low >= 1 and len(set(numbers)) == high - low + 1
        return low >= 1 and high <= max(self._header.dataset_size, len(known), len(set(self._ids)))

    def _all_clusters(
        self, said: list[str], keep: NDArray[np.int64], place: object, chosen: bool
    ) -> Sequence[str] | None:
        if not self._cluster_path:
            return None
        field = ".".join(self._cluster_path)
        if self._unclustered:
            problem = f'{self._unclustered:,} of {len(self._ids):,} samples have no field "{field}" for clusters'
            if chosen:
                fields = ", ".join(f"metadata.{name}" for name in self._metadata) or "none"
                raise log_error(self._path, "", f"{problem}; name one that each sample has; of its metadata: {fields}")
            said.append(f"{problem}: no clusters")
            return None
        if not chosen:
            said.append(f'clusters are those of the log\'s own clustered standard error: "{field}"')
            if len(self._header.cluster_fields) > 1:
                said.append(f"its scorers cluster by different fields: {', '.join(self._header.cluster_fields)}")
        return _chosen(self._clusters, keep, place)

    def _notes(self) -> list[str]:
        said = self._scores.notes()
        if self._errors:
            said.append(f"{self._errors:,} samples ended with an error")
        if lacking := len(self.prompts.partial):
            said.append(
                f"{lacking:,} prompts have images or files that are not in the log: compared by their text alone"
            )
        if any(self._truncated):
            said.append(
                f"{sum(self._truncated):,} samples were ended by a limit (tokens, time, ...) and scored as they were"
            )
        return said


def _chosen(values: list[str], keep: NDArray[np.int64], place: object) -> list[str]:
    return values if place is None else [values[int(row)] for row in keep]


def _picked(scores: Mapping[str, Floats], keep: NDArray[np.int64]) -> dict[str, Floats]:
    return {metric: column[keep] for metric, column in scores.items()}


def _at(held: Any, path: Sequence[str]) -> Any:
    """Return what stands at a path of keys, None if nothing does."""
    for key in path:
        held = held.get(key) if isinstance(held, dict) else None
    return held


def _message(error: Any) -> str:
    """Return an error's message: the error itself in a summary, a field of it in a sample."""
    text = str(error.get("message") if isinstance(error, dict) else error) or "error"
    return text if len(text) <= MOST_MESSAGE else text[:MOST_MESSAGE] + " ..."
