"""The register of nights: what is damaged is named and passed over, and nothing that stands is written over."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.readings.nights.register import Nights
from scrollwork.records.base import InvalidRow, Row
from scrollwork.records.nights.decisions import Acceptance, Begun, FullSet, Mute, Unfinished
from scrollwork.records.nights.night import NightModel, NightRow, NightTask
from scrollwork.storage.errors import StorageError

SCORES = {"m": {"a": {"items": ["1"], "documents": ["d"], "scores": [50.0], "answers": [None]}}}


def row(number: int, **changes: Any) -> NightRow:
    task = NightTask("a", "es", 50.0, 40.0, 60.0, 10, 9)
    model = NightModel("m", "", ("v",), (), 0.5, 0, "", "The first night.", False, (task,))
    digest = f"{number:016x}"
    plain = NightRow(
        f"2026-11-{number + 10:02d}-{digest[-6:]}", digest, "zeroscrolls", "0" * 16, "full", number, ("--limit", "3"),
        "run", "0.2.0", "", "f" * 64, "0" * 32 + ".scores.json.gz", (model,),
    )  # fmt: skip
    return replace(plain, **changes)


HARD = '\0 \u2028 e\u0301 \U0001f600 \r\n \\ " </script>'


def test_new_kind_of_row_is_not_read_back_as_it_was() -> None:
    """Rows of nights are JSON, never Parquet; the others are in tests/records/test_rows.py."""
    task = replace(
        row(1).models[0].tasks[0], task=HARD, state="regressed", before=60.0, now=1e-300, low_difference=-12.5,
        high_difference=-1 / 3, p=5e-324, detectable=None, muted_until="2026-12-24",
    )  # fmt: skip
    model = replace(
        row(1).models[0],
        model=HARD,
        versions=(HARD, ""),
        sentence=HARD,
        failed=True,
        tasks=(task, *row(1).models[0].tasks),
        served=(HARD,),
    )
    told = (
        task, model, row(3, models=(model, row(1).models[0]), run=HARD, causes=("first",), why=HARD), Acceptance(HARD, "f" * 16, HARD, 2**32),
        Mute(HARD, "2026-12-24", HARD, 0), Begun((HARD, "m"), ("", HARD), 1),
        FullSet(("version", "answers"), HARD, 1), Unfinished(HARD, HARD, (HARD, "m"), HARD, (HARD,), 1),
    )  # fmt: skip
    assert {kind for kind in Row.__subclasses__() if kind.__module__.startswith("scrollwork.records.nights.")} == {
        type(one) for one in told
    }
    for one in told:
        read = type(one).from_dict(json.loads(json.dumps(one.to_dict(), ensure_ascii=False)))
        assert read == one
        assert repr(read) == repr(one), "a type within it is another one"


def test_night_is_written_over_or_read_otherwise(tmp_path: Path) -> None:
    nights = Nights(str(tmp_path))
    assert nights.rows() == []
    assert nights.write(row(1)) == row(1)
    assert nights.write(row(1, run="another")) == row(1)
    nights.write(row(2))
    assert Nights(str(tmp_path)).rows() == [row(1), row(2)]
    assert nights.notes == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "half"}, "NightRow.kind"),
        ({"causes": ["moon"]}, "NightRow.causes"),
        ({"ended": "now"}, "NightRow.ended"),
        ({"ended": -1}, "NightRow.ended"),
        ({"name": "../../x"}, "NightRow.name"),
        ({"name": "2026-02-30-x"}, "NightRow.name"),
        ({"digest": "f" * 16}, "field 'digest'"),
        ({"models": []}, "NightRow.models"),
        ({"models": "m"}, "NightModel"),
        ({"models": [3]}, "NightRow"),
        ({"more": 1}, "unknown field 'more'"),
    ],
)
def test_damaged_night_stops_or_is_lost_silently(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    nights = Nights(str(tmp_path))
    nights.write(row(1))
    nights.write(row(2))
    path = tmp_path / "nights" / f"{row(1).digest}.night.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    again = Nights(str(tmp_path))
    assert again.rows() == [row(2)]
    (note,) = again.notes
    assert note.startswith(f"{path}: ")
    assert told in note
    assert "put it back from a backup, or move it out of the folder" in note
    assert path.is_file(), "the damaged file is gone"
    with pytest.raises(StorageError, match="put it back"):
        again.write(row(1))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'"text"'])
def test_torn_file_of_any_kind_stops_the_register(tmp_path: Path, content: bytes) -> None:
    nights = Nights(str(tmp_path))
    folder = tmp_path / "nights"
    nights.write(row(1))
    nights.mute(Mute("a", "2999-01-01", "", 0))
    torn = [
        f"{'a' * 16}.night.json", "0002.accepted.json", "0002.muted.json", f"{'0' * 16}-{'1' * 16}.begun.json",
    ]  # fmt: skip
    for name in torn:
        (folder / name).write_bytes(content)
    (folder / f"{'b' * 16}.night.json").mkdir()
    again = Nights(str(tmp_path))
    assert again.rows() == [row(1)]
    assert again.accepted() == []
    assert again.muted("2026-11-28") == {"a": "2999-01-01"}
    assert again.begun("0" * 16) == []
    assert len(again.notes) == 5
    assert all(any(name in note for note in again.notes) for name in torn)


def test_scores_are_read_though_another_digest_is_theirs(tmp_path: Path) -> None:
    nights = Nights(str(tmp_path))
    name = nights.write_scores(SCORES)
    assert nights.write_scores(SCORES) == name
    assert nights.scores(name) == SCORES
    path = tmp_path / "nights" / name
    whole = path.read_bytes()
    other = nights.write_scores({"m": {"a": {**SCORES["m"]["a"], "scores": [51.0]}}})
    for content in (b"", whole[:20], b"garbage", (path.parent / other).read_bytes()):
        path.write_bytes(content)
        with pytest.raises(StorageError, match=name):
            nights.scores(name)
        beside = nights.write_scores(SCORES)
        assert beside != name
        assert nights.scores(beside) == SCORES
        assert any(name in note for note in nights.notes)
        assert path.read_bytes() == content, "the damaged file is written over"
    with pytest.raises(StorageError, match="no name of a file of scores"):
        nights.scores("../responses.db")


def test_acceptances_of_two_at_once_are_lost(tmp_path: Path) -> None:
    made = [Acceptance(f"2026-11-28-{number}", f"{number:016x}", "ana", number) for number in range(12)]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda one: Nights(str(tmp_path)).accept(one), made))
    found = Nights(str(tmp_path)).accepted()
    assert sorted(found, key=lambda one: one.at) == made
    assert len(list((tmp_path / "nights").iterdir())) == len(made), "temporary files are left"


def test_mute_that_is_over_stands_or_an_earlier_one_counts(tmp_path: Path) -> None:
    nights = Nights(str(tmp_path))
    nights.mute(Mute("a", "2026-12-01", "", 0))
    nights.mute(Mute("b", "2026-11-28", "", 0))
    assert nights.muted("2026-11-28") == {"a": "2026-12-01", "b": "2026-11-28"}
    assert nights.muted("2026-11-29") == {"a": "2026-12-01"}
    nights.mute(Mute("a", "2020-01-01", "", 0))
    assert nights.muted("2026-11-29") == {}
    with pytest.raises(InvalidRow, match="until"):
        Mute("a", "tomorrow", "", 0)


def test_a_night_of_other_models_hides_one_that_was_not_whole(tmp_path: Path) -> None:
    nights, stored = Nights(str(tmp_path)), row(3)
    (model,) = stored.models
    own = Unfinished(stored.suite, stored.settings, (model.model,), "", ("no answer",), stored.ended + 1)
    other = replace(own, models=("other",))
    both = replace(own, models=("other", model.model), at=stored.ended)
    for one in (replace(own, why=("before",)), own, other, both, replace(own, settings="f" * 16)):
        nights.leave(one)
    assert nights.unfinished([stored]) == [own, other, both, replace(own, settings="f" * 16)]
    later = replace(stored, ended=own.at)
    assert nights.unfinished([stored, later]) == [other, both, replace(own, settings="f" * 16)]


def test_night_that_ended_counts_as_begun(tmp_path: Path) -> None:
    nights, begun = Nights(str(tmp_path)), Begun(("m",), ("20261128T033557Z-3fa9c101",), 5)
    nights.begin("0" * 16, begun)
    assert nights.begun("0" * 16) == [begun]
    assert nights.begun("1" * 16) == []
    (model,) = row(1).models
    nights.end(row(1, models=(replace(model, epoch="20261129T033557Z-3fa9c101"),)))
    assert nights.begun("0" * 16) == [begun]
    nights.end(row(1, models=(replace(model, epoch=begun.epochs[0]),)))
    assert nights.begun("0" * 16) == []


def test_why_the_full_set_was_asked_is_of_another_night_or_ends_it(tmp_path: Path) -> None:
    nights = Nights(str(tmp_path))
    begun, other = (Begun(("m",), (f"2026112{day}T033557Z-3fa9c101",), 5) for day in (7, 8))
    told = FullSet(("version",), "m: the reported version is 2", 6)
    nights.ask_full("0" * 16, begun, told)
    nights.ask_full("0" * 16, begun, FullSet(("schedule",), "", 7))
    assert Nights(str(tmp_path)).full_set("0" * 16, begun) == told
    assert nights.full_set("0" * 16, other) is None
    assert nights.full_set("1" * 16, begun) is None
    (path,) = (tmp_path / "nights").glob("*.full.json")
    path.write_text("{")
    assert nights.full_set("0" * 16, begun) is None
    assert any(path.name in note for note in nights.notes)
    nights.end(row(1), [begun])
    nights.begin("0" * 16, begun)
    assert nights.begun("0" * 16) == [], "a night that was stored in another epoch is begun for ever"
