"""Compare raw files, and the number of examples that they gave, with what upstream publishes (fetching/upstream.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrollwork.pipeline.raw_files import place_of
from scrollwork.records.raw_file import RawFile
from scrollwork.reporting.boards.raw_files import OTHER, PUBLISHED, SAMPLE, UNKNOWN, RawFileState, RawNote
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.downloads.partial import DownloadRequest, difference_from, problem_with
from scrollwork.storage.errors import StorageError
from scrollwork.tasks.report.behind_scores import ScoredTask


class KnownFiles:
    """Published files, by path below the raw folder and by sha256. upstream: as fetching/upstream.py returns it."""

    def __init__(self, upstream: Mapping[str, Any]) -> None:
        self._numbers: Mapping[str, Mapping[str, Sequence[Any]]] = upstream.get("numbers", {})
        self._pins: dict[str, list[DownloadRequest]] = {}
        self._paths: dict[str, str] = {}  # by sha256
        for path, known in upstream.get("files", ()):
            self._pins.setdefault(path, []).append(DownloadRequest((), Path(path), **known))
            if "sha256" in known:
                self._paths[known["sha256"]] = path
        self._sample = frozenset(upstream.get("sample", ()))

    def compared(self, curated: Artifact) -> RawNote:
        """Compare the raw files that a task and split was curated from with the published ones."""
        params, facts = curated.manifest.ingredients.params, curated.facts
        folder = str(curated.run().get("raw", ""))
        files = [self.file_state(file, folder) for file in curated.rows("raw_files", RawFile)]
        what, known = self._numbers.get(params["task"], {}).get(params["split"], ("", 0))
        release = "own_literals" in facts  # an official release has another number of records
        longbench_e = all(Path(one.path).stem.endswith("_e") for one in files)  # LongBench-E has other records
        uncounted = what == "references" and "examples" in facts and what not in facts  # curated by an earlier version
        if not what or release or longbench_e or uncounted:
            return RawNote.of(files)
        return RawNote.of(files, what, count_of(facts, what), known)

    def file_state(self, file: RawFile, folder: str) -> RawFileState:
        """Compare a file as it was read with the digests and size that are published for its path.

        A file under an unknown path counts as published if its sha256 is. folder: the raw folder that it was read from.
        """
        if file.sha256 in self._sample:
            return RawFileState(file.path, SAMPLE)
        other = self._paths.get(str(file.sha256), "")
        problems = [_problem(file, pins, folder) for pins in self._pins.get(file.path, ())]
        if not problems:
            return RawFileState(file.path, PUBLISHED if other else UNKNOWN)
        wrong = [problem for problem in problems if problem]
        if len(wrong) == len(problems):
            return RawFileState(file.path, OTHER, f"has those of {other}" if other else wrong[0])
        if "" in problems:
            return RawFileState(file.path, PUBLISHED)
        return RawFileState(file.path, UNKNOWN, "lies there no more as it was read, and only its git blob is known")


def _problem(file: RawFile, pins: DownloadRequest, folder: str) -> str | None:
    """Return how a file differs from a published one, "" if it does not.

    Return None if this is unknown: only a git blob is published, and the bytes that were read are gone.
    """
    assert file.sha256 is not None
    assert file.bytes is not None
    problem = difference_from(pins, file.sha256, file.bytes)
    if problem or pins.sha256 or not pins.git_blob:
        return problem
    try:
        place = place_of(folder, file.path)
        return problem_with(place, pins, file.sha256) if sha256_file(place) == file.sha256 else None
    except (OSError, StorageError):
        return None


def count_of(facts: Mapping[str, Any], what: str) -> int:
    """Return the number of records, examples or references of a curated artifact.

    Records include those that a filter left out, but no malformed ones.
    """
    if what == "records":
        return int(facts.get("examples", 0) + sum(facts["dropped"].values()) - facts["errors"])
    return int(facts.get(what, 0))


def known_of(tasks: Iterable[ScoredTask], upstream: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Compare the raw files of every task and section with the published ones. Return rows as `board` takes them."""
    known = KnownFiles(upstream)
    behind: dict[tuple[str, str], dict[str, set[str]]] = {}  # models by content of their curated inputs
    curated: dict[str, Artifact] = {}
    for scored in tasks:
        models = behind.setdefault((scored.split, scored.task), {})
        models.setdefault(scored.curated.content, set()).add(scored.model)
        curated[scored.curated.content] = scored.curated
    told = {content: known.compared(artifact) for content, artifact in curated.items()}
    return [
        {
            "split": split,
            "task": task,
            **replace(told[content], models=tuple(sorted(models)) if len(found) > 1 else ()).plain(),
        }
        for (split, task), found in behind.items()
        for content, models in found.items()
    ]
