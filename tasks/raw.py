"""Which raw files a task reads: found by the suite's patterns, known by content."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from preprocessing.errors import MalformedFile, MissingFile
from preprocessing.raw import RawFiles
from records.raw_file import RawFile
from storage.digest import FileDigests, sha256_of
from storage.partial import UNFINISHED


@dataclass(frozen=True)
class Found:
    """The raw files of one task and split, by role."""

    dataset: str
    roles: Mapping[str, tuple[RawFile, ...]]

    def digest(self) -> str:
        """By content: sorted path and sha256; where the raw folder lies never enters."""
        return sha256_of({role: sorted([f.path, f.sha256] for f in files) for role, files in self.roles.items()})

    def files(self) -> list[RawFile]:
        """Every file once, sorted by path."""
        return sorted(
            {file.path: file for files in self.roles.values() for file in files}.values(), key=lambda f: f.path
        )

    def opened(self, folder: str) -> RawFiles:
        """The same for a data set's module to read."""
        root = Path(folder)
        roles = {role: tuple((file.path, root / file.path) for file in files) for role, files in self.roles.items()}
        return RawFiles(self.dataset, roles)


def find(
    dataset: str, patterns: Mapping[str, tuple[str, ...]], values: Mapping[str, Any], folder: str, digests: FileDigests
) -> Found:
    """The files of each role: the first pattern that matches anything is used, with all its matches.

    Raises MissingFile naming the role and its patterns.
    """
    root = Path(folder)
    roles = {}
    for role, ordered in patterns.items():
        wanted = [pattern for one in ordered if (pattern := filled(one, values)) is not None]
        paths = next((found for pattern in wanted if (found := matches(str(root), pattern))), ())
        if not paths:
            raise MissingFile(
                dataset,
                "",
                "",
                f"no raw file for {role!r}: looked for {' or '.join(wanted)} below the raw folder "
                "(docs/data.md tells its layout)",
                "missing file",
            )
        roles[role] = tuple(raw_file(dataset, root, path, digests) for path in paths)
    return Found(dataset, roles)


def raw_file(dataset: str, root: Path, path: str, digests: FileDigests) -> RawFile:
    """A file with its digest. Raises MalformedFile for one that cannot be read, or whose name is no Unicode."""
    if not encodable(path):
        raise MalformedFile(dataset, "", "", f"the name of {path!r} is not UTF-8; rename it", "unreadable file")
    try:
        sha256, size = digests.of(root / path)
    except OSError as error:
        raise MalformedFile(path, "", "", f"cannot be read ({error.strerror})", "unreadable file") from error
    return RawFile(dataset, path, sha256, size)


def encodable(text: str) -> bool:
    """Whether it holds no lone surrogate."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@cache
def matches(root: str, pattern: str) -> tuple[str, ...]:
    """Paths below the raw folder that match, links followed, sorted by name with numbers in their order."""
    found = glob.glob(pattern, root_dir=root, recursive=True)
    whole = (path for path in found if not path.endswith(UNFINISHED) and (Path(root) / path).is_file())
    return tuple(sorted((Path(path).as_posix() for path in whole), key=natural))


def natural(path: str) -> list[tuple[int, int, str]]:
    """Sorts section_10 after section_9."""
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in re.split(r"(\d+)", path) if piece]


def filled(pattern: str, values: Mapping[str, Any]) -> str | None:
    """The pattern with {split}, {option} and {test} replaced; None where it is for another split."""
    names = re.findall(r"\{(\w+)\}", pattern)
    if any(name not in values for name in names):
        return None
    return re.sub(r"\{(\w+)\}", lambda match: glob.escape(str(values[match[1]])), pattern)
