"""Every field of every data set, missing and of every wrong kind: named, dropped alone, the rest as it was to the byte."""

from __future__ import annotations

import copy
import json
import unicodedata
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from tests.preprocessing.bad_layouts import DEEP, GONE, JSON, LAYOUTS, Clean, clean, curated, paths, put
from tests.preprocessing.bad_values import ANY, HUGE, NO_JSON, cases
from tests.some_slow import one_in

# Records have no names of their own, or are named by a file's keys.
NUMBERED = {
    "qasper",
    "book_sum_sort",
    "multi_news",
    "l_eval",
    *(name for name in JSON if name.startswith(("bamboo", "longbench prompts"))),
}

FIELDS = [
    pytest.param(name, path, kind, lost, id=f"{name}-{'.'.join(map(str, path))}".replace(" ", "_"))
    for name in JSON
    for path, (kind, lost) in LAYOUTS[name].fields.items()
]


@cache
def undamaged(name: str) -> Clean:
    with TemporaryDirectory() as folder:
        return clean(LAYOUTS[name], Path(folder))


def named(name: str, drops: list[Drop]) -> None:
    """Every Drop is an error that names the victim's file and record."""
    layout = LAYOUTS[name]
    for drop in drops:
        assert drop.error, drop
        assert drop.reason
        assert layout.where in drop.detail or drop.record.endswith(layout.where.split("/")[0]), drop
        assert not {unicodedata.category(char) for char in drop.detail} & {"Cc", "Cs", "Zl", "Zp"}
        assert not set(drop.detail) & set(
            "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u200b"
        )
        assert len(drop.detail) < 2000


@pytest.mark.parametrize(("name", "path", "kind", "lost"), FIELDS)
def test_bad_field_is_not_named_or_costs_more_than_its_record(
    tmp_path: Path, name: str, path: Any, kind: str, lost: int | None
) -> None:
    layout, before = LAYOUTS[name], undamaged(name)
    kept = [row for row in before.victim if lost is not None and row != before.examples[lost]]
    steps = [step.removesuffix("option4") for step in path if isinstance(step, str)]
    for number, (what, value, reason) in enumerate(cases(kind)):
        if value is GONE and isinstance(path[-1], int):
            continue
        rows, drops = curated(layout, tmp_path / str(number), layout.spoiled(path, value))
        assert before.rest(rows) == kept, what
        first = drops[0]
        assert len(drops) == 1 + (name == "book_sum_sort"), (
            f"{what}: one Drop, for a part of a book also one for the book"
        )
        named(name, drops)
        assert reason in (ANY, first.reason), what
        assert not steps or any(step in first.detail for step in steps), (what, first.detail)


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("what", [what for what, _, _ in NO_JSON])
def test_record_that_is_no_json_costs_another(tmp_path: Path, name: str, what: str) -> None:
    layout, before = LAYOUTS[name], undamaged(name)
    ((value, reason),) = [(value, reason) for one, value, reason in NO_JSON if one == what]
    for number, path in enumerate(layout.fields):
        files = layout.spoiled(path, value)
        if layout.one_object and value == DEEP:
            with pytest.raises(MalformedFile, match="is not JSON"):
                curated(layout, tmp_path / str(number), files)
            continue
        rows, drops = curated(layout, tmp_path / str(number), files)
        assert before.rest(rows) == []
        named(name, drops)
        assert drops[0].reason == reason


@pytest.mark.parametrize("name", JSON)
def test_unknown_fields_change_a_row(tmp_path: Path, name: str) -> None:
    layout = LAYOUTS[name]
    more = {"unknown": [1, {"x": None}], "": 0, "Ünknown \u2028": "x", "text ": HUGE}
    records = [with_more(copy.deepcopy(record), more) for record in layout.records()]
    if name == "contract_nli":  # its annotations are a mapping of labels: see test_bad_kinds.py
        for record in records:
            annotations = record["annotation_sets"][0]["annotations"]
            for key in more:
                del annotations[key]
    rows, drops = curated(layout, tmp_path, layout.files(records))
    before = undamaged(name)
    assert (rows, drops) == ([*before.before, *before.victim, *before.after], [])


