"""Published digests of raw files and numbers of examples in them, as parameters of a report (config/sources.toml and
config/published/upstream.toml)."""

from __future__ import annotations

from functools import cache
from typing import Any

from scrollwork.fetching.raw_states import pins_of
from scrollwork.fetching.sources import Source, load_catalogue
from scrollwork.storage.digest import sha256_file
from scrollwork.suites.suite_files import SAMPLE, Suite, TaskConfig, load_published, paper_sizes


def upstream_of(suite: Suite) -> dict[str, Any]:
    """{files, numbers, sample} of a suite.

    files: [path below the raw folder, {sha256, git_blob, bytes} as far as known] of files that its tasks may read.
    numbers: by task and split, [what is counted, how many] in the complete files. sample: sha256 of the bundled sample
    files, which have upstream's layout and our text."""
    tops = {pattern.split("/")[0] for task in suite.tasks.values() for some in task.raw.values() for pattern in some}
    numbers = {name: found for name, task in suite.tasks.items() if (found := numbers_of(suite, task))}
    return {**files_below(suite.published, frozenset(tops)), "numbers": numbers}


@cache
def files_below(suite: str, tops: frozenset[str]) -> dict[str, Any]:
    """{files, sample} of these folders of data sets, and of a suite's official release."""
    files = [
        [path, known]
        for source in load_catalogue().sources
        if source.release_of == suite or source.path.split("/")[0] in tops
        for path, known in pinned_files(source)
    ]
    sample = sorted(sha256_file(path) for top in tops for path in (SAMPLE / top).rglob("*") if path.is_file())
    return {"files": files, "sample": sample}


def pinned_files(source: Source) -> list[tuple[str, dict[str, Any]]]:
    """(path, known digests and size) of a published file and of the members of an archive, where any are known."""
    pins = pins_of(source)
    own: dict[str, Any] = {"sha256": pins.sha256, "git_blob": pins.git_blob, "bytes": pins.bytes}
    found = [(source.path, own)]
    for name, sha256 in (source.member_sha256 or {}).items():
        found.append((source.into + name.removeprefix(source.strip), {"sha256": sha256}))
    told = [(path, {name: value for name, value in known.items() if value is not None}) for path, known in found]
    return [(path, known) for path, known in told if known]


def numbers_of(suite: Suite, task: TaskConfig) -> dict[str, list[Any]]:
    """By split, [what is counted, how many] in the complete files: well-formed "records", or, after the task's filters,
    "examples" (questions) or "references"."""
    records = load_published("upstream").get(suite.published, {}).get(task.name, {})
    tables = {split: one if isinstance(one, dict) else {"records": one} for split, one in records.items()}
    found = {split: [what, number] for split, one in tables.items() for what, number in one.items()}
    if task.name in load_published(suite.published).get("corpus", {}):
        for split in task.splits:
            sizes = paper_sizes(suite.published, task, split)
            for name, what in (("rows", "references"), ("examples", "examples")):
                if name in sizes:
                    found[split] = [what, sizes[name]]
    return found
