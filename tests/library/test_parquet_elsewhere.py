"""Parquet of a home, opened by tools that people have: polars, pandas, duckdb and `datasets`, against pyarrow."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import scrollwork as sw
from scrollwork import records
from scrollwork.records.base import InvalidRow, Row, from_batch
from scrollwork.records.score import Score
from scrollwork.storage.artifacts.manifest import Manifest
from scrollwork.storage.artifacts.parts import read_rows, read_tuples
from scrollwork.storage.digest import sha256_file
from scrollwork.storage.location import Location
from tests.exchange.test_export_validators import by, python_with
from tests.library.conftest import ran

BY_DUCKDB = """
import duckdb, json, sys
connection = duckdb.connect()
connection.execute("set enable_progress_bar = false")  # it is printed among the rows
tables = {}
for name, parts in json.loads(sys.argv[1]).items():
    found = connection.execute("select * from read_parquet(?)", [parts])
    names = [one[0] for one in found.description]
    tables[name] = [dict(zip(names, row)) for row in found.fetchall()]
print(json.dumps(tables))
"""


def tables(home: Path) -> Iterator[tuple[str, list[Path]]]:
    """Each table of each stage of a home, with its parts."""
    found: dict[str, list[Path]] = {}
    for place in sorted(home.glob("artifacts/*/*/*/manifest.json")):
        for part in Manifest.from_bytes(place.read_bytes(), str(place)).files:
            if part.name.endswith(".parquet"):
                stage = place.relative_to(home / "artifacts").parts[0]
                found.setdefault(f"{stage}/{part.table}", []).append(place.parent / part.name)
    yield from found.items()


def opened_elsewhere(home: Path, cache: Path, duckdb: str | None) -> set[str]:
    """Open all tables of a home with each tool, and hold the values against those that pyarrow reads.

    Returns the names of the tables that have rows.
    """
    import datasets
    import pandas

    filled = set()
    found = {name: [str(part) for part in parts] for name, parts in tables(home)}
    by_duckdb = json.loads(by(duckdb, BY_DUCKDB, json.dumps(found))) if duckdb is not None else None
    for name, parts in tables(home):
        rows = [row for part in parts for row in pq.ParquetFile(part).read().to_pylist()]
        assert polars.read_parquet(parts).to_dicts() == rows, name
        frames = [pandas.read_parquet(part, dtype_backend="pyarrow") for part in parts]
        assert [row for frame in frames for row in pa.Table.from_pandas(frame).to_pylist()] == rows, name
        if by_duckdb is not None:
            assert by_duckdb[name] == rows, name
        asked = {"data_files": found[name], "cache_dir": str(cache / name), "split": "train"}
        assert list(datasets.load_dataset("parquet", streaming=True, **asked)) == rows, name
        if rows:  # `datasets` has no table without rows, but as a stream
            assert datasets.load_dataset("parquet", **asked).to_list() == rows, name
            filled.add(name)
    return filled


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def row_classes() -> list[type[Row]]:
    """All classes of rows."""
    for one in pkgutil.iter_modules(records.__path__):
        importlib.import_module(f"{records.__name__}.{one.name}")
    return sorted((one for one in Row.__subclasses__() if one.__module__.startswith(records.__name__)), key=str)


@pytest.mark.parametrize("row", row_classes(), ids=lambda row: row.__name__)
def test_a_stored_class_cannot_be_opened_by_datasets(row: type[Row]) -> None:
    import datasets

    assert "map<" not in str(row.schema())
    assert set(datasets.Features.from_arrow_schema(row.schema())) == set(row.schema().names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "asked"),
    [
        ("zeroscrolls", {"tasks": ("qmsum", "space_digest")}),
        ("scrolls", {"tasks": ("qasper", "contract_nli")}),
        ("seam", {"tasks": ("musique",), "runs": 2}),
        ("dolce", {"tasks": ("leval_quality",), "limit": 2}),
    ],
)
@pytest.mark.usefixtures("offline")
def test_a_table_has_other_values_in_other_tools(tmp_path: Path, suite: str, asked: dict[str, Any]) -> None:
    ran(tmp_path / "home", suite, models=("lead",) if suite == "seam" else ("bm25",), **asked)
    try:
        duckdb = python_with("duckdb")
    except pytest.skip.Exception:
        duckdb = None  # the other three are held against each other all the same
    filled = opened_elsewhere(tmp_path / "home", tmp_path / "cache", duckdb)
    assert {"score/scores", "aggregate/aggregates", "generate/responses", "curate/documents"} <= filled


def with_maps(path: Path) -> None:
    """Write a part of scores again as older versions did: mappings as Arrow maps, and a manifest that says so."""
    table = pq.read_table(path)
    for name, kind in (("components", pa.float64()), ("flags", pa.bool_())):
        pairs = [[(one["key"], one["value"]) for one in row] for row in table[name].to_pylist()]
        of_map = pa.map_(pa.string(), pa.field("value", kind, nullable=False))
        where = table.schema.get_field_index(name)
        table = table.set_column(where, pa.field(name, of_map, nullable=False), pa.array(pairs, type=of_map))
    pq.write_table(table, path)
    place = path.with_name("manifest.json")
    values = json.loads(place.read_text())
    del values["digest"]
    for part in values["files"]:
        if part["name"] == path.name:
            part.update(bytes=path.stat().st_size, sha256=sha256_file(path))
    files = Manifest.from_bytes(place.read_bytes(), "").files
    fresh = [type(part)(**new) for part, new in zip(files, values["files"], strict=True)]
    kept = {name: value for name, value in vars(Manifest.from_bytes(place.read_bytes(), "")).items() if name != "files"}
    place.write_bytes(Manifest(**{**kept, "files": tuple(fresh)}).to_bytes())


def test_maps_of_an_older_version_cannot_be_read(copied: Path) -> None:
    """By frames, beside parts of lists, and by the readers of stages."""
    before = sw.open(copied).scores("zeroscrolls").collect()
    (path,) = copied.glob("artifacts/score/zeroscrolls.qmsum.test.bm25.*/*/scores-*.parquet")
    manifest = Manifest.from_bytes(path.with_name("manifest.json").read_bytes(), "")
    folder = Location(str(path.parent))
    rows = list(read_rows(folder, list(manifest.files), Score))
    columns = ["example_id", "components", "flags"]
    tuples = list(read_tuples(folder, list(manifest.files), columns))
    with_maps(path)
    assert "map<" in str(pq.read_schema(path))
    old = list(Manifest.from_bytes(path.with_name("manifest.json").read_bytes(), "").files)
    assert list(read_rows(folder, old, Score)) == rows
    assert list(read_tuples(folder, old, columns)) == tuples
    assert sw.open(copied).scores("zeroscrolls").collect().equals(before)


def test_a_key_that_stands_twice_is_taken() -> None:
    """Of a part with another schema, whose rows are checked."""
    values = dict.fromkeys(Score.schema().names, "")
    entry = [{"key": "r1", "value": 1.0}, {"key": "r1", "value": 2.0}]
    for entries in (entry, [("r1", 1.0), ("r1", 2.0)]):
        with pytest.raises(InvalidRow, match=r"Score.components: key 'r1' stands there more than once"):
            Score.from_dict({**values, "components": entries})
    for broken in ([{"key": "r1"}], [None], 3):
        with pytest.raises(InvalidRow, match=r"Score.components: expected entries with key and value, got"):
            Score.from_dict({**values, "components": broken})
    column = pa.array([entry], type=Score.schema().field("components").type)
    with pytest.raises(InvalidRow, match=r"Score.components: key 'r1' stands"):
        list(from_batch(Score, pa.RecordBatch.from_arrays([column], names=["components"])))