def with_more(value: Any, more: dict[str, Any]) -> Any:
    """The value with more fields in every object."""
    if isinstance(value, dict):
        return {**{key: with_more(one, more) for key, one in value.items()}, **more}
    return [with_more(one, more) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", JSON)
def test_no_object_in_place_of_a_record_costs_another(tmp_path: Path, name: str) -> None:
    layout, before = LAYOUTS[name], undamaged(name)
    for value in (None, True, 7, "text", [], [1, 2], {}):
        path = (1,) if name == "book_sum_sort" else ()
        rows, drops = curated(layout, tmp_path / json.dumps(value), layout.spoiled(path, value))
        assert before.rest(rows) == []
        named(name, drops)
        assert drops[0].reason == ("missing field" if value == {} else "wrong type")


@pytest.mark.parametrize("name", [name for name in JSON if name not in NUMBERED])
def test_record_that_stands_twice_is_taken_twice(tmp_path: Path, name: str) -> None:
    """A copy of the record before; files of their own for it where a file is a record."""
    layout, before = LAYOUTS[name], undamaged(name)
    records = layout.records()
    rows, drops = curated(layout, tmp_path, layout.files([records[0], records[0], records[2]]))
    assert before.rest(rows) == []
    assert {drop.reason for drop in drops} == {"duplicate id"}
    assert all(drop.error and layout.where in drop.detail for drop in drops), drops


SPOILED = settings(
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
HOSTILE = st.one_of(
    st.sampled_from([None, True, False, 0, -1, 1, HUGE, -HUGE, 1.5, 1e308, float("nan"), float("inf"), "", " ", "\n", DEEP, GONE]),
    st.sampled_from(["\ud800", "\x00", "\x1b[2J", "\u202e", "é" * 3000, "victim", "nda-1", "../../etc/passwd", "\ufeff", "{}"]),
    st.sampled_from([[], {}, [None], [[]], [{}], {"a": None}, {"": []}, ["x", 1], [[0, 1], [1, 0]], [["x"]] * 3]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    ),
)  # fmt: skip


@pytest.mark.parametrize("name", one_in(2, JSON))
@SPOILED
@given(data=st.data())
def test_anything_anywhere_in_a_record_raises_or_costs_another(name: str, data: st.DataObject) -> None:
    layout, before = LAYOUTS[name], undamaged(name)
    record = layout.records()[1]
    where = [path for path in paths(record) if path and (name != "book_sum_sort" or len(path) > 1)]
    value = record
    for _ in range(data.draw(st.integers(1, 2), label="changes")):
        path = data.draw(st.sampled_from(where), label="path")
        chosen = data.draw(HOSTILE, label="value")
        try:
            value = put(value, path, chosen)
        except (KeyError, IndexError, TypeError):
            continue  # the first change took away where the second one was to be
    records = layout.records()
    records[1] = value
    broken = layout.one_object and DEEP in json.dumps(value)  # a file that is no JSON is one for all of its records
    rows: list[Row] = [*before.before, *before.after]
    drops: list[Drop] = []
    with TemporaryDirectory() as folder, pytest.raises(MalformedFile, match="not JSON") if broken else nullcontext():
        rows, drops = curated(layout, Path(folder), layout.files(records))
    rest = before.rest(rows)
    named(name, [drop for drop in drops if drop.error])
    if rest != before.victim and not drops:  # what is taken is what a record can hold, and whole
        documents = {row.document_id for row in [*before.before, *rest] if isinstance(row, Document)}
        for example in (row for row in rest if isinstance(row, Example)):
            assert set(example.document_ids) <= documents
            assert all(reference.strip() for reference in example.references)
