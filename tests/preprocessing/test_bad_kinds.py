"""Every kind of bad input of docs/bad_input.md: named, dropped alone or failing its file, the rest as it was."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.records.document import Document
from tests.conftest import PROJECT
from tests.preprocessing.bad_kinds import (
    CHANGED,
    DROPPED,
    EXAMPLES,
    FAILS,
    FILTERED,
    KEPT,
    KINDS,
    NOTHING,
    WHOLE,
    Kind,
    table,
)
from tests.preprocessing.bad_layouts import LAYOUTS, Clean, clean, curated


@cache
def undamaged(name: str) -> Clean:
    with TemporaryDirectory() as folder:
        return clean(LAYOUTS[name], Path(folder))


@pytest.mark.parametrize("kind", [pytest.param(one, id=f"{one.layout}: {one.what}".replace(" ", "_")) for one in KINDS])
def test_kind_is_not_named_or_costs_another(tmp_path: Path, kind: Kind) -> None:
    layout, before = LAYOUTS[kind.layout], undamaged(kind.layout)
    if kind.outcome == FAILS:
        with pytest.raises(MalformedFile) as caught:
            curated(layout, tmp_path, kind.files())
        assert caught.value.reason == kind.reason
        assert [said for said in (caught.value.file, *kind.said) if said not in str(caught.value)] == []
        assert caught.value.file in {name for _, name in kind.files()}
        return
    rows, drops = curated(layout, tmp_path, kind.files())
    more = rows[len(rows) - kind.behind :]
    assert all(isinstance(row, Document) for row in more)
    rest = before.rest(rows[: len(rows) - kind.behind])
    if kind.lost == CHANGED:
        assert rest != before.victim
        assert rest
    elif kind.lost == EXAMPLES:
        assert rest == [row for row in before.victim if isinstance(row, Document)]
    elif kind.lost == NOTHING:
        assert rest == before.victim
    elif kind.lost is WHOLE:
        assert rest == []
    else:
        wanted = before.examples[kind.lost]
        assert [row for row in rest if not isinstance(row, Document)] == [
            row for row in before.examples if row != wanted
        ]
        assert len(rest) == len(before.victim) - 1
    if kind.outcome == KEPT:
        assert drops == []
        return
    assert len(drops) == kind.drops
    assert [drop.error for drop in drops] == [kind.outcome == DROPPED] * kind.drops
    assert kind.outcome in (DROPPED, FILTERED)
    assert kind.reason in ("", drops[0].reason)
    assert drops[0].record
    names = {name for _, name in kind.files()} | {Path(name).parent.as_posix() for _, name in kind.files()}
    assert any(name in f"{drops[0].record} {drops[0].detail}" for name in names), drops[0]
    assert [said for said in kind.said if said not in drops[0].detail] == [], drops[0].detail


def test_kinds_are_fewer_than_asked_for_or_of_fewer_data_sets() -> None:
    kinds = {(one.layout, one.what) for one in KINDS}
    assert len(kinds) == len(KINDS) >= 40
    assert {LAYOUTS[one.layout].dataset for one in KINDS if one.outcome == DROPPED} == {
        one.dataset for one in LAYOUTS.values()
    }


def test_document_tells_other_kinds() -> None:
    """Made by `python -m tests.preprocessing.bad_kinds`."""
    text = (PROJECT / "docs" / "bad_input.md").read_text(encoding="utf-8")
    assert table() in text
    assert f"{len(KINDS)} kinds" in text
