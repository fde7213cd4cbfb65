"""No layout without a real record: what the documents say of each, against the suites, the generated files and the real ones."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.raw_files import fill_pattern, first_match
from scrollwork.sample.windows import dolce
from scrollwork.suites.suite_files import Suite, load_suite
from tests.conftest import PROJECT

SUITES: dict[str, Suite] = {name: load_suite(name) for name in ("zeroscrolls", "scrolls", "seam", "dolce")}
NONE = "no real "
NUMBERED = re.compile(r"-\d+$")  # names that are ids, as the hypotheses of ContractNLI
RECORDS = 40  # of a file, whose fields together are a layout


def section(page: str, heading: str) -> dict[str, str]:
    """By layout, what a table of the documents says it was seen in."""
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8").partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    return {name: cells[1].strip() for cells in rows for name in re.findall(r"`(\w[\w.]*)`", cells[0])}


SEEN = section("data.md", "## Where each layout was seen")
UNSEEN = section("dolce_data.md", "### Layouts without a real file here")
LAYOUTS = sorted(
    {
        (f"{task.dataset}.{role}", suite, name)
        for suite in ("seam", "scrolls", "zeroscrolls")
        for name, task in SUITES[suite].tasks.items()
        for role in task.raw
    }
)


def paths(suite: str, name: str, role: str, folder: Path) -> tuple[int, list[Path]]:
    """Which of a role's patterns finds files in a raw folder first (-1: none), and what it finds, in any split."""
    task = SUITES[suite].tasks[name]
    for number, pattern in enumerate(task.raw[role]):
        for split, upstream in task.splits.items():
            wanted = fill_pattern(pattern, {**task.options, "split": upstream, split: ""})
            if wanted is not None and (found := first_match(str(folder), [wanted])[1]):
                return number, [folder / one for one in found]
    return -1, []


def records(path: Path) -> Iterator[Any]:
    """The records of a file: JSON Lines, a JSON list, a JSON object that has them by name or is one, CSV."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            yield from csv.DictReader(stream)
        return
    text = path.read_text(encoding="utf-8")
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        yield from (json.loads(line, strict=False) for line in text.split("\n") if line.strip())
        return
    named = isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
    yield from value if isinstance(value, list) else value.values() if named else [value]


def fields(value: Any, at: str = "") -> Iterator[str]:
    """Every field below a value with the kind of what stands there; what is null says nothing."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from fields(one, f"{at}.{NUMBERED.sub('-N', name)}")
    elif isinstance(value, list):
        yield f"{at}: list"
        for one in value:
            yield from fields(one, f"{at}[]")
    elif value is not None:
        kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
        yield f"{at}: {kind}"


def layout(path: Path) -> set[str]:
    """The fields of a file's first records."""
    found: set[str] = set()
    for record, _ in zip(records(path), range(RECORDS), strict=False):
        found |= set(fields(record))
    return found


def real_glob(name: str) -> str:
    """The real record that the documents name, as a pattern below the raw folder; "" where they say there is none."""
    return "" if SEEN[name].startswith(NONE) else SEEN[name].removeprefix("`").partition("`")[0]


def test_layout_of_a_loader_is_told_nowhere() -> None:
    assert {layout_name for layout_name, _, _ in LAYOUTS} == set(SEEN)
    table = (PROJECT / "docs/dolce_data.md").read_text(encoding="utf-8").partition("## What the real files become")[2]
    real = set(re.findall(r"^\| (\w+), `\w+` \|", table.partition("\n### ")[0], re.MULTILINE))
    told = set(UNSEEN)
    assert real | told == set(SUITES["dolce"].tasks)
    assert real & told == set()
    for name, seen in {**SEEN, **UNSEEN}.items():
        assert seen.startswith((NONE, "`")), name
        assert not seen.startswith(NONE) or len(seen.partition(": ")[2]) > 20, f"{name}: says not where it is from"


@pytest.mark.parametrize(("name", "suite", "task"), LAYOUTS)
def test_generated_file_has_fields_that_no_real_record_has(shared: Path, name: str, suite: str, task: str) -> None:
    role = name.partition(".")[2]
    told, raw = real_glob(name), shared / "raw"
    if not told:
        assert "of the other layout" in SEEN[name] or not paths(suite, task, role, raw)[1], "there is a real record"
        pytest.skip(SEEN[name])
    real = sorted(raw.glob(told))
    assert real, f"{told} is not there"
    generated = paths(suite, task, role, PROJECT / "sample/raw")[1]
    if generated and real[0].suffix not in (".xml", ".content"):
        known = set().union(*(layout(one) for one in real[:RECORDS]))
        assert [one for one in layout(generated[0]) - known if f"`{one[1:].partition(':')[0]}`" not in SEEN[name]] == []


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dolce")
    dolce(folder)
    return folder


@pytest.mark.parametrize("name", list(SUITES["dolce"].tasks))
def test_generated_file_of_dolce_has_fields_that_no_real_record_has(shared: Path, planted: Path, name: str) -> None:
    number, generated = paths("dolce", name, "records", planted)
    of_real, real = paths("dolce", name, "records", shared / "raw")
    assert bool(real) != (name in UNSEEN)
    if real and number == of_real:
        assert layout(generated[0]) <= layout(real[0])


def test_layout_that_never_existed_is_held_by_a_real_record(shared: Path, tmp_path: Path) -> None:
    old = tmp_path / "private_eval_4k.jsonl"
    old.write_text(json.dumps({"content": "# api", "question": "x = ", "answer": "1"}), encoding="utf-8")
    real = paths("dolce", "bamboo_privateeval", "records", shared / "raw")[1]
    assert layout(old) - layout(real[0]) == {".content: str", ".question: str", ".answer: str"}
