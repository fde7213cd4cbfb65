"""Plain tables of scores: CSV, JSON Lines, JSON lists, Parquet."""

from __future__ import annotations

import gzip
import json
import math
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from scrollwork.analysis.logs.log import Log, LogError, ReadOptions, digest_of
from scrollwork.exchange.logs.tables.reader import read, recognizes
from tests.exchange.logs.true_answers import OPTIONS, by_model, check, paired, truth_of

EXACT, BOTH = {"exact": "score"}, {"exact": "exact", "f1": "f1"}


@pytest.fixture
def plain(shared: Path) -> Path:
    """The folder of plain tables."""
    return shared / "logs" / "plain"


def one(path: Path, options: ReadOptions = OPTIONS) -> Log:
    """The only log of a file."""
    assert recognizes(path)
    (log,) = read(path, options)
    return log


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def scores(log: Log, metric: str = "score") -> list[float]:
    return list(log.scores[metric].tolist())


# ---- the files of the world


@pytest.mark.parametrize(
    ("name", "model", "metrics"),
    [
        ("alpha.csv", "alpha", EXACT),
        ("beta.jsonl", "beta", {"exact": "score", "f1": "f1"}),
        ("gamma.parquet", "gamma", EXACT),
    ],
)
def test_a_score_of_a_table_is_not_the_true_one(plain: Path, name: str, model: str, metrics: dict[str, str]) -> None:
    log = one(plain / name)
    assert (log.model, log.task, log.tool) == (model, "", "table")
    check(log, truth_of(plain, model), metrics)
    assert log.clusters is not None


@pytest.mark.parametrize(("name", "metrics"), [("all_long.csv", BOTH), ("all_long.parquet", {"f1": "score"})])
def test_a_long_table_mixes_its_models(plain: Path, name: str, metrics: dict[str, str]) -> None:
    logs = by_model(read(plain / name, OPTIONS))
    assert sorted(logs) == ["alpha", "beta", "gamma"]
    for model, log in logs.items():
        check(log, truth_of(plain, model), metrics)


def test_differences_of_tables_are_not_those_of_the_world(plain: Path) -> None:
    logs = by_model(read(plain / "all_long.csv", OPTIONS))
    truth = json.loads((plain / "truth_pairs.json").read_text(encoding="utf-8"))
    for pair in ("alpha vs beta", "alpha vs gamma", "beta vs gamma"):
        first, _, second = pair.split()
        true = truth[pair]["all_same_id"]
        for metric in BOTH:
            found = paired(logs[first], logs[second], metric)
            expected = true[metric]
            assert found[:3] == (true["n"], expected["won"], expected["lost"])
            assert found[3] == pytest.approx(expected["diff_a_minus_b"], abs=1e-12)


def test_another_scale_is_changed_in_silence(plain: Path) -> None:
    percent, whole = one(plain / "alpha_percent.csv"), truth_of(plain, "alpha")
    assert percent.ids is not None
    expected = [100 * whole[name].values["f1"] for name in percent.ids]
    assert scores(percent) == pytest.approx(expected, abs=1e-9)
    assert max(scores(percent)) == 100.0


def test_a_doubled_item_is_merged_or_a_value_that_is_no_score_counts(plain: Path) -> None:
    log = one(plain / "gamma_doubled.jsonl")
    truth = json.loads((plain / "gamma_doubled.truth.json").read_text(encoding="utf-8"))
    assert log.ids is not None
    assert len(log) == truth["rows"]
    places = {name: [row for row, own in enumerate(log.ids) if own == name] for name in log.ids}
    (same,), (other,) = truth["doubled_same"], truth["doubled_other"]
    assert [log.scores["score"][row] for row in places[same]] == [1.0, 1.0]
    assert [log.scores["score"][row] for row in places[other]] == [0.0, 1.0]
    bad = {kind: places[name][0] for kind in ("nan", "text", "null") for name in truth[kind]}
    assert log.failures == {
        bad["nan"]: "score: NaN",
        bad["text"]: "score: 'C', no number",
        bad["null"]: "score: null",
    }
    assert np.flatnonzero(np.isnan(log.scores["score"])).tolist() == sorted(bad.values())
    assert sorted(log.notes) == [
        "1 value of score is no score: 'C', no number",
        "1 value of score is no score: NaN",
        "1 value of score is no score: null",
    ]


