"""Unpack members of a zip or tar archive: only wanted ones, never outside the folder, never above a size limit."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from scrollwork.storage.digest import CHUNK, sha256_file
from scrollwork.storage.errors import StorageError, naming_full_disks

EXPANSION = 100  # all members together may be at most this many times as large as the archive
LEAST_BYTES = 64 << 20  # members of this size together are always allowed
MEMBERS = 1_000_000  # most members of an archive
ENCRYPTED = 0x1  # flag of a zip member


class BadArchive(StorageError):
    """The archive cannot be used: it is cut or broken, has forbidden members or lacks a wanted one.

    Some members may have been written to the folder before the error; the caller must not use them.
    """


def unpack(archive: Path, patterns: Sequence[str], folder: Path, *, strip: str = "") -> dict[str, str]:
    """Write the members that match a pattern into an empty folder. Returns {path relative to the folder: sha256}.

    patterns: as for `glob_match`. strip: prefix to remove from the members' names.

    Raises BadArchive if the archive is cut or no archive; if the name of any member is absolute or leads out of the
    folder; if a wanted member is a link or no file, has a password or is there twice; if there are over MEMBERS
    members; if the wanted ones (in a tar archive, all) are larger together than EXPANSION times the archive and than
    LEAST_BYTES; or if a pattern matches no member. Raises StorageFull if there is no space left.
    """
    name = archive.name
    most = _most(archive)
    found: dict[str, str] = {}
    met: set[str] = set()
    with naming_full_disks(name, str(folder)), _naming_damage(name):
        for member, stream in _members(archive, patterns):
            met |= {pattern for pattern in patterns if glob_match(member, pattern)}
            place = member.removeprefix(strip)
            if place in found:
                raise BadArchive(f"{name}: member {member} is there twice")
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                most -= _copied(stream, out, most, name)
            found[place] = sha256_file(target)
    lacking = [pattern for pattern in patterns if pattern not in met]
    if lacking:
        raise BadArchive(f"{name}: has no member {' and no '.join(lacking)}")
    return found


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    pieces = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts))


def glob_match(path: str, pattern: str) -> bool:
    """Return whether a whole path with forward slashes matches a pattern.

    "*" stands for any characters but "/", "?" for one of them, "**" for any characters, and "**/" for any folders or
    none. All other characters stand for themselves, also "[".
    """
    return _pattern(pattern).fullmatch(path) is not None


def _most(archive: Path) -> int:
    return max(archive.stat().st_size * EXPANSION, LEAST_BYTES)


def _members(archive: Path, patterns: Sequence[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name, stream of its content) of every member that matches a pattern. Raises BadArchive."""
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive, patterns)
    elif tarfile.is_tarfile(archive):
        yield from _tar_members(archive, patterns)
    else:
        raise BadArchive(f"{archive.name}: is no zip or tar archive, or its end is missing")


def _zip_members(archive: Path, patterns: Sequence[str]) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        if len(opened.infolist()) > MEMBERS:
            raise BadArchive(f"{archive.name}: has over {MEMBERS:,} members")
        for info in opened.infolist():
            member = _safe(info.orig_filename, archive.name)
            if info.is_dir() or not any(glob_match(member, pattern) for pattern in patterns):
                continue
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise BadArchive(f"{archive.name}: member {member} is a link or no file")
            if info.flag_bits & ENCRYPTED:
                raise BadArchive(f"{archive.name}: member {member} is locked with a password")
            with opened.open(info) as stream:
                yield member, stream


def _tar_members(archive: Path, patterns: Sequence[str]) -> Iterator[tuple[str, IO[bytes]]]:
    left = _most(archive)
    with tarfile.open(archive, "r:*") as opened:
        for count, info in enumerate(opened):
            left -= info.size  # also for skipped members, because they are decompressed, too
            if count >= MEMBERS or left < 0:
                raise BadArchive(
                    f"{archive.name}: has over {MEMBERS:,} members, or grows over {EXPANSION} times; refused"
                )
            member = _safe(info.name, archive.name)
            if info.isdir() or not any(glob_match(member, pattern) for pattern in patterns):
                continue
            stream = opened.extractfile(info) if info.isreg() else None
            if stream is None:
                raise BadArchive(f"{archive.name}: member {member} is a link or no file")
            with stream:
                yield member, stream


def _safe(member: str, archive: str) -> str:
    """Return the name of a member without a leading "./". Raises BadArchive if it leads out of the folder."""
    name = re.sub(r"^(\./)+", "", member)
    if name.startswith("/") or "\\" in name or "\0" in name or ":" in name.split("/")[0] or ".." in name.split("/"):
        raise BadArchive(f"{archive}: member {member!r} leads out of the folder; the whole archive is refused")
    return name


def _copied(stream: IO[bytes], out: IO[bytes], most: int, archive: str) -> int:
    """Copy a member, and return its real size, whatever the archive says. Raises BadArchive above `most` bytes."""
    size = 0
    while chunk := stream.read(CHUNK):
        size += len(chunk)
        if size > most:
            raise BadArchive(f"{archive}: its members grow over {EXPANSION} times the archive; refused")
        out.write(chunk)
    return size


@contextmanager
def _naming_damage(archive: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        if isinstance(error, StorageError):
            raise
        raise BadArchive(f"{archive}: is cut or broken ({error or type(error).__name__})") from error
    except (FileExistsError, IsADirectoryError, NotADirectoryError, ValueError) as error:
        raise BadArchive(f"{archive}: a member cannot be written ({error})") from error


def move_into(made: Path, folder: Path, names: Mapping[str, str]) -> None:
    """Move unpacked files to their final names, each atomically. Existing files are replaced.

    made: the folder of the unpacked files, which is removed. names: their paths relative to it. Raises StorageFull.
    """
    with naming_full_disks("unpacked files", str(folder)):
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(made / name, target)
    shutil.rmtree(made, ignore_errors=True)
