"""Text files whose line n is record n, blank lines included: what is broken costs its line, not the file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord
from scrollwork.preprocessing.raw.json_objects import CHUNK, LINE_BYTES
from scrollwork.preprocessing.raw.kinds import refuse_foreign
from scrollwork.preprocessing.raw.zip_members import opened

Line = tuple[str, str] | MalformedRecord  # (place in the file, text)


def text_lines(path: tuple[str, Path]) -> Iterator[Line]:
    """Yield the lines of a file, split at \\n only, without it. Raises MalformedFile for an empty file."""
    name, _ = path
    number = 0
    with opened(*path) as stream:
        while line := stream.readline(LINE_BYTES):
            number += 1
            if number == 1:
                refuse_foreign(line, name)
                line = line.removeprefix(codecs.BOM_UTF8)
            yield _line(line, stream, name, f"line {number}")
    if not number:
        raise MalformedFile(name, "", "", "is empty", "empty file")


def _line(line: bytes, stream: IO[bytes], name: str, where: str) -> Line:
    if len(line) >= LINE_BYTES and not line.endswith(b"\n"):
        while (rest := stream.readline(CHUNK)) and not rest.endswith(b"\n"):
            pass
        return MalformedRecord(name, where, "", f"is longer than {LINE_BYTES >> 20} MiB", "line too long")
    if b"\0" in line:
        return MalformedRecord(name, where, "", "holds a NUL byte", "NUL byte")
    try:
        return where, line.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        return MalformedRecord(name, where, "", f"is not UTF-8 at byte {error.start} of the line", "invalid UTF-8")
