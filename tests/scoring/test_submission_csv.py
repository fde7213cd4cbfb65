"""The leaderboards' CSV: no byte of an answer is lost in it, and what is wrong with a file is named."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.scoring.files.submission_csv import HEADER, NOTHING, Finding, check, line
from scrollwork.scoring.files.submissions import predictions

EXPECTED = {"quality": ["a", "b"], "qasper": ["c"]}
ROWS = 'quality,a,NA\nquality,b,\nqasper,c,"x, ""y"""\n'
HOSTILE = (
    *("", "NA", "null", " lead", "trail ", 'say "x"', '"', "a,b", "a\nb", "a\r\nb", "a\rb", "\r", "\n", "=1+1", "@x"),
    *("\x00", "\u2028", "\x85", "\x0b", "\ufeff", "\u202e", "x" * 200_000),
)


def checked(data: str | bytes, expected: Any = EXPECTED) -> list[Finding]:
    raw = data if isinstance(data, bytes) else data.encode()
    return check(io.BytesIO(raw), expected).findings


def kinds(data: str | bytes) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.kind, one.task, one.ids) for one in checked(data)]


def written(texts: list[str]) -> bytes:
    return (HEADER + "".join(line("t", str(n), text) for n, text in enumerate(texts))).encode()


def test_hostile_answer_comes_back_changed() -> None:
    data = written(list(HOSTILE))
    assert [row.text for row in predictions(io.BytesIO(data))] == list(HOSTILE)
    plain = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
    assert [row[2] for row in list(plain)[1:]] == list(HOSTILE)


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=20), max_size=6))
def test_some_answer_comes_back_changed(texts: list[str]) -> None:
    assert [row.text for row in predictions(io.BytesIO(written(texts)))] == texts


def test_whole_submission_has_findings() -> None:
    text = HEADER + ROWS
    assert checked(text) == []
    assert checked("\ufeff" + text) == []
    assert checked(text.replace("\n", "\r\n")) == []
    assert checked(text + "\n\n") == []
    assert checked("ID,Prediction,Task\na,x,quality\nb,x,quality\nc,x,qasper\n") == []


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("", [("empty", "", ())]),
        ("Task,ID\nquality,a\n", [("columns", "", ())]),
        ("Task,ID,Prediction,Score\n", [("columns", "", ())]),
        ("task,id,prediction\n", [("columns", "", ())]),
        ("Task,Task,ID\n", [("columns", "", ())]),
        (HEADER + "quality,a,x\nqasper,c,x\n", [("missing", "quality", ("b",))]),
        (HEADER + ROWS + "qasper,d,x\nqasper,e,x\n", [("redundant", "qasper", ("d", "e"))]),
        (HEADER + ROWS + "qasper,c,x\n", [("duplicate", "qasper", ("c",))]),
        (HEADER + ROWS + "squality,c,x\n", [("tasks", "squality", ())]),
        (HEADER + "quality,a,x\nquality,b,x\n", [("tasks", "", ())]),
        (HEADER + "quality,a,x\nquality,b\nqasper,c,x\n", [("row", "", ()), ("missing", "quality", ("b",))]),
        (HEADER + ROWS.replace("NA", NOTHING), [("nothing", "quality", ("a",))]),
        (HEADER + 'quality,a,"x\n', [("csv", "", ())]),
        ((HEADER + ROWS).encode().replace(b"NA", b"N\xff"), [("encoding", "", ())]),
        ("{}", [("columns", "", ())]),
        ("\n\n", [("empty", "", ())]),
        ("\n\r\n" + HEADER + ROWS, []),
    ],
)
def test_fault_is_not_named(data: str | bytes, found: Any) -> None:
    assert kinds(data) == found


def test_place_of_a_malformed_row_is_the_line_before() -> None:
    (bad, missing) = checked(HEADER + 'quality,a,"x\ny"\nquality,b\nqasper,c,x\n')
    assert (bad.where, bad.message) == ("line 4", "has 2 cells, not 3")
    assert missing.message == "There are missing example IDs."


def test_every_fault_is_told_at_once() -> None:
    text = HEADER + "quality,a,x\nquality,a,y\nquality,z,x\n"
    assert kinds(text) == [
        ("duplicate", "quality", ("a",)),
        ("tasks", "", ()),
        ("missing", "quality", ("b",)),
        ("redundant", "quality", ("z",)),
    ]


def test_a_million_malformed_rows_are_listed() -> None:
    found = checked(HEADER + "x\n" * 30_000 + ROWS)
    assert len(found) == 1001
    assert found[-1].message == "29,000 more rows with a problem are not listed"
