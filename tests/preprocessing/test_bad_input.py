"""Bad raw input: every error names file, record and field; a bad record is dropped alone, a bad file fails its task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.raw.errors import MalformedFile, MissingFile
from scrollwork.preprocessing.raw.files import RawFiles
from tests.preprocessing.raw_kit import Kit, article, hotel, story

GOOD = story("good")


def without(record: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != field}


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**record, **fields}


BAD_RECORDS = {
    "broken JSON": ('{"metadata": {"passage_id": "x"', "broken JSON", "line 2"),
    "missing field": (without(story("x"), "document"), "missing field", 'field "document" is missing'),
    "wrong type": (changed(story("x"), questions="none"), "wrong type", 'field "questions" must be a list, is text'),
    "list where text belongs": (
        changed(story("x"), document=["a"]), "wrong type", 'field "document" must be text, is a list'
    ),
    "null where text belongs": (
        changed(story("x"), document=None), "wrong type", 'field "document" must be text, is null'
    ),
    "blank text": (changed(story("x"), document=" \n"), "empty field", 'field "document" is empty'),
    "no object": ("[1, 2]", "wrong type", "must be a JSON object, is a list"),
    "NaN": ('{"metadata": NaN}', "broken JSON", "NaN is not JSON"),
    "lone surrogate": (changed(story("x"), document="a \ud800 b"), "lone surrogate", "lone surrogate at character 2"),
    "nesting bomb": ("[" * 100_000, "broken JSON", "is not JSON"),
    "nested wrong type": (
        changed(story("x"), metadata={"passage_id": 7}), "wrong type",
        'field "passage_id" must be text, is a whole number',
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_RECORDS)
def test_bad_record_stops_the_file_or_is_not_named(tmp_path: Path, kind: str) -> None:
    record, reason, said = BAD_RECORDS[kind]
    kit = Kit(tmp_path, "squality").lines("squality/test.jsonl", [GOOD, record, story("last")])
    _, examples, drops = kit.sorted()
    assert [e.example_id for e in examples] == ["good_1", "last_1"]
    (drop,) = drops
    assert drop.reason == reason
    assert drop.error
    assert drop.record.startswith("squality/test.jsonl, line 2")
    assert drop.detail.startswith("squality/test.jsonl, line 2")
    assert said in drop.detail


def test_bad_question_takes_its_story_along(tmp_path: Path) -> None:
    bad = story("s", questions=3)
    bad["questions"][1]["responses"] = {}
    _, examples, drops = Kit(tmp_path, "squality").lines("t.jsonl", [bad]).sorted()
    assert [e.example_id for e in examples] == ["s_1", "s_3"]
    assert "line 1, questions[1]" in drops[0].detail
    assert 'field "responses" must be a list, is an object' in drops[0].detail


def test_line_that_is_no_utf8_stops_the_others(tmp_path: Path) -> None:
    good = json.dumps(GOOD).encode()
    kit = Kit(tmp_path, "squality").file("t.jsonl", good + b"\n" + b'{"document": "\xff"}\n')
    _, examples, drops = kit.sorted()
    assert len(examples) == 1
    assert (drops[0].reason, drops[0].record) == ("invalid UTF-8", "t.jsonl, line 2")


def test_duplicate_id_is_kept_twice_or_silently(tmp_path: Path) -> None:
    _, examples, drops = Kit(tmp_path, "squality").lines("t.jsonl", [GOOD, changed(GOOD, document="Other.")]).sorted()
    assert [e.example_id for e in examples] == ["good_1"]
    assert (drops[0].reason, drops[0].error) == ("duplicate id", True)
    assert "good_1" in drops[0].detail


@pytest.mark.parametrize(
    ("gold", "reason"),
    [(0, "answer is no option"), (5, "answer is no option"), ("2", "wrong type"), (True, "wrong type")],
)
def test_answer_that_is_no_option_is_taken(tmp_path: Path, gold: Any, reason: str) -> None:
    good = article()
    good["questions"][0]["question_unique_id"] = "good"
    _, examples, drops = Kit(tmp_path, "quality").lines("t", [good, article(gold=gold)]).sorted()
    assert [e.example_id for e in examples] == ["good"]
    assert drops[0].reason == reason
    assert 'field "gold_label"' in drops[0].detail


@pytest.mark.parametrize("options", [["a", "b", "c"], ["a", "b", "c", "d", "e"], "abcd", ["a", "b", "c", 4]])
def test_options_that_are_not_four_texts_are_taken(tmp_path: Path, options: Any) -> None:
    good = article()
    good["questions"][0]["question_unique_id"] = "good"
    _, examples, drops = Kit(tmp_path, "quality").lines("t", [good, article(options=options)]).sorted()
    assert len(examples) == 1
    assert 'field "options"' in drops[0].detail


@pytest.mark.parametrize("rating", [0, 6, 4.5, "5", None, True])
def test_rating_out_of_range_is_taken(tmp_path: Path, rating: Any) -> None:
    hotels = [hotel("good", [5] * 50), hotel("bad", [*[5] * 50, rating])]
    _, examples, drops = Kit(tmp_path, "space_digest").file("t.json", json.dumps(hotels)).sorted()
    assert [e.example_id for e in examples] == ["good"]
    assert drops[0].error
    assert "t.json, item 1, reviews[50]" in drops[0].detail
    assert 'field "rating"' in drops[0].detail


def test_bad_chapter_leaves_a_gap_in_its_book(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    for title in ("Good", "Bad"):
        for number in range(4):
            text = json.dumps({"name": "n", "summary": f"{title} {number}."})
            kit.file(f"booksum/finished_summaries/shmoop/{title}/section_{number}_part_0.txt", text)
    (tmp_path / "booksum/finished_summaries/shmoop/Bad/section_2_part_0.txt").write_bytes(b"")
    _, examples, drops = kit.sorted()
    assert {e.facts["book"] for e in examples} == {"Good"}
    assert any("Bad/section_2_part_0.txt" in drop.detail and drop.error for drop in drops)
    assert all("booksum/finished_summaries/shmoop/Bad" in drop.detail for drop in drops)


@pytest.mark.parametrize("mark", ["bom", "crlf", "both", "no last newline"])
def test_byte_order_mark_or_crlf_changes_the_rows(tmp_path: Path, mark: str) -> None:
    plain = "\n".join(json.dumps(story(name)) for name in "ab") + "\n"
    windows = plain.replace("\n", "\r\n")
    text = {"bom": "\ufeff" + plain, "crlf": windows, "both": "\ufeff" + windows, "no last newline": plain.rstrip()}[
        mark
    ]
    wanted = Kit(tmp_path / "plain", "squality").file("t.jsonl", plain).sorted()
    assert Kit(tmp_path / "other", "squality").file("t.jsonl", text).sorted() == wanted


def test_line_separator_in_a_string_splits_the_record(tmp_path: Path) -> None:
    record = json.dumps(story("s", "One\u2028two\u0085three."), ensure_ascii=False)
    documents, _, drops = Kit(tmp_path, "squality").file("t.jsonl", record + "\n").sorted()
    assert drops == []
    assert documents[0].text == "One\u2028two\u0085three."


@pytest.mark.parametrize(
    ("dataset", "data", "said"),
    [
        ("squality", b"", "is empty"),
        ("squality", b" \n\n", "is empty"),
        ("qasper", b'{"p1": ', "line 1: is not JSON"),
        ("qasper", b"[]", "must be a JSON object, is a list"),
        ("qasper", b'{"p1": "\xff"}', "is not UTF-8 at byte 8"),
        ("space_digest", b'[{"entity_id": "h"', "is not JSON"),
        ("space_digest", b"[1 2]", "expected ','"),
        ("space_digest", b'["\xff"]', "is not UTF-8"),
        ("space_digest", b"[" * 100_000, "is not JSON"),
    ],
)
def test_bad_file_is_not_named(tmp_path: Path, dataset: str, data: bytes, said: str) -> None:
    kit = Kit(tmp_path, dataset).file("folder/t.json", data)
    with pytest.raises(MalformedFile) as caught:
        kit.sorted()
    assert str(caught.value).startswith("folder/t.json")
    assert said in str(caught.value)


def test_file_without_one_usable_record_gives_an_empty_benchmark(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "squality").lines("t.jsonl", ["{", "{"])
    with pytest.raises(MalformedFile, match=r"no usable record among 2; the first: t\.jsonl, line 1"):
        kit.sorted()


def test_missing_role_is_not_named() -> None:
    with pytest.raises(MissingFile, match="records"):
        RawFiles("squality", {}).files()


def test_broken_csv_is_not_named(tmp_path: Path) -> None:
    header = "document_id,set,kind\n"
    kit = Kit(tmp_path, "narrative_qa").file("d.csv", header + '"x,test,movie\n', "documents")
    kit.file("q.csv", "document_id,set,question,answer1,answer2\n", "questions").file("tmp/x.content", "x", "stories")
    with pytest.raises(MalformedFile, match=r"d\.csv, line \d: is not CSV"):
        kit.sorted()


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_long_json_list_is_cut_at_a_chunk(tmp_path: Path, start: str) -> None:
    hotels = [hotel(f"h{n}", [5] * 50) for n in range(3)]
    for number, one in enumerate(hotels):  # multi-byte characters over every border of the reader's 1 MiB chunks
        one["reviews"][0]["sentences"] = ["é€😀" * 150_000 + f" {number}"]
    text = start + " " + json.dumps(hotels, ensure_ascii=False) + "\n"
    assert len(text.encode()) > 3 << 20
    _, examples, drops = Kit(tmp_path, "space_digest").file("t.json", text).sorted()
    assert drops == []
    assert [e.example_id for e in examples] == ["h0", "h1", "h2"]


def test_story_that_is_not_there_is_silent(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "narrative_qa")
    kit.file("d.csv", "document_id,set,kind,wiki_title\nhere,test,movie,T\ngone,test,movie,T\n", "documents")
    kit.file("q.csv", "document_id,set,question,answer1,answer2\ngone,test,Q?,a,b\nhere,test,Q?,a,b\n", "questions")
    kit.file("tmp/here.content", "Text.", "stories")
    _, examples, drops = kit.sorted()
    assert [e.example_id for e in examples] == ["here_0"]
    assert "tmp/gone.content is not there; 1 questions are lost" in drops[0].detail
    assert drops[0].error


def test_listed_report_that_is_not_there_is_silent(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "gov_report").file("split_ids/crs_test.ids", "R1\nR2\n", "ids")
    report = {"id": "R1", "title": "T", "summary": ["S."], "reports": {"section_title": "", "paragraphs": ["One two."]}}
    kit.file("crs/R1.json", json.dumps(report), "crs")
    _, examples, drops = kit.sorted()
    assert len(examples) == 1
    assert "split_ids/crs_test.ids, line 2: names 'R2'" in drops[0].detail


def test_section_tree_without_end_is_followed(tmp_path: Path) -> None:
    tree: dict[str, Any] = {"section_title": "t", "paragraphs": ["p"]}
    for _ in range(300):
        tree = {"section_title": "t", "paragraphs": ["p"], "subsections": [tree]}
    good = {"id": "R1", "title": "T", "summary": ["S."], "reports": {"section_title": "", "paragraphs": ["One two."]}}
    kit = Kit(tmp_path, "gov_report").file("split_ids/crs_test.ids", "R1\nR2\n", "ids")
    kit.file("crs/R1.json", json.dumps(good), "crs").file("crs/R2.json", json.dumps({**good, "reports": tree}), "crs")
    _, examples, drops = kit.sorted()
    assert len(examples) == 1
    assert drops[0].reason == "nesting"