def test_a_cut_last_line_is_dropped_unnamed_or_costs_the_file(plain: Path) -> None:
    log, truth = one(plain / "beta_cut.jsonl"), truth_of(plain, "beta")
    assert len(log) == len(truth) - 1
    assert [note for note in log.notes if "line 57 (is not whole JSON" in note]
    check(log, {name: truth[name] for name in log.ids or ()}, {"exact": "score", "f1": "f1"})


def test_a_json_list_is_no_table(plain: Path) -> None:
    log = one(plain / "other_task.json")
    assert (len(log), log.ids[:2] if log.ids else None) == (20, ["x0", "x1"])
    assert scores(log)[:4] == [0.0, 1.0, 0.0, 1.0]


# ---- hand-made cases


def test_quotes_with_line_breaks_or_marks_shift_the_cells_of_a_csv(tmp_path: Path) -> None:
    text = '\ufeffid,prompt,score\r\n"a, ""b""","two\r\nlines",1\r\n007,x,0.5\r\n'
    log = one(written(tmp_path / "x.csv", text))
    assert log.ids == ['a, "b"', "007"]  # text, not the number 7
    assert scores(log) == [1.0, 0.5]
    assert log.prompts == [digest_of("two\r\nlines"), digest_of("x")]
    tabs = one(written(tmp_path / "x.tsv", "id\tscore\n1\t0\n"))
    assert (tabs.ids, scores(tabs)) == (["1"], [0.0])
    semicolons = one(written(tmp_path / "y.csv", "id;score\nq,1;1\n"))
    assert (semicolons.ids, scores(semicolons)) == (["q,1"], [1.0])


def test_a_cell_that_is_no_number_costs_the_column_or_counts(tmp_path: Path) -> None:
    cells = ["1", "", "NaN", "C", "true", "False", "1e-3", "inf", "1_0", " 1", "null", "-2"]
    rows = "".join(f"q{row},{cell}\n" for row, cell in enumerate(cells))
    log = one(written(tmp_path / "x.csv", "id,score\n" + rows))
    found = scores(log)
    assert [found[row] for row in (0, 4, 5, 6, 9, 11)] == [1.0, 1.0, 0.0, 0.001, 1.0, -2.0]
    assert log.failures == {
        1: "score: empty",
        2: "score: NaN",
        3: "score: 'C', no number",
        7: "score: an infinite number",
        8: "score: '1_0', no number",
        10: "score: 'null', no number",
    }
    assert all(math.isnan(found[row]) for row in log.failures)
    assert "1 value of score is no score: empty" in log.notes


def test_a_line_with_too_few_cells_is_paired_with_a_neighbour(tmp_path: Path) -> None:
    log = one(written(tmp_path / "x.csv", "id,score,cluster\na,1,d\nb,0\nc,1,d,9\nd,0,d\n"))
    assert (log.ids, scores(log)) == (["a", "d"], [1.0, 0.0])
    (note,) = log.notes
    assert note == "2 lines were left out, having other than 3 cells: 2 cells in 'b,0', 4 cells in 'c,1,d,9'"


def test_a_row_without_an_id_is_paired_or_dropped_in_silence(tmp_path: Path) -> None:
    log = one(written(tmp_path / "x.csv", "id,score\na,1\n,x\nc,C\n,y\n"))
    assert log.ids == ["a", "c"]
    assert log.failures == {1: "score: 'C', no number"}
    assert "2 rows were left out, having no value in the column 'id': row 2, row 4" in log.notes
    rows = '{"id": [1], "score": 1}\n{"id": null, "score": 1}\n{"score": 1}\n{"id": 3, "score": true}\n'
    log = one(written(tmp_path / "x.jsonl", rows))
    assert (log.ids, scores(log)) == (["3"], [1.0])
    assert "3 rows were left out" in log.notes[0]


def test_models_and_tasks_of_a_long_table_get_rows_or_failures_of_each_other(tmp_path: Path) -> None:
    text = "task,model,id,score,f1\nt,a,1,1,C\nt,b,1,C,0\nu,a,1,0,1\nt,a,2,0,1\nu,a,2,x,y\nt,b,2,1,1\n"
    logs = {(log.task, log.model): log for log in read(written(tmp_path / "x.csv", text), OPTIONS)}
    assert sorted(logs) == [("t", "a"), ("t", "b"), ("u", "a")]
    assert scores(logs["t", "a"]) == [1.0, 0.0]
    assert logs["t", "a"].failures == {0: "f1: 'C', no number"}
    assert logs["t", "b"].failures == {0: "score: 'C', no number"}
    assert logs["u", "a"].failures == {1: "score: 'x', no number; f1: 'y', no number"}
    assert [logs[key].ids for key in logs] == [["1", "2"]] * 3


