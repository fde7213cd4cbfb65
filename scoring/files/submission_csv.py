"""The leaderboards' CSV (zeroscrolls.md 8, scrolls.md 5): written without loss, and checked as they check it.

The official code reads it with pandas: every cell is text, empty cells are kept, and only NOTHING counts as missing. So
"NA", "" and "=1+1" are answers like any other, and no cell is escaped against spreadsheet formulas.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from scrollwork.scoring.files.submissions import COLUMNS, LONGEST

NOTHING = "!@#$%^&*()"  # what the official reader treats as a missing cell
MISSING = "There are missing example IDs."  # the official verifier's wording
REDUNDANT = "There are redundant example IDs."
MOST = 1000  # malformed and duplicate rows that are listed; further ones are only counted


@dataclass(frozen=True)
class Finding:
    """A problem. kind: empty, columns, csv, encoding, row, tasks, duplicate, nothing, missing, redundant, unknown.

    where: the line of a row. ids: those concerned, in order.
    """

    kind: str
    message: str
    task: str = ""
    where: str = ""
    ids: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are not empty."""
        told = {"kind": self.kind, "task": self.task, "where": self.where, "message": self.message}
        return {
            **{name: value for name, value in told.items() if value},
            **({"ids": list(self.ids)} if self.ids else {}),
        }


def cell(text: str) -> str:
    """Return a text as a cell, quoted if need be; pandas leaves a lone carriage return bare and then reads two rows."""
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"\r\n') else text


def line(task: str, name: str, text: str) -> str:
    """Return a row with its line end."""
    return f"{cell(task)},{cell(name)},{cell(text)}\n"


HEADER = ",".join(COLUMNS) + "\n"


@dataclass
class CheckedFile:
    """The content of a file. rows: number after the header. ids: by task, each once. findings: in file order."""

    rows: int = 0
    ids: dict[str, dict[str, None]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    uncounted: int = 0  # rows whose finding is not listed

    def add(self, finding: Finding) -> None:
        """Add a row's finding, or only count it if there are MOST already."""
        if len(self.findings) < MOST:
            self.findings.append(finding)
        else:
            self.uncounted += 1


def check(stream: IO[bytes], expected: Mapping[str, Collection[str]]) -> CheckedFile:
    """Run the official checks on a file opened in binary, and two more: for duplicate rows and for invalid UTF-8.

    expected: ids by task, for every required task. Rows are read one at a time, and texts are not kept.
    """
    found = CheckedFile()
    csv.field_size_limit(LONGEST)
    source = _Lines(stream, found)
    reader = csv.reader(iter(source), strict=True)
    try:
        header = next((cells for cells in reader if cells), None)
        if header is None:
            found.add(Finding("empty", "the file is empty"))
        elif sorted(header) != sorted(COLUMNS):
            named = ", ".join(repr(name[:80]) for name in header[:8])
            message = f"the columns must be {', '.join(COLUMNS)}; they are {named}"
            found.add(Finding("columns", message, where=f"line {reader.line_num}"))
        else:
            _rows(reader, [header.index(column) for column in COLUMNS], found)
            _compare(found, expected)
    except csv.Error as error:
        found.findings.append(Finding("csv", f"is not CSV from here on: {error}", where=f"line {reader.line_num}"))
    if found.uncounted:
        found.findings.append(Finding("row", f"{found.uncounted:,} more rows with a problem are not listed"))
    return found


def _rows(reader: Any, places: list[int], found: CheckedFile) -> None:
    before = reader.line_num
    for cells in reader:
        where, before = f"line {before + 1}", reader.line_num
        if not cells:
            continue  # an empty line, which pandas skips
        found.rows += 1
        if len(cells) != len(COLUMNS):
            found.add(Finding("row", f"has {len(cells)} cells, not {len(COLUMNS)}", where=where))
            continue
        task, name, text = (cells[place] for place in places)
        if text == NOTHING:
            found.add(
                Finding("nothing", f"{NOTHING!r} is what the official reader takes for no answer", task, where, (name,))
            )
        ids = found.ids.setdefault(task, {})
        if name in ids:
            message = "has a row already; the official code would take the last one without a word"
            found.add(Finding("duplicate", message, task, where, (name,)))
        ids[name] = None


def _compare(found: CheckedFile, expected: Mapping[str, Collection[str]]) -> None:
    """Compare tasks and ids with the expected ones."""
    absent = [task for task in expected if task not in found.ids]
    foreign = [task for task in found.ids if task not in expected]
    if absent:
        found.findings.append(Finding("tasks", f"tasks without a row: {', '.join(absent)}"))
    for task in foreign:
        message = f"no such task; there are: {', '.join(expected)}"
        found.findings.append(Finding("tasks", message, task[:80]))
    for task, ids in expected.items():
        given = found.ids.get(task, {})
        wanted = set(ids)
        missing = tuple(name for name in dict.fromkeys(ids) if name not in given)
        redundant = tuple(name for name in given if name not in wanted)
        if missing and task not in absent:
            found.findings.append(Finding("missing", MISSING, task, "", missing))
        if redundant:
            found.findings.append(Finding("redundant", REDUNDANT, task, "", redundant))


class _Lines:
    """Lines as text, cut at newlines only; invalid UTF-8 is reported, and read with replacement characters."""

    def __init__(self, stream: IO[bytes], found: CheckedFile) -> None:
        self._stream, self._found = stream, found

    def __iter__(self) -> Iterator[str]:
        for number, raw in enumerate(self._stream, start=1):
            data = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
            try:
                yield data.decode("utf-8")
            except UnicodeDecodeError as error:
                message = f"is not UTF-8: {error.reason} at byte {error.start + 1}"
                self._found.add(Finding("encoding", message, where=f"line {number}"))
                yield data.decode("utf-8", "replace")
