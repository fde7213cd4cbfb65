"""JSON that is read in pieces: lines, the objects of a long array, the values of a long object.

Tools write NaN and Infinity, which are not JSON: Python's parser reads them, orjson does not. So orjson, where it is
installed, reads first, and what it refuses is read by Python's. Nothing is kept but one value at a time.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from scrollwork.analysis.logs.log import log_error

fast_loads: Callable[[bytes], Any]
try:
    from orjson import loads as fast_loads
except ImportError:  # slower: benchmarks/read_logs.py
    fast_loads = json.loads

READ = 1 << 20  # bytes read at a time from a file
MOST_VALUE = 1 << 27  # characters of one value: a sample with its transcript; bounds what a damaged file can hold up
AHEAD = 4  # pieces that are unpacked before they are asked for
LARGE = 1 << 23  # bytes of summaries offered at once to who may take them whole
BLOCK = 1 << 18  # bytes of summaries parsed at once: more keeps more objects alive, which is slower
SPACE = " \t\n\r"
BLANK = re.compile(r"[ \t\n\r]*")
ROW = b'},{"id":'  # where a compact array of summaries may be cut; inside a text the quote would be escaped
NEXT_ROW = re.compile(rb'\},\{"id":(?:-?\d{1,20}|"(?:[^"\\]|\\.){0,4096}"),"epoch":')  # not one of a list of messages


def parsed(data: bytes) -> Any:
    """Return the value of a JSON text, NaN and Infinity included. Raises ValueError, also for too deep nesting."""
    try:
        return fast_loads(data)
    except ValueError:
        pass
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("objects are nested too deeply") from None


def file_pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a stream, READ at a time."""
    yield from iter(lambda: stream.read(READ), b"")


def lines(stream: IO[bytes], path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, bytes without the line end) of each line that is not blank; lines end in \\n alone.

    path: named in errors. Raises LogError for a line of more than MOST_VALUE bytes.
    """
    number = 0
    while line := stream.readline(MOST_VALUE + 1):
        number += 1
        if len(line) > MOST_VALUE:
            raise log_error(path, f"line {number}", f"has more than {MOST_VALUE:,} bytes; is it a log?")
        if line.strip():
            yield number, line.rstrip(b"\r\n")


class Reader:
    """A JSON text that arrives in pieces of UTF-8, read value by value. Raises LogError, with the place in the text.

    path: the file, where: the part of it that is read (a member of an archive, or ""); both for errors.
    """

    def __init__(self, pieces: Iterator[bytes], path: Path, where: str = "") -> None:
        self._pieces, self._path, self._where = pieces, path, where
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogatepass")  # as json.loads does
        self._parser = json.JSONDecoder()
        self._text, self._place, self._before, self._ended = "", 0, 0, False

    def peek(self) -> str:
        """Return the next character that is not blank, "" at the end."""
        while True:
            found = BLANK.match(self._text, self._place)
            self._place = found.end() if found else self._place
            if self._place < len(self._text) or not self._more():
                return self._text[self._place : self._place + 1]

    def take(self, expected: str) -> None:
        """Read one character that must be `expected`."""
        if (found := self.peek()) != expected:
            raise self.error(f"{expected!r} should stand here, not {found!r}" if found else "the text ends: it is cut")
        self._place += 1

    def value(self) -> Any:
        """Read the next value whole."""
        if not self.peek():
            raise self.error("the text ends: it is cut")
        while True:
            problem = ""
            try:
                value, end = self._parser.raw_decode(self._text, self._place)
            except ValueError as error:
                problem, end = str(error), len(self._text)
            except RecursionError:
                raise self.error("objects are nested too deeply") from None
            if not problem and (end < len(self._text) or self._ended):  # else a number might go on
                self._place = end
                return value
            left = len(self._text) - self._place
            if left > MOST_VALUE:
                raise self.error(f"a value has more than {MOST_VALUE:,} characters, or is not JSON ({problem})")
            while self._more() and len(self._text) - self._place < 2 * left:
                pass  # twice the text before parsing it again: linear in all
            if self._ended and problem and len(self._text) - self._place == left:
                raise self.error(f"is cut here, or not JSON ({problem})")

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the array that stands here, one by one."""
        self.take("[")
        if self.peek() == "]":
            self.take("]")
            return
        while True:
            yield self.value()
            if self.peek() == "]":
                self.take("]")
                return
            self.take(",")

    def each_key(self) -> Iterator[str]:
        """Yield the keys of the object that stands here; after each the caller reads its value, by `value` or so."""
        self.take("{")
        if self.peek() == "}":
            self.take("}")
            return
        while True:
            if self.peek() != '"':
                self.take('"')
            yield str(self.value())
            if self.peek() == "}":
                self.take("}")
                return
            self.take(",")

    def colon(self) -> None:
        """Read the colon between a key and its value."""
        self.take(":")

    def error(self, problem: str) -> Exception:
        """Make a LogError that names the place."""
        where = f"{self._where}, " if self._where else ""
        return log_error(self._path, f"{where}character {self._before + self._place:,}", problem)

    def _more(self) -> bool:
        """Take up another piece of the text; False at its end."""
        if self._ended:
            return False
        piece = next(self._pieces, b"")
        self._ended = not piece
        try:
            text = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as error:
            raise self.error(f"or later: is not UTF-8 ({error.reason})") from None
        self._before += self._place
        self._text = self._text[self._place :] + text
        self._place = 0
        return not self._ended


