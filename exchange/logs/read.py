"""Read a log of any tool that is known: the first reader that recognizes it reads it."""

from __future__ import annotations

import importlib
import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from scrollwork.analysis.logs.log import NO_VALUE, Log, LogError, ReadOptions, ValueNote, digest_of, log_error
from scrollwork.exchange.logs.columns import no_score
from scrollwork.exchange.logs.json_rows import raw_errors
from scrollwork.exchange.logs.none_found import NOT_FETCHED, is_pointer, what_is_there
from scrollwork.preprocessing.raw.errors import LONGEST, printable
from scrollwork.storage.home import is_remote

ROOM = "scrollwork.exchange.logs"
# Modules by what they read. Plain tables come last: rows of other tools are tables too.
READERS = {
    "homes": "homes of scrollwork",
    "inspect_ai.reader": ".eval and .json logs of inspect_ai",
    "lm_eval.reader": "samples of lm-evaluation-harness",
    "lighteval": "details of lighteval (Parquet)",
    "every_eval_ever": "UUID_samples.jsonl of Every Eval Ever",
    "helm": "run folders of HELM (per_instance_stats.json)",
    "promptfoo": "outputs of promptfoo (json, jsonl, csv)",
    "predictions.l_eval": "predictions of L-Eval",
    "predictions.longbench": "predictions of LongBench and MiniLongBench",
    "tables.reader": "tables with a column for the id and one for the score (CSV, JSON Lines, Parquet)",
}
HOMES, TABLES = "homes", "tables.reader"
NOT_BELOW = (HOMES, "inspect_ai.reader", "lm_eval.reader")  # look at a folder alone, or at those in it
MOST_ENTRIES = 50_000  # files and folders below a folder that is searched: thousands of runs
MOST_S = 60.0  # spent on finding out whose logs a folder holds
LARGEST = 1e100  # of a score
DIGITS = 12  # of a digest behind a name that was cut


class Reader(Protocol):
    """What a module of this folder that reads a tool's logs has."""

    def recognizes(self, path: Path) -> bool:
        """Return whether a file, or a folder with such files, is of this tool, by its content."""

    def read(self, path: Path, options: ReadOptions) -> list[Log]:
        """Return the logs: one for each model and task. Raises LogError."""


def readers_of(path: Path) -> list[Reader]:
    """Return the modules that read a file, or all that is in a folder. Raises LogError saying what was looked for.

    Plain tables are looked for only where no tool's log is found. Of a folder with more than MOST_ENTRIES below it only
    the tools that look no deeper than the folders in it are asked.
    """
    if not path.exists():
        raise log_error(path, "", "there is no such file or folder")
    if not (path.is_dir() or path.is_file()):
        raise log_error(path, "", "is a pipe or a device; save it as a file, which is read several times")
    if path.is_file():
        with raw_errors(path), path.open("rb") as stream:  # readers take what they cannot open for another tool's
            stream.read(1)
        if is_pointer(path):
            raise log_error(path, "", NOT_FETCHED)
    found: list[Reader] = []
    begun, vast = time.monotonic(), path.is_dir() and is_vast(path)
    for name in READERS:
        late = path.is_dir() and time.monotonic() - begun > MOST_S
        if (vast and name not in NOT_BELOW) or late:
            if found:
                break
            size = (
                f"after {MOST_S:.0f} s no log was found" if late else f"more than {MOST_ENTRIES:,} files are below it"
            )
            raise log_error(
                path, "", f"{size}: name a log, or the folder of a run. Looked for: {'; '.join(READERS.values())}"
            )
        if found and (name == TABLES or path.is_file()):
            continue  # all is read already
        reader = cast(Reader, importlib.import_module(f"{ROOM}.{name}"))
        if reader.recognizes(path):
            found.append(reader)
            if name == HOMES:
                break  # its folders may hold exports, which are no logs of their own
    if not found:
        known = what_is_there(path, [f"{ROOM}.{name}" for name in NOT_BELOW if name != HOMES]) if path.is_dir() else ""
        if known:
            raise log_error(path, "", f"the folder itself has no log that is known; {known}")
        raise log_error(path, "", f"is no log that is known. Looked for: {'; '.join(READERS.values())}")
    return found


def is_vast(folder: Path) -> bool:
    """Return whether more than MOST_ENTRIES files and folders are below a folder, hidden folders apart."""
    entries = 0
    for _, below, names in os.walk(folder):
        below[:] = [name for name in below if not name.startswith(".")]
        entries += len(below) + len(names)
        if entries > MOST_ENTRIES:
            return True
    return False


