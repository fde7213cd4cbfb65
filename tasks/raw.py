"""Which raw files a task reads: found by the suite's patterns, known by content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from preprocessing.errors import MissingFile
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
        wanted = [filled(pattern, values) for pattern in ordered]
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
        files = []
        for path in paths:
            sha256, size = digests.of(root / path)
            files.append(RawFile(dataset, path, sha256, size))
        roles[role] = tuple(files)
    return Found(dataset, roles)


@cache
def matches(root: str, pattern: str) -> tuple[str, ...]:
    """Paths below the raw folder that match, sorted by name with numbers in their order."""
    folder = Path(root)
    whole = (path for path in folder.glob(pattern) if not path.name.endswith(UNFINISHED) and path.is_file())
    paths = (path.relative_to(folder).as_posix() for path in whole)
    return tuple(sorted(paths, key=natural))


def natural(path: str) -> list[tuple[int, int, str]]:
    """Sorts section_10 after section_9."""
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in re.split(r"(\d+)", path) if piece]


def filled(pattern: str, values: Mapping[str, Any]) -> str:
    """The pattern with {split} and {option} replaced."""
    return re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), pattern)
