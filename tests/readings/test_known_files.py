"""A raw file that was cut, or lost a line, is said to be other than upstream's by `build`, `run` and the report."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.fetching.upstream import upstream_of
from scrollwork.records.raw_file import RawFile
from scrollwork.reporting.boards.raw_files import OTHER, PUBLISHED, SAMPLE, UNKNOWN, RawNote, remarks
from scrollwork.storage.downloads.partial import git_blob
from scrollwork.storage.home import Home
from scrollwork.suites.suite_files import SAMPLE as SAMPLE_FOLDER
from scrollwork.suites.suite_files import load_published, load_suite
from scrollwork.tasks.report import parameters
from scrollwork.tasks.report.known_files import KnownFiles, count_of
from tests.conftest import Call

QMSUM = "qmsum/data/ALL/jsonl/test.jsonl"


def build(call: Call, suite: str, raw: Path, *more: str) -> tuple[list[dict[str, Any]], str]:
    """(rows, what was said)."""
    status, out, err = call("build", suite, "--raw", str(raw), "--engine", "inline", "--json", *more)
    assert status == 0, err
    return json.loads(out), err


def copied(source: Path, raw: Path, path: str, lines: int | None = None) -> None:
    """A raw file's first lines in a raw folder; all of them, byte for byte, where lines is None."""
    place = raw / path
    place.parent.mkdir(parents=True, exist_ok=True)
    whole = (source / path).read_bytes().splitlines(keepends=True)
    place.write_bytes(b"".join(whole[:lines]))


@pytest.mark.slow
def test_a_real_file_that_lost_its_last_line_is_silent(call: Call, shared: Path, tmp_path: Path) -> None:
    copied(shared / "raw", tmp_path / "whole", QMSUM)
    (row,), _ = build(call, "zeroscrolls", tmp_path / "whole", "--task", "qmsum", "--limit", "3")
    assert row["raw"]["states"] == {PUBLISHED: 1, OTHER: 0, UNKNOWN: 0, SAMPLE: 0}
    assert row["raw"]["number"] == {"of": "records", "found": 281, "known": 281}

    copied(shared / "raw", tmp_path / "cut", QMSUM, lines=34)
    cut = ("--raw", str(tmp_path / "cut"), "--engine", "inline", "--task", "qmsum", "--limit", "3")
    status, out, err = call("--quiet", "run", "zeroscrolls", *cut, "--model", "naive", "--json")
    assert status == 0, err
    (told,) = json.loads(out)["raw"]["test"]["qmsum"]
    assert told["states"][OTHER] == 1
    assert told["files"][0]["path"] == QMSUM
    assert told["number"]["found"] < told["number"]["known"] == 281
    for kind in ("html", "markdown", "latex"):
        place = tmp_path / f"page.{kind}"
        status, out, _ = call("--quiet", "report", "zeroscrolls", "--format", kind, "--out", str(place))
        assert status == 0
        for text in (place.read_text(), " ".join(out.split())):
            assert "those of upstream 281" in text, kind
            assert "has other bytes than upstream publishes" in text, kind
            assert "raw files: 1 of other bytes" in text, kind


def test_a_file_of_unknown_bytes_hides_what_it_lost(call: Call, tmp_path: Path) -> None:
    # the same records where no file of known bytes lies: only their number tells
    source = SAMPLE_FOLDER / QMSUM
    place = tmp_path / "qmsum" / "data" / "ALL" / "test"
    place.mkdir(parents=True)
    for number, line in enumerate(source.read_text().strip("\n").split("\n")):
        (place / f"{number}.json").write_text(line)
    (row,), said = build(call, "scrolls", tmp_path, "--task", "qmsum")
    assert row["raw"]["states"][UNKNOWN] == number + 1
    assert row["raw"]["number"]["known"] == 281
    assert "those of upstream 281" in said
    assert "unknown" in said


def test_the_bundled_sample_is_taken_for_a_damaged_download(call: Call) -> None:
    status, out, err = call("build", "scrolls", "--sample", "--engine", "inline", "--json", "--task", "qmsum")
    assert status == 0, err
    (row,) = json.loads(out)
    assert row["raw"]["states"][SAMPLE] == sum(row["raw"]["states"].values()) > 0
    assert row["raw"]["number"] is None
    assert "upstream" not in err


