"""Members of a zip archive: its directory and their bytes, stored, deflated or packed by Zstandard (method 93).

zipfile of the standard library reads method 93 only from Python 3.14 on, and makes an object of each member: 1.6 s for
200,000 members, against 0.4 s here (benchmarks/read_logs.py). Arrow unpacks Zstandard, also where a member has several
frames. Nothing is written to disk, and no name of a member is used as a path.

Layout: .ZIP File Format Specification (APPNOTE) 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from scrollwork.analysis.logs.log import LogError, log_error

FIRST = b"PK\x03\x04"  # how an archive with members begins
ENTRY = struct.Struct("<4s6H3I5H2I")  # of the directory; its fields in 4.3.12
END = struct.Struct("<4s4H2IH")
END_64 = struct.Struct("<4sQ2H2I4Q")
LOCATOR_64 = struct.Struct("<4sIQI")
LOCAL = struct.Struct("<4s5H3I2H")
FULL_16, FULL_32 = 0xFFFF, 0xFFFFFFFF  # "the number is in the 64-bit field"
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
ENCRYPTED = 0x1
COMMENT = 0xFFFF  # longest comment after the end record
PIECE = 1 << 20  # bytes that are unpacked at a time
MOST_MEMBER = 1 << 30  # bytes of a member that is read whole: a sample with its transcript
MOST_STREAM = 1 << 36  # bytes of a member that is read in pieces
MOST_DIRECTORY = 1 << 29  # bytes of the directory: five million samples
DAMAGED = (zlib.error, EOFError, OSError, ValueError, struct.error)  # OSError and ValueError by Arrow too


@dataclass(frozen=True, slots=True)
class Member:
    """A member as the directory describes it. sizes: in bytes; offset: of its local header in the file."""

    name: str
    method: int
    flags: int
    crc: int
    packed_size: int
    size: int
    offset: int


class Archive:
    """The directory of an archive and the bytes of its members. Close it, or use it in a `with` block.

    Of members with one name the last counts, as for every reader of zip. Raises LogError for a file that is no archive,
    is cut, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[bytes] = path.open("rb")
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self._directory, self._count = self._read_directory()
        except LogError:
            self._file.close()
            raise
        except (OSError, ValueError, struct.error) as error:
            self._file.close()
            raise log_error(path, "", f"the directory of the zip archive is damaged ({error}); copy it again") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._file.close()

    def members(self, wanted: Callable[[bytes], bool] = lambda name: True) -> dict[str, Member]:
        """Return members by name. wanted: says by the bytes of a name whether a member is wanted.

        Raises LogError for a damaged directory.
        """
        found: dict[str, Member] = {}
        data, place, count = self._directory, 0, 0
        while place < len(data):
            if place + ENTRY.size > len(data) or data[place : place + 4] != b"PK\x01\x02":
                raise self._error("", "the directory of the zip archive is damaged; copy it again")
            fields = ENTRY.unpack_from(data, place)
            after = place + ENTRY.size + fields[10]
            name = data[place + ENTRY.size : after]
            if wanted(name):
                member = self._member(name, fields, data[after : after + fields[11]])
                found[member.name] = member
            place, count = after + fields[11] + fields[12], count + 1
        if count & FULL_16 != self._count & FULL_16:  # writers without the 64-bit record count modulo 65,536
            raise self._error("", f"the directory has {count:,} members, not {self._count:,}: it is damaged")
        return found

    def read(self, member: Member, most: int = MOST_MEMBER) -> bytes:
        """Return the bytes of a member. most: bytes above which it is refused. Raises LogError."""
        if member.size > most:
            raise self._error(member.name, f"is {member.size:,} bytes unpacked, more than {most:,}; is it a log?")
        return b"".join(self.pieces(member))

    def pieces(self, member: Member) -> Iterator[bytes]:
        """Yield the bytes of a member, at most PIECE at a time; their number and their CRC are checked.

        Raises LogError for a damaged or encrypted member, an unknown method, and one of more than MOST_STREAM bytes.
        """
        if member.size > MOST_STREAM:
            raise self._error(member.name, f"is {member.size:,} bytes unpacked, more than {MOST_STREAM:,}")
        crc = length = 0
        try:
            for piece in self._unpacked(member):
                crc, length = zlib.crc32(piece, crc), length + len(piece)
                if length > member.size:
                    break
                yield piece
        except DAMAGED as error:
            if isinstance(error, LogError):
                raise
            raise self._error(member.name, f"cannot be unpacked ({error}); copy the file again") from None
        if (length, crc) != (member.size, member.crc):
            raise self._error(member.name, "is damaged (size or CRC differ from the directory's); copy the file again")

    def _unpacked(self, member: Member) -> Iterator[bytes]:
        if member.flags & ENCRYPTED:
            raise self._error(member.name, "is encrypted; decrypt the archive first")
        self._file.seek(member.offset)
        local = LOCAL.unpack(self._file.read(LOCAL.size))
        if local[0] != FIRST:
            raise ValueError("no local header")
        name = self._file.read(local[9])
        if name.decode("utf-8", "replace") != member.name:
            raise ValueError("the directory gives it another name than it has")
        packed = _Window(self._file, member.offset + LOCAL.size + local[9] + local[10], member.packed_size)
        if member.method == STORED:
            yield from iter(lambda: packed.read(PIECE), b"")
        elif member.method == DEFLATED:
            yield from _inflated(packed)
        elif member.method == ZSTANDARD:
            yield from _zstd_pieces(packed)
        else:
            raise self._error(
                member.name, f"is packed by method {member.method}; known: 0, 8 (deflate), 93 (Zstandard)"
            )

    def _read_directory(self) -> tuple[bytes, int]:
        """Return the bytes of the central directory and the number of its members."""
        back = min(self._size, END.size + COMMENT + LOCATOR_64.size)
        tail = self._at(self._size - back, back)
        end = tail.rfind(b"PK\x05\x06")
        if end < 0 or end + END.size > len(tail):
            raise self._error("", "the end of the zip archive is missing: the file is cut; copy it again")
        count, size, offset = END.unpack_from(tail, end)[4:7]
        if FULL_32 in (size, offset) or count == FULL_16:
            place = end - LOCATOR_64.size
            if place >= 0 and tail.startswith(b"PK\x06\x07", place):
                record = END_64.unpack(self._at(LOCATOR_64.unpack_from(tail, place)[2], END_64.size))
                if record[0] != b"PK\x06\x06":
                    raise ValueError("no 64-bit end record")
                count, size, offset = record[7:10]
        if size > MOST_DIRECTORY or offset + size > self._size:
            raise ValueError(f"{size:,} bytes at {offset:,} of {self._size:,}")
        return self._at(offset, size), count

    def _member(self, name: bytes, fields: tuple[Any, ...], extra: bytes) -> Member:
        flags, method, crc, packed_size, size, offset = *fields[3:5], *fields[7:10], fields[16]
        if FULL_32 in (packed_size, size, offset):
            long = _long_numbers(extra, [value == FULL_32 for value in (size, packed_size, offset)])
            size, packed_size, offset = (
                value if given is None else given
                for value, given in zip((size, packed_size, offset), long, strict=True)
            )
        if offset + packed_size > self._size:
            raise self._error(name.decode("utf-8", "replace"), "lies outside the file: the archive is damaged")
        return Member(name.decode("utf-8", "replace"), method, flags, crc, packed_size, size, offset)

    def _at(self, place: int, count: int) -> bytes:
        self._file.seek(place)
        return self._file.read(count)

    def _error(self, where: str, problem: str) -> LogError:
        return log_error(self.path, f"member {where[:200]!r}" if where else "", problem)


