"""Generated raw files of Dolce's 44 tasks: every task becomes what was planted, unit by unit."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from preprocessing.curation import curate
from preprocessing.raw import RawFiles
from preprocessing.spans import strategy
from preprocessing.units import units
from records.document import Document
from records.example import Example
from sample.windows import PARTIAL, PLANTED, TASKS, UNITS, Planted, dolce
from tasks.dolce_units import lines, units_of
from tasks.suites import load_suite

SUITE = load_suite("dolce")
LINE = re.compile(r"The ledger of (\w+) (says|notes) (\d+) of (\d+): (.+?)!(?=\s|$)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(str(tmp_path_factory.mktemp("dolce")))[0]


@cache
def written(folder: str = "") -> tuple[Path, list[Planted]]:
    out = Path(folder or mkdtemp())
    return out, dolce(out)


def test_task_of_the_suite_has_no_file() -> None:
    assert [made.task for made in TASKS] == list(SUITE.tasks)


@pytest.mark.parametrize("made", TASKS, ids=lambda made: made.task)
def test_planted_evidence_is_not_in_its_units(folder: Path, made: object) -> None:
    name = made.task  # type: ignore[attr-defined]
    task = SUITE.tasks[name]
    found = units_of(SUITE, task, folder, strategy("all"))
    assert (found.problem, found.dropped) == ("", ())
    assert found.counts == (UNITS,) * len(PLANTED)
    files = tuple((file, folder / file) for file in found.files)
    rows = list(curate(task.dataset, RawFiles(task.dataset, {"records": files}), name, "test", task.options))
    texts = {row.document_id: row.text for row in rows if isinstance(row, Document)}
    examples = [row for row in rows if isinstance(row, Example)]
    planted = [one for one in written(str(folder))[1] if one.task == name]
    assert [one.problem for one in planted] == [row.example_id for row in examples]
    assert [(one.lam, one.copies) for one in planted] == list(PARTIAL if planted[0].partial else PLANTED)
    for one, row in zip(planted, examples, strict=True):
        text = texts[row.document_ids[0]]
        told = [LINE.search(text[start:end]) for start, end in units(text, task.windows["units"])]
        where = {place: match for place, match in enumerate(told) if match}
        if not one.lam:
            assert not where
            match = LINE.search(str(row.query))
            assert match, "the question tells"
            assert match[5] in row.references[0]
            continue
        shown = [int(match[3]) for match in where.values()]
        assert {int(match[4]) for match in where.values()} == {one.lam}
        if one.partial:
            assert sorted(shown) == sorted(list(range(1, one.lam + 1)) * one.copies)
            words = {int(match[3]): match[5] for match in where.values()}
            assert row.references == (" ".join(words[place] for place in range(1, one.lam + 1)),)
        else:
            assert shown == list(range(1, one.lam + 1)) * one.copies
            assert [place for place in where if int(told[place][3]) == 1] == list(one.starts)  # type: ignore[index]
            last = next(match for match in where.values() if int(match[3]) == one.lam)
            assert row.references == (last[5],) or row.references == (last[5] + ".",)


def test_files_differ_between_two_times(tmp_path: Path, folder: Path) -> None:
    assert dolce(tmp_path) == written(str(folder))[1]
    files = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.jsonl"))
    assert len(files) == 44
    assert all((tmp_path / file).read_bytes() == (folder / file).read_bytes() for file in files)


def test_table_lacks_a_task(folder: Path) -> None:
    told = list(lines(folder, strategy("all")))
    assert {line.split()[0] for line in told[1:]} == set(SUITE.tasks)
    assert not [line for line in told if "no raw file" in line or "left out" in line]
    own = {(task.name, task.windows["units"]) for task in SUITE.tasks.values()}
    assert [line.split()[2:4] for line in told if tuple(line.split()[:2]) in own] == [["5", str(UNITS)]] * 44
