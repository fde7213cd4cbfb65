"""Which field of a log's items may name their document: told in one note, never taken; nested fields with --by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.logs.compare import compare_systems
from scrollwork.analysis.logs.log import LogError, ReadOptions
from scrollwork.analysis.logs.systems import CompareOptions, systems_of
from scrollwork.exchange.compared.notes import note_lines
from scrollwork.exchange.logs.cluster_fields import ClusterFields
from scrollwork.exchange.logs.read import read_log
from tests.conftest import Call
from tests.exchange.logs.log_kit import archived, logs_of, sample

# A log of each kind that keeps an item's record: path below the shared logs, and the path of the documents' names.
NESTED = {
    "lm_eval/alpha": "doc.document_id",
    "lm_eval_0.4.2/alpha": "doc.document_id",
    "inspect/plain/alpha.eval": "metadata.document_id",
    "inspect/plain/alpha.json": "metadata.document_id",
    "inspect/noid/alpha.eval": "metadata.document_id",
    "inspect_0.3.50/old/alpha.eval": "metadata.document_id",
    "inspect_0.3.50/old/alpha.json": "metadata.document_id",
    "lighteval/details/alpha": "doc.specific.document_id",
    "helm/runs": "extra_data.document_id",
    "promptfoo/run.json": "vars.document_id",
    "promptfoo/run.jsonl": "testCase.vars.document_id",
}


def found_in(*records: dict[str, Any]) -> str:
    fields = ClusterFields()
    for number, record in enumerate(records):
        fields.add(str(number), {"doc": record})
    return fields.found()


@pytest.mark.parametrize(
    ("records", "field"),
    [
        ([{"document": one, "q": number} for number, one in enumerate("aabbc")], "doc.document"),
        ([{"title": one, "article_id": one} for one in "aabbc"], "doc.article_id"),
        ([{"meta": {"source": {"Passage-ID": one}}} for one in (1, 1, 2)], "doc.meta.source.Passage-ID"),
        ([{"context": "A long text."}, {"context": "A long text."}, {"context": "Another."}], "doc.context"),
        ([{"document": one} for one in "abcde"], ""),  # each item has its own
        ([{"document": "a"}] * 5, ""),  # one document has no interval
        ([{"document": "a"}, {"document": "a"}, {"document": "b"}, {}], ""),  # not every item has it
        ([{"document": [1]}, {"document": [1]}, {"document": [2]}], ""),
        ([{"subject": one} for one in "aabbc"], ""),
        ([{"document": True}, {"document": True}, {"document": False}], ""),
    ],
)
def test_a_field_of_documents_is_not_found_or_another_is(records: list[dict[str, Any]], field: str) -> None:
    assert found_in(*records) == field


def test_rows_of_a_second_filter_or_epoch_are_taken_for_items_on_the_same_document() -> None:
    fields = ClusterFields()
    for number in (0, 1, 2, 0, 1, 2):
        fields.add(str(number), {"doc": {"document": f"d{number}"}})
    assert fields.found() == ""


def test_a_field_is_guessed_silently_or_not_told(call: Call, shared: Path) -> None:
    folder = logs_of(shared, "lm_eval")
    status, _, err = call("compare", str(folder / "alpha"), str(folder / "beta"))
    assert status == 0, err
    lines = [line for line in err.splitlines() if "no log says" in line]
    assert len(lines) == 1
    assert lines[0].endswith('"doc.document_id" may name the document: --by doc.document_id')
    status, out, err = call("compare", str(folder / "alpha"), str(folder / "beta"), "--by", "doc.document_id", "--json")
    assert status == 0, err
    assert {row["clusters"] for row in json.loads(out)["pairs"][0]["tasks"]} == {12}
    assert "no log says" not in out


def test_summaries_of_inspect_are_not_looked_at(tmp_path: Path) -> None:
    """Both as columns by Arrow and one by one: a field of the metadata that repeats is told."""
    rows = [sample(f"q{number}", number % 2, metadata={"story_id": f"s{number // 4}"}) for number in range(12)]
    rows[5]["scores"]["exact"]["value"] = None  # one of the rows that are read by themselves
    systems, _ = systems_of({
        "one": read_log(archived(tmp_path / "a.eval", *rows), ReadOptions()),
        "other": read_log(archived(tmp_path / "b.eval", *rows, model="b"), ReadOptions()),
    })  # fmt: skip
    lines = note_lines(compare_systems(systems, CompareOptions()))
    assert sum("--by metadata.story_id" in line for line in lines) == 1


@pytest.mark.parametrize("place", NESTED)
def test_a_nested_field_is_no_cluster(shared: Path, place: str) -> None:
    tool, _, name = place.partition("/")
    for log in read_log(logs_of(shared, tool) / name, ReadOptions(cluster_field=NESTED[place])):
        assert log.clusters is not None
        assert len(set(log.clusters)) == 12, (log.task, set(log.clusters))


def test_a_nested_field_of_a_table_is_no_cluster(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"id": f"q{n}", "score": 1, "meta": {"doc": {"name": f"d{n // 3}"}}} for n in range(9)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (log,) = read_log(path, ReadOptions(cluster_field="meta.doc.name"))
    assert log.clusters is not None
    assert len(set(log.clusters)) == 3
    with pytest.raises(LogError, match=r"meta\.doc\.title"):
        read_log(path, ReadOptions(cluster_field="meta.doc.title"))
