"""Parquet and compressed raw files: every row with its number, and what is wrong with a file is said by its name."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord
from scrollwork.preprocessing.raw.files import Record
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from tests.preprocessing.raw_kit import Kit, article, hotel, story


def parquet(rows: list[dict[str, Any]] | pa.Table, **options: Any) -> bytes:
    stream = io.BytesIO()
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
    pq.write_table(table, stream, **options)
    return stream.getvalue()


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def read(folder: Path, data: bytes, name: str = "t.jsonl") -> list[Record | MalformedRecord]:
    return list(Kit(folder, "squality").file(name, data).raw().records())


def problem(folder: Path, data: bytes, name: str = "t.parquet") -> str:
    with pytest.raises(MalformedFile) as caught:
        read(folder, data, name)
    assert caught.value.file == name
    return str(caught.value)


def test_rows_are_named_from_one_on_over_all_row_groups(tmp_path: Path) -> None:
    rows = read(tmp_path, parquet([{"n": n} for n in range(100)], row_group_size=7), "any name.jsonl")
    assert [row.source for row in rows if isinstance(row, Record)] == [
        f"any name.jsonl, row {n}" for n in range(1, 101)
    ]
    assert [row.data["n"] for row in rows if isinstance(row, Record)] == list(range(100))


def test_nested_columns_are_lists_and_dicts_as_json_has_them(tmp_path: Path) -> None:
    rows = [story("p1", "Text.", questions=3), story("p2", "Other.", questions=1)]
    assert [row.data for row in read(tmp_path, parquet(rows)) if isinstance(row, Record)] == rows


@pytest.mark.parametrize(
    ("dataset", "records"),
    [
        ("squality", [story("a"), story("b", questions=2)]),
        ("quality", [article()]),
        ("space_digest", [hotel("h", [5, 1] * 40)]),
    ],
)
def test_data_set_reads_the_same_from_parquet_as_from_json_lines(
    tmp_path: Path, dataset: str, records: list[dict[str, Any]]
) -> None:
    def made(kit: Kit) -> list[object]:
        rows = list(kit.rows())
        assert any(isinstance(row, Example) for row in rows)
        return [(row.document_id, row.title) if isinstance(row, Document) else row for row in rows]

    lines = Kit(tmp_path / "lines", dataset).lines("r.jsonl", records)
    assert made(Kit(tmp_path / "table", dataset).file("r.parquet", parquet(records))) == made(lines)


def test_column_of_another_name_is_a_drop_that_names_row_and_field(tmp_path: Path) -> None:
    rows = [story("a"), {**story("b"), "document": None}]
    dropped = [row for row in read(tmp_path, parquet(rows)) if isinstance(row, Record)]
    with pytest.raises(MalformedRecord, match=r't.jsonl, row 2: field "document" must be text, is null'):
        dropped[1].text("document")
    with pytest.raises(MalformedRecord, match=r'row 1: field "article" is missing \(there are: metadata, document'):
        dropped[0].text("article")


WHOLE = parquet([{"a": "x" * 50, "n": n} for n in range(50)], row_group_size=10)


@pytest.mark.parametrize("size", [4, 8, 100, len(WHOLE) // 2, len(WHOLE) - 9, len(WHOLE) - 1])
def test_truncated_parquet_is_named(tmp_path: Path, size: int) -> None:
    assert "is not whole Parquet" in problem(tmp_path, WHOLE[:size])


def test_damaged_pages_are_named_with_the_row(tmp_path: Path) -> None:
    data = bytearray(parquet([{"a": f"{n} " * 500} for n in range(50)], row_group_size=10, compression="zstd"))
    data[len(data) // 3 : len(data) // 2] = bytes(len(data) // 2 - len(data) // 3)
    assert "is not whole Parquet" in problem(tmp_path, bytes(data))


def test_parquet_without_rows_is_empty_and_not_a_task_of_nothing(tmp_path: Path) -> None:
    assert "has no rows" in problem(tmp_path, parquet(pa.table({"a": pa.array([], pa.string())})))


def test_column_twice_is_named_and_not_one_of_them_taken(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert 'field "a" is a column twice' in problem(tmp_path, parquet(table))


def test_row_that_is_not_utf8_is_dropped_alone(tmp_path: Path) -> None:
    bad = pa.array([b"fine", b"\xff\xfe", b"fine too"], pa.binary())
    table = pa.table({"a": pa.Array.from_buffers(pa.string(), 3, bad.buffers())})
    rows = read(tmp_path, parquet(table))
    assert [type(row) for row in rows] == [Record, MalformedRecord, Record]
    assert "row 2: is not UTF-8 at byte 0" in str(rows[1])


def test_date_that_python_has_not_is_dropped_alone(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([0, 2**62], pa.timestamp("us"))})
    rows = read(tmp_path, parquet(table))
    assert [type(row) for row in rows] == [Record, MalformedRecord]


@settings(max_examples=150)
@given(st.data())
def test_any_bytes_after_the_magic_are_named_and_never_a_crash(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    at = data.draw(st.integers(4, len(WHOLE) - 1))
    flipped = bytearray(WHOLE)
    flipped[at] ^= data.draw(st.integers(1, 255))
    with suppress(MalformedFile):  # any other error is one that no task survives
        read(tmp_path_factory.mktemp("flipped"), bytes(flipped), "t.parquet")


def test_column_whose_name_is_no_text_is_a_crash(tmp_path: Path) -> None:
    """Each place in which a damaged file may have it."""
    data = parquet(pa.table({"column_name": [1, 2]}))
    places = [at for at in range(len(data)) if data[at : at + 11] == b"column_name"]
    assert len(places) > 1
    named = 0
    for number, at in enumerate(places):
        try:
            read(tmp_path / str(number), data[:at] + b"\xee" + data[at + 1 :])
        except MalformedFile as error:
            named += "is not whole Parquet" in str(error)
    assert named > 0


def test_big_table_is_read_in_pieces(tmp_path: Path) -> None:
    table = pa.table({"a": ["x" * 100_000] * 300})
    kit = Kit(tmp_path, "squality").file(
        "t.parquet", parquet(table, row_group_size=20, use_dictionary=False, compression="none")
    )
    tracemalloc.start()
    count = sum(1 for _ in kit.raw().records())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 300
    assert most < 10_000_000  # the texts are 30 MB


LINES = b"".join(json.dumps({"n": n}).encode() + b"\n" for n in range(5000))


@pytest.mark.parametrize("pack", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_compressed_lines_and_lists_are_read_as_they_are(tmp_path: Path, pack: Any) -> None:
    assert [row.data["n"] for row in read(tmp_path, pack(LINES)) if isinstance(row, Record)] == list(range(5000))
    listed = b"[" + b",".join(LINES.splitlines()) + b"]"
    assert [row.data["n"] for row in read(tmp_path, pack(listed)) if isinstance(row, Record)] == list(range(5000))


@pytest.mark.parametrize(("pack", "kind"), [(gzip.compress, "gzip"), (zstd, "zstd")], ids=["gzip", "zstd"])
def test_cut_compressed_file_is_named_and_its_end_not_lost_in_silence(tmp_path: Path, pack: Any, kind: str) -> None:
    assert f"is not whole {kind}" in problem(tmp_path, pack(LINES)[:-20], "t.jsonl.gz")


def test_csv_is_read_as_records(tmp_path: Path) -> None:
    rows = read(tmp_path, b'id,text\r\n1,"a, b"\r\n', "t.CSV")
    assert [(row.source, dict(row.data)) for row in rows if isinstance(row, Record)] == [
        ("t.CSV, line 2", {"id": "1", "text": "a, b"})
    ]


def test_real_stories_read_the_same_from_parquet(tmp_path: Path, shared: Path) -> None:
    lines = (shared / "raw/squality/v1-3/txt/dev.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    rows = read(tmp_path, parquet(records, compression="zstd", row_group_size=5))
    assert [row.data for row in rows if isinstance(row, Record)] == records
    assert len(records) == 25
