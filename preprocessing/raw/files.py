"""Raw upstream files as records; every error names file, record and field."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from scrollwork.preprocessing.raw.csv_rows import csv_rows
from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, MissingFile, printable
from scrollwork.preprocessing.raw.json_objects import Item, is_list, json_of, kind_name, lines, list_items
from scrollwork.preprocessing.raw.kinds import refuse_foreign
from scrollwork.preprocessing.raw.parquet import is_parquet, parquet_rows
from scrollwork.preprocessing.raw.shares import WHOLE, Share, Span
from scrollwork.preprocessing.raw.zip_members import is_plain, opened
from scrollwork.records.base import InvalidRow, Row, utf8
from scrollwork.records.drop import Drop

BLANK = b" \t\r\n\v\f\0"  # NUL: left by a crash in a file that was not synced
INT64 = range(-(2**63), 2**63)
T = TypeVar("T")


@dataclass(frozen=True)
class Record:
    """One JSON object (or CSV row) of a raw file, read field by field. `where` is "line 7" or the like."""

    data: Mapping[str, Any]
    file: str
    where: str

    @property
    def source(self) -> str:
        """Return file and record, for provenance and messages."""
        return f"{self.file}, {self.where}" if self.where else self.file

    def error(self, field: str, problem: str, reason: str = "invalid value") -> MalformedRecord:
        """Return the error to raise for this record."""
        return MalformedRecord(self.file, self.where, field, problem, reason)

    def get(self, field: str, kind: type | tuple[type, ...], what: str) -> Any:
        """Return a field, which must be there and of that kind. what: names the kind. Raises MalformedRecord."""
        if field not in self.data:
            raise self.error(
                field, f"is missing (there are: {', '.join(map(str, list(self.data)[:8]))})", "missing field"
            )
        value = self.data[field]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(field, f"must be {what}, is {kind_name(value)}", "wrong type")
        return value

    def text(self, field: str, *, empty: bool = False) -> str:
        """Return a text field, not blank unless `empty` is allowed. Raises MalformedRecord."""
        value: str = self.get(field, str, "text")
        if not empty and not value.strip():
            raise self.error(field, "is empty", "empty field")
        try:
            utf8(value)
        except UnicodeEncodeError as error:
            raise self.error(field, f"holds a lone surrogate at character {error.start}", "lone surrogate") from None
        return value

    def optional_text(self, field: str) -> str:
        """Return a text field, "" if it is absent, null or empty."""
        return "" if self.data.get(field) is None else self.text(field, empty=True)

    def integer(self, field: str) -> int:
        """Return a whole number of 64 bits."""
        value: int = self.get(field, int, "a whole number")
        if value not in INT64:
            raise self.error(field, "does not fit 64 bits")
        return value

    def boolean(self, field: str) -> bool:
        """Return true or false."""
        value: bool = self.get(field, bool, "true or false")
        return value

    def array(self, field: str) -> list[Any]:
        """Return a list."""
        value: list[Any] = self.get(field, list, "a list")
        return value

    def texts(self, field: str) -> list[str]:
        """Return a list of texts (blank ones too)."""
        items = self.array(field)
        try:
            utf8("".join([item for item in items if not str.isascii(item)]))
        except (TypeError, UnicodeEncodeError):  # find out which one, and why
            return [self.sub({field: item}, field, i).text(field, empty=True) for i, item in enumerate(items)]
        return items

    def records(self, field: str) -> Iterator[Record]:
        """Yield a list of objects, each as a record."""
        for index, item in enumerate(self.array(field)):
            if not isinstance(item, dict):
                raise self.error(f"{field}[{index}]", f"must be an object, is {kind_name(item)}", "wrong type")
            yield self.sub(item, field, index)

    def items(self, field: str) -> Iterator[Record | MalformedRecord]:
        """Yield a list of objects as records; what is not an object is yielded as a MalformedRecord by itself."""
        for index, item in enumerate(self.array(field)):
            if isinstance(item, dict):
                yield self.sub(item, field, index)
            else:
                yield self.sub({}, field, index).error("", f"must be an object, is {kind_name(item)}", "wrong type")

    def record(self, field: str) -> Record:
        """Return an object as a record."""
        value = self.get(field, dict, "an object")
        return Record(value, self.file, self._below(field))

    def sub(self, data: Mapping[str, Any], field: str, index: int) -> Record:
        """Return a part of this record, item `index` of `field`, as a record."""
        return Record(data, self.file, self._below(f"{field}[{index}]"))

    def _below(self, name: str) -> str:
        return f"{self.where}, {name}" if self.where else name


@dataclass(frozen=True)
class RawFiles:
    """The raw files of one task and split: by role, (relative path, location), in order.

    `roles` are those of the suite file ("records", "stories", ...), already resolved. A path "ARCHIVE.zip!MEMBER" is a
    member of the archive at that location (zip_members.py). share: of which part `records`, `objects` and `own` give
    the records, None for the whole; for a data set with BY_RECORD (scrollwork.preprocessing.curation).
    """

    dataset: str
    roles: Mapping[str, tuple[tuple[str, Path], ...]]
    share: Share | None = None

    def begins(self, role: str) -> bool:
        """Return whether a role's first file begins here: always, but in a share."""
        return self.share is None or self.share.begins(role)

    @property
    def is_first(self) -> bool:
        """Whether this is the first share, or the whole: it has what is said of all records, before them."""
        return self.share is None or self.share.number == 0

    @property
    def is_last(self) -> bool:
        """Whether this is the last share, or the whole: it has what is said of all records, after them."""
        return self.share is None or self.share.is_last

    def own(self, items: Iterable[T]) -> Iterable[T]:
        """Return those of the records, in order, that are this share's; all of them without shares."""
        return items if self.share is None else self.share.own([*items])

    def files(self, role: str = "records") -> tuple[tuple[str, Path], ...]:
        """Return the files of a role. Raises MissingFile if there are none."""
        found = self.roles.get(role, ())
        if not found:
            there = f"; its suite file has {', '.join(self.roles)}" if self.roles and role not in self.roles else ""
            raise MissingFile(self.dataset, "", "", f"no raw file for {role!r}{there}", "missing file")
        return found

    def bytes(self, path: tuple[str, Path]) -> bytes:
        """Return a file's bytes. Raises MalformedFile if it is empty or cannot be read."""
        name, place = path
        try:
            with opened(name, place) as stream:
                data = stream.read()
        except OSError as error:
            raise unreadable_file(name, error) from error
        if not data.strip(BLANK):
            raise MalformedFile(name, "", "", "is empty", "empty file")
        return data

    def text(self, path: tuple[str, Path]) -> str:
        """Return a UTF-8 file's text, without a byte-order mark, newlines as \\n. Raises MalformedFile."""
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
        """Return the value of a file that is one JSON value. Raises MalformedFile."""
        return json_of(self.text(path), path[0])

    def object(self, path: tuple[str, Path]) -> Record:
        """Return the record of a file that is one JSON object. Raises MalformedFile."""
        value = self.json(path)
        if not isinstance(value, dict):
            raise MalformedFile(path[0], "", "", f"must be a JSON object, is {kind_name(value)}", "wrong type")
        return Record(value, path[0], "")

    def records(self, role: str = "records") -> Iterator[Record | MalformedRecord]:
        """Yield the records of JSON Lines, JSON lists (both also as gzip or Zstandard), Parquet and CSV, as a stream.

        A line that is not a JSON object is yielded as a MalformedRecord; see `convert_records`. Raises MalformedFile.
        """
        for path, span in self._spans(role):
            try:
                if span != WHOLE and is_parquet(path[1]):
                    yield from _records(path, parquet_rows(*path, span))
                elif span != WHOLE and can_be_cut(path):
                    yield from _records(path, lines(path, span))
                elif span.begins:
                    yield from self._whole(path)
            except OSError as error:
                raise unreadable_file(path[0], error) from error

    def _spans(self, role: str) -> Iterator[tuple[tuple[str, Path], Span]]:
        """Yield the files of a role of which this share has something, and what."""
        files = self.files(role)
        whole = (WHOLE,) * len(files)
        spans = whole if self.share is None else self.share.spans.get(role, whole)
        yield from ((path, span) for path, span in zip(files, spans, strict=True) if span is not None)

    def _whole(self, path: tuple[str, Path]) -> Iterator[Record | MalformedRecord]:
        if is_parquet(path[1]):
            return _records(path, parquet_rows(*path))
        if is_csv(path):
            return self._csv(path, ())
        return _records(path, list_items(path) if is_list(path) else lines(path))

    def objects(self, role: str = "records") -> Iterator[Record | MalformedRecord]:
        """Yield the records of files that are one JSON object each; a malformed file is a malformed record."""
        for path, span in self._spans(role):
            try:
                if span.begins:
                    yield self.object(path)
            except MalformedFile as error:
                yield error.of_record()

    def rows(self, role: str, columns: Sequence[str]) -> Iterator[Record | MalformedRecord]:
        """Yield the rows of CSV files whose header has at least `columns`. Raises MalformedFile.

        A broken row is yielded as a MalformedRecord; see `convert_records`.
        """
        for path in self.files(role):
            yield from self._csv(path, columns)

    def _csv(self, path: tuple[str, Path], columns: Sequence[str]) -> Iterator[Record | MalformedRecord]:
        return _records(path, csv_rows(self.text(path), path[0], columns))


