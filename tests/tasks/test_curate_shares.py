"""Curation in shares: rows, order and what is said of bad records are those of one process, wherever files are cut."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.scale.corpus import NOTES_ALONE
from scrollwork.cli.main import main
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles, Record
from scrollwork.preprocessing.raw.json_objects import lines
from scrollwork.preprocessing.raw.parquet import groups_in
from scrollwork.preprocessing.raw.shares import share_of
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.statistics import Bin, Distribution, Spread
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts
from tests.some_slow import one_in

SUITE = NOTES_ALONE.replace("notes/*.jsonl", "notes/*").replace('name = "scale"', 'name = "own"')
ROWS = {"documents": Document, "examples": Example, "drops": Drop}


def note(name: str, text: str = "", **more: Any) -> str:
    given = {"id": name, "document": text or f"The note {name} says so.", "query": "Who?", "references": ["so"], **more}
    return json.dumps(given, ensure_ascii=False)


def build(folder: Path, shards: int, *options: str) -> tuple[int, Artifact | None]:
    """Build the suite of a folder; exit status, and the curated artifact."""
    suite = folder / f"suite-{shards}.toml"
    suite.write_text(SUITE + (f"shards = {shards}\n" if shards > 1 else ""))
    home = folder / f"home-{shards}"
    told = ["--home", str(home), "--quiet", "build", "--suite", str(suite), "--raw", str(folder / "raw"), *options]
    status = main([*told, "--engine", "inline"])
    found = [
        one for one in Artifacts(f"{home}/artifacts").everything() if one.folder.url.rsplit("/", 3)[-3] == "curate"
    ]
    whole = [one for one in found if one.manifest.ingredients.slot == "own.notes.test"]
    assert len(found) == (1 if shards == 1 else shards + 1) or status
    return status, whole[0] if whole else None


def rows_of(artifact: Artifact) -> dict[str, list[Any]]:
    return {table: list(artifact.rows(table, row)) for table, row in ROWS.items()}


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        place = folder / "raw" / "notes" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def joined(listed: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in listed).encode()


def row_groups(listed: Sequence[str]) -> bytes:
    """Parquet with two records a row group."""
    written = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([*map(json.loads, listed)]), written, row_group_size=2)
    return written.getvalue()


SAME = "the same text in several records"
CASES: dict[str, dict[str, bytes]] = {
    "one file": {"a.jsonl": joined([note(str(number)) for number in range(40)])},
    "files of all kinds": {
        "a.jsonl": joined([note(f"a{number}") for number in range(9)]),
        "b.json": json.dumps([json.loads(note(f"b{number}")) for number in range(7)]).encode(),
        "c.jsonl.gz": gzip.compress(joined([note(f"c{number}") for number in range(11)]), mtime=0),
        "d.jsonl": joined([note(f"d{number}", "long " * (20 * number + 1)) for number in range(12)]),
        "e.parquet": row_groups([note(f"e{number}", "long " * (20 * number + 1)) for number in range(12)]),
    },
    "documents in several records": {"a.jsonl": joined([note(str(n), SAME if n % 3 else "") for n in range(30)])},
    "broken records": {
        "a.jsonl": b"\xef\xbb\xbf"
        + joined([note("0"), "{broken", "", "  ", note("1"), "[1]", note("2", references=3), note("3")])
        + b'{"id": "\xff"}\n'
        + note("4").encode()
    },
    "the same id twice": {"a.jsonl": joined([*(note(str(number)) for number in range(30)), note("0", "another text")])},
}


RECORDS = dict(zip(CASES, (40, 51, 30, 10, 31), strict=True))


@pytest.mark.parametrize("shards", one_in(4, [3, 2, 7, 0]))  # 0: one more than there are records
@pytest.mark.parametrize("case", CASES)
def test_shares_are_other_rows(case: str, shards: int, tmp_path: Path) -> None:
    write(tmp_path, CASES[case])
    shards = shards or RECORDS[case] + 1
    (first, alone), (second, together) = build(tmp_path, 1), build(tmp_path, shards)
    assert first == second == (case in ("broken records", "the same id twice"))  # malformed records are told
    assert alone is not None
    assert together is not None
    assert rows_of(together) == rows_of(alone)
    assert together.facts == alone.facts
    assert alone.facts["examples"] > 3


@pytest.mark.slow
@pytest.mark.parametrize("case", ["one file", "documents in several records", "broken records"])
def test_statistics_of_shares_are_other_numbers(case: str, tmp_path: Path) -> None:
    write(tmp_path, CASES[case])
    made = []
    for shards in (1, 2, 7):
        build(tmp_path, shards)
        every = Artifacts(f"{tmp_path / f'home-{shards}'}/artifacts").everything()
        (whole,) = [
            one
            for one in every
            if (one.manifest.ingredients.stage, one.manifest.ingredients.slot) == ("statistics", "own.notes.test")
        ]
        tables = {"distributions": Distribution, "histograms": Bin, "spreads": Spread}
        rows = {table: list(whole.rows(table, row)) for table, row in tables.items()}
        made.append((whole.facts, rows, {part.table for part in whole.manifest.files}))
    assert made[0] == made[1] == made[2]
    assert made[0][0]["pairs"] == len(made[0][1]["spreads"]) > 3


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.jsonl": joined([note("1"), note("2")]), "b.jsonl": b""}, "notes/b.jsonl: is empty"),
        ({"a.jsonl": joined([note("1"), note("2")]), "b.jsonl": b"\n \n" * 30}, "notes/b.jsonl: is empty"),
        ({"a.jsonl": joined(["{"] * 20)}, "no usable record among 20; the first: notes/a.jsonl, line 1: is not JSON"),
        ({"a.jsonl": b"PK\x03\x04" + joined([note("1")] * 9)}, "notes/a.jsonl"),
    ],
)
def test_a_broken_data_set_is_told_otherwise(
    files: dict[str, bytes], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, files)
    told = []
    for shards in (1, 3):
        status, _ = build(tmp_path, shards)
        assert status == 1
        printed = capsys.readouterr()
        told.append(next(line for line in (printed.out + printed.err).splitlines() if said in line))
    assert told[0].split(said)[1] == told[1].split(said)[1]


def test_strict_lets_a_malformed_record_of_a_share_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.jsonl": joined([*(note(str(number)) for number in range(20)), "{broken", note("20")])})
    assert build(tmp_path, 3, "--strict") == (1, None)
    assert "notes/a.jsonl, line 21: is not JSON" in "".join(capsys.readouterr())
    _, whole = build(tmp_path, 3)
    assert whole is not None
    assert "failed" not in "".join(capsys.readouterr())
    assert build(tmp_path, 3, "--strict")[0] == 1  # the artifacts are there
    assert "failed" in "".join(capsys.readouterr())


def test_an_idle_build_makes_something_or_damage_in_a_share_lasts(tmp_path: Path) -> None:
    write(tmp_path, CASES["one file"])
    _, before = build(tmp_path, 3)
    assert before is not None
    share = next((tmp_path / "home-3" / "artifacts" / "curate").glob("own.notes.test.2-of-3/*/examples-*.parquet"))
    share.write_bytes(b"PAR1")
    (before.folder.local or Path()).joinpath("manifest.json").unlink()
    status, after = build(tmp_path, 3)
    assert status == 0
    assert after is not None
    assert after.manifest == before.manifest


LINES = st.lists(
    st.sampled_from([b"{}", b'{"a": 1}', b"", b" ", b"{", b"x" * 9, b'{"a": "\xc3\xa9"}', b"\xef\xbb\xbf{}"])
)


@settings(max_examples=300)
@given(LINES, st.booleans(), st.integers(1, 12))
def test_a_line_is_in_no_share_or_in_two(
    tmp_path_factory: pytest.TempPathFactory, listed: list[bytes], ended: bool, of: int
) -> None:
    place = tmp_path_factory.getbasetemp() / "lines.jsonl"
    data = b"\n".join(listed) + b"\n" * ended
    place.write_bytes(data)
    path = ("lines.jsonl", place)

    def read(make: Callable[[], Iterator[Any]]) -> list[str]:
        try:
            return [repr(one) for one in make()]
        except MalformedFile as error:
            return [f"error {error}"]

    def shares() -> Iterator[Any]:
        for number in range(of):
            (span,) = share_of({"records": [len(data)]}, number, of).spans["records"]
            if span is not None:
                yield from lines(path, span)

    whole = read(lambda: lines(path))
    assert read(shares) == whole


SIZES = st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(0, 50), max_size=5), min_size=1)


@given(SIZES, st.integers(1, 9))
def test_a_byte_or_an_empty_file_is_in_no_share_or_in_two(sizes: dict[str, list[int]], of: int) -> None:
    shares = [share_of(sizes, number, of) for number in range(of)]
    for role, listed in sizes.items():
        assert sum(share.begins(role) for share in shares) == 1
        for place, size in enumerate(listed):
            spans = [span for share in shares if (span := share.spans[role][place]) is not None]
            read = [byte for span in spans for byte in range(span.start, size if span.end is None else span.end)]
            assert read == list(range(size))
            assert sum(span.begins for span in spans) == 1


def test_a_csv_file_is_read_by_two_shares(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n" + "".join(f"{number},t\n" for number in range(50)))
    size = (tmp_path / "a.csv").stat().st_size
    roles = {"records": (("a.csv", tmp_path / "a.csv"),)}
    found = [list(RawFiles("own", roles, share_of({"records": [size]}, n, 4)).records()) for n in range(4)]
    assert [len(one) for one in found] == [50, 0, 0, 0]
    assert all(isinstance(one, Record) for one in found[0])


@pytest.mark.parametrize("dictionaries", [True, False])
@pytest.mark.parametrize("of", [2, 3, 7, 40])
def test_a_row_group_of_parquet_is_in_no_share_or_in_two(of: int, dictionaries: bool, tmp_path: Path) -> None:
    """Row groups of very different sizes, also without rows; a file of one group beside them."""
    schema = pa.schema({"id": pa.string(), "texts": pa.list_(pa.string()), "no": pa.null()})
    files, number = [], 0
    for name, groups in (("a.parquet", (3, 0, 40, 1, 5)), ("b.parquet", (7,))):
        with pq.ParquetWriter(tmp_path / name, schema, use_dictionary=dictionaries) as writer:
            for rows in groups:
                listed = [{"id": str(number + n), "texts": [f"text {n} " * (n % 9)], "no": None} for n in range(rows)]
                writer.write_table(pa.Table.from_pylist(listed, schema))
                number += rows
        files.append((name, tmp_path / name))
    whole = [*RawFiles("own", {"records": tuple(files)}).records()]
    assert [record.data["id"] for record in whole if isinstance(record, Record)] == [*map(str, range(56))]
    sizes = {"records": [path.stat().st_size for _, path in files]}
    raw = RawFiles("own", {"records": tuple(files)})
    shares = [[*replace(raw, share=share_of(sizes, number, of)).records()] for number in range(of)]
    assert [record for share in shares for record in share] == whole  # each with the number of its row
    assert sum(map(bool, shares)) > 1


def test_a_row_group_is_lost_where_a_file_lies_about_its_place() -> None:
    """A place before the file, behind its end, or before that of the group ahead."""

    def told(*places: int) -> SimpleNamespace:
        column = lambda place: SimpleNamespace(dictionary_page_offset=None, data_page_offset=place)  # noqa: E731
        groups = [SimpleNamespace(num_rows=5, num_columns=1, column=lambda _, at=at: column(at)) for at in places]
        return SimpleNamespace(num_row_groups=len(groups), row_group=groups.__getitem__)

    for places in ((4, 100, 200), (-7, -9, -1), (4, 10**12, 50), (4, 300, 100), (500, 4, 4)):
        shares = [share_of({"records": [400]}, number, 4).spans["records"][0] for number in range(4)]
        found = [groups_in(told(*places), span) for span in shares]
        assert [group for groups, _ in found for group in groups] == [0, 1, 2], places
        assert all(before == 5 * groups[0] for groups, before in found if groups)


def test_a_damaged_row_group_is_not_told_by_its_share(tmp_path: Path) -> None:
    place = tmp_path / "a.parquet"
    with pq.ParquetWriter(place, pa.schema({"id": pa.string()}), compression="zstd") as writer:
        for group in range(4):
            writer.write_table(pa.table({"id": [f"{group}-{n}" * 30 for n in range(64)]}))
    data = bytearray(place.read_bytes())
    begin = pq.ParquetFile(place).metadata.row_group(2).column(0).dictionary_page_offset + 40
    data[begin : begin + 60] = bytes(60)
    place.write_bytes(data)
    raw = RawFiles("own", {"records": (("a.parquet", place),)})
    with pytest.raises(MalformedFile, match=r"a\.parquet, row 129 or later: is not whole Parquet"):
        list(raw.records())
    said: list[int | str] = []
    for number in range(30):  # so many that a share has one group, or none
        try:
            said.append(len([*replace(raw, share=share_of({"records": [len(data)]}, number, 30)).records()]))
        except MalformedFile as error:
            said.append(str(error))
    told, read = ([one for one in said if isinstance(one, kind)] for kind in (str, int))
    assert [one.split(":")[0] for one in told] == ["a.parquet, row 129 or later"]
    assert sum(read) == 3 * 64
