"""Raw files inside a zip: read as a stream, never put on disk, never whole in memory, refused if unsafe.

Written "ARCHIVE.zip!MEMBER"; in a suite file MEMBER may be a pattern (* within a name, ** across folders).
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from scrollwork.preprocessing.raw.bounds import BUFFER, Bounded, most_bytes, too_large
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.parquet import is_compressed
from scrollwork.preprocessing.raw.parquet import opened as plain

INSIDE = ".zip!"
MEMBER_BYTES = 64 << 30  # the largest split of a release (NarrativeQA, train) has some 17 GB of text
MEMBERS = 100_000
ENCRYPTED = 0x1


@contextmanager
def opened(name: str, place: Path) -> Iterator[IO[bytes]]:
    """Open a raw file as a stream; `name` "ARCHIVE.zip!MEMBER" is that member of the archive at `place`.

    Raises OSError if the file cannot be read; MalformedFile, also while it is read, if a member is damaged, or larger
    than the archive says or than the limits of this module allow.
    """
    archive, inside, member = name.partition(INSIDE)
    if not inside:
        with plain(name, place) as stream:
            yield stream
        return
    with ExitStack() as stack:
        with _naming_damage(name):  # not around the yield: what the reader raises is not the archive's fault
            opened_zip = stack.enter_context(zipfile.ZipFile(place))
            info = _wanted(opened_zip, _pattern(_literal(member)), member, f"{archive}.zip")
            content = stack.enter_context(opened_zip.open(info))
        yield io.BufferedReader(Bounded(content, name, _most(info), _naming_damage), BUFFER)


def is_plain(name: str, place: Path) -> bool:
    """Return whether the bytes of a raw file are those of its content: it is not compressed, nor in an archive."""
    return INSIDE not in name and not is_compressed(place)


def find_member(archive: str, place: Path, pattern: str) -> str:
    """Return the one member of the archive that matches a pattern. archive: its name in errors.

    Raises MalformedFile if it is not a whole zip, if any name leads out of it, if no member or several match, or if the
    member is a link, encrypted, there twice, or too large; OSError if it cannot be read.
    """
    with _naming_damage(archive), zipfile.ZipFile(place) as opened_zip:
        return _plain(_wanted(opened_zip, _pattern(pattern), pattern, archive).orig_filename)


def _most(info: zipfile.ZipInfo) -> int:
    """Return how large a member may be."""
    return min(MEMBER_BYTES, most_bytes(info.compress_size))


def _wanted(opened_zip: zipfile.ZipFile, wanted: re.Pattern[str], shown: str, archive: str) -> zipfile.ZipInfo:
    """Return the one member whose name matches. Every name is checked: an archive with one bad name is not trusted."""
    infos = opened_zip.infolist()
    if len(infos) > MEMBERS:
        raise _refused(archive, f"has over {MEMBERS:,} members")
    for info in infos:
        if _unsafe(_plain(info.orig_filename)):
            raise _refused(archive, f"member {info.orig_filename!r} leads out of the archive; all of it is refused")
    there = [info for info in infos if not info.is_dir()]
    found = [info for info in there if wanted.fullmatch(_plain(info.orig_filename))]
    if not found:
        names = ", ".join(_plain(info.orig_filename) for info in there[:8]) or "nothing"
        raise _refused(archive, f"has no member {shown} (there is: {names})", "missing member")
    if len(found) > 1:
        same = sorted({_plain(info.orig_filename) for info in found})
        problem = f"{' and '.join(same[:4])} match {shown}" if len(same) > 1 else f"member {same[0]} is there twice"
        raise _refused(archive, problem, "ambiguous member")
    (info,) = found
    name = _plain(info.orig_filename)
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        raise _refused(archive, f"member {name} is a link or no file")
    if info.flag_bits & ENCRYPTED:
        raise _refused(archive, f"member {name} is locked with a password", "locked zip")
    if info.file_size > _most(info):
        raise too_large(f"{archive}, member {name}", info.file_size, _most(info))
    return info


def _plain(member: str) -> str:
    return re.sub(r"^(\./)+", "", member)


def _unsafe(name: str) -> bool:
    pieces = name.split("/")
    return name.startswith("/") or "\\" in name or "\0" in name or ":" in pieces[0] or ".." in pieces


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "[*]": r"\*", "[?]": r"\?", "[[]": r"\["}
    parts = re.split(r"(\[[*?[]\]|\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts), re.DOTALL)


def _literal(name: str) -> str:
    """Return the pattern that matches only this name (like glob.escape)."""
    return re.sub(r"([*?[])", r"[\1]", name)


def _refused(archive: str, problem: str, reason: str = "refused zip") -> MalformedFile:
    return MalformedFile(archive, "", "", problem, reason)


@contextmanager
def _naming_damage(name: str) -> Iterator[None]:
    try:
        yield
    except MalformedFile:
        raise
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        problem = f"is no whole zip archive ({error or type(error).__name__})"
        raise MalformedFile(name, "", "", problem, "broken zip") from error
