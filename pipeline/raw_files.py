"""Find the raw files of a task by the patterns in its suite file, and compute their digests."""

from __future__ import annotations

import fnmatch
import glob
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import RawQuery
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.raw.errors import MalformedFile, MissingFile
from scrollwork.preprocessing.raw.files import RawFiles, unreadable_file
from scrollwork.preprocessing.raw.shares import share_of
from scrollwork.preprocessing.raw.zip_members import INSIDE, find_member
from scrollwork.records.raw_file import RawFile
from scrollwork.storage.digest import FileDigests, sha256_of
from scrollwork.storage.downloads.partial import UNFINISHED
from scrollwork.storage.home import is_remote
from scrollwork.storage.mirror import mirror_of

FOLDER = "a folder"
KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, FOLDER),
    (stat.S_ISFIFO, "a FIFO (a named pipe)"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@dataclass(frozen=True)
class FoundFiles:
    """The raw files of one task and split.

    dataset: name of the data set. roles: the files by role ("records", ...), in order. members: the member to read of
    each archive, by role and path of the archive; roles without archive members are not in it.
    """

    dataset: str
    roles: Mapping[str, tuple[RawFile, ...]]
    members: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def digest(self) -> str:
        """Return a sha256 over path, sha256 and archive member of the files of each role.

        Paths are relative, so it does not depend on where the raw folder is.
        """
        return sha256_of(
            {
                role: sorted([file.path, file.sha256, *filter(None, [self._member(role, file)])] for file in files)
                for role, files in self.roles.items()
            }
        )

    def files(self) -> list[RawFile]:
        """List every file once, sorted by path."""
        return sorted(
            {file.path: file for files in self.roles.values() for file in files}.values(), key=lambda f: f.path
        )

    def opened(self, folder: str) -> RawFiles:
        """Return the files in the form in which the module of a data set reads them. Nothing is opened yet.

        folder: the raw folder, or its URL.
        """
        roles = {
            role: tuple((self._name(role, file), place_of(folder, file.path)) for file in files)
            for role, files in self.roles.items()
        }
        return RawFiles(self.dataset, roles)

    def shared(self, opened: RawFiles, by_record: Sequence[str], number: int, of: int) -> RawFiles:
        """Return what share `number` (from 0) of `of` reads of the same files. by_record: roles that are shared out."""
        sizes = {role: [file.bytes or 0 for file in self.roles.get(role, ())] for role in by_record}
        return replace(opened, share=share_of(sizes, number, of))

    def _member(self, role: str, file: RawFile) -> str:
        return self.members.get(role, {}).get(file.path, "")

    def _name(self, role: str, file: RawFile) -> str:
        """Return a file's name for messages and zip_members.py: its path, plus "!MEMBER" for a member of an archive."""
        member = self._member(role, file)
        return f"{file.path}!{member}" if member else file.path


def found_for(raw: RawQuery, session: Session) -> FoundFiles:
    """Return the raw files of a node. They are searched and hashed only once in a session. Raises as `find` does."""

    def look() -> FoundFiles:
        found = find(raw.dataset, raw.patterns, raw.values, session.locations.raw, session.digests)
        session.digests.save()
        return found

    return session.once(sha256_of([raw.dataset, raw.patterns, raw.values]), look)


def find(
    dataset: str, patterns: Mapping[str, tuple[str, ...]], values: Mapping[str, Any], folder: str, digests: FileDigests
) -> FoundFiles:
    """Find the files of each role: all matches of the first of its patterns that matches any file.

    patterns: glob patterns by role, relative to `folder`, the raw folder or its URL. "ARCHIVE.zip!MEMBER" means the
    member MEMBER of each archive that matches. values: for {placeholders} in patterns; patterns with another one are
    left out.

    Raises MissingFile if a role has no file, naming its patterns; MalformedFile if a match is not a file, cannot be
    read, or is an archive that does not have exactly one such member; UsageError if a pattern leads out of the folder.
    """
    roles = {}
    members = {}
    for role, ordered in patterns.items():
        wanted = [pattern for one in ordered if (pattern := fill_pattern(one, values)) is not None]
        first, paths = first_match(folder, wanted)
        if not paths:
            raise MissingFile(
                dataset,
                "",
                "",
                f"no raw file for {role!r}: looked for {' or '.join(wanted)} below the raw folder "
                "(`scrollwork fetch SUITE --list` says where each file is published)",
                "missing file",
            )
        roles[role] = tuple(raw_file(dataset, folder, path, digests) for path in paths)
        if member := in_archive(first)[1]:
            members[role] = {path: member_of(path, folder, member) for path in paths}
    return FoundFiles(dataset, roles, members)


def kind_of(path: Path) -> str:
    """Return what is at the path if it is not a file ("a folder", "a device", ...); "" for a file.

    "a link to nothing" if it cannot be looked at.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return "a link to nothing"
    return next((name for is_kind, name in KINDS if is_kind(mode)), "")


def first_match(root: str, patterns: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the first pattern that matches files below the raw folder, and their paths; ("", ()) if none does.

    For "ARCHIVE.zip!MEMBER" the files are archives. Raises MalformedFile if a match is not a file, such as a FIFO: it
    would be ignored, or reading it would never end. A folder is no error if the pattern has no suffix.
    """
    for pattern in patterns:
        found, others = all_matches(root, in_archive(pattern)[0])
        for path in others:
            if kind := misfit(root, path, pattern):
                raise MalformedFile(path, "", "", f"is {kind}, not a file", "not a file")
        if found:
            return pattern, found
    return "", ()


def any_match(root: str, patterns: Sequence[str]) -> bool:
    """Return whether anything below the raw folder matches one of the patterns: a file, or what `misfit` reports."""
    for pattern in patterns:
        found, others = all_matches(root, in_archive(pattern)[0])
        if found or any(misfit(root, path, pattern) for path in others):
            return True
    return False


def misfit(root: str, path: str, pattern: str) -> str:
    """Return what is at a path in place of a file (see `kind_of`); "" if there is a file.

    Also "" for a folder that matches a pattern without a suffix, such as "stories/*".
    """
    kind = kind_of(Path(root) / path)
    return "" if kind == FOLDER and not Path(in_archive(pattern)[0]).suffix else kind


def in_archive(pattern: str) -> tuple[str, str]:
    """Split "ARCHIVE.zip!MEMBER" into the patterns (ARCHIVE.zip, MEMBER). Another pattern gives (pattern, "")."""
    archive, inside, member = pattern.partition(INSIDE)
    return (f"{archive}{INSIDE[:-1]}", member) if inside else (pattern, "")


def place_of(root: str, path: str) -> Path:
    """Return where a file of the raw folder can be read: there, or in a local copy if `root` is a URL.

    Raises FileNotFoundError if it is not behind the URL any more, StorageError if it cannot be fetched.
    """
    return mirror_of(root).place(path) if is_remote(root) else Path(root) / path


def member_of(path: str, root: str, pattern: str) -> str:
    """Return the name of the one member of an archive that matches a pattern.

    path: the archive, relative to root. Raises MalformedFile if it cannot be read, or if no or several members match.
    """
    try:
        return find_member(path, place_of(root, path), pattern)
    except OSError as error:
        raise unreadable_file(path, error) from error


def raw_file(dataset: str, root: str, path: str, digests: FileDigests) -> RawFile:
    """Return a file with its digest. path: relative to root.

    Raises MalformedFile if it cannot be read, or if its name is not UTF-8.
    """
    if not is_encodable(path):
        raise MalformedFile(dataset, "", "", f"the name of {path!r} is not UTF-8; rename it", "unreadable file")
    try:
        sha256, size = digests.of(place_of(root, path))
    except OSError as error:
        raise unreadable_file(path, error) from error
    return RawFile(dataset, path, sha256, size)


def is_encodable(text: str) -> bool:
    """Return whether the text can be encoded as UTF-8, that is, contains no lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def matching_files(root: str, pattern: str) -> tuple[str, ...]:
    """Return the paths of the matching files below the raw folder. Links are followed. See `all_matches`."""
    return all_matches(root, pattern)[0]


@cache
def all_matches(root: str, pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths below the raw folder that match a glob pattern: (files, others such as folders).

    Both are relative and sorted by `natural_key`. Files of unfinished downloads are left out. The result is kept until
    `forget_matches` is called. Behind a URL there are files alone.
    """
    if is_remote(root):
        first = pattern.partition("/")[0]
        below = mirror_of(root).files("" if glob.has_magic(first) or first == pattern else first)
        remote = [path for path in below if not path.endswith(UNFINISHED) and is_match(path, pattern)]
        return tuple(sorted(remote, key=natural_key)), ()
    found: dict[bool, list[str]] = {True: [], False: []}
    for path in glob.glob(pattern, root_dir=root, recursive=True):
        if not path.endswith(UNFINISHED):
            found[(Path(root) / path).is_file()].append(Path(path).as_posix())
    files, others = (tuple(sorted(found[is_file], key=natural_key)) for is_file in (True, False))
    return files, others


def is_match(path: str, pattern: str) -> bool:
    """Return whether `glob.glob(pattern, recursive=True)` would return the path of a file."""
    return _is_match(tuple(path.split("/")), tuple(pattern.split("/")))


def _is_match(parts: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    if not patterns:
        return not parts
    first, rest = patterns[0], patterns[1:]
    if first == "**":
        shown = next((at for at, part in enumerate(parts) if part.startswith(".")), len(parts))
        return any(_is_match(parts[at:], rest) for at in range(shown + 1))
    hidden = bool(parts) and parts[0].startswith(".") and not first.startswith(".")
    return bool(parts) and not hidden and fnmatch.fnmatchcase(parts[0], first) and _is_match(parts[1:], rest)


def forget_matches(root: str) -> None:
    """Look for the files of a raw folder anew: there may be others."""
    all_matches.cache_clear()
    if is_remote(root):
        mirror_of(root).forget()


def natural_key(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key that compares numbers in a path by value, so that section_10 comes after section_9."""
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in re.split(r"(\d+)", path) if piece]


def fill_pattern(pattern: str, values: Mapping[str, Any]) -> str | None:
    """Return the pattern with its {placeholders} replaced by values. Wildcards in values stand for themselves.

    None if a placeholder has no value: the pattern is for another split. Raises UsageError if the pattern leads out of
    the raw folder.
    """
    names = re.findall(r"\{(\w+)\}", pattern)
    if any(name not in values for name in names):
        return None
    made = re.sub(r"\{(\w+)\}", lambda match: glob.escape(str(values[match[1]])), pattern)
    file = PurePosixPath(in_archive(made)[0])
    if file.is_absolute() or ".." in file.parts:
        raise UsageError(f"raw pattern {made!r} leads out of the raw folder; patterns stay below --raw DIR")
    return made
