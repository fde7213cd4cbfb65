"""Released rows as examples: written again they are the same rows, byte for byte, whatever the release's wording."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.chat import adapt
from scrollwork.preprocessing.prompts.frames import frame_of
from scrollwork.preprocessing.prompts.template import assemble, own_template
from scrollwork.preprocessing.prompts.truncation import Counts, Limit, truncate
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.tokens.tokenizer import make
from scrollwork.records.prompt import render
from tests.preprocessing.release_kit import (
    SEVERAL,
    TASKS,
    document,
    example,
    has_query,
    imported,
    rows_of,
    sample_rows,
    template,
    written_again,
)

ZERO = [task for suite, task in TASKS if suite == "zeroscrolls"]
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(str.strip)
lines = texts.map(lambda text: " ".join(text.split()) or "x")


def replaced(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """The row with one piece of its input written otherwise, and every offset behind it moved."""
    at = row["input"].index(old)
    moved = len(new) - len(old)
    row = copy.deepcopy(row)
    row["input"] = row["input"][:at] + new + row["input"][at + len(old) :]
    for name, value in row.items():
        if name.endswith("_index") and value > at:
            row[name] = value + moved
        if name == "inner_docs_start_indices":
            row[name] = [start + moved if start > at else start for start in value]
    return row


@pytest.mark.parametrize(("suite", "task"), TASKS)
@settings(max_examples=40)
@given(data=st.data())
def test_round_trip_changes_a_row(suite: str, task: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4)) if task in SEVERAL else 1
    documents = [document(data.draw(texts), data.draw(lines)) for _ in range(count)]
    query = data.draw(lines) if has_query(suite, task) else None
    if task == "quality" and query is not None:
        query += "\n\n (A) one\n (B) two\n (C) three\n (D) four"
    references = data.draw(st.lists(texts, min_size=0, max_size=3))
    rows = rows_of(suite, example(task, documents, query, references), documents)
    with tempfile.TemporaryDirectory() as folder:
        found, (one,), drops = imported(Path(folder), suite, task, rows)
    assert drops == []
    assert written_again(suite, found, [one]) == rows
    assert one.references == tuple(references)


@pytest.mark.parametrize(("suite", "task"), TASKS)
def test_row_in_our_wording_is_taken_for_another(tmp_path: Path, suite: str, task: str) -> None:
    rows = sample_rows(suite, task)
    found, (one,), _ = imported(tmp_path, suite, task, rows)
    assert frame_of(one) == {}
    count = 3 if task in SEVERAL else 1
    assert sorted(found.values()) == [f"Text {number} of e1.\nMore." for number in range(count)]
    assert (one.query or "").partition("\n")[0] == ("Why e1?" if has_query(suite, task) else "")
    assert one.titles == (("Title 0", "Title 1", "Title 2") if task == "musique" else ())
    assert one.options == (("one", "two", "three", "four") if task == "quality" else ())


OTHERWISE: list[tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]] = [
    ("space_digest", lambda row: replaced(row, "Review 2:\n", "Review 2\n")),
    ("space_digest", lambda row: replaced(row, "Review 2:\n", "Review 2: ")),
    ("book_sum_sort", lambda row: replaced(row, "Summary 1:\n", "Summary 1\n")),
    ("book_sum_sort", lambda row: replaced(row, "Summary 1:\n", "Summary 7:\n")),
    ("book_sum_sort", lambda row: replaced(row, "\n\nSummary 2:", "\nSummary 2:")),
    ("musique", lambda row: replaced(row, "Title: Title 1\n", "Title 1\n")),
    ("musique", lambda row: replaced(row, "Title: Title 1\n", "")),
    ("squality", lambda row: replaced(row, "in a paragraph.", "in one paragraph.")),
    ("squality", lambda row: replaced(row, "Story:\n", "Text:\n")),
    ("squality", lambda row: replaced(row, "\n\nStory:", " Story:")),
    ("qasper", lambda row: replaced(row, "\n\nQuestion:", "\n\n\nQuestion:")),
    ("qasper", lambda row: replaced(row, "Question:\n", "Query: ")),
    ("qasper", lambda row: replaced(row, "\n\nAnswer:\n", "\nYour answer:")),
    ("gov_report", lambda row: replaced(row, "Summary:\n", "Abstract:\n\n")),
    ("gov_report", lambda row: {**row, "truncation_seperator": "... [cut]\n\n"}),
    ("gov_report", lambda row: {**row, "truncation_seperator": "… "}),
    ("gov_report", lambda row: {**row, "pid": "another"}),
]  # fmt: skip


@pytest.mark.parametrize(("task", "change"), OTHERWISE)
def test_wording_of_a_release_is_lost(
    tmp_path: Path, task: str, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    (row,) = sample_rows("zeroscrolls", task)
    other = change(row)
    assert other != row
    found, (one,), drops = imported(tmp_path, "zeroscrolls", task, [other])
    assert drops == []
    assert written_again("zeroscrolls", found, [one]) == [other]
    assert bool(frame_of(one)) == (other["pid"] == row["pid"])


def test_header_without_colon_becomes_text_of_the_review(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "space_digest")
    for number in (1, 2, 3):
        row = replaced(row, f"Review {number}:\n", f"Review {number}\n")
    found, (one,), _ = imported(tmp_path, "zeroscrolls", "space_digest", [row])
    assert [found[name] for name in one.document_ids] == [f"Text {number} of e1.\nMore." for number in range(3)]


def test_header_with_another_word_takes_words_of_the_text(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "space_digest")
    row = replaced(row, "Review 1:\n", "Reviewing hotels: ")
    found, (one,), _ = imported(tmp_path, "zeroscrolls", "space_digest", [row])
    assert found[one.document_ids[0]].startswith("Reviewing hotels: Text 0")
    assert written_again("zeroscrolls", found, [one]) == [row]


def test_released_separator_is_not_put_where_a_document_is_cut(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "gov_report")
    found, (one,), _ = imported(tmp_path, "zeroscrolls", "gov_report", [{**row, "truncation_seperator": "[cut]\n"}])
    own = own_template(one, template("zeroscrolls", "gov_report"))
    parts = assemble(one, own, lambda name: len(found[name]))
    # 16 words of instruction, 1 of header, 3 of the text's 5, 2 of separator and response header
    counts = Counts(make("words"), {}, found.__getitem__)
    cut = truncate(parts, own, found.__getitem__, counts, Limit("input", 22))
    assert render(cut.parts, found.__getitem__).endswith("Report:\nText 0 of[cut]\nSummary:\n")


def test_claude_is_asked_for_the_answer_type_of_the_paper_not_of_the_release(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "qasper")
    row = replaced(row, "\n\nAnswer:\n", "\n\nShort Answer:\n")
    found, (one,), _ = imported(tmp_path, "zeroscrolls", "qasper", [row])
    own = own_template(one, template("zeroscrolls", "qasper"))
    parts = adapt(assemble(one, own, lambda name: len(found[name])), own, "claude", "Do not explain.")
    assert render(parts, found.__getitem__).endswith("Why e1?\n\nAssistant: Short Answer: <short_answer>")


# ---- rows of one id


def test_rows_of_an_id_are_not_one_input_in_order_of_first_appearance(tmp_path: Path) -> None:
    (one,), (two,) = sample_rows("zeroscrolls", "qasper", "q1"), sample_rows("zeroscrolls", "qasper", "q2")
    rows = [{**one, "output": "x"}, {**two, "output": "y"}, {**one, "output": "z"}, {**one, "output": "x"}]
    _, examples, drops = imported(tmp_path, "zeroscrolls", "qasper", rows)
    assert [(e.example_id, e.references) for e in examples] == [("q1", ("x", "z", "x")), ("q2", ("y",))]
    assert drops == []


def test_several_rows_lose_their_pids(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "squality")
    rows = [{**row, "pid": f"e1/{number}", "output": f"Answer {number}"} for number in range(4)]
    found, examples, _ = imported(tmp_path, "zeroscrolls", "squality", rows)
    assert written_again("zeroscrolls", found, examples) == rows


def test_other_text_under_the_same_id_is_merged_unseen(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "qmsum")
    rows = [row, {**row, "input": row["input"].replace("Text", "Test")}]
    _, examples, (drop,) = imported(tmp_path, "zeroscrolls", "qmsum", rows)
    assert [e.references for e in examples] == [("r",)]
    assert (drop.reason, drop.error) == ("rows of an id differ", True)
    assert "qmsum.zip!qmsum/test.jsonl, line 2" in drop.detail


def test_null_or_no_output_in_the_test_split_is_an_error(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "qmsum")
    without = {name: value for name, value in row.items() if name != "output"}
    _, examples, drops = imported(tmp_path, "zeroscrolls", "qmsum", [{**row, "output": None}, {**without, "id": "e2"}])
    assert [(e.references, e.example_id) for e in examples] == [((), "e1"), ((), "e2")]
    assert drops == []


def test_missing_output_elsewhere_is_taken_for_private(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "qmsum")
    del row["output"]
    with pytest.raises(MalformedFile, match='line 1: field "output" is missing'):
        imported(tmp_path, "zeroscrolls", "qmsum", [row], split="validation")


def test_field_that_the_fact_sheet_does_not_know_is_lost(tmp_path: Path) -> None:
    (row,) = sample_rows("scrolls", "quality")
    _, (one,), _ = imported(tmp_path, "scrolls", "quality", [{**row, "is_hard": True, "note": None, "at": [1]}])
    assert one.facts["fields"] == {"is_hard": True, "at": "[1]"}


@pytest.mark.parametrize("depth", [900, 985, 995, 50_000])
def test_deep_field_ends_the_import(tmp_path: Path, depth: int) -> None:
    (good,), (deep,) = sample_rows("zeroscrolls", "qmsum", "good"), sample_rows("zeroscrolls", "qmsum", "deep")
    line = json.dumps(deep)[:-1] + f', "more": {"[" * depth}{"]" * depth}}}'
    _, examples, drops = imported(tmp_path, "zeroscrolls", "qmsum", [good, line])
    assert [one.example_id for one in examples] == ["good", *(["deep"] if not drops else [])]
    assert all("line 2" in drop.detail for drop in drops)


def test_gold_none_is_no_text(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "quality")
    _, (one,), drops = imported(tmp_path, "zeroscrolls", "quality", [{**row, "output": "None"}])
    assert (one.references, drops) == (("None",), [])


# ---- bad rows

BAD: list[tuple[str, str, Any, str]] = [
    ("qmsum", "document_start_index", None, 'field "document_start_index" must be a whole number, is null'),
    ("qmsum", "document_start_index", "12", 'field "document_start_index" must be a whole number, is text'),
    ("qmsum", "document_start_index", 12.0, 'field "document_start_index" must be a whole number, is a number'),
    ("qmsum", "document_start_index", True, 'field "document_start_index" must be a whole number, is true or false'),
    ("qmsum", "document_start_index", -1, 'field "document_start_index" is -1, must lie between 0'),
    ("qmsum", "document_end_index", 3, 'field "document_end_index" is 3, must lie between'),
    ("qmsum", "document_end_index", 10**6, 'field "document_end_index" is 1,000,000, must lie between'),
    ("qmsum", "query_start_index", 20, 'field "query_start_index" is 20, must lie between'),
    ("qmsum", "query_end_index", 10**9, 'field "query_end_index" is 1,000,000,000, must lie between'),
    ("qmsum", "truncation_seperator", 1, 'field "truncation_seperator" must be text, is a whole number'),
    ("musique", "inner_docs_start_indices", None, 'field "inner_docs_start_indices" must be a list, is null'),
    ("musique", "inner_docs_start_indices", [], 'field "inner_docs_start_indices" is empty'),
    ("musique", "inner_docs_start_indices", [9, 9], "inner_docs_start_indices[0]"),
    ("musique", "inner_docs_start_indices", ["a"], "must be a whole number, is text"),
    ("qmsum", "id", 7, 'field "id" must be text, is a whole number'),
    ("qmsum", "id", "", 'field "id" is empty'),
    ("qmsum", "pid", 7, 'field "pid" must be text, is a whole number'),
    ("qmsum", "input", ["x"], 'field "input" must be text, is a list'),
    ("qmsum", "output", ["x"], 'field "output" must be text, is a list'),
]


@pytest.mark.parametrize(("task", "field", "value", "told"), BAD)
def test_bad_row_is_not_dropped_alone_by_file_line_and_field(
    tmp_path: Path, task: str, field: str, value: Any, told: str
) -> None:
    (good,), (bad,) = sample_rows("zeroscrolls", task, "good"), sample_rows("zeroscrolls", task, "bad")
    bad[field] = value
    _, examples, (drop,) = imported(tmp_path, "zeroscrolls", task, [good, bad])
    assert [one.example_id for one in examples] == ["good"]
    assert drop.error
    assert drop.detail.startswith(f"{task}.zip!{task}/test.jsonl, line 2")
    assert told in drop.detail


def test_inner_documents_that_overlap_are_taken(tmp_path: Path) -> None:
    (good,), (bad,) = sample_rows("zeroscrolls", "musique", "g"), sample_rows("zeroscrolls", "musique", "b")
    first, second, third = bad["inner_docs_start_indices"]
    bad["inner_docs_start_indices"] = [first, third, second]
    _, _, (drop,) = imported(tmp_path, "zeroscrolls", "musique", [good, bad])
    assert "inner_docs_start_indices[2]" in drop.detail


def test_release_of_scrolls_is_taken_for_zeroscrolls_or_the_other_way(tmp_path: Path) -> None:
    with pytest.raises(MalformedFile, match='field "document_start_index" is missing'):
        imported(tmp_path, "zeroscrolls", "qmsum", sample_rows("scrolls", "qmsum"))
    with pytest.raises(MalformedFile, match="this is a row of ZeroSCROLLS"):
        imported(tmp_path, "scrolls", "qmsum", sample_rows("zeroscrolls", "qmsum"))


@pytest.mark.parametrize(
    ("task", "text", "told"),
    [
        ("qasper", "One line only", "has no blank line after its query"),
        ("quality", "Why?\n\n (A) one\n (B) two\n\nStory", 'has no line with option "(D)"'),
        ("contract_nli", "Hypothesis.\n\n ", "leaves no text for the document"),
    ],
)
def test_input_without_query_or_document_is_taken(tmp_path: Path, task: str, text: str, told: str) -> None:
    (row,) = sample_rows("scrolls", task)
    with pytest.raises(MalformedFile, match="no usable record among 1") as error:
        imported(tmp_path, "scrolls", task, [{**row, "input": text}])
    assert told in str(error.value)


def test_mark_crlf_and_separators_in_a_release_lose_rows(tmp_path: Path) -> None:
    (row,) = sample_rows("zeroscrolls", "qmsum")
    row = replaced(row, "More.", "More\u2028and\r\nmore.")
    _, examples, drops = imported(tmp_path, "zeroscrolls", "qmsum", ["\ufeff" + json.dumps(row) + "\r"])
    assert drops == []
    assert [one.example_id for one in examples] == ["e1"]
