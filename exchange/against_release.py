"""Compare built tasks with official releases: `build --against`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.raw_files import FOLDER, in_archive, kind_of, matching_files
from scrollwork.preprocessing.datasets.against_release import Comparison, compare
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles, unreadable_file
from scrollwork.preprocessing.raw.zip_members import find_member
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.suites.parts import Part, parts
from scrollwork.suites.releases import release_patterns
from scrollwork.suites.request import Request

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

NO_MEMBER = "missing member"


@dataclass(frozen=True)
class Release:
    """The file, or zip member, with the released rows of a task and split. name: for messages. place: file or zip."""

    name: str
    place: Path


def locate(request: Request, given: Sequence[str]) -> dict[tuple[str, str], Release]:
    """Find the release of each task and split of the request in the given zips and folders; the first found is used.

    Raises UsageError for a path that does not exist, MalformedFile for an unusable zip and for a path that holds none
    of the requested tasks.
    """
    found: dict[tuple[str, str], Release] = {}
    for text in given:
        path = Path(text).expanduser().resolve()
        if not path.exists():
            raise UsageError(f"--against {text}: there is no such file or folder")
        if (kind := kind_of(path)) not in ("", FOLDER):
            raise UsageError(f"--against {text}: is {kind}, no file or folder")
        here = {
            (part.task.name, part.split): release
            for part in parts(request)
            if (release := in_folder(path, part) if path.is_dir() else in_zip(path, part)) is not None
        }
        if not here:
            names = ", ".join(f"{part.task.name}/{part.split}.jsonl" for part in parts(request)[:4])
            raise MalformedFile(text, "", "", f"holds none of the tasks asked for ({names})", NO_MEMBER)
        found = {**here, **found}
    return found


def in_zip(path: Path, part: Part) -> Release | None:
    """The release of a task in a zip; None if the zip is another task's."""
    return member_in(path.name, path, f"**/{part.task.name}/{part.split}.jsonl")


def member_in(name: str, place: Path, pattern: str) -> Release | None:
    """The member of a zip that matches the pattern; None if there is none. Raises MalformedFile."""
    try:
        return Release(f"{name}!{find_member(name, place, pattern)}", place)
    except MalformedFile as error:
        if error.reason == NO_MEMBER:
            return None
        raise
    except OSError as error:
        raise unreadable_file(name, error) from error


def in_folder(folder: Path, part: Part) -> Release | None:
    """The release of a task in a folder, of zips or of unpacked files."""
    for pattern in release_patterns(part.request, part.task, part.split):
        archive, member = in_archive(pattern)
        for path in matching_files(str(folder), archive):
            if (release := member_in(path, folder / path, member)) is not None:
                return release
    plain = f"{part.task.name}/{part.split}.jsonl"
    return Release(plain, folder / plain) if (folder / plain).is_file() else None


def comparisons(
    chain: Chain, releases: Mapping[tuple[str, str], Release]
) -> dict[tuple[str, str], Comparison | MalformedFile]:
    """Compare each built (task, split) that has a release. The value is the error if the release cannot be read."""
    results = Results(chain)
    found: dict[tuple[str, str], Comparison | MalformedFile] = {}
    for part in parts(chain.request):
        name = (part.task.name, part.split)
        curated, sampled = results.artifact(chain.curate(part)), results.artifact(chain.sample(part))
        if name not in releases or curated is None or sampled is None:
            continue
        release = releases[name]
        raw = RawFiles("release", {"records": ((release.name, release.place),)})
        try:
            found[name] = compare(
                list(sampled.rows("examples", Example)),
                curated.texts(),
                Template(**part.task.template),
                part.task.query_ends,
                part.split,
                raw.records,
            )
        except MalformedFile as error:
            found[name] = error
    return found
