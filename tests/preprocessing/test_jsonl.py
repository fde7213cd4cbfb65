"""JSON Lines of examples: the generic data set of suites from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from raw_kit import Kit

from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example

GOOD: dict[str, Any] = {"id": "a1", "document": "Mira kept the lamp.", "query": "Who?", "references": ["Mira", "she"]}


def rows(folder: Path, *records: Any, **options: Any) -> list[Any]:
    return list(Kit(folder, "jsonl").lines("own/test.jsonl", records).rows(**options))


def test_field_of_an_example_is_lost(tmp_path: Path) -> None:
    several = {
        "id": 7,
        "documents": ["One.", {"text": "Two.", "title": "Second"}],
        "references": ["gold"],
        "metadata": {"hard": True, "year": 1999},
    }
    document, first, one, two, second = rows(tmp_path, GOOD, several)
    assert (document.text, document.source_file, document.source_record) == (
        "Mira kept the lamp.",
        "own/test.jsonl",
        "line 1",
    )
    assert (first.example_id, first.query, first.references, first.titles) == ("a1", "Who?", ("Mira", "she"), ())
    assert [one.text, two.text] == ["One.", "Two."]
    assert two.source_record == "line 2, documents[1]"
    assert (second.example_id, second.query, second.titles) == ("7", None, ("", "Second"))
    assert second.document_ids == (one.document_id, two.document_id)
    assert second.facts == {"hard": True, "year": 1999}


@pytest.mark.parametrize(("output", "gold"), [("text", "blue sea"), ("letter", "B")])
@pytest.mark.parametrize("reference", ["blue sea", "B", " blue sea "])
def test_option_is_not_what_the_metric_reads(tmp_path: Path, output: str, gold: str, reference: str) -> None:
    record = {**GOOD, "options": ["red hill", " blue sea"], "references": [reference]}
    _, example = rows(tmp_path, record, output=output)
    assert example.options == ("red hill", "blue sea")
    assert example.references == (gold,)
    assert example.query == "Who?\n\n (A) red hill\n (B) blue sea"


def test_private_references_are_a_malformed_record(tmp_path: Path) -> None:
    _, example = rows(tmp_path, {**GOOD, "references": []})
    assert example.references == ()


def without(field: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name != field}


@pytest.mark.parametrize(
    ("record", "field", "said"),
    [
        (without("id"), "id", "is missing"),
        ({**GOOD, "id": ""}, "id", "is empty"),
        ({**GOOD, "id": True}, "id", "must be text"),
        (without("document"), "document", "is missing"),
        ({**GOOD, "document": " \n"}, "document", "is empty"),
        ({**GOOD, "documents": ["x"]}, "documents", "stands beside document"),
        ({**without("document"), "documents": []}, "documents", "is empty"),
        ({**without("document"), "documents": ["x", ""]}, "text", "is empty"),
        ({**without("document"), "documents": ["x", 3]}, "text", "must be text"),
        ({**without("document"), "documents": [{"title": "t"}]}, "text", "is missing"),
        ({**GOOD, "query": 3}, "query", "must be text"),
        (without("references"), "references", "is missing"),
        ({**GOOD, "references": "Mira"}, "references", "must be a list"),
        ({**GOOD, "references": ["Mira", ""]}, "references[1]", "is empty"),
        ({**GOOD, "options": ["x"]}, "options", "must be 2 to 26, are 1"),
        ({**GOOD, "options": ["x", " "]}, "options", "empty text at place 2"),
        ({**GOOD, "options": ["x", "x"]}, "options", "holds a text twice"),
        ({**GOOD, "options": ["x", "y"]}, "references[0]", "none of the options"),
        ({**GOOD, "options": ["x", "y"], "references": ["C"]}, "references[0]", "none of the options"),
        ({**GOOD, "metadata": {"frame": "x"}}, "frame", "scrollwork uses itself"),
        ({**GOOD, "metadata": {"span": [1]}}, "span", "must be text, a number"),
        ("{not json}", "", "JSON"),
        ("[1]", "", "object"),
    ],
)
def test_malformed_record_is_not_named_or_takes_others_with_it(
    tmp_path: Path, record: Any, field: str, said: str
) -> None:
    found = rows(tmp_path, GOOD, record, {**GOOD, "id": "a3"})
    drops = [row for row in found if isinstance(row, Drop)]
    assert [row.example_id for row in found if isinstance(row, Example)] == ["a1", "a3"]
    assert len(drops) == 1
    assert drops[0].error
    assert drops[0].detail.startswith("own/test.jsonl, line 2")
    assert f'"{field}"' in drops[0].detail or not field
    assert said in drops[0].detail
    assert len({row.document_id for row in found if isinstance(row, Document)}) == 1


def test_id_that_came_before_stands_twice(tmp_path: Path) -> None:
    found = rows(tmp_path, GOOD, {**GOOD, "document": "Another."})
    assert [type(row) for row in found] == [Document, Example, Document, Drop]
    assert "came before" in found[-1].detail


def test_unknown_output_is_a_traceback_of_a_record(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"t\.output must be one of text, letter|output must be one of"):
        rows(tmp_path, GOOD, output="number")
