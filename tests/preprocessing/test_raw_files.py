"""Reading raw files: what is wrong with a file or a record is said, and nothing of it is lost in silence."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.raw_files import find
from scrollwork.preprocessing.datasets.narrative_qa import decode
from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, MissingFile
from scrollwork.preprocessing.raw.files import RawFiles, Record
from scrollwork.storage.digest import FileDigests
from tests.preprocessing.raw_kit import Kit, article, hotel, story


def read(tmp_path: Path, data: bytes | str) -> list[Record | MalformedRecord]:
    return list(Kit(tmp_path, "squality").file("t.json", data).raw().records())


def problem(tmp_path: Path, data: bytes | str) -> str:
    with pytest.raises(MalformedFile) as caught:
        read(tmp_path, data)
    assert caught.value.file == "t.json"
    return str(caught.value)


# --- lists -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rest", ["garbage", '{"a": 2}', "]", "\n[]"])
def test_text_after_a_list_is_lost_in_silence(tmp_path: Path, rest: str) -> None:
    assert "after the list" in problem(tmp_path, f'[{{"a": 1}}] {rest}')


def test_lines_behind_a_first_line_that_is_a_list_are_lost_in_silence(tmp_path: Path) -> None:
    assert "after the list" in problem(tmp_path, '[1, 2]\n{"a": 1}\n')


@pytest.mark.parametrize("data", ['[{"a": 1}', '[{"a": 1},', '[{"a": 1', "[", '[{"a": 1},]', "[,]", '[{"a": nan}]'])
def test_broken_list_is_taken_as_far_as_it_goes(tmp_path: Path, data: str) -> None:
    assert "is not JSON" in problem(tmp_path, data)


def test_item_that_is_no_object_stops_the_list(tmp_path: Path) -> None:
    one, two, three, four = read(tmp_path, '[{"a": 1}, [2], "x", {"a": 3}]')
    assert isinstance(one, Record)
    assert isinstance(four, Record)
    assert (one.data, one.where, four.data, four.where) == ({"a": 1}, "item 0", {"a": 3}, "item 3")
    assert "t.json, item 1: must be an object, is a list" in str(two)
    assert "t.json, item 2: must be an object, is text" in str(three)


@pytest.mark.parametrize("bad", ['{"a": NaN}', '{"b": [1, {"c": -Infinity}]}', "NaN", "[" * 5000 + '"]"' + "]" * 5000])
def test_item_that_is_no_json_stops_the_list(tmp_path: Path, bad: str) -> None:
    one, two, three = read(tmp_path, f'[{{"a": 1}}, {bad}, {{"a": 3}}]')
    assert isinstance(one, Record)
    assert isinstance(three, Record)
    assert (one.where, three.where, three.data) == ("item 0", "item 2", {"a": 3})
    assert isinstance(two, MalformedRecord)
    assert str(two).startswith("t.json, item 1: ")
    assert "JSON" in str(two)


def test_empty_list_has_records(tmp_path: Path) -> None:
    assert read(tmp_path, " [ \n] \n") == []


@pytest.mark.parametrize("shift", range(4))
def test_character_on_a_chunk_border_is_torn(tmp_path: Path, shift: int) -> None:
    """Every byte of a four-byte character lies once on the border of the reader's first chunk (1 MiB)."""
    start = '[{"a": "'
    filler = "x" * ((1 << 20) - len(start) - shift)
    (record,) = read(tmp_path, f'{start}{filler}😀é"}}]')
    assert isinstance(record, Record)
    assert record.data == {"a": f"{filler}😀é"}


def test_many_records_over_many_chunks_change(tmp_path: Path) -> None:
    records = [{"n": n, "text": f"“{n}” " * 40} for n in range(8000)]
    found = read(tmp_path, json.dumps(records, ensure_ascii=False, indent=1))
    assert [one.data for one in found if isinstance(one, Record)] == records


# --- files -----------------------------------------------------------------------------------------------------------


def test_file_that_cannot_be_read_is_not_named(tmp_path: Path) -> None:
    gone = RawFiles("squality", {"records": (("squality/gone.jsonl", tmp_path / "gone"),)})
    folder = RawFiles("squality", {"records": (("squality/folder", tmp_path),)})
    for files, name in ((gone, "squality/gone.jsonl"), (folder, "squality/folder")):
        with pytest.raises(MalformedFile, match=rf"{name}: cannot be read"):
            list(files.records())
        with pytest.raises(MalformedFile, match=rf"{name}: cannot be read"):
            files.text(files.files()[0])


def test_second_file_of_a_role_is_not_read(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "squality").lines("a.jsonl", [story("a")]).file("b.json", json.dumps([story("b")]))
    assert [example.example_id for example in kit.sorted()[1]] == ["a_1", "b_1"]


