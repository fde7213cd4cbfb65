"""JSON Lines and JSON lists as a stream of objects: what is broken costs its record, not the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord
from scrollwork.preprocessing.raw.kinds import refuse_foreign
from scrollwork.preprocessing.raw.shares import WHOLE, Span
from scrollwork.preprocessing.raw.zip_members import opened

CHUNK = 1 << 20
LINE_BYTES = 32 << 20  # a longer line (or list item) is not a record: the longest of all releases has under 5 MB
Item = tuple[str, dict[str, Any]] | MalformedRecord  # (place in the file, object)


def kind_name(value: Any) -> str:
    """Return the type of a JSON value, in the words of messages."""
    names = {
        str: "text",
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)


def json_of(text: str, name: str) -> Any:
    """Return the value of a text that is one JSON value. Raises MalformedFile."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise MalformedFile(name, f"line {error.lineno}", "", f"is not JSON: {error.msg}", "broken JSON") from None
    except (RecursionError, ValueError) as error:
        raise MalformedFile(name, "", "", f"is not JSON: {error}", "broken JSON") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def is_list(path: tuple[str, Path]) -> bool:
    """Return whether a file is one JSON list; otherwise it is taken for JSON Lines."""
    with opened(*path) as stream:
        return stream.read(64).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def lines(path: tuple[str, Path], span: Span = WHOLE) -> Iterator[Item]:
    """Yield JSON Lines, split at \\n only: strings may contain other line separators. Raises MalformedFile.

    span: of which bytes, for a file that is not compressed; a line is where it begins.
    """
    name, _ = path
    seen = not span.begins
    with opened(*path) as stream:
        number = 0 if span.begins else _pass_over_lines(stream, span.start)
        while (span.end is None or stream.tell() < span.end) and (line := stream.readline(LINE_BYTES)):
            number += 1
            where = f"line {number}"
            if not seen:
                refuse_foreign(line, name)
            if len(line) >= LINE_BYTES and not line.endswith(b"\n"):
                line, seen = b"", True
                yield _too_long(stream, name, where)
                continue
            line = line.removeprefix(codecs.BOM_UTF8)  # on any line: files with marks may have been concatenated
            if not line.strip():
                continue
            seen = True
            yield _item(line, name, where)
        if not seen and not any(piece.strip() for piece in iter(partial(stream.readline, CHUNK), b"")):
            raise MalformedFile(name, "", "", "is empty", "empty file")


def _pass_over_lines(stream: IO[bytes], start: int) -> int:
    """Go to the first line that begins at `start` or later, and return how many lines there are before it."""
    number, left = 0, start - 1
    while left and (data := stream.read(min(CHUNK, left))):
        number += data.count(b"\n")
        left -= len(data)
    while rest := stream.readline(CHUNK):  # the line of the byte before: if that is its end, the next one begins here
        if rest.endswith(b"\n"):
            break
    return number + 1


def _too_long(stream: IO[bytes], name: str, where: str) -> MalformedRecord:
    """Skip the rest of a line that is longer than LINE_BYTES, and return its error."""
    size = LINE_BYTES
    while rest := stream.readline(CHUNK):
        size += len(rest)
        if rest.endswith(b"\n"):
            break
    problem = f"is longer than {LINE_BYTES >> 20} MiB ({size:,} bytes)"
    return MalformedRecord(name, where, "", problem, "line too long")


def _item(line: bytes, name: str, where: str) -> Item:
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
    return where, value


def list_items(path: tuple[str, Path]) -> Iterator[Item]:
    """Yield the objects of a JSON list, decoded one by one: the file is never in memory as a whole."""
    name, _ = path
    constants: list[str] = []  # NaN and infinities of the current item: they cost the item, not the list
    decoder = json.JSONDecoder(strict=False, parse_constant=constants.append)
    with opened(*path) as stream:
        text = Window(stream, name)
        text.skip("[")
        index = 0
        while not text.at("]") or index:  # after a comma an item must follow
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
                    yield where, value
                else:
                    problem = f"must be an object, is {kind_name(value)}"
                    yield MalformedRecord(name, where, "", problem, "wrong type")
            index += 1
            if text.at("]"):
                break
            text.skip(",")
        text.skip("]")
        text.end()


class Window:
    """A window on a UTF-8 file that grows until it contains one whole JSON value."""

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
        """Return whether the next character is `mark`."""
        self._blank()
        return self._text[self._at : self._at + 1] == mark

    def skip(self, mark: str) -> None:
        """Skip `mark`. Raises MalformedFile if something else is there."""
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
        """Return the next JSON value. Raises MalformedFile, and RecursionError for one that is nested too deeply."""
        self._blank()
        size = CHUNK
        while True:
            try:
                value, end = decoder.raw_decode(self._text, self._at)
            except ValueError as error:
                self._or_more(size, where, str(error))
                size *= 2  # so that a long value is decoded a few times, not once per chunk
                continue
            self._at = end
            return value

    def pass_over(self, where: str) -> None:
        """Skip the next list or object without decoding it. Raises MalformedFile if it does not end."""
        size = CHUNK
        while (end := _end_of_brackets(self._text, self._at)) < 0:
            self._or_more(size, where, "brackets are not closed")
            size *= 2
        self._at = end

    def _or_more(self, size: int, where: str, problem: str) -> None:
        """Enlarge the window. Raises MalformedFile at the end of the file, or if a value is longer than any record."""
        if self._done or len(self._text) - self._at > LINE_BYTES:
            raise MalformedFile(self._name, where, "", f"is not JSON: {problem}", "broken JSON")
        self._more(size)


# no possessive group, which Python before 3.11.5 gets wrong (cpython 106052)
BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*("?)|[\[{]|[\]}]', re.DOTALL)


def _end_of_brackets(text: str, start: int) -> int:
    """Return where the list or object at `start` ends; -1 if it does not end in this text."""
    depth = 0
    for match in BRACKETS.finditer(text, start):
        mark = match[0][0]
        if mark == '"':
            if not match[1]:
                return -1  # a string that the end of the text cuts
        elif mark in "[{":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return match.end()
    return -1
