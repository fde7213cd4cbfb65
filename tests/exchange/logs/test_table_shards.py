"""Tables in shards (NAME-00000-of-00003.parquet), named by folder."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions
from scrollwork.exchange.logs.read import read_log

ROWS = [{"id": f"q{n}", "score": float(n % 3), "document": f"d{n // 4}", "prompt": f"What is {n}?"} for n in range(11)]


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / name)
    return folder


def told(log: Log) -> list[tuple[object, ...]]:
    assert log.ids is not None
    assert log.clusters is not None
    assert log.prompts is not None
    return list(zip(log.ids, log.clusters, log.prompts, log.scores["score"].tolist(), strict=True))


@pytest.mark.parametrize(
    "names", ["test-{:05d}-of-00003.parquet", "part_{}-of-3.parquet", "test.{:04d}-of-0003.PARQUET"]
)
@pytest.mark.parametrize("first", [0, 1])
def test_shards_are_other_rows_than_the_whole_table(tmp_path: Path, names: str, first: int) -> None:
    write(tmp_path / "whole", "test.parquet", ROWS)
    for number, rows in enumerate((ROWS[:4], ROWS[4:9], ROWS[9:])):
        write(tmp_path / "shards", names.format(number + first), rows)
    (whole,) = read_log(tmp_path / "whole", ReadOptions())
    (joined,) = read_log(tmp_path / "shards", ReadOptions())
    assert told(joined) == told(whole)
    assert joined.model == names[:4]
    assert not joined.notes


def test_a_shard_that_is_gone_or_was_cut_is_not_named(tmp_path: Path) -> None:
    for number in (0, 2):
        write(tmp_path, f"test-{number:05d}-of-00004.parquet", ROWS[number * 2 : number * 2 + 2])
    (log,) = read_log(tmp_path, ReadOptions())
    assert "2 of 4 shards of 'test' are not here: 00001, 00003" in log.notes
    cut = tmp_path / "test-00001-of-00004.parquet"
    cut.write_bytes((tmp_path / "test-00000-of-00004.parquet").read_bytes()[:-20])
    with pytest.raises(LogError, match=r"test-00001-of-00004\.parquet: is not whole Parquet"):
        read_log(tmp_path, ReadOptions())


def test_reasons_and_models_of_a_shard_are_of_other_rows(tmp_path: Path) -> None:
    rows = [
        {**row, "model": "a" if n % 2 else "b", "score": None if n in (5, 6) else row["score"]}
        for n, row in enumerate(ROWS)
    ]
    for number, some in enumerate((rows[:4], rows[4:])):
        write(tmp_path, f"test-{number:05d}-of-00002.parquet", some)
    by_model = {log.model: log for log in read_log(tmp_path, ReadOptions())}
    assert {model: [*log.failures] for model, log in by_model.items()} == {"a": [2], "b": [3]}
    assert by_model["a"].ids == ["q1", "q3", "q5", "q7", "q9"]


def test_shards_of_other_columns_are_joined(tmp_path: Path) -> None:
    write(tmp_path, "test-00000-of-00002.parquet", ROWS[:3])
    write(tmp_path, "test-00001-of-00002.parquet", [{**row, "f1": 1.0} for row in ROWS[3:]])
    with pytest.raises(LogError, match=r"test-00001-of-00002\.parquet, the columns: are not those of .*: f1"):
        read_log(tmp_path, ReadOptions())


def test_files_that_only_look_alike_are_joined(tmp_path: Path) -> None:
    for name in ("test-2-of-1.parquet", "run1.parquet", "run2.parquet", "a-00001-of-00002.csv.parquet"):
        write(tmp_path, name, ROWS)
    assert len({log.model for log in read_log(tmp_path, ReadOptions())}) == 4
