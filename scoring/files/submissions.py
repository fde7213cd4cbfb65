"""Predictions of another system for tasks of a suite: submission files (zeroscrolls.md 8, scrolls.md 5).

A CSV with the columns Task, ID, Prediction; a JSON object {id: prediction} of one task; {task: {id: prediction}}; or
the log of another tool (eval_logs.py).
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator
from typing import IO, Any

from scrollwork.scoring.files import eval_logs
from scrollwork.scoring.files.pairs import kind_of
from scrollwork.scoring.files.prediction import (
    Prediction,
    SubmissionError,
    input_name,
    packed_file_hint,
    printable,
    quoted_excerpt,
)

COLUMNS = ("Task", "ID", "Prediction")
LONGEST = 64 << 20  # characters of a cell; the csv module's own limit is 131,072, which an answer may exceed
OTHER_FORMATS = (
    "a submission is a CSV with the columns Task, ID, Prediction, or a JSON object {id: prediction} or {task: {id: "
    "prediction}}; L-Eval's and LongBench's own files are scored by `score leval` and `score longbench`"
)


def predictions(stream: IO[bytes], task: str = "") -> Iterator[Prediction]:
    """Yield the predictions of a file opened in binary, in file order; a CSV is read row by row, JSON as a whole.

    task: that of a file which names none, such as {id: prediction}. A byte-order mark is tolerated; lone surrogates,
    which UTF-8 cannot hold, become "?". Raises SubmissionError if the file is not a submission or not UTF-8, if a
    prediction is not text, and if an id occurs twice.
    """
    seen: dict[tuple[str, str], str] = {}
    for row in _rows(stream, task):
        name = (row.task, row.id)
        if name in seen:
            known = input_name(*name)
            place = (f"{row.where}: ", f", at {seen[name]}") if row.where != known else ("", "")
            raise SubmissionError(f"{place[0]}{known} has a prediction already{place[1]}")
        seen[name] = row.where
        yield row


def _rows(stream: IO[bytes], task: str) -> Iterator[Prediction]:
    """Return the rows, whatever the file's format."""
    start = stream.read(64)
    stream.seek(0)
    if start.startswith(eval_logs.ZIP):
        return eval_logs.of_archive(stream, task)
    if problem := packed_file_hint(start):
        raise SubmissionError(problem)
    if start.removeprefix(codecs.BOM_UTF8).lstrip()[:1] not in (b"{", b"["):
        return _of_csv(stream)
    if eval_logs.is_samples(stream):
        if not task:
            raise SubmissionError("holds one task, and its name does not say which: name it with --task")
        return eval_logs.of_samples(stream, task)
    log = eval_logs.whole_log(stream)
    return _of_json(stream, task) if log is None else eval_logs.of_whole(log, task)


def _of_csv(stream: IO[bytes]) -> Iterator[Prediction]:
    csv.field_size_limit(LONGEST)
    reader = csv.reader(_decoded(stream), strict=True)
    try:
        header = next((cells for cells in reader if cells), [])
        if sorted(header) != sorted(COLUMNS):
            named = ", ".join(map(quoted_excerpt, header[:8])) or "none"
            raise SubmissionError(f"line {max(1, reader.line_num)}: the columns are {named}; {OTHER_FORMATS}")
        places = [header.index(column) for column in COLUMNS]
        before = reader.line_num
        for cells in reader:
            where, before = f"line {before + 1}", reader.line_num
            if not cells:
                continue
            if len(cells) != len(COLUMNS):
                raise SubmissionError(f"{where}: has {len(cells)} cells, not {len(COLUMNS)}")
            task, name, text = (cells[place] for place in places)
            yield Prediction(task, name, text, where)
    except csv.Error as error:
        raise SubmissionError(f"line {reader.line_num}: is not CSV: {error}") from None


def _decoded(stream: IO[bytes]) -> Iterator[str]:
    """Yield lines with their line ends, cut at newlines only: a cell may span several."""
    for number, line in enumerate(stream, start=1):
        try:
            yield (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode("utf-8")
        except UnicodeDecodeError as error:
            raise SubmissionError(f"line {number}: is not UTF-8: {error.reason} at byte {error.start + 1}") from None


def _of_json(stream: IO[bytes], task: str) -> Iterator[Prediction]:
    try:
        held = json.loads(stream.read().decode("utf-8-sig"), object_pairs_hook=_Fields)
    except UnicodeDecodeError as error:
        raise SubmissionError(f"is not UTF-8: {error.reason} at byte {error.start}") from None
    except json.JSONDecodeError as error:
        more = "holds more than one JSON value (JSON Lines?)" if error.msg == "Extra data" else error.msg
        raise SubmissionError(f"line {error.lineno}: is not one JSON object: {more}; {OTHER_FORMATS}") from None
    except (ValueError, RecursionError) as error:
        raise SubmissionError(f"is not JSON: {error}") from None
    if not isinstance(held, _Fields):
        raise SubmissionError(f"must be an object, is {kind_of(held)}; {OTHER_FORMATS}")
    by_task = bool(held.fields) and all(isinstance(value, _Fields) for _, value in held.fields)
    if not by_task and not task:
        raise SubmissionError("holds one task, and its name does not say which: name it with --task")
    for name, inner in held.fields if by_task else [(task, held)]:
        for key, value in inner.fields:
            where = input_name(name, key)
            if not isinstance(value, str):
                raise SubmissionError(f"{where}: the prediction must be a string, not {_kind(value)}")
            yield Prediction(printable(name), printable(key), printable(value), where)


class _Fields:
    """The fields of a JSON object, including repeated ones, which a dict would lose."""

    def __init__(self, fields: list[tuple[str, Any]]) -> None:
        self.fields = fields


def _kind(value: Any) -> str:
    return "an object" if isinstance(value, _Fields) else kind_of(value)
