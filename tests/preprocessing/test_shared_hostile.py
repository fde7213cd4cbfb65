"""Shares of spoiled records: one share after the other says of them what one process says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.curation import by_record, curate
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.raw.shares import share_of
from scrollwork.records.base import Row
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from tests.preprocessing.bad_layouts import JSON, LAYOUTS, Files, Layout, paths, put
from tests.preprocessing.raw_kit import OPTIONS, Kit
from tests.preprocessing.test_bad_fields import HOSTILE, SPOILED
from tests.preprocessing.test_shared_records import once
from tests.some_slow import one_in

SHARED = [name for name in JSON if by_record(LAYOUTS[name].dataset) is not None]
Outcome = list[Row] | str


def outcome(raw: RawFiles, options: Mapping[str, Any]) -> Outcome:
    """The rows, or the error of a file that cannot be used."""
    try:
        return [*curate(raw.dataset, raw, raw.dataset, "test", options)]
    except MalformedFile as error:
        return str(error)


def outcomes(layout: Layout, folder: Path, files: Files, of: int) -> tuple[Outcome, list[Outcome]]:
    """What the whole gives, and each share."""
    kit = Kit(folder, layout.dataset)
    for (role, name), data in files.items():
        kit.file(name, data, role)
    options = {**OPTIONS.get(layout.dataset, {}), **layout.options}
    raw, roles = kit.raw(), by_record(layout.dataset)
    assert roles is not None
    sizes = {role: [path.stat().st_size for _, path in raw.roles.get(role, ())] for role in roles}
    shares = [replace(raw, share=share_of(sizes, number, of)) for number in range(of)]
    return outcome(raw, options), [outcome(one, options) for one in shares]


def is_the_same(whole: Outcome, shares: Sequence[Outcome]) -> bool:
    """Whether shares give the rows of the whole, or are made anew from the whole (tasks/curate/together.py)."""
    rows: list[Row] = []
    for share in shares:
        if isinstance(share, str):
            return share == whole
        rows += share
    ids = [row.example_id for row in rows if isinstance(row, Example)]
    return not ids or len({*ids}) < len(ids) or once(rows, errors=True) == whole


@pytest.mark.parametrize("name", one_in(3, SHARED))
@settings(SPOILED, max_examples=40)
@given(data=st.data())
def test_spoiled_records_are_told_otherwise_in_shares(name: str, data: st.DataObject) -> None:
    layout = LAYOUTS[name]
    records = layout.records()
    record = records[1]
    where = [path for path in paths(record) if path and (name != "book_sum_sort" or len(path) > 1)]
    records[1] = put(record, data.draw(st.sampled_from(where)), data.draw(HOSTILE))
    if data.draw(st.booleans()):
        records[2] = records[0]  # twice
    with TemporaryDirectory() as folder:
        whole, shares = outcomes(layout, Path(folder), layout.files(records), data.draw(st.integers(2, 5)))
    assert is_the_same(whole, shares)


def test_what_is_said_of_all_stories_is_said_twice_or_not_at_all(tmp_path: Path) -> None:
    """A document listed twice, one without a story, a row without an id, questions on documents that are not listed."""
    kit = Kit(tmp_path, "narrative_qa")
    listed = ["a", "b", "a", "", "c", "missing", "b", "d", "short"]
    rows = [f"{one},test,gutenberg,,," if one != "short" else "short,test" for one in listed]
    kit.file("documents.csv", "document_id,set,kind,story_start,story_end,wiki_title\n" + "\n".join(rows), "documents")
    asked = [
        f"{one},test,Who is {one} {n}?,One.,Two."
        for n in range(2)
        for one in ("a", "lost", "b", "c", "d", "missing", "far")
    ]
    kit.file(
        "qaps.csv", "document_id,set,question,answer1,answer2\n" + "\n".join([*asked, "d,test,broken"]), "questions"
    )
    for one in "abcd":
        kit.file(f"tmp/{one}.content", f"The story of {one}.\n\nIt is short.\n", "stories")
    whole = outcome(kit.raw(), {})
    assert isinstance(whole, list)
    assert {row.reason for row in whole if isinstance(row, Drop)} > {"duplicate id", "missing file", "unknown document"}
    for of in (2, 3, 4, 9, 20):
        shares = [outcome(replace(kit.raw(), share=share_of({}, number, of)), {}) for number in range(of)]
        assert is_the_same(whole, shares), of
        assert sum(bool(share) for share in shares) > 1