def summaries(
    pieces: Iterator[bytes], path: Path, where: str, taken: Callable[[bytes], bool] | None = None
) -> Iterator[Any]:
    """Yield the objects of an array of sample summaries (inspect_ai), many of which are parsed at once.

    A compact array is cut where the next summary begins; a text cannot look like that, for its quotes are escaped, and
    a block cut elsewhere is no JSON. Such blocks, and arrays that are not compact, are read value by value.
    path, where: the file and the member, for errors. taken: is offered each large block of objects with commas between
    them, and says whether it has read it whole; it is not yielded then. Raises LogError.
    """
    held, begin, plain = next(pieces, b""), 1, 0  # plain: bytes of what stands next that was offered and not taken
    if not held.startswith(b"[{"):
        yield from Reader(_chained(held, pieces), path, where).elements()
        return
    whole = False
    while not whole:
        size = LARGE if taken and plain <= 0 and _last_cut(held, begin, begin + BLOCK) >= 0 else BLOCK
        if len(held) - begin < size:
            held, begin = held[begin:] + _at_least(size - len(held) + begin, pieces), 0
        cut = _last_cut(held, begin, begin + size)
        if cut < 0:
            whole = len(held) - begin > size or not (piece := next(pieces, b""))
            held = held if whole else held + piece
            continue
        block = held[begin : cut + 1]
        if size == LARGE and taken and not taken(block):
            plain = len(block)
            continue
        if size == BLOCK:
            plain -= len(block) + 1
            try:
                rows = parsed(b"[" + block + b"]")
            except ValueError:
                break
            yield from rows
        begin = cut + 2
    yield from Reader(_chained(b"[" + held[begin:], pieces), path, where).elements()


def _at_least(count: int, pieces: Iterator[bytes]) -> bytes:
    """Return the next pieces, together that many bytes unless there are no more."""
    found: list[bytes] = []
    while count > 0 and (piece := next(pieces, b"")):
        found.append(piece)
        count -= len(piece)
    return b"".join(found)


def _last_cut(held: bytes, begin: int, end: int) -> int:
    """Return the place of the last brace in a part that ends a summary and has another after it, or -1."""
    place = held.rfind(ROW, begin, end)
    while place >= 0 and not NEXT_ROW.match(held, place):
        place = held.rfind(ROW, begin, place)
    return place


@contextmanager
def ahead(pieces: Iterator[bytes]) -> Iterator[Iterator[bytes]]:
    """Let a thread make the next AHEAD pieces while the caller works on one. Errors come where their piece would."""
    with ThreadPoolExecutor(1) as pool:

        def each() -> Iterator[bytes]:
            waiting = deque(pool.submit(next, pieces, b"") for _ in range(AHEAD))
            while piece := waiting.popleft().result():
                waiting.append(pool.submit(next, pieces, b""))
                yield piece

        yield each()


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