def test_role_without_files_is_not_named(tmp_path: Path) -> None:
    patterns = {"records": ("qmsum/{split}.jsonl", "qmsum/*.json")}
    with pytest.raises(MissingFile) as caught:
        find("qmsum", patterns, {"split": "val"}, str(tmp_path), FileDigests())
    assert "'records'" in str(caught.value)
    assert "qmsum/val.jsonl or qmsum/*.json" in str(caught.value)


def test_second_pattern_is_used_beside_the_first(tmp_path: Path) -> None:
    for name in ("new/section_10.txt", "new/section_9.txt", "old/section_1.txt", "old/section_2.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    patterns = {"records": ("none/*.txt", "new/*.txt", "old/*.txt")}
    found = find("book_sum_sort", patterns, {}, str(tmp_path), FileDigests())
    assert [file.path for file in found.roles["records"]] == ["new/section_9.txt", "new/section_10.txt"]
    assert [name for name, _ in found.opened(str(tmp_path)).files()] == ["new/section_9.txt", "new/section_10.txt"]


def test_place_of_the_raw_folder_enters_the_digest(tmp_path: Path) -> None:
    digests = []
    for folder, text in (("a", "same"), ("b", "same"), ("c", "other")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(text)
        digests.append(find("d", {"records": ("*.txt",)}, {}, str(tmp_path / folder), FileDigests()).digest())
    assert digests[0] == digests[1] != digests[2]


# --- CSV -------------------------------------------------------------------------------------------------------------

COLUMNS = "document_id,set,question,answer1,answer2"


def rows(tmp_path: Path, data: bytes | str) -> list[dict[str, Any]]:
    kit = Kit(tmp_path, "narrative_qa").file("q.csv", data, "questions")
    found = list(kit.raw().rows("questions", COLUMNS.split(",")))
    return [dict(record.data) for record in found if isinstance(record, Record)]


def test_column_under_another_name_gives_no_rows_in_silence(tmp_path: Path) -> None:
    with pytest.raises(MalformedFile, match=r'q\.csv, line 1: field "set" is missing \(there are: document_id, split'):
        rows(tmp_path, f"{COLUMNS.replace('set', 'split')}\nd,test,Q?,a,b\n")


@pytest.mark.parametrize("row", ["d,test,What, when?,a,b", "d,test,Q?,a"])
def test_lost_or_added_comma_moves_the_answers(tmp_path: Path, row: str) -> None:
    data = f"{COLUMNS}\nd,test,Q?,a,b\n{row}\nlast,test,Q?,a,b\n"
    first, bad, last = Kit(tmp_path, "narrative_qa").file("q.csv", data, "questions").raw().rows("questions", ["set"])
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert (first.where, last.where, last.data["document_id"]) == ("line 2", "line 4", "last")
    assert isinstance(bad, MalformedRecord)
    assert re.match(r"q\.csv, line 3: has \d fields, the header 5", str(bad))


def test_csv_is_not_utf8_and_read_otherwise(tmp_path: Path) -> None:
    with pytest.raises(MalformedFile, match=r"q\.csv, line 2: is not UTF-8"):
        rows(tmp_path, f"{COLUMNS}\n".encode() + b"d,test,\xff,a,b\n")


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_csv_with_mark_or_crlf_has_other_rows(tmp_path: Path, mark: str, newline: str) -> None:
    data = newline.join([mark + COLUMNS, 'd,test,"One,', 'two?",a,b', ""])
    assert rows(tmp_path, data.encode()) == [
        {"document_id": "d", "set": "test", "question": "One,\ntwo?", "answer1": "a", "answer2": "b"}
    ]


# --- whole files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"id": ' + b"9" * 5000 + b"}",
        b'{"id": 1} trailing',
        b"\x00",
        '{"id"}'.encode("utf-16"),
    ],
    ids=lambda data: ascii(data[:12]),
)
def test_file_that_is_no_json_raises_something_else(tmp_path: Path, data: bytes) -> None:
    kit = Kit(tmp_path, "qasper").file("q.json", data)
    with pytest.raises(MalformedFile, match=r"^q\.json"):
        kit.sorted()


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_constant_in_one_paper_costs_the_others(tmp_path: Path, name: str) -> None:
    kit = Kit(tmp_path, "qasper").file("q.json", f'{{"p1": {{"x": [{name}]}}, "p2": {{"full_text": 7}}}}')
    with pytest.raises(MalformedFile, match=rf"^qasper: no usable record among 2; the first: .*p1: {name} is not JSON"):
        kit.sorted()


def test_whole_file_with_mark_and_crlf_changes(tmp_path: Path) -> None:
    plain = '{"summary": "One\\n\\nTwo",\n "name": "n"}'
    files = Kit(tmp_path, "book_sum_sort").file("a", plain).file("b", "\ufeff" + plain.replace("\n", "\r\n")).raw()
    one, two = (files.object(path).data for path in files.files())
    assert one == two == {"summary": "One\n\nTwo", "name": "n"}


def test_byte_order_mark_is_part_of_an_id(tmp_path: Path) -> None:
    report = {"id": "R1", "title": "T", "summary": ["S."], "reports": {"section_title": "", "paragraphs": ["One."]}}
    kit = Kit(tmp_path, "gov_report").file("split_ids/crs_test.ids", "\ufeffR1\r\n", "ids")
    _, examples, drops = kit.file("crs/R1.json", json.dumps(report), "crs").sorted()
    assert ([example.example_id for example in examples], drops) == (["R1"], [])


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Zoë\r\nthe\rend".encode(), "Zoë\nthe\nend"),
        ("\ufeffZoë".encode(), "Zoë"),
        ("Zoë".encode("latin-1"), "Zoë"),
    ],
)
def test_story_is_read_in_a_wrong_encoding(data: bytes, text: str) -> None:
    assert decode(data) == text


# --- hostile names ---------------------------------------------------------------------------------------------------


def test_surrogate_in_a_field_name_stops_the_task(tmp_path: Path) -> None:
    """The message quotes the names that are there, and must itself be text that Parquet can hold."""
    _, examples, drops = Kit(tmp_path, "squality").lines("t.jsonl", [{"\ud800": 1}, story("good")]).sorted()
    assert [example.example_id for example in examples] == ["good_1"]
    assert r"there are: \ud800" in drops[0].detail


def test_surrogate_in_a_paper_id_stops_the_task(tmp_path: Path) -> None:
    def paper(question: str) -> dict[str, Any]:
        answer = {"unanswerable": True, "extractive_spans": [], "yes_no": None, "free_form_answer": ""}
        asked = {"question": "Q?", "question_id": question, "answers": [{"answer": answer}]}
        return {"title": "T", "full_text": [{"section_name": "S", "paragraphs": ["Text."]}], "qas": [asked]}

    papers = {"\ud800": paper("a"), "list": [1], "good": paper("b")}
    _, examples, drops = Kit(tmp_path, "qasper").file("t.json", json.dumps(papers)).sorted()
    assert [example.example_id for example in examples] == ["b"]
    assert [(drop.reason, drop.error) for drop in drops] == [("invalid value", True), ("wrong type", True)]
    assert r"t.json, paper \ud800" in drops[0].detail
    assert drops[1].detail == "t.json, paper list: must be an object, is a list"


def test_surrogate_in_a_field_that_may_be_absent_stops_the_task(tmp_path: Path) -> None:
    episode = {"filename": "a.json", "Transcript": ["A: Hi."], "Recap": ["They meet."], "Episode Title": "\udfff"}
    records = [episode, {**episode, "filename": "b.json", "Episode Title": "Good"}]
    _, examples, drops = Kit(tmp_path, "summ_screen_fd").lines("t.json", records).sorted()
    assert [example.example_id for example in examples] == ["b"]
    assert "t.json, line 1" in drops[0].detail
    assert 'field "Episode Title" holds a lone surrogate' in drops[0].detail


MISSING = {
    "summ_screen_fd": ({"filename": "a.json", "Transcript": ["A: Hi."], "Recap": ["They meet."]}, "Recap"),
    "qmsum": (
        {
            "general_query_list": [{"query": "Q", "answer": "A"}],
            "specific_query_list": [],
            "meeting_transcripts": [{"speaker": "A", "content": "Hi"}],
        },
        "meeting_transcripts",
    ),
    "quality": (article(), "article"),
    "musique": (
        {
            "id": "m",
            "paragraphs": [{"title": "T", "paragraph_text": "Text."}],
            "question": "Q",
            "answer": "A",
            "answerable": True,
        },
        "answerable",
    ),
    "space_digest": (hotel("h", [5] * 50), "entity_id"),
    "squality": (story("s"), "metadata"),
}


@pytest.mark.parametrize("dataset", MISSING)
@pytest.mark.parametrize("wrong", ["missing", "null", "number"])
def test_field_of_a_data_set_is_missing_or_of_another_type_and_not_named(
    tmp_path: Path, dataset: str, wrong: str
) -> None:
    record, field = MISSING[dataset]
    bad = {name: value for name, value in record.items() if name != field or wrong != "missing"}
    if wrong != "missing":
        bad[field] = None if wrong == "null" else 7
    kit = Kit(tmp_path, dataset).lines("t.jsonl", [record, bad])
    _, examples, drops = kit.sorted()
    assert len(examples) == 1
    (drop,) = drops
    assert drop.error
    assert drop.reason == ("missing field" if wrong == "missing" else "wrong type")
    assert drop.detail.startswith(f't.jsonl, line 2: field "{field}" ')


@pytest.mark.parametrize(
    ("dataset", "data"), [("qasper", "{}"), ("space_digest", "[ ]"), ("squality", '{"metadata": 1}\n')]
)
def test_file_without_records_is_not_named(tmp_path: Path, dataset: str, data: str) -> None:
    with pytest.raises(MalformedFile, match=rf"^{dataset}: no .*folder/t\.json"):
        Kit(tmp_path, dataset).file("folder/t.json", data).sorted()