def read_log(path: Path, options: ReadOptions) -> list[Log]:
    """Return the logs in a file or folder of any known tool: one for each model and task. Raises LogError."""
    return named({"": read_path(path, options)})[""]


def read_path(path: Path, options: ReadOptions) -> list[Log]:
    """Return the logs of `read_log`, with the names of tasks as their readers give them."""
    logs = [in_visible_text(in_reach(log)) for reader in readers_of(path) for log in reader.read(path, options)]
    if not logs:
        raise log_error(path, "", "holds no log with a row")
    return logs


def read_source(source: str, options: ReadOptions) -> list[Log]:
    """Return `read_path` of a file or a folder, or the logs of a remote home (its URL).

    Raises LogError, UsageError, StorageError.
    """
    if not is_remote(source):
        return read_path(Path(source), options)
    from scrollwork.exchange.logs.homes import read_remote  # loads what homes need, as the readers do

    return [in_visible_text(in_reach(log)) for log in read_remote(source)]


def read_logs(
    sources: Sequence[str], options: ReadOptions, given: Mapping[str, Sequence[Log]] | None = None
) -> tuple[dict[str, list[Log]], list[str]]:
    """Return the logs of several files, folders and remote homes, by the name given, and remarks. Raises as
    `read_source`. given: the logs of sources that are not to be read, by name.

    A source without the cluster field that was named is read without clusters, and a remark says so: the clusters of
    the other side are enough. It is an error if no source has the field.
    """
    found: dict[str, list[Log]] = {}
    lacking: dict[str, LogError] = {}
    for source in sources:
        if given and source in given:
            found[source] = [in_visible_text(in_reach(log)) for log in given[source]]
            continue
        try:
            found[source] = read_source(source, options)
        except LogError as error:
            if not options.cluster_field:
                raise
            found[source] = read_source(source, replace(options, cluster_field=""))
            lacking[source] = error
    if lacking and len(lacking) == len(found):
        raise next(iter(lacking.values()))
    return named(found), [f"clusters are not taken from {source}: {error}" for source, error in lacking.items()]


def named(found: Mapping[str, list[Log]]) -> dict[str, list[Log]]:
    """Return the logs of each source with names that tell the tasks apart.

    A task has its name in full, in all sources, where a model of one source ran it with several arguments: the subjects
    of one side would else stand for one task, or not be found in the other side, which has one of them.
    """
    several: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for source, logs in found.items():
        for log in logs:
            several[source, log.model, log.task].add(log.task_in_full)
    divided = {task for (_, _, task), names in several.items() if len(names) > 1}

    def name(log: Log) -> Log:
        return replace(log, task=log.task_in_full or log.task) if log.task in divided else log

    return {source: [*map(name, logs)] for source, logs in found.items()}


def in_reach(log: Log) -> Log:
    """Return a log without scores whose squares or sums would overflow (a tool's mark for "none"), and say so."""
    scores, failures, notes = dict(log.scores), dict(log.failures), list(log.notes)
    for name, values in log.scores.items():
        huge = np.flatnonzero(np.abs(values) > LARGEST)
        if len(huge):
            why = f"a number beyond {LARGEST:g}"
            scores[name] = np.where(np.abs(values) > LARGEST, NO_VALUE, values)
            for row in map(int, huge):
                failures[row] = "; ".join(filter(None, [failures.get(row, ""), f"{name}: {why}"]))
            notes.append(no_score(name, why, len(huge)))
    return replace(log, scores=scores, failures=failures, notes=notes) if len(notes) > len(log.notes) else log


def in_visible_text(log: Log) -> Log:
    """Return a log whose names and sentences are fit for a terminal: one line each, control characters escaped.

    Ids, clusters and repeats stay as they are: they tell items apart.
    """
    return replace(
        log,
        task=told_apart(log.task),
        task_in_full=told_apart(log.task_in_full),
        model=told_apart(log.model),
        scores={told_apart(name): values for name, values in log.scores.items()},
        failures={row: printable(why) for row, why in log.failures.items()},
        lower_is_better=frozenset(map(told_apart, log.lower_is_better)),
        auxiliary=frozenset(map(told_apart, log.auxiliary)),
        settings={printable(name): printable(value) for name, value in log.settings.items()},
        notes=[
            ValueNote(printable(note), told_apart(note.metric)) if isinstance(note, ValueNote) else printable(note)
            for note in log.notes
        ],
    )


def told_apart(name: str) -> str:
    """Return a name as `printable` does; one that it cuts ends with a digest, or two that begin alike would be one."""
    shown = printable(name)
    return shown if len(printable(name, 10 * LONGEST)) <= LONGEST else f"{shown[:-DIGITS]}{digest_of(name)[:DIGITS]}"
