"""Find the raw files of a task by the suite file's patterns, with their digests."""

from __future__ import annotations

import glob
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import RawQuery
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.raw.errors import MalformedFile, MissingFile
from scrollwork.preprocessing.raw.files import RawFiles, unreadable_file
from scrollwork.preprocessing.raw.zip_members import INSIDE, find_member
from scrollwork.records.raw_file import RawFile
from scrollwork.storage.digest import FileDigests, sha256_of
from scrollwork.storage.downloads.partial import UNFINISHED

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
    """The raw files of one task and split, by role. members: the archive member to read, by role and archive path."""

    dataset: str
    roles: Mapping[str, tuple[RawFile, ...]]
    members: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def digest(self) -> str:
        """sha256 over path, sha256 and archive member of every file. It does not depend on where the raw folder is."""
        return sha256_of(
            {
                role: sorted([file.path, file.sha256, *filter(None, [self._member(role, file)])] for file in files)
                for role, files in self.roles.items()
            }
        )

    def files(self) -> list[RawFile]:
        """Every file once, sorted by path."""
        return sorted(
            {file.path: file for files in self.roles.values() for file in files}.values(), key=lambda f: f.path
        )

    def opened(self, folder: str) -> RawFiles:
        """Return the files as a data set's module reads them. Nothing is opened yet. folder: the raw folder."""
        root = Path(folder)
        roles = {
            role: tuple((self._name(role, file), root / file.path) for file in files)
            for role, files in self.roles.items()
        }
        return RawFiles(self.dataset, roles)

    def _member(self, role: str, file: RawFile) -> str:
        return self.members.get(role, {}).get(file.path, "")

    def _name(self, role: str, file: RawFile) -> str:
        """The file's name in messages and for zip_members.py: its path, with "!MEMBER" for a member of an archive."""
        member = self._member(role, file)
        return f"{file.path}!{member}" if member else file.path


def found_for(raw: RawQuery, session: Session) -> FoundFiles:
    """The raw files of a node, searched once in a session. Raises MissingFile, MalformedFile."""

    def look() -> FoundFiles:
        found = find(raw.dataset, raw.patterns, raw.values, session.locations.raw, session.digests)
        session.digests.save()
        return found

    return session.once(sha256_of([raw.dataset, raw.patterns, raw.values]), look)


def find(
    dataset: str, patterns: Mapping[str, tuple[str, ...]], values: Mapping[str, Any], folder: str, digests: FileDigests
) -> FoundFiles:
    """The files of each role: the first pattern that matches anything is used, with all its matches.

    "ARCHIVE.zip!MEMBER" is the member of each archive that matches. Raises MissingFile naming the role and its
    patterns, MalformedFile for an archive without that member or with several.
    """
    root = Path(folder)
    roles = {}
    members = {}
    for role, ordered in patterns.items():
        wanted = [pattern for one in ordered if (pattern := fill_pattern(one, values)) is not None]
        first, paths = first_match(str(root), wanted)
        if not paths:
            raise MissingFile(
                dataset,
                "",
                "",
                f"no raw file for {role!r}: looked for {' or '.join(wanted)} below the raw folder "
                "(`scrollwork fetch SUITE --list` says where each file is published)",
                "missing file",
            )
        roles[role] = tuple(raw_file(dataset, root, path, digests) for path in paths)
        if member := in_archive(first)[1]:
            members[role] = {path: member_of(path, root, member) for path in paths}
    return FoundFiles(dataset, roles, members)


def kind_of(path: Path) -> str:
    """What is at the path if it is not a file ("a folder", "a device", ...); "" for a file.

    Nothing at the path counts as a link to nothing: it was found in its folder a moment ago.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return "a link to nothing"
    return next((name for is_kind, name in KINDS if is_kind(mode)), "")


def first_match(root: str, patterns: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The first pattern that matches files below the raw folder, and those files; ("", ()) where none does.

    Raises MalformedFile where a match is not a file, such as a FIFO: it would be ignored, or reading would never end.
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
    """Whether something below the raw folder matches one of the patterns: a file, or what `misfit` finds."""
    for pattern in patterns:
        found, others = all_matches(root, in_archive(pattern)[0])
        if found or any(misfit(root, path, pattern) for path in others):
            return True
    return False


def misfit(root: str, path: str, pattern: str) -> str:
    """What is at the path in place of a file (see `kind_of`); "" for a file, and for a folder if the pattern has no
    suffix."""
    kind = kind_of(Path(root) / path)
    return "" if kind == FOLDER and not Path(in_archive(pattern)[0]).suffix else kind


def in_archive(pattern: str) -> tuple[str, str]:
    """Split "ARCHIVE.zip!MEMBER" into (pattern of archives, pattern of a member); (pattern, "") without a member."""
    archive, inside, member = pattern.partition(INSIDE)
    return (f"{archive}{INSIDE[:-1]}", member) if inside else (pattern, "")


def member_of(path: str, root: Path, pattern: str) -> str:
    """The one member of an archive that matches. Raises MalformedFile."""
    try:
        return find_member(path, root / path, pattern)
    except OSError as error:
        raise unreadable_file(path, error) from error


def raw_file(dataset: str, root: Path, path: str, digests: FileDigests) -> RawFile:
    """A file with its digest. Raises MalformedFile if it cannot be read, or its name is not UTF-8."""
    if not is_encodable(path):
        raise MalformedFile(dataset, "", "", f"the name of {path!r} is not UTF-8; rename it", "unreadable file")
    try:
        sha256, size = digests.of(root / path)
    except OSError as error:
        raise unreadable_file(path, error) from error
    return RawFile(dataset, path, sha256, size)


def is_encodable(text: str) -> bool:
    """Whether the text can be encoded as UTF-8, that is, holds no lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def matching_files(root: str, pattern: str) -> tuple[str, ...]:
    """Paths of matching files below the raw folder, links followed, sorted by name (numbers by value)."""
    return all_matches(root, pattern)[0]


@cache
def all_matches(root: str, pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(files, other matches such as folders) below the raw folder, sorted."""
    found: dict[bool, list[str]] = {True: [], False: []}
    for path in glob.glob(pattern, root_dir=root, recursive=True):
        if not path.endswith(UNFINISHED):
            found[(Path(root) / path).is_file()].append(Path(path).as_posix())
    files, others = (tuple(sorted(found[is_file], key=natural_key)) for is_file in (True, False))
    return files, others


def natural_key(path: str) -> list[tuple[int, int, str]]:
    """Sort key that puts section_10 after section_9."""
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in re.split(r"(\d+)", path) if piece]


def fill_pattern(pattern: str, values: Mapping[str, Any]) -> str | None:
    """The pattern with its {placeholders} replaced; None if one has no value (the pattern is for another split). Raises
    UsageError for a pattern that leads out of the raw folder."""
    names = re.findall(r"\{(\w+)\}", pattern)
    if any(name not in values for name in names):
        return None
    made = re.sub(r"\{(\w+)\}", lambda match: glob.escape(str(values[match[1]])), pattern)
    file = PurePosixPath(in_archive(made)[0])
    if file.is_absolute() or ".." in file.parts:
        raise UsageError(f"raw pattern {made!r} leads out of the raw folder; patterns stay below --raw DIR")
    return made
