"""sw.compare, verify and fetch: the commands as functions, of paths, homes, results and frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import scrollwork as sw
from scrollwork.analysis.logs.log import LogError
from scrollwork.cli.main import main
from scrollwork.pipeline.errors import UsageError

DOCUMENTS = [f"d{number // 3}" for number in range(24)]
A = pl.DataFrame(
    {
        "id": [f"q{number}x" for number in range(24)],
        "score": [float(number % 3 > 0) for number in range(24)],
        "document": DOCUMENTS,
    }
)
B = A.with_columns(score=pl.when(pl.col("id") == "q4x").then(0.0).otherwise("score"))


def test_frames_or_paths_give_other_numbers_than_the_command(tmp_path: Path, capsys: Any) -> None:
    A.write_csv(tmp_path / "a.csv")
    B.write_parquet(tmp_path / "b.parquet")
    places = [str(tmp_path / "a.csv"), str(tmp_path / "b.parquet")]
    assert main(["compare", *places, "--by", "document", "--margin", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (row,) = told["pairs"][0]["tasks"]
    for sources in (places, [A, B], [A.lazy(), places[1]], [Path(places[0]), B]):
        found = sw.compare(*sources, by="document", margin=2.0)
        (own,) = found.table.to_dicts()
        assert [own["low"], own["high"]] == row["ci"]
        assert {name: own[name] for name in row if name in own} == {name: row[name] for name in row if name in own}
        assert (own["a"], own["b"]) == ("a", "b")
        assert [line.replace("frame ", "") for line in found.warnings] == told["warnings"]
    assert own["clusters"] == 8
    assert own["difference"] == pytest.approx(1 / 24)


def test_a_home_or_a_result_is_compared_otherwise_than_its_path(copied: Path) -> None:
    by_path, opened = sw.compare(str(copied), tasks="qmsum"), sw.compare(sw.open(copied), tasks=["qmsum"])
    assert by_path.table.equals(opened.table)
    assert by_path.table.select("a", "b", "task").rows() == [("bm25", "naive", "qmsum")]
    result = sw.run("zeroscrolls", models=["bm25", "naive"], sample=True, tasks=["qmsum", "space_digest"], home=copied)
    assert sw.compare(result, tasks="qmsum").table.equals(opened.table)
    assert "<td>bm25</td>" in opened._repr_html_()


def test_frames_of_a_home_cannot_be_compared(whole: Path) -> None:
    scores = sw.open(whole).scores("zeroscrolls", models="bm25", tasks="qmsum").select("example_id", "model", "value")
    other = scores.with_columns(model=pl.lit("other"), value=pl.col("value") / 2)
    found = sw.compare(scores, other)
    assert found.table.select("a", "b", "metric").rows() == [("bm25", "other", "value")]
    assert found.table["difference"][0] > 0
    assert not any("give the home itself" in line for line in found.warnings), "it is a table like any other"


def test_components_of_a_frame_of_scores_are_compared_or_arms_are_one_model(whole: Path) -> None:
    scores = sw.open(whole).scores("zeroscrolls", models=["bm25"], tasks="qmsum").collect()
    assert {"rouge1", "flags", "parsed"} < {*scores.columns}
    other = scores.with_columns(arm=pl.lit("closed-book"), value=pl.col("value") / 2)
    found = sw.compare(scores, other)
    assert found.table.select("a", "b", "metric").rows() == [("bm25", "bm25 (closed-book)", "value")]
    (told,) = (line for line in found.warnings if "give the home itself" in line)
    assert told.startswith("frame a and frame b: scores of a home without its documents and prompts")
    named = sw.compare(scores, other, metrics=["rouge1", "value"], by="example_id")
    assert named.table["metric"].to_list() == ["rouge1", "value"]
    assert not any("give the home itself" in line for line in named.warnings)


@pytest.mark.parametrize(
    ("sources", "given", "error", "says"),
    [
        ((), {}, UsageError, "sw.compare needs a log, a home or a frame"),
        ((A,), {}, UsageError, "two models or two logs are needed to compare, and there is one: a"),
        ((A, 3), {}, UsageError, "a path, a home, a result or a polars frame is wanted, not a int"),
        (("nowhere.csv", A), {}, UsageError, "nowhere.csv: no such file or folder"),
        ((A, B), {"margin": 0}, UsageError, "a number of points above 0 is wanted"),
        ((A, B), {"tasks": [3]}, UsageError, "tasks must be a text or a list of texts"),
        ((A, B), {"by": "nothing"}, LogError, "frame a, the columns: by='nothing': there is no such column"),
        ((A.drop("id"), B), {}, LogError, "frame a, the columns: none holds an id of the item"),
        ((A, B.drop("score")), {}, LogError, "frame b, the columns: none holds scores"),
        ((pl.DataFrame({"id": [object()], "score": [1.0]}), B), {}, UsageError, "frame a: cannot be written"),
    ],
)
def test_a_source_that_cannot_be_read_is_not_named(
    sources: tuple[Any, ...], given: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as raised:
        sw.compare(*sources, **given)
    assert says in str(raised.value)


def test_hostile_names_act_in_a_notebook() -> None:
    bad = "<script>alert(1)</script>\x1b[31m\u202e"
    one, other = A.with_columns(model=pl.lit(bad)), B.with_columns(model=pl.lit("<img src=x>"), task=pl.lit(bad))
    found = sw.compare(one.with_columns(task=pl.lit(bad)), other)
    html = found._repr_html_()
    assert "&lt;script&gt;" in html
    for text in (html, repr(found.table), *found.warnings):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script" not in html
    assert "<img" not in html


def test_a_comparison_is_written_under_any_ending_or_not_at_all(tmp_path: Path) -> None:
    found = sw.compare(A, B, by="document")
    assert found.save(tmp_path / "out.md").read_text(encoding="utf-8").startswith("#")
    with pytest.raises(UsageError, match=r"a name that ends in \.html or \.md"):
        found.save(tmp_path / "out.txt")


def test_a_changed_part_is_verified(copied: Path) -> None:
    assert sw.verify(copied).ok
    part = next(copied.glob("artifacts/score/*/*/scores-*.parquet"))
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    found = sw.verify(str(copied))
    assert not found.ok
    assert part.name in found.broken[0]
    with pytest.raises(UsageError, match="is no home of scrollwork"):
        sw.verify(copied / "nothing")


def test_a_missing_file_is_not_listed_or_is_asked_for(tmp_path: Path) -> None:
    rows = sw.fetch("zeroscrolls", home=tmp_path, tasks="squality", list=True)
    assert rows.select("dataset", "path", "state").rows() == [
        ("squality", "squality/v1-2/txt/test.jsonl", "missing"),
    ]
    with pytest.raises(UsageError, match=r"sw\.fetch has no option 'task'; did you mean 'tasks'"):
        sw.fetch("zeroscrolls", home=tmp_path, task="squality", list=True)  # type: ignore[call-arg]
