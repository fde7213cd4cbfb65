"""Logs of several files: one that cannot be read does not hide the others, and is named in their notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from scrollwork.analysis.logs.log import NOT_READ, Log, LogError
from scrollwork.exchange.logs.json_rows import raw_errors


def read_each(files: Iterable[Path], read_one: Callable[[Path], list[Log]]) -> list[Log]:
    """Return the logs of all files. Raises the first LogError if no file gives a log."""
    found: list[Log] = []
    errors: list[LogError] = []
    for file in files:
        try:
            with raw_errors(file):
                found += read_one(file)
        except LogError as error:
            errors.append(error)
    if errors and not found:
        raise errors[0]
    return with_notes(found, [f"{NOT_READ}{error}" for error in errors])


def with_notes(logs: Iterable[Log], notes: Iterable[str]) -> list[Log]:
    """Return the logs with further notes, in each the same."""
    more = list(notes)
    return [replace(log, notes=[*log.notes, *more]) for log in logs] if more else list(logs)
