"""Every data set that several processes may share: their rows, one share after the other, are those of one process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scrollwork.pipeline.raw_files import found_for
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.curation import PROMPTS, by_record, curate, module_of
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.suites.parts import Part, parts
from scrollwork.suites.raw_queries import curation_of
from scrollwork.suites.request import Request
from scrollwork.suites.resolved import resolve
from tests.conftest import PROJECT

SUITES = ("zeroscrolls", "scrolls", "seam")
SHARED = {
    path.stem
    for path in (PROJECT / "preprocessing" / "datasets").glob("*.py")
    if "\nBY_RECORD = " in path.read_text(encoding="utf-8")
}


NOWHERE = str(PROJECT / "no-home")  # is not made


def requested(suite: str, home: str = NOWHERE) -> Request:
    return Request.of(suite=suite, home=home, sample=True)


def tasks() -> Iterator[tuple[str, str, str]]:
    for suite in SUITES:
        for part in parts(requested(suite)):
            if by_record(part.task.dataset) is not None:
                yield suite, part.task.name, part.split


def part_of(suite: str, task: str, split: str, home: Path) -> tuple[Part, Session]:
    request = requested(suite, str(home))
    (part,) = (one for one in parts(request) if (one.task.name, one.split) == (task, split))
    return part, Session(resolve(request).locations)


@pytest.mark.parametrize(("suite", "task", "split"), [*tasks()])
def test_records_are_not_rows_one_by_one(suite: str, task: str, split: str, tmp_path: Path) -> None:
    whole, shares = read(suite, task, split, tmp_path, 5)
    assert once([row for share in shares for row in share]) == whole
    assert len(whole) > 2


def test_nothing_is_shared(tmp_path: Path) -> None:
    busy = {name: sum(map(bool, read(*one, tmp_path, 5)[1])) for one in tasks() if (name := "/".join(one))}
    assert sum(count > 1 for count in busy.values()) > len(busy) / 2, busy  # lists and files of one record are not cut


def read(suite: str, task: str, split: str, home: Path, of: int) -> tuple[list[Row], list[list[Row]]]:
    """The rows of a task, and those of each of `of` shares; without the prompts of SEAM, which are never shared."""
    part, session = part_of(suite, task, split, home)
    told = curation_of(part)
    dataset, found = told.raw.dataset, found_for(told.raw, session)
    opened = found.opened(session.locations.raw)
    opened = replace(opened, roles={role: files for role, files in opened.roles.items() if role != PROMPTS})
    shares = [found.shared(opened, by_record(dataset) or (), number, of) for number in range(of)]
    whole, *rest = ([*curate(dataset, one, task, split, told.options)] for one in (opened, *shares))
    return whole, rest


def once(rows: list[Row], *, errors: bool = False) -> list[Row]:
    """The rows without documents that an earlier share has. errors: whether there may be drops for malformed records."""
    seen: set[str] = set()
    found = []
    for row in rows:
        if isinstance(row, Document):
            if row.document_id in seen:
                continue
            seen.add(row.document_id)
        assert errors or not (isinstance(row, Drop) and row.error)
        found.append(row)
    return found


def test_a_data_set_that_is_shared_is_not_tried_here() -> None:
    tried = {part.task.dataset for suite in SUITES for part in parts(requested(suite))}
    assert SHARED - tried == {"jsonl"}, "which tests/tasks/test_curate_shares.py tries"
    assert all(module_of(name).endswith(name) for name in SHARED)