def raw_file(folder: Path, path: str, data: bytes) -> RawFile:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return RawFile("d", path, hashlib.sha256(data).hexdigest(), len(data))


def test_published_bytes_are_known_wherever_they_lie_and_by_any_pin(tmp_path: Path) -> None:
    good = raw_file(tmp_path, "d/elsewhere/my.jsonl", b"published")
    blob = raw_file(tmp_path, "d/blob.jsonl", b"by its git blob")
    sized = raw_file(tmp_path, "d/sized.zip", b"12345")
    wrong_size, strange = raw_file(tmp_path, "d/size.zip", b"1234"), raw_file(tmp_path, "d/own.jsonl", b"own")
    other_blob = raw_file(tmp_path, "d/other.jsonl", b"x")
    files = [
        ["d/a.jsonl", {"sha256": good.sha256}],
        [blob.path, {"git_blob": git_blob(tmp_path / blob.path)}],
        [sized.path, {"bytes": 5}],
        [wrong_size.path, {"bytes": 5}],
        [other_blob.path, {"git_blob": git_blob(tmp_path / blob.path)}],
    ]
    known = KnownFiles({"files": files})
    states = [
        known.file_state(file, str(tmp_path)).state for file in (good, blob, sized, wrong_size, strange, other_blob)
    ]
    assert states == [PUBLISHED, PUBLISHED, PUBLISHED, OTHER, UNKNOWN, OTHER]

    (tmp_path / blob.path).write_bytes(b"by another blob")  # what lies there now is not what was read
    assert known.file_state(blob, str(tmp_path)).state == UNKNOWN
    (tmp_path / blob.path).unlink()
    assert known.file_state(blob, str(tmp_path)).state == UNKNOWN
    # one of two releases under one path
    two = KnownFiles({"files": [["d/own.jsonl", {"bytes": 99}], ["d/own.jsonl", {"bytes": 3}]]})
    assert two.file_state(strange, str(tmp_path)).state == PUBLISHED


def test_another_release_under_the_name_is_as_published(tmp_path: Path) -> None:
    old, new = raw_file(tmp_path, "d/v1/test.jsonl", b"old"), raw_file(tmp_path, "d/v2/test.jsonl", b"new")
    known = KnownFiles({"files": [[file.path, {"sha256": file.sha256}] for file in (old, new)]})
    swapped = raw_file(tmp_path, old.path, b"new")
    assert [known.file_state(file, str(tmp_path)).state for file in (old, new, swapped)] == [
        PUBLISHED,
        PUBLISHED,
        OTHER,
    ]
    assert known.file_state(swapped, str(tmp_path)).why == "has those of d/v2/test.jsonl"


@pytest.mark.slow
def test_the_changed_file_of_one_model_is_hidden_by_the_right_one_of_another(call: Call, tmp_path: Path) -> None:
    for name, more in (("right", b""), ("changed", b"\n")):  # the same inputs, so one section
        copied(SAMPLE_FOLDER, tmp_path / name, QMSUM)
        (tmp_path / name / QMSUM).write_bytes((SAMPLE_FOLDER / QMSUM).read_bytes() + more)
    for name, model in (("right", "lead"), ("changed", "bm25"), ("right", "strong")):
        ask = ("--raw", str(tmp_path / name), "--engine", "inline", "--task", "qmsum", "--limit", "1", "--model", model)
        status, _, err = call("--quiet", "run", "zeroscrolls", *ask)
        assert status == 0, err
    place = tmp_path / "page.md"
    assert call("--quiet", "report", "zeroscrolls", "--format", "markdown", "--out", str(place))[0] == 0
    text = place.read_text()
    assert text.count("## Split") == 1
    assert "qmsum (bm25): qmsum/data/ALL/jsonl/test.jsonl has other bytes" in text, text
    assert "qmsum (lead" not in text
    assert "raw files: 1 of other bytes, 1 of the bundled sample" in text


def test_records_are_those_that_filters_leave_out_too_and_no_malformed_ones() -> None:
    facts = {"examples": 7, "references": 9, "dropped": {"filter": 2, "malformed": 1}, "errors": 1}
    assert [count_of(facts, what) for what in ("records", "examples", "references")] == [9, 7, 9]


