"""JSON and JSON Lines of other tools as a stream: NaN is read, what is broken is named."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from scrollwork.analysis.logs.log import LogError, log_error
from scrollwork.preprocessing.raw.errors import RawError, printable
from scrollwork.preprocessing.raw.json_objects import LINE_BYTES, Window, kind_name
from scrollwork.preprocessing.raw.parquet import opened

BLANK = b" \t\r\n\v\f\0"
CHUNK = 1 << 20
HEAD = 64 << 10  # bytes that tell the layout of a file
FILES = 100_000  # looked at below a folder
DECODER = json.JSONDecoder(strict=False)  # it reads NaN, which lm-eval and others write

Keys = tuple[str, ...]


@dataclass(frozen=True)
class Broken:
    """A line that is no JSON object. why: what is wrong with it."""

    why: str


@contextmanager
def raw_errors(path: Path) -> Iterator[None]:
    """Turn what reading a file raises into a LogError that names the file."""
    try:
        yield
    except LogError:
        raise
    except RawError as error:
        raise log_error(path, error.record, error.problem) from error
    except RecursionError:
        raise log_error(path, "", "holds JSON that is nested too deeply") from None
    except OSError as error:
        raise log_error(path, "", f"cannot be read: {error.strerror or error}") from error


def head_of(path: Path) -> bytes:
    """Return a file's first bytes, unpacked if it is gzip or Zstandard, without byte-order mark; b"" if unreadable."""
    try:
        with opened(str(path), path) as stream:
            return stream.read(HEAD).removeprefix(codecs.BOM_UTF8)
    except (RawError, OSError):
        return b""


def first_row(path: Path) -> dict[str, Any]:
    """Return the object on the first line of a JSON Lines file; {} if there is none."""
    try:
        _, row = next(json_lines(path))
    except (StopIteration, LogError):
        return {}
    return row if isinstance(row, dict) else {}


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | Broken]]:
    """Yield (line number, object) of JSON Lines, or (line number, Broken); empty lines are left out. Raises LogError.

    Lines end at \\n alone: texts may hold other line separators. The file may be packed with gzip or Zstandard.
    """
    with raw_errors(path), opened(str(path), path) as stream:
        number = 0
        while line := stream.readline(LINE_BYTES):
            number += 1
            if len(line) >= LINE_BYTES and not line.endswith(b"\n"):
                yield number, Broken(f"is longer than {LINE_BYTES >> 20} MiB")
                _skip_rest(stream)
            elif line.strip(BLANK):
                yield number, _object_of(line.removeprefix(codecs.BOM_UTF8))


def _skip_rest(stream: IO[bytes]) -> None:
    while (rest := stream.readline(CHUNK)) and not rest.endswith(b"\n"):
        pass


def _object_of(line: bytes) -> dict[str, Any] | Broken:
    try:
        value = json.loads(line.decode("utf-8"), strict=False)
    except UnicodeDecodeError as error:
        return Broken(f"is not UTF-8 at byte {error.start}")
    except (RecursionError, ValueError) as error:
        return Broken(f"is not whole JSON: {printable(str(error), 120)}")
    return value if isinstance(value, dict) else Broken(f"must be an object, is {kind_name(value)}")


def list_items(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (index, item) of a file that is one JSON list. Raises LogError where it is cut or broken."""
    with raw_errors(path), opened(str(path), path) as stream:
        yield from _items(Window(stream, str(path)))


def members(path: Path, wanted: Collection[Keys], lists: Collection[Keys] = ()) -> Iterator[tuple[Keys, Any]]:
    """Yield (keys, value) of a file that is one JSON object, in its order; nothing else is kept.

    wanted: paths of members to yield whole. lists: paths of lists to yield item by item. Raises LogError where the file
    is cut or broken.
    """
    with raw_errors(path), opened(str(path), path) as stream:
        yield from _members(Window(stream, str(path)), (), frozenset(wanted), frozenset(lists))


def entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield (key, value) of a file that is one JSON object, one value in memory at a time. Raises LogError."""
    with raw_errors(path), opened(str(path), path) as stream:
        text = Window(stream, str(path))
        text.skip("{")
        while not text.at("}"):
            key = str(text.value(DECODER, "a key"))
            text.skip(":")
            yield key, text.value(DECODER, key)
            if not text.at("}"):
                text.skip(",")
        text.skip("}")


def _items(text: Window) -> Iterator[tuple[int, Any]]:
    text.skip("[")
    if text.at("]"):
        return text.skip("]")
    index = 0
    while True:
        yield index, text.value(DECODER, f"item {index}")
        index += 1
        if text.at("]"):
            return text.skip("]")
        text.skip(",")


def _members(text: Window, above: Keys, wanted: frozenset[Keys], lists: frozenset[Keys]) -> Iterator[tuple[Keys, Any]]:
    text.skip("{")
    if text.at("}"):
        return text.skip("}")
    while True:
        keys = (*above, str(text.value(DECODER, "/".join(above) or "the whole")))
        text.skip(":")
        if keys in wanted:
            yield keys, text.value(DECODER, "/".join(keys))
        elif text.at("["):
            for _, item in _items(text):  # one by one also where none is wanted: a list may be longer than memory
                if keys in lists:
                    yield keys, item
        elif text.at("{"):
            yield from _members(text, keys, wanted, lists)
        else:
            text.value(DECODER, "/".join(keys))
        if text.at("}"):
            return text.skip("}")
        text.skip(",")


def files_below(path: Path) -> Iterator[Path]:
    """Yield the file itself, or all files below a folder in order of their names.

    Hidden ones and what links to folders hold are left out. Stops after 100,000 files.
    """
    if not path.is_dir():
        yield path
        return
    seen = 0
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            seen += 1
            if seen > FILES:
                return
            if not name.startswith(".") and (file := Path(folder, name)).is_file():  # no pipe or device: they may block
                yield file
