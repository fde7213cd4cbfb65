"""Raw upstream files as records whose every error names file, record and field."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from preprocessing.errors import MalformedFile, MalformedRecord, MissingFile, sayable
from preprocessing.raw_csv import csv_rows
from preprocessing.raw_kinds import refuse_foreign
from preprocessing.raw_parquet import is_parquet, parquet_rows
from preprocessing.raw_zip import opened
from records.base import InvalidRow, Row, utf8
from records.drop import Drop

CHUNK = 1 << 20
LINE_BYTES = 32 << 20  # a longer line (or list item) is no record: the longest of all releases has under 5 MB
BLANK = b" \t\r\n\v\f\0"  # NUL: what a crash leaves of a file that was not synced
INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Record:
    """One JSON object (or CSV row) of a raw file, read field by field. `where` is "line 7" or the like."""

    data: Mapping[str, Any]
    file: str
    where: str

    @property
    def source(self) -> str:
        """File and record, for provenance and messages."""
        return f"{self.file}, {self.where}" if self.where else self.file

    def error(self, field: str, problem: str, reason: str = "invalid value") -> MalformedRecord:
        """The error to raise for this record."""
        return MalformedRecord(self.file, self.where, field, problem, reason)

    def get(self, field: str, kind: type | tuple[type, ...], what: str) -> Any:
        """The field, which must be there and of the kind. Raises MalformedRecord."""
        if field not in self.data:
            raise self.error(
                field, f"is missing (there are: {', '.join(map(str, list(self.data)[:8]))})", "missing field"
            )
        value = self.data[field]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(field, f"must be {what}, is {kind_name(value)}", "wrong type")
        return value

    def text(self, field: str, *, empty: bool = False) -> str:
        """A text field, not blank unless `empty` is allowed."""
        value: str = self.get(field, str, "text")
        if not empty and not value.strip():
            raise self.error(field, "is empty", "empty field")
        try:
            utf8(value)
        except UnicodeEncodeError as error:
            raise self.error(field, f"holds a lone surrogate at character {error.start}", "lone surrogate") from None
        return value

    def optional_text(self, field: str) -> str:
        """A text field that may be absent, null or empty."""
        return "" if self.data.get(field) is None else self.text(field, empty=True)

    def integer(self, field: str) -> int:
        """A whole number of 64 bits."""
        value: int = self.get(field, int, "a whole number")
        if value not in INT64:
            raise self.error(field, "does not fit 64 bits")
        return value

    def boolean(self, field: str) -> bool:
        """true or false."""
        value: bool = self.get(field, bool, "true or false")
        return value

    def array(self, field: str) -> list[Any]:
        """A list."""
        value: list[Any] = self.get(field, list, "a list")
        return value

    def texts(self, field: str) -> list[str]:
        """A list of texts (blank ones too)."""
        items = self.array(field)
        try:
            utf8("".join([item for item in items if not str.isascii(item)]))
        except (TypeError, UnicodeEncodeError):  # which one, and why
            return [self.sub({field: item}, field, i).text(field, empty=True) for i, item in enumerate(items)]
        return items

    def records(self, field: str) -> Iterator[Record]:
        """A list of objects, each as a record of its own."""
        for index, item in enumerate(self.array(field)):
            if not isinstance(item, dict):
                raise self.error(f"{field}[{index}]", f"must be an object, is {kind_name(item)}", "wrong type")
            yield self.sub(item, field, index)

    def items(self, field: str) -> Iterator[Record | MalformedRecord]:
        """A list of objects as records that stand for themselves: what is no object is yielded as a MalformedRecord."""
        for index, item in enumerate(self.array(field)):
            if isinstance(item, dict):
                yield self.sub(item, field, index)
            else:
                yield self.sub({}, field, index).error("", f"must be an object, is {kind_name(item)}", "wrong type")

    def record(self, field: str) -> Record:
        """An object as a record of its own."""
        value = self.get(field, dict, "an object")
        return Record(value, self.file, self._below(field))

    def sub(self, data: Mapping[str, Any], field: str, index: int) -> Record:
        """A part of this record: item `index` of `field`."""
        return Record(data, self.file, self._below(f"{field}[{index}]"))

    def _below(self, name: str) -> str:
        return f"{self.where}, {name}" if self.where else name


def kind_name(value: Any) -> str:
    """A JSON value's type as messages say it."""
    names = {
        str: "text",
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)