def test_what_an_earlier_version_did_not_count_is_taken_for_none(call: Call) -> None:
    ask = ("build", "scrolls", "--sample", "--split", "validation", "--engine", "inline", "--quiet", "--task", "qmsum")
    assert call(*ask)[0] == 0
    everything = Home(str(call.home)).artifacts.everything()
    (curated,) = (one for one in everything if one.manifest.ingredients.stage == "curate")
    known = KnownFiles({**upstream_of(load_suite("scrolls")), "sample": []})
    assert known.compared(curated).what == "references"
    facts = {name: value for name, value in curated.facts.items() if name != "references"}
    earlier = replace(curated, manifest=replace(curated.manifest, facts=facts))
    assert known.compared(earlier).what == ""


def test_ten_thousand_strange_files_fill_the_page() -> None:
    from scrollwork.reporting.boards.raw_files import RawFileState

    told = RawNote.of(RawFileState(f"f{number}", UNKNOWN if number else OTHER, "why") for number in range(10_000))
    assert len(told.files) == 20
    assert told.files[0].state == OTHER
    assert told.states[UNKNOWN] == 9_999
    assert RawNote.read(json.loads(json.dumps(told.plain()))) == told
    assert list(remarks([("task", told)])) == ["task: f0 has other bytes than upstream publishes (why)"]


def test_a_number_that_a_filter_leaves_is_known_of_one_suite_alone(call: Call, shared: Path) -> None:
    """ZeroSCROLLS filters Qasper as SCROLLS does: a small file under a raw name gave no question, without a word."""
    numbers = {suite: upstream_of(load_suite(suite))["numbers"]["qasper"] for suite in ("scrolls", "zeroscrolls")}
    assert numbers["zeroscrolls"]["test"] == numbers["scrolls"]["test"] == ["examples", 1399]
    assert numbers["zeroscrolls"]["validation"] == numbers["scrolls"]["validation"]
    status, _, err = call(
        "build", "zeroscrolls", "--raw", str(shared / "raw"), "--task", "qasper", "--engine", "inline"
    )
    assert status == 0
    assert "qasper, test: the raw files give 0 examples, those of upstream 1,399" in err


def test_known_numbers_and_files_are_of_tasks_that_there_are() -> None:
    for suite, tasks in load_published("upstream").items():
        config = load_suite(suite)
        for task, splits in tasks.items():
            assert set(splits) <= set(config.tasks[task].splits), (suite, task)
    for suite in ("zeroscrolls", "scrolls", "seam", "dolce"):
        upstream = upstream_of(load_suite(suite))
        assert upstream["files"], suite
        assert upstream["sample"], suite


def test_longbench_e_is_held_against_the_number_of_longbench(call: Call, tmp_path: Path) -> None:
    place = tmp_path / "longbench" / "trec_e.jsonl"
    place.parent.mkdir()
    record = {"input": "Question: Why?\nType:", "context": "Question: Who?\nType: Individual", "answers": ["Reason"]}
    rest = {"length": 9, "dataset": "trec", "language": "en", "all_classes": ["Reason", "Individual"], "_id": "a"}
    place.write_text(json.dumps({**record, **rest}) + "\n")
    for name, number in (("trec_e.jsonl", None), ("trec.jsonl", {"of": "records", "found": 1, "known": 200})):
        place = place.rename(place.with_name(name))
        (row,), _ = build(call, "dolce", tmp_path, "--task", "longbench_trec")
        assert row["raw"]["number"] == number, name


def test_a_report_says_what_was_known_when_it_was_made(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(SAMPLE_FOLDER / "qmsum", tmp_path / "raw" / "qmsum")
    ask = ("--quiet", "run", "scrolls", "--raw", str(tmp_path / "raw"), "--engine", "inline", "--task", "qmsum")
    for known in (7, 8):
        numbers = {"qmsum": {"test": ["examples", known]}}
        monkeypatch.setattr(parameters, "upstream_of", lambda suite, numbers=numbers: {"files": [], "numbers": numbers})
        status, out, err = call(*ask, "--model", "naive")
        assert status == 0, err
        assert f"those of upstream {known}" in " ".join(out.split())
