"""Frames of a home against its Parquet, read by pyarrow alone: every value, the names of the page, nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

import scrollwork as sw
from scrollwork.pipeline.errors import UsageError
from scrollwork.readings.home_ledger import ledger_in
from scrollwork.readings.home_scores import scores_in
from scrollwork.records.comparison import NO_WIDTH, few_clusters, interval_note
from scrollwork.storage.artifacts.manifest import Manifest
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.home import Home as StoredHome
from tests.library.conftest import ran

EXAMPLE = ["suite", "task", "split", "example_id", "draw"]
TABLES = {
    "scores": ("score", "scores"),
    "answers": ("generate", "responses"),
    "judgements": ("judge", "judgements"),
    "aggregates": ("aggregate", "aggregates"),
    "examples": ("sample", "examples"),
    "prompts": ("prompt", "prompts"),
    "documents": ("curate", "documents"),
}


def stored(home: Path, stage: str, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table of all artifacts of a stage, by pyarrow."""
    for manifest in sorted(home.glob(f"artifacts/{stage}/*/*/manifest.json")):
        for part in json.loads(manifest.read_text())["files"]:
            if part["table"] == table:
                yield from pq.ParquetFile(manifest.parent / part["name"]).read().to_pylist()


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A stored row as a frame has it, without nulls."""
    components = {one["key"]: one["value"] for one in row.pop("components", [])}
    coverage = row.pop("coverage", {})
    row = {**row, **components, **coverage}
    if "flags" in row:
        row["format_ok"] = {one["key"]: one["value"] for one in row["flags"]}.get("format_ok")
    return {name: value for name, value in row.items() if value is not None}


def listed(rows: Iterator[dict[str, Any]], without: tuple[str, ...] = ()) -> list[str]:
    """Rows as texts in one order, without some columns."""
    return sorted(
        json.dumps(
            {name: value for name, value in row.items() if name not in without and value is not None}, sort_keys=True
        )
        for row in rows
    )


@pytest.mark.parametrize("name", TABLES)
def test_a_frame_has_other_values_than_the_parquet(whole: Path, name: str) -> None:
    frame = getattr(sw.open(whole), name)()
    assert isinstance(frame, pl.LazyFrame)
    found = frame.collect()
    assert found.schema == frame.collect_schema()
    added = ("profile",) if name not in ("prompts", "documents") else ()
    added += ("suite", "task") if name == "documents" else ("epoch",) if name == "answers" else ()
    added += ("interval_note",) if name == "aggregates" else ()
    wanted = listed(map(flat, stored(whole, *TABLES[name])))
    assert len(wanted) > 3
    assert listed(found.iter_rows(named=True), added) == wanted


def test_a_frame_shows_other_scores_than_the_page(whole: Path) -> None:
    for suite in ("zeroscrolls", "seam"):
        shown = scores_in(StoredHome(str(whole)), suite).rows
        found = sw.open(whole).aggregates(suite).collect()
        columns = ("task", "split", "model", "arm", "metric", "value", "low", "high", "spread", "seeds")
        assert sorted(found.select(columns).iter_rows(), key=repr) == sorted(
            (tuple(getattr(row, name) for name in columns) for row in shown), key=repr
        )
        notes = [interval_note(*row) or None for row in found.select("low", "high", "clusters").iter_rows()]
        assert found["interval_note"].to_list() == notes
        assert any(notes)
        assert (NO_WIDTH in notes) is (suite == "seam")


def test_comparisons_are_others_than_on_the_page(whole: Path) -> None:
    home = sw.open(whole)
    page = ledger_in(StoredHome(str(whole)), "zeroscrolls").ledger.findings.comparisons
    found = home.comparisons("zeroscrolls").collect()
    assert found.drop("interval_note").to_dicts() == page
    assert found["interval_note"].to_list() == [few_clusters(row["clusters"]) or None for row in page]
    assert all("cannot be trusted" in note for note in found["interval_note"])  # from two and three documents
    assert len(page) == 2
    alone = home.comparisons("zeroscrolls", models=["bm25"], tasks="qmsum").collect()
    assert alone.is_empty()
    assert alone.schema == found.schema
    with pytest.raises(UsageError, match=r"seeds are compared as a family: name 'naive'"):
        home.comparisons(models="naive:seed=0")


def test_a_join_loses_or_doubles_an_answer(whole: Path) -> None:
    home = sw.open(whole)
    scores, answers = home.scores().collect(), home.answers().collect()
    key = list(sw.KEY)
    assert scores.select(key).is_duplicated().sum() == answers.select(key).is_duplicated().sum() == 0
    joined = scores.join(answers, on=key, how="inner", validate="1:1")
    assert len(joined) == len(scores) == len(answers) > 100
    examples = home.examples().collect()
    assert len(joined.join(examples, on=EXAMPLE, how="inner", validate="m:1")) == len(scores)
    prompts = home.prompts().collect()
    assert len(joined.join(prompts, on=[*EXAMPLE, "arm", "profile"], how="inner", validate="m:1")) == len(scores)
    judged = home.judgements().collect()
    assert len(judged.join(scores, on=key, how="inner", validate="1:1")) == len(scores)
    documents = home.documents().collect()
    held = examples.explode("document_ids").join(
        documents, left_on=["suite", "task", "document_ids"], right_on=["suite", "task", "document_id"], validate="m:1"
    )
    assert len(held) == examples["document_ids"].list.len().sum()


def test_columns_of_the_key_have_other_types_in_another_frame(whole: Path) -> None:
    home = sw.open(whole)
    types: dict[str, set[Any]] = {}
    for name in TABLES:
        for column, kind in getattr(home, name)().collect_schema().items():
            if column in (*sw.KEY, "profile"):
                types.setdefault(column, set()).add(kind)
    assert types == {name: {pl.Int64 if name == "draw" else pl.String} for name in (*sw.KEY, "profile")}


def test_text_of_a_prompt_is_not_what_was_sent(whole: Path) -> None:
    found = sw.open(whole).prompts(text=True).collect()
    assert len(found) > 20
    for row in found.iter_rows(named=True):
        assert hashlib.sha256(row["text"].encode()).hexdigest() == row["prompt_sha256"]
        assert len(row["text"].split()) == row["words"]
    first = sw.open(whole).prompts("zeroscrolls", text=True).filter(pl.col("task") == "qmsum").head(1)
    assert first.select("text").collect().item().startswith("You are given")


def test_a_model_a_seed_or_a_task_is_not_chosen(whole: Path) -> None:
    home = sw.open(whole)
    found = home.scores("zeroscrolls", models=["naive:seed=3", "bm25"], tasks="qmsum").collect()
    assert set(found["model"]) == {"naive:seed=3", "bm25"}
    assert set(found["task"]) == {"qmsum"}
    assert len(home.scores(models="naive", tasks="qmsum").collect()) == 20 * len(home.examples(tasks="qmsum").collect())
    with pytest.raises(UsageError, match="no model of this home is named 'gpt'; scores here are of: bm25, naive"):
        home.answers("zeroscrolls", models=["gpt"])
    with pytest.raises(UsageError, match="task 'qmsu' is none of"):
        home.examples(tasks="qmsu")
    with pytest.raises(UsageError, match="scrolls did not run in this home; it has: zeroscrolls, seam"):
        home.scores("scrolls")


def spoiled(home: Path, pattern: str) -> Path:
    """Change the bytes of one part, so that its size stays."""
    (part,) = home.glob(pattern)
    part.write_bytes(bytes(len(part.read_bytes())))
    return part


def test_a_part_outside_of_the_filter_is_opened(copied: Path) -> None:
    part = spoiled(copied, "artifacts/score/zeroscrolls.qmsum.test.naive.*/*/scores-*.parquet")
    home = sw.open(copied)
    assert len(home.scores("zeroscrolls", models=["bm25"]).collect()) > 5
    assert len(home.scores("zeroscrolls", tasks=["space_digest"]).collect()) > 5
    with pytest.raises(DamagedArtifact, match=f"part {part.name} has other bytes than the manifest says"):
        home.scores("zeroscrolls")


def test_making_a_frame_reads_a_part(copied: Path) -> None:
    """What is damaged, at the time and in the size that were written, is met when the frame is collected."""
    (part,) = copied.glob("artifacts/generate/zeroscrolls.qmsum.test.bm25.*/*/responses-*.parquet")
    written = part.stat()
    spoiled(copied, str(part.relative_to(copied)))
    os.utime(part, ns=(written.st_atime_ns, written.st_mtime_ns))
    answers = sw.open(copied).answers("zeroscrolls", models=["bm25"])
    assert len(answers.filter(pl.col("task") == "space_digest").collect_schema()) > 20
    with pytest.raises(pl.exceptions.ComputeError):
        answers.collect()
    part.unlink()
    with pytest.raises(DamagedArtifact, match=f"part {part.name} is missing; `scrollwork verify` lists"):
        sw.open(copied).answers("zeroscrolls", models=["bm25"], tasks="qmsum")


def test_a_pilot_is_taken_for_the_whole_run(whole: Path, copied: Path) -> None:
    home = sw.open(copied)
    assert "test, limit 3" not in set(home.scores("zeroscrolls").collect()["split"])
    ran(copied, "zeroscrolls", models=("bm25",), tasks=("qmsum",), limit=3)  # while the home is open
    scores = home.scores("zeroscrolls").collect()
    assert scores.select(sw.KEY).is_duplicated().sum() == 0
    assert set(scores["split"]) == {"test", "test, limit 3"}
    pilot = scores.filter(pl.col("split") == "test, limit 3")
    assert (len(pilot), set(pilot["model"])) == (3, {"bm25"})
    assert len(scores) - 3 == len(sw.open(whole).scores("zeroscrolls").collect())
    assert len(scores.join(home.examples().collect(), on=EXAMPLE, how="inner", validate="m:1")) == len(scores)
    assert len(home.prompts("zeroscrolls").collect()) == 3 + len(home.examples("zeroscrolls").collect()) - 3
    shown = home.aggregates("zeroscrolls").select("task", "split", "model", "arm").collect()
    assert len(scores.join(shown, on=shown.columns, how="semi")) == len(scores)


def test_answers_to_cut_prompts_are_joined_to_whole_ones(copied: Path) -> None:
    ran(copied, "zeroscrolls", models=("bm25",), tasks=("qmsum",), max_input_tokens=700, tokenizer="words")
    home = sw.open(copied)
    cut = "bm25 (plain-input700-words)"
    scores = home.scores("zeroscrolls", tasks="qmsum", models=["bm25", cut]).collect()
    assert set(scores["model"]) == {"bm25", cut}
    prompts = home.prompts("zeroscrolls", tasks="qmsum", text=True).collect()
    assert len(prompts) == 2 * len(home.examples("zeroscrolls", tasks="qmsum").collect())
    joined = scores.join(prompts, on=[*EXAMPLE, "arm", "profile"], how="inner", validate="m:1")
    assert len(joined) == len(scores)
    assert dict(joined.group_by("model").agg(pl.col("truncated").any()).iter_rows()) == {"bm25": False, cut: True}
    assert len(home.prompts("zeroscrolls", models=cut).collect()) == len(prompts) // 2
    assert set(home.judgements("zeroscrolls", models=cut).collect()["model"]) == {cut}


def test_a_part_of_an_older_version_cannot_be_read(copied: Path) -> None:
    """It lacks columns that later versions have; beside it stand parts that have them."""
    (path,) = copied.glob("artifacts/generate/zeroscrolls.qmsum.test.bm25.*/*/responses-*.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["masked", "fingerprint", "scored_characters"]), path)
    place = path.with_name("manifest.json")
    manifest, data = Manifest.from_bytes(place.read_bytes(), ""), path.read_bytes()
    own = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    files = tuple(replace(part, **own) if part.name == path.name else part for part in manifest.files)
    place.write_bytes(replace(manifest, files=files).to_bytes())
    found = sw.open(copied).answers("zeroscrolls").collect()
    assert found["masked"].null_count() == 0
    assert not found["masked"].any()
    assert found.schema == sw.open(copied).answers("seam").collect().schema


def test_what_no_run_names_any_more_is_shown(copied: Path) -> None:
    """Its artifacts stay in the home, and no page shows them."""
    before = sw.open(copied).scores().collect()
    for path in copied.glob("runs/*.json"):
        if json.loads(path.read_text())["request"]["suite"] == "seam":
            path.unlink()
    after = sw.open(copied).scores().collect()
    assert list(copied.glob("artifacts/score/seam.*/*/scores-*.parquet"))
    assert set(after["suite"]) == {"zeroscrolls"}
    assert len(after) < len(before)


def test_a_seed_that_was_run_alone_too_is_there_twice(copied: Path) -> None:
    before = sw.open(copied).scores("zeroscrolls").collect()
    ran(copied, "zeroscrolls", models=("naive:seed=0",), tasks=("qmsum", "space_digest"))
    after = sw.open(copied).scores("zeroscrolls").collect()
    assert after.select(sw.KEY).is_duplicated().sum() == 0
    assert len(after) == len(before)


@pytest.mark.slow
def test_other_runs_of_a_ranked_suite_share_their_names(copied: Path) -> None:
    ran(copied, "seam", models=("naive",), tasks=("musique",), runs=3, seed=7)
    home = sw.open(copied)
    examples = home.examples("seam").collect()
    assert examples.select(EXAMPLE).is_duplicated().sum() == 0
    assert set(examples["split"]) == {"test", "test, other inputs"}
    scores = home.scores("seam").collect()
    assert len(scores.join(examples, on=EXAMPLE, how="inner", validate="m:1")) == len(scores)
    assert set(home.aggregates("seam").collect()["split"]) == {"test", "test, other inputs"}


def test_answers_that_are_gone_are_left_out_silently(copied: Path) -> None:
    home = sw.open(copied)
    assert home.left_out() == []
    for folder in copied.glob("artifacts/score/zeroscrolls.qmsum.test.bm25.*"):
        shutil.rmtree(folder)
    home = sw.open(copied)
    assert home.left_out() == ["not in this home any more, the examples and answers of: bm25, qmsum"]
    assert len(home.aggregates("zeroscrolls", models="bm25").collect()) == 2
    assert set(home.scores("zeroscrolls", models="bm25").collect()["task"]) == {"space_digest"}


def test_runs_are_not_those_of_the_home(whole: Path) -> None:
    found = sw.open(whole).runs().collect()
    noted = sorted((json.loads(path.read_text()) for path in whole.glob("runs/*.json")), key=lambda run: run["time"])
    assert found["run"].to_list() == [run["id"] for run in noted]
    assert found["models"].to_list() == [["bm25", "naive"], ["lead"]]
    assert [moment.timestamp() for moment in found["time"]] == pytest.approx([run["time"] for run in noted])
    assert found["built"].to_list() == [list(run["stages"].values()).count("built") for run in noted]


@pytest.mark.slow
def test_what_a_frame_writes_cannot_be_opened_elsewhere(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`datasets` refuses Arrow maps; what a frame writes has none."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets
    import pandas

    home = sw.open(whole)
    for name in ("scores", "judgements", "aggregates", "answers", "examples", "prompts"):
        path = tmp_path / f"{name}.parquet"
        getattr(home, name)().sink_parquet(path)
        schema = pq.read_schema(path)
        assert "map<" not in str(schema)
        rows = pq.ParquetFile(path).metadata.num_rows
        opened = datasets.load_dataset("parquet", data_files=[str(path)], cache_dir=str(tmp_path / "cache"))
        assert len(pandas.read_parquet(path)) == len(opened["train"]) == rows > 0