@dataclass(frozen=True)
class RawFiles:
    """The raw files of one task and split: by role, (relative path, where it lies), in order.

    `roles` are those of the suite file ("records", "stories", ...), already resolved. A path "ARCHIVE.zip!MEMBER" is a
    member of the archive that lies there (raw_zip.py).
    """

    dataset: str
    roles: Mapping[str, tuple[tuple[str, Path], ...]]

    def files(self, role: str = "records") -> tuple[tuple[str, Path], ...]:
        """The files of a role. Raises MissingFile when there are none."""
        found = self.roles.get(role, ())
        if not found:
            raise MissingFile(self.dataset, "", "", f"no raw file for {role!r}", "missing file")
        return found

    def bytes(self, path: tuple[str, Path]) -> bytes:
        """A file's bytes. Raises MalformedFile when it is empty or cannot be read."""
        name, place = path
        try:
            with opened(name, place) as stream:
                data = stream.read()
        except OSError as error:
            raise unreadable(name, error) from error
        if not data.strip(BLANK):
            raise MalformedFile(name, "", "", "is empty", "empty file")
        return data

    def text(self, path: tuple[str, Path]) -> str:
        """A UTF-8 file's text, with or without byte-order mark, newlines as \\n. Raises MalformedFile."""
        data = self.bytes(path)
        refuse_foreign(data[:1024], path[0])
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise MalformedFile(
                path[0], f"line {line}", "", f"is not UTF-8 at byte {error.start}", "invalid UTF-8"
            ) from None
        return text.replace("\r\n", "\n")

    def json(self, path: tuple[str, Path]) -> Any:
        """A file that is one JSON value. Raises MalformedFile."""
        return _json_of(self.text(path), path[0])

    def object(self, path: tuple[str, Path]) -> Record:
        """A file that is one JSON object."""
        value = self.json(path)
        if not isinstance(value, dict):
            raise MalformedFile(path[0], "", "", f"must be a JSON object, is {kind_name(value)}", "wrong type")
        return Record(value, path[0], "")

    def records(self, role: str = "records") -> Iterator[Record | MalformedRecord]:
        """The records of JSON Lines files, of JSON files that are lists (both also as gzip or Zstandard), of Parquet
        and of CSV files, as a stream.

        A line that is no JSON object is yielded as the MalformedRecord that it is; see `each`.
        """
        for path in self.files(role):
            try:
                if is_parquet(path[1]):
                    yield from _table_rows(path)
                elif path[0].lower().endswith(".csv"):
                    yield from self._csv(path, ())
                else:
                    yield from _list_items(path) if _first_byte(path) == b"[" else _lines(path)
            except OSError as error:
                raise unreadable(path[0], error) from error

    def objects(self, role: str = "records") -> Iterator[Record | MalformedRecord]:
        """Files that are one JSON object each: a malformed file is a malformed record."""
        for path in self.files(role):
            try:
                yield self.object(path)
            except MalformedFile as error:
                yield error.of_record()

    def rows(self, role: str, columns: Sequence[str]) -> Iterator[Record | MalformedRecord]:
        """The rows of CSV files whose header names at least `columns`. Raises MalformedFile.

        A row that is broken is yielded as the MalformedRecord that it is; see `each`.
        """
        for path in self.files(role):
            yield from self._csv(path, columns)

    def _csv(self, path: tuple[str, Path], columns: Sequence[str]) -> Iterator[Record | MalformedRecord]:
        for row in csv_rows(self.text(path), path[0], columns):
            yield row if isinstance(row, MalformedRecord) else Record(row[1], path[0], row[0])


Convert = Callable[[Record], Iterable[Row]]


