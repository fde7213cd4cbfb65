"""List the edits that were made to a data set's texts. Raw files are read again, with the rules of the suite."""

from __future__ import annotations

from collections.abc import Iterator

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.raw_files import fill_pattern, matching_files, place_of
from scrollwork.preprocessing.chapters.edits import Edit
from scrollwork.preprocessing.chapters.strip import RULES
from scrollwork.preprocessing.datasets.book_sum_sort import Part, cuts
from scrollwork.preprocessing.raw.errors import MissingFile
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.reporting.page.cuts import Cut
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import TaskConfig

DATASET = "book_sum_sort"
LEFT_OUT = "part left out"
AROUND = 40  # characters shown before and after


def cuts_of(request: Request, *, every: bool = False) -> list[Cut]:
    """List all edits, sorted by rule in the order in which the rules run.

    every: edits of all sources of a book, not only of the chosen one. Raises UsageError for a suite whose texts are not
    edited, MissingFile if there are no raw files.
    """
    task = next((task for task in request.chosen_tasks() if task.dataset == DATASET), None)
    if task is None:
        raise UsageError(f"no task of this call edits its texts; book_sum_sort of zeroscrolls does ({request.suite})")
    options = request.options_of(task)
    order = {rule: place for place, rule in enumerate((LEFT_OUT, *RULES))}
    found = [
        cut(part, edit)
        for part, edit in cuts(raw_files(request, task), options["sources"], options["edits"], every=every)
    ]
    return sorted(found, key=lambda one: order[one.rule])


def cut(part: Part, edit: Edit | None) -> Cut:
    """Return an edit with the text around it. edit: None if the whole part is left out."""
    if edit is None:
        return Cut(LEFT_OUT, part.file, part.name, "", part.text, "", "")
    before, after = part.text[max(0, edit.start - AROUND) : edit.start], part.text[edit.end : edit.end + AROUND]
    return Cut(edit.rule, part.file, part.name, before, edit.removed, edit.replacement, after)


def raw_files(request: Request, task: TaskConfig) -> RawFiles:
    """Return the task's raw files. They are not hashed, as nothing is built from them here. Raises MissingFile."""
    roles = {
        role: tuple((path, place_of(request.raw, path)) for path in _first(request, ordered))
        for role, ordered in task.raw.items()
    }
    return RawFiles(task.dataset, roles)


def _first(request: Request, ordered: tuple[str, ...]) -> Iterator[str]:
    """Yield the matches of the first pattern that has any. Raises MissingFile if none has."""
    patterns = [pattern for one in ordered if (pattern := fill_pattern(one, {})) is not None]
    paths = next((found for pattern in patterns if (found := matching_files(request.raw, pattern))), ())
    if not paths:
        raise MissingFile(DATASET, "", "", f"no raw file: looked for {' or '.join(patterns)}", "missing file")
    yield from paths
