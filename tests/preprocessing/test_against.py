"""Our construction against a release: equal ones are told as equal, and planted differences by id and place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.datasets.against_release import IN_ORDER, REFERENCES, Comparison, compare
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.suites.suite_files import load_suite
from tests.preprocessing.release_kit import TASKS, imported, sample_rows, template, zipped

Rows = list[dict[str, Any]]
OFFSETS = ["document_start_index", "document_end_index", "query_start_index", "query_end_index"]


def released(suite: str, task: str) -> Rows:
    return [row for name in ("e1", "e2", "e3") for row in sample_rows(suite, task, name, ("x", "y"))]


def compared(folder: Path, suite: str, task: str, ours: Rows, theirs: Rows | list[str]) -> Comparison:
    """Our examples (as imported from `ours`) against the release `theirs`."""
    texts, examples, _ = imported(folder / "ours", suite, task, ours)
    path = zipped(folder / "theirs", task, theirs)
    raw = RawFiles("release", {"records": ((f"{task}.zip!{task}/test.jsonl", path),)})
    query_ends = load_suite(suite).tasks[task].query_ends
    return compare(examples, texts.__getitem__, template(suite, task), query_ends, "test", raw.records)


@pytest.mark.parametrize(("suite", "task"), TASKS)
def test_equal_release_differs(tmp_path: Path, suite: str, task: str) -> None:
    rows = released(suite, task)
    found = compared(tmp_path, suite, task, rows, rows)
    assert (found.equal_ids, found.rows, found.unreadable, found.first) == (1.0, 6, 0, {})
    assert dict(found.paired) == {"id": 3}
    kinds = {"input", REFERENCES, IN_ORDER}
    if suite == "zeroscrolls":
        kinds |= {*OFFSETS, "truncation_seperator"}
        kinds |= {"inner_docs_start_indices"} if "inner_docs_start_indices" in rows[0] else set()
    assert {kind: found.share(kind) for kind in found.of} == dict.fromkeys(kinds, 1.0)


def changed(rows: Rows, number: int, **fields: Any) -> Rows:
    rows = copy.deepcopy(rows)
    rows[number].update(fields)
    return rows


def differing(found: Comparison) -> dict[str, int]:
    return {kind: found.of[kind] - found.equal[kind] for kind in found.of if found.of[kind] != found.equal[kind]}


def test_changed_character_is_not_told_by_id_and_place(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "squality")
    text = rows[2]["input"]
    at = text.index("More.")
    theirs = changed(rows, 2, input=text[:at] + "Most" + text[at + 4 :])
    theirs[3]["input"] = theirs[2]["input"]
    found = compared(tmp_path, "zeroscrolls", "squality", rows, theirs)
    assert differing(found) == {"input": 1}
    first = found.first["input"]
    assert (first.example_id, first.at) == ("e2", at + 2)
    assert first.ours == text[at + 2 - 20 : at + 2 + 20]
    assert first.released == first.ours.replace("More.", "Most.")


def test_text_that_goes_on_is_equal_or_has_no_place(tmp_path: Path) -> None:
    rows = released("scrolls", "gov_report")
    theirs = [{**row, "input": row["input"] + " And on."} for row in rows]
    found = compared(tmp_path, "scrolls", "gov_report", rows, theirs)
    assert differing(found) == {"input": 3}
    assert found.first["input"].at == len(rows[0]["input"])
    assert found.first["input"].released.endswith("More. And on.")


@pytest.mark.parametrize("field", [*OFFSETS, "truncation_seperator", "inner_docs_start_indices"])
def test_offset_that_differs_is_not_told(tmp_path: Path, field: str) -> None:
    rows = released("zeroscrolls", "musique")
    other = {"truncation_seperator": "x", "inner_docs_start_indices": [1, 2, 3]}.get(field, 7)
    theirs = changed(rows, 4, **{field: other})
    found = compared(tmp_path, "zeroscrolls", "musique", rows, theirs)
    assert differing(found) == {field: 1}
    assert found.first[field].example_id == "e3"
    assert found.first[field].released == other


def test_missing_offset_is_equal_to_ours(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    theirs = copy.deepcopy(rows)
    del theirs[0]["query_end_index"]
    found = compared(tmp_path, "zeroscrolls", "qmsum", rows, theirs)
    assert differing(found) == {"query_end_index": 1}
    assert found.first["query_end_index"].released is None


@pytest.mark.parametrize(
    ("outputs", "as_sets", "ours", "theirs"),
    [
        (("y", "x"), True, "x", "y"),
        (("x", "y", "x"), True, None, "x"),
        (("x",), False, "y", None),
        (("x", "z"), False, "y", "z"),
    ],
)
def test_references_are_compared_as_one_thing_only(
    tmp_path: Path, outputs: tuple[str, ...], as_sets: bool, ours: Any, theirs: Any
) -> None:
    rows = released("zeroscrolls", "qasper")
    mine = [row for row in rows if row["id"] == "e1"]
    others = [row for row in rows if row["id"] != "e1"]
    theirs_rows = [*({**mine[0], "pid": str(n), "output": text} for n, text in enumerate(outputs)), *others]
    found = compared(tmp_path, "zeroscrolls", "qasper", rows, theirs_rows)
    assert differing(found) == ({IN_ORDER: 1} if as_sets else {REFERENCES: 1, IN_ORDER: 1})
    assert (found.first[IN_ORDER].ours, found.first[IN_ORDER].released) == (ours, theirs)
    assert found.first[IN_ORDER].example_id == "e1"


def test_private_references_count_as_other_ones(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    found = compared(tmp_path, "zeroscrolls", "qmsum", rows, [{**row, "output": None} for row in rows[::2]])
    assert (found.of[REFERENCES], found.share(REFERENCES), found.share("input")) == (0, None, 1.0)


def test_inputs_of_one_side_only_are_not_counted(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    found = compared(
        tmp_path, "zeroscrolls", "qmsum", rows[:4], [*rows[2:], *sample_rows("zeroscrolls", "qmsum", "e4")]
    )
    told = found.to_json()
    assert found.equal_ids == pytest.approx(1 / 4)  # e2 of e1, e2, e3, e4
    assert (told["ids_only_ours"], told["ids_only_release"]) == (1, 2)
    assert (told["first_id_only_ours"], told["first_id_only_release"]) == ("e1", "e3")
    assert dict(found.paired) == {"id": 1}


def test_other_scheme_of_ids_leaves_nothing_to_compare(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "space_digest")
    theirs = [{**row, "id": f"hotel {row['id']}"} for row in rows]
    for number in (2, 3):  # e2 is written otherwise, too: its reviews tell that it is the same
        theirs[number]["input"] = theirs[number]["input"].replace("You are given", "Here is")
        moved = len("Here is") - len("You are given")
        for field in OFFSETS:
            theirs[number][field] += moved
        theirs[number]["inner_docs_start_indices"] = [at + moved for at in rows[2]["inner_docs_start_indices"]]
    found = compared(tmp_path, "zeroscrolls", "space_digest", rows, theirs)
    assert found.equal_ids == 0.0
    assert dict(found.paired) == {"input": 2, "documents and query": 1}
    assert differing(found) == {"input": 1, "inner_docs_start_indices": 1, **dict.fromkeys(OFFSETS, 1)}
    first = found.first["input"]
    assert (first.example_id, first.released_id, first.at) == ("e2", "hotel e2", 0)


def test_two_released_inputs_are_paired_with_one_of_ours(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    twice = [{**row, "id": name} for name in ("a", "b") for row in rows[:2]]
    found = compared(tmp_path, "zeroscrolls", "qmsum", rows, twice)
    assert dict(found.paired) == {"input": 1}


@pytest.mark.parametrize("theirs", ["ab", "ba", "xb", "bx", "ax", "xa"])
def test_one_query_that_is_asked_twice_is_paired_crosswise(tmp_path: Path, theirs: str) -> None:
    """QMSum asks a query of a meeting twice, with other references; "x": a reference that neither of ours has."""
    row = released("zeroscrolls", "qmsum")[0]
    ours = [{**row, "id": name, "output": name} for name in "ab"]
    others = [{**row, "id": f"{number}", "output": text} for number, text in enumerate(theirs)]
    found = compared(tmp_path, "zeroscrolls", "qmsum", ours, others)
    assert dict(found.paired) == {"input": 2}
    assert found.equal[REFERENCES] == 2 - theirs.count("x")


def test_input_is_taken_from_the_release_that_has_its_id(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")[:2]
    found = compared(tmp_path, "zeroscrolls", "qmsum", rows, [{**rows[0], "id": "other"}, *rows])
    assert dict(found.paired) == {"id": 1}


def test_bad_rows_of_a_release_end_the_comparison_or_are_passed_over(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    lines: Any = ["{", *rows, {**rows[0], "id": 7}, {**rows[0], "output": ["x"]}]
    found = compared(tmp_path, "zeroscrolls", "qmsum", rows, lines)
    assert (found.rows, found.unreadable, differing(found)) == (9, 3, {})
    assert found.unreadable_first.startswith("qmsum.zip!qmsum/test.jsonl, line 1: is not JSON")


def test_damaged_release_is_compared_up_to_the_damage(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    texts, examples, _ = imported(tmp_path / "ours", "zeroscrolls", "qmsum", rows)
    path = zipped(tmp_path / "theirs", "qmsum", rows)
    data = path.read_bytes()
    at = data.index(b"qmsum/test.jsonl") + 60
    path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
    raw = RawFiles("release", {"records": (("qmsum.zip!qmsum/test.jsonl", path),)})
    with pytest.raises(MalformedFile, match=r"qmsum\.zip!qmsum/test\.jsonl"):
        compare(examples, texts.__getitem__, template("zeroscrolls", "qmsum"), "", "test", raw.records)


def test_surrogates_of_a_release_reach_the_screen(tmp_path: Path) -> None:
    rows = released("zeroscrolls", "qmsum")
    line = json.dumps({**rows[0], "truncation_seperator": "\ud800"})
    found = compared(tmp_path, "zeroscrolls", "qmsum", rows, [line, *rows[2:]])  # type: ignore[list-item]
    assert found.first["truncation_seperator"].released == "\\ud800"


def test_nothing_built_divides_by_zero() -> None:
    found = compare([], str, template("zeroscrolls", "qmsum"), "", "test", list)
    assert (found.equal_ids, found.share("input"), found.to_json()["equal"]) == (None, None, {})