def each(records: Iterable[Record | MalformedRecord], convert: Convert, *, task: str, split: str) -> Iterator[Row]:
    """The rows of every record. A malformed one (or one with a value no row can hold) becomes a Drop, whole; the
    others go on."""
    for record in records:
        if isinstance(record, MalformedRecord):
            yield dropped(record, task, split)
            continue
        try:
            rows = list(convert(record))
        except MalformedRecord as error:
            rows = [dropped(error, task, split)]
        except InvalidRow as error:
            rows = [dropped(record.error("", str(error)), task, split)]
        yield from rows


def dropped(error: MalformedRecord, task: str, split: str) -> Drop:
    """The Drop of a malformed record."""
    where = ", ".join(part for part in (error.file, error.record) if part)
    return Drop(task, split, where, error.reason, str(error), error=True)


def filtered(record: Record, reason: str, detail: str, *, task: str, split: str) -> Drop:
    """The Drop of a record that a benchmark's own filter removes: counted, no error."""
    return Drop(task, split, sayable(record.source), reason, detail, error=False)


def unreadable(name: str, error: OSError) -> MalformedFile:
    """The error to raise for a file that the system does not let us read."""
    return MalformedFile(name, "", "", f"cannot be read ({error.strerror})", "unreadable file")


def _json_of(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise MalformedFile(name, f"line {error.lineno}", "", f"is not JSON: {error.msg}", "broken JSON") from None
    except (RecursionError, ValueError) as error:
        raise MalformedFile(name, "", "", f"is not JSON: {error}", "broken JSON") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _table_rows(path: tuple[str, Path]) -> Iterator[Record | MalformedRecord]:
    for row in parquet_rows(*path):
        yield row if isinstance(row, MalformedRecord) else Record(row[1], path[0], row[0])


def _first_byte(path: tuple[str, Path]) -> bytes:
    with opened(*path) as stream:
        return stream.read(64).removeprefix(codecs.BOM_UTF8).lstrip()[:1]


def _lines(path: tuple[str, Path]) -> Iterator[Record | MalformedRecord]:
    """JSON Lines, split at \\n only: strings may hold other line separators."""
    name, _ = path
    seen = False
    with opened(*path) as stream:
        number = 0
        while line := stream.readline(LINE_BYTES):
            number += 1
            where = f"line {number}"
            if not seen:
                refuse_foreign(line, name)
            if len(line) >= LINE_BYTES and not line.endswith(b"\n"):
                line, seen = b"", True
                yield _too_long(stream, name, where)
                continue
            line = line.removeprefix(codecs.BOM_UTF8)  # on any line: files with marks may have been joined
            if not line.strip():
                continue
            seen = True
            yield _record(line, name, where)
    if not seen:
        raise MalformedFile(name, "", "", "is empty", "empty file")


def _too_long(stream: IO[bytes], name: str, where: str) -> MalformedRecord:
    """Pass over the rest of a line that is longer than LINE_BYTES."""
    size = LINE_BYTES
    while rest := stream.readline(CHUNK):
        size += len(rest)
        if rest.endswith(b"\n"):
            break
    problem = f"is longer than {LINE_BYTES >> 20} MiB ({size:,} bytes)"
    return MalformedRecord(name, where, "", problem, "line too long")


def _record(line: bytes, name: str, where: str) -> Record | MalformedRecord:
    if b"\0" in line:
        problem = "holds a NUL byte: another encoding, or a file that was not written whole"
        return MalformedRecord(name, where, "", problem, "NUL byte")
    try:
        value = json.loads(line.decode("utf-8"), strict=False, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return MalformedRecord(name, where, "", f"is not UTF-8 at byte {error.start} of the line", "invalid UTF-8")
    except (RecursionError, ValueError) as error:
        return MalformedRecord(name, where, "", f"is not JSON: {error}", "broken JSON")
    if not isinstance(value, dict):
        return MalformedRecord(name, where, "", f"must be a JSON object, is {kind_name(value)}", "wrong type")
    return Record(value, name, where)


def _list_items(path: tuple[str, Path]) -> Iterator[Record | MalformedRecord]:
    """The objects of a JSON list, decoded one by one: the file is never whole in memory."""
    name, _ = path
    constants: list[str] = []  # NaN and infinities of the item at hand: they cost the item, not the list
    decoder = json.JSONDecoder(strict=False, parse_constant=constants.append)
    with opened(*path) as stream:
        text = _Window(stream, name)
        text.skip("[")
        index = 0
        while not text.at("]") or index:  # behind a comma an item must follow
            constants.clear()
            where = f"item {index}"
            try:
                value = text.value(decoder, where)
            except RecursionError as error:
                text.pass_over(where)
                yield MalformedRecord(name, where, "", f"is not JSON: {error}", "broken JSON")
            else:
                if constants:
                    yield MalformedRecord(name, where, "", f"{constants[0]} is not JSON", "broken JSON")
                elif isinstance(value, dict):
                    yield Record(value, name, where)
                else:
                    problem = f"must be an object, is {kind_name(value)}"
                    yield MalformedRecord(name, where, "", problem, "wrong type")
            index += 1
            if text.at("]"):
                break
            text.skip(",")
        text.skip("]")
        text.end()


class _Window:
    """A window on a UTF-8 file that grows until one JSON value is whole in it."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream, self._name = stream, name
        self._decode = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at = "", 0
        self._done = False
        self._more(CHUNK)
        self._text = self._text.removeprefix("\ufeff")

    def _more(self, size: int) -> None:
        data = self._stream.read(size)
        self._done = not data
        try:
            text = self._decode.decode(data, final=self._done)
        except UnicodeDecodeError as error:
            raise MalformedFile(self._name, "", "", f"is not UTF-8 ({error.reason})", "invalid UTF-8") from None
        self._text = self._text[self._at :] + text
        self._at = 0

    def _blank(self) -> None:
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text) or self._done:
                return
            self._more(CHUNK)

    def at(self, mark: str) -> bool:
        """Whether the next character is `mark`."""
        self._blank()
        return self._text[self._at : self._at + 1] == mark

    def skip(self, mark: str) -> None:
        """Pass over `mark`. Raises MalformedFile when something else stands there."""
        if not self.at(mark):
            found = self._text[self._at : self._at + 1] or "the end of the file"
            raise MalformedFile(self._name, "", "", f"is not JSON: expected {mark!r}, found {found!r}", "broken JSON")
        self._at += 1

    def end(self) -> None:
        """Raise MalformedFile unless nothing follows."""
        if not self.at(""):
            found = self._text[self._at : self._at + 1]
            raise MalformedFile(self._name, "", "", f"is not JSON: {found!r} after the list", "broken JSON")

    def value(self, decoder: json.JSONDecoder, where: str) -> Any:
        """The next JSON value. Raises MalformedFile, and RecursionError for one that is nested too deeply."""
        self._blank()
        size = CHUNK
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self._at)
            except ValueError as error:
                self._or_more(size, where, str(error))
                size *= 2  # so that a long value is decoded a few times, not once a chunk
                continue
            self._at = end
            return value

    def pass_over(self, where: str) -> None:
        """Go behind the next list or object without decoding it. Raises MalformedFile when it does not end."""
        size = CHUNK
        while (end := _end_of_brackets(self._text, self._at)) < 0:
            self._or_more(size, where, "brackets are not closed")
            size *= 2
        self._at = end

    def _or_more(self, size: int, where: str, problem: str) -> None:
        """A larger window, or MalformedFile at the end of the file and for what is longer than any record."""
        if self._done or len(self._text) - self._at > LINE_BYTES:
            raise MalformedFile(self._name, where, "", f"is not JSON: {problem}", "broken JSON")
        self._more(size)


BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+("?)|[\[{]|[\]}]', re.DOTALL)


def _end_of_brackets(text: str, start: int) -> int:
    """Where the list or object at `start` ends; -1 when it does not end in this text."""
    depth = 0
    for match in BRACKETS.finditer(text, start):
        mark = match[0][0]
        if mark == '"':
            if not match[1]:
                return -1  # a string that the text cuts
        elif mark in "[{":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return match.end()
    return -1
