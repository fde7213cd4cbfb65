"""What a log of an evaluation says, whichever tool wrote it: one model on one task, an item a row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NO_VALUE = float("nan")
BEGINNING = 5120  # characters of a prompt that some logs keep (inspect_ai log/_util.py MAX_TEXT_LENGTH)
BEGINNING_PART = f"first {BEGINNING:,} characters"
NOT_READ = "not read: "  # begins a note on a file beside the log, which names that file itself


@dataclass(frozen=True)
class ReadOptions:
    """What a user says of a log that it does not say itself; "" leaves it to the log.

    id_field, cluster_field: names of fields of an item that hold its id and the cluster (document) it belongs to: a
    column of a table, or a path with dots in what the tool keeps of the data set's row ("doc.id" in an lm-eval log,
    "metadata.document" in one of inspect).
    """

    id_field: str = ""
    cluster_field: str = ""


@dataclass(frozen=True, eq=False)
class Log:
    """The items of one model on one task. Columns have a value a row, in any order; several rows may be one item.

    source: the file (or the folder of a run) that it was read from.
    ids: an item's own id, given by the data set; None where the log has no id but its position.
    positions: place of an item in the data set as this run loaded it; None where the log does not say. No identity: two
        runs may have loaded other items, or the same ones in another order.
    contents: digests of an item's whole data set row, comparable between logs of the same tool alone; None if absent.
    prompts: digests of the prompts as the tool has them ("" where unknown); None where it does not log any.
    prompt_part: what those digests are of: "" the whole prompt, else words such as "first 5,120 characters".
    beginnings: digests of the same prompts cut to their `BEGINNING_PART`, where `prompts` are of whole ones; None where
        they are not known. They confirm or refute a pair with a log that has no more, and tell no items apart.
    clusters: what an item belongs to (its document); None where the log does not say. cluster_field: which field of the
        items may say it, as `ReadOptions` takes it; "" for none that is known. It is not read unless a user names it.
    repeats: number of the repeat (epoch, trial) of an item, as text; None where nothing is repeated.
    scores: by metric, in the log's own scale; NaN where a row has no value. lm-eval's filters are part of the metric's
        name ("exact_match,strict-match"), so are inspect's scorers ("scorer" or "scorer/key").
    failures: why rows have no score, by row number: an error of the model or of the tool, or a value that is no score.
    lower_is_better: names of the metrics whose low values are good.
    auxiliary: names of the metrics that are no scores (tokens, seconds): compared only if they are asked for.
    truncated: rows whose prompt or answer was cut; None where the log does not say.
    settings: what two runs should share (seed, temperature, output tokens, task version, few-shot examples, ...).
    notes: sentences for the user: what was left out and why, with counts.
    task_in_full: the task's name with what its run was given ("mmlu:subject=anatomy"); "" where the tool tells none. It
        takes the name's place where a model has several such runs of the task.
    """

    source: str
    tool: str
    task: str
    model: str
    scores: Mapping[str, Floats]
    ids: Sequence[str] | None = None
    positions: Sequence[str] | None = None
    contents: Sequence[str] | None = None
    prompts: Sequence[str] | None = None
    prompt_part: str = ""
    beginnings: Sequence[str] | None = None
    clusters: Sequence[str] | None = None
    repeats: Sequence[str] | None = None
    failures: Mapping[int, str] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    auxiliary: frozenset[str] = frozenset()
    truncated: NDArray[np.bool_] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    cluster_field: str = ""
    task_in_full: str = ""

    def __len__(self) -> int:
        return next((len(values) for values in self.scores.values()), 0)


class LogError(ValueError):
    """A log that cannot be read: says which file, where in it, and what to do."""


def log_error(path: Path | str, where: str, problem: str) -> LogError:
    """Make a LogError: "FILE, WHERE: PROBLEM"."""
    return LogError(f"{path}, {where}: {problem}" if where else f"{path}: {problem}")


def digest_of(parts: Iterable[str] | str) -> str:
    """Return a digest of a prompt or of several texts; a lone text's is the SHA-256 of its UTF-8 bytes."""
    if isinstance(parts, str):
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()
    return digest_of("\x1f".join(digest_of(part) for part in parts))


def beginning_of(text: str) -> str:
    """Return the digest of a prompt's beginning, for `Log.beginnings`."""
    return digest_of(text[:BEGINNING])


class ValueNote(str):
    """A note on values of one metric that are no scores. metric: its name."""

    metric: str

    def __new__(cls, text: str, metric: str) -> ValueNote:
        note = super().__new__(cls, text)
        note.metric = metric
        return note


def metric_of(note: str) -> str:
    """Return the metric on whose values a note is that they are no scores, "" for another note."""
    return note.metric if isinstance(note, ValueNote) else ""