class _Window(io.RawIOBase):
    """Bytes [start, start + size) of a file, as a file; each read seeks, so that several may be read in turns."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file, self._place, self._end = file, start, start + size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most `size`; all that are left for -1."""
        self._file.seek(self._place)
        left = self._end - self._place
        data = self._file.read(left if size is None or size < 0 else min(size, left))
        self._place += len(data)
        return data


def _inflated(packed: _Window) -> Iterator[bytes]:
    """Yield what a deflated member holds, at most PIECE bytes at a time."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    waiting = packed.read(PIECE)
    while waiting and not inflater.eof:
        if piece := inflater.decompress(waiting, PIECE):
            yield piece
        waiting = inflater.unconsumed_tail or packed.read(PIECE)
    while piece := inflater.decompress(b"", PIECE):
        yield piece


def _zstd_pieces(packed: _Window) -> Iterator[bytes]:
    """Yield what one or more Zstandard frames hold. Arrow asks for 64 kB of packed bytes at a time."""
    import pyarrow as pa

    with pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd") as stream:
        while piece := stream.read(PIECE):
            yield piece


def _long_numbers(extra: bytes, wanted: list[bool]) -> list[int | None]:
    """Return the 64-bit numbers that an extra field of type 1 has, None for those that are not wanted (4.5.3)."""
    place = 0
    while place + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, place)
        if kind == 1:
            numbers = iter(struct.unpack_from(f"<{sum(wanted)}Q", extra, place + 4))
            return [next(numbers) if one else None for one in wanted]
        place += 4 + size
    raise ValueError("64-bit sizes are missing")