def test_rows_of_a_long_table_change_their_order(tmp_path: Path) -> None:
    text = "".join(f"{'ab'[row % 2]},q{row},{row}\n" for row in range(2000))
    first, second = read(written(tmp_path / "x.csv", "model,id,score\n" + text), OPTIONS)
    assert (scores(first), scores(second)) == ([*range(0, 2000, 2)], [*range(1, 2000, 2)])


def test_line_breaks_in_quotes_end_a_block_of_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrollwork.exchange.logs.tables.files.BLOCK", 1000)
    text = "".join(f'q{row},"one\ntwo, {row}\n",1\n' for row in range(500))
    log = one(written(tmp_path / "x.csv", "id,prompt,score\n" + text))
    assert (len(log), sum(scores(log)), len(set(log.prompts or ()))) == (500, 500.0, 500)


def test_a_column_that_is_no_score_is_taken_for_a_metric(tmp_path: Path) -> None:
    text = "id,doc_id,seed,cluster,answer,tokens,score,note\nq1,0,1,5,12,3,1,\nq2,1,2,6,no,4,0,x\n"
    log = one(written(tmp_path / "x.csv", text))
    assert list(log.scores) == ["score", "answer", "tokens"]  # half of `answer` are numbers; `note` has none
    assert (log.repeats, log.clusters, log.positions) == (["1", "2"], ["5", "6"], ["0", "1"])
    log = one(written(tmp_path / "y.csv", "q,doc,points\na,d,1\n"), ReadOptions(id_field="q", cluster_field="doc"))
    assert (log.ids, log.clusters, list(log.scores)) == (["a"], ["d"], ["points"])


def test_fields_inside_objects_cannot_be_named(tmp_path: Path) -> None:
    row = {"meta": {"key": "k1", "doc": "d1"}, "score": 0.25, "answer": "x" * 500, "more": [1]}
    path = written(tmp_path / "x.jsonl", json.dumps(row) + "\n")
    log = one(path, ReadOptions(id_field="meta.key", cluster_field="meta.doc"))
    assert (log.ids, log.clusters, list(log.scores)) == (["k1"], ["d1"], ["score"])


def test_a_packed_table_is_no_table_or_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = one(written(tmp_path / "x.csv.gz", gzip.compress(b"id,score\na,1\n")))
    assert (log.ids, scores(log)) == (["a"], [1.0])
    log = one(written(tmp_path / "x.jsonl", gzip.compress(b'{"id": "a", "score": 1}\n')))
    assert (log.ids, scores(log)) == (["a"], [1.0])
    monkeypatch.setattr("scrollwork.preprocessing.raw.bounds.LEAST_BYTES", 1 << 20)  # 64 MiB take their time
    bomb = gzip.compress(b"id,score\n" + (b"a" * 1000 + b",1\n") * 4000, 9)
    with pytest.raises(LogError, match="would unpack to"):
        read(written(tmp_path / "bomb.csv", bomb), OPTIONS)


def test_real_scores_of_forty_models_are_not_read(shared: Path) -> None:
    path = shared / "suites" / "longbench" / "item_scores_40_models.csv.gz"
    assert recognizes(path)
    logs = read(path, ReadOptions(id_field="item"))
    assert (len(logs), sum(map(len, logs)), {len(log.scores) for log in logs}) == (21, 4750, {40})