Convert = Callable[[Record], Iterable[Row]]


def convert_records(
    records: Iterable[Record | MalformedRecord], convert: Convert, *, task: str, split: str
) -> Iterator[Row]:
    """Yield the rows of every record.

    A malformed record, or one with a value that no row can hold, becomes a Drop as a whole; the others go on.
    """
    for record in records:
        if isinstance(record, MalformedRecord):
            yield drop_of_error(record, task, split)
            continue
        try:
            rows = list(convert(record))
        except MalformedRecord as error:
            rows = [drop_of_error(error, task, split)]
        except InvalidRow as error:
            rows = [drop_of_error(record.error("", str(error)), task, split)]
        yield from rows


def drop_of_error(error: MalformedRecord, task: str, split: str) -> Drop:
    """Return the Drop of a malformed record."""
    where = ", ".join(part for part in (error.file, error.record) if part)
    return Drop(task, split, where, error.reason, str(error), error=True)


def drop_by_filter(record: Record, reason: str, detail: str, *, task: str, split: str) -> Drop:
    """Return the Drop of a record that a benchmark's own filter removes: counted, but not an error."""
    return Drop(task, split, printable(record.source), reason, detail, error=False)


def unreadable_file(name: str, error: OSError) -> MalformedFile:
    """Return the error to raise for a file that the system cannot read."""
    return MalformedFile(name, "", "", f"cannot be read ({error.strerror})", "unreadable file")


def is_csv(path: tuple[str, Path]) -> bool:
    """Return whether a file is named as CSV."""
    return path[0].lower().endswith(".csv")


def can_be_cut(path: tuple[str, Path]) -> bool:
    """Return whether a share of the file's bytes can be read by itself: it is plain JSON Lines."""
    return is_plain(*path) and not (is_parquet(path[1]) or is_csv(path) or is_list(path))


def _records(path: tuple[str, Path], items: Iterable[Item]) -> Iterator[Record | MalformedRecord]:
    for item in items:
        yield item if isinstance(item, MalformedRecord) else Record(item[1], path[0], item[0])