def test_long_ids_of_json_lines_become_one(tmp_path: Path) -> None:
    rows = [{"id": "x" * 400 + end, "score": 1} for end in "ab"]
    log = one(written(tmp_path / "x.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert log.ids == [row["id"] for row in rows]


def test_parquet_types_other_than_text_and_double_are_refused(tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "id": pa.array([1, 2, 3]),
        "model": pa.array(["a", "a", "a"]).dictionary_encode(),
        "score": pa.array([Decimal("0.5"), None, Decimal("1")]),
        "right": pa.array([True, None, False]),
        "words": pa.array([3.0, math.nan, math.inf], pa.float32()),
        "when": pa.array([0, 1, 2], pa.timestamp("s")),
        "inner": pa.array([{"a": 1}] * 3),
    }
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    log = one(tmp_path / "x.parquet")
    assert (log.ids, log.model, list(log.scores)) == (["1", "2", "3"], "a", ["score", "right", "words"])
    assert scores(log)[::2] == [0.5, 1.0]
    assert scores(log, "right")[::2] == [1.0, 0.0]
    assert log.failures == {1: "score: null; right: null; words: NaN", 2: "words: an infinite number"}
    assert np.isnan(log.scores["words"]).tolist() == [False, True, True]


def test_items_known_by_their_prompts_alone_are_refused(tmp_path: Path) -> None:
    digest = digest_of("p")
    log = one(written(tmp_path / "x.csv", f"prompt_sha256,score\n{digest},1\n"))
    assert (log.ids, log.prompts) == (None, [digest])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "name,points\na,1\n", "none holds an id of the item: there are name, points; wanted are"),
        ("x.csv", "id,answer\na,b\n", "none holds scores: there are id, answer; wanted are a column with an id"),
        ("x.csv", "id,score,score\na,1,1\n", "'score' is there twice"),
        ("x.csv", "id,score\n", "none holds scores|no row has an id"),
        ("x.csv", b"id,score\n\xff\xfe,1\n", "is not whole CSV: .*UTF8"),
        ("x.jsonl", '{"id": 1, "sco', "line 1 .is not whole JSON"),
        ("x.jsonl", '{"id": "a", "answer": "b"}\n', "none holds scores: there are id, answer"),
        ("x.json", '[{"id": "a", "score": 1}, {"id"', "is not JSON"),
        ("x.parquet", b"PAR1 and then nothing", "is not whole Parquet"),
        (
            "x.jsonl",
            "".join(json.dumps({"id": "a", f"m{number}": 1}) + "\n" for number in range(1000)),
            "more than 1000",
        ),
        ("x.jsonl", '{"id": ' + "[" * 5000 + "}", "is not whole JSON"),
    ],
)
def test_a_table_that_cannot_be_read_gives_no_log_and_no_reason(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(LogError, match=message) as caught:
        read(written(tmp_path / name, content), OPTIONS)
    assert str(tmp_path / name) in str(caught.value)


def test_a_column_that_the_user_names_is_guessed_where_it_is_absent(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", "id,score\na,1\n")
    with pytest.raises(LogError, match="--id key: there is no such column; there are: id, score"):
        read(path, ReadOptions(id_field="key"))
    with pytest.raises(LogError, match="--by doc: there is no such column"):
        read(path, ReadOptions(cluster_field="doc"))


def test_one_broken_table_hides_the_others_of_its_folder(tmp_path: Path) -> None:
    written(tmp_path / "a.csv", "id,score\nq,1\n")
    written(tmp_path / "b.csv", "id,answer\nq,x\n")
    assert recognizes(tmp_path)
    (log,) = read(tmp_path, OPTIONS)
    assert log.model == "a"
    assert [note for note in log.notes if note.startswith("not read: ") and "b.csv" in note]


@pytest.mark.parametrize("name", ["notes.txt", "empty.csv", "page.html", "zip.csv"])
def test_what_is_no_table_is_taken_for_one(tmp_path: Path, name: str) -> None:
    content = {
        "notes.txt": b"One, two\nthree\n",
        "empty.csv": b"",
        "page.html": b"<html>,<b>",
        "zip.csv": b"PK\3\4,a\0",
    }
    assert not recognizes(written(tmp_path / name, content[name]))


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_two_hundred_thousand_rows_take_seconds(tmp_path: Path, ending: str) -> None:
    count = 200_000
    table = pa.table(
        {
            "id": [f"doc{row // 20}-q{row % 20}" for row in range(count)],
            "model": ["ab"[row % 2] for row in range(count)],
            "cluster": [f"doc{row // 20}" for row in range(count)],
            "score": [row / count for row in range(count)],
            "answer": ["some words of an answer"] * count,
        }
    )
    path = tmp_path / f"x.{ending}"
    (arrow_csv.write_csv if ending == "csv" else pq.write_table)(table, path)
    started = time.perf_counter()
    logs = read(path, OPTIONS)
    assert time.perf_counter() - started < 3.0
    assert sum(map(len, logs)) == count


def test_a_csv_cut_within_its_last_cell_passes_for_a_whole_one(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    for text, cut in (("id,score\na,0.25\nb,0.75\n", False), ("id,score\na,0.25\nb,0.7", True)):
        table.write_text(text)
        (log,) = read(table, ReadOptions())
        assert [note.startswith("the last line has no line end") for note in log.notes] == [True] * cut
