"""Table 1 of SEAM from what is built: data sets whole, beside the published figures, in words where there is no table."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrollwork.records.example import Example
from scrollwork.records.gold import written_references
from scrollwork.records.judgement import AnswerMeasure, Judgement
from scrollwork.records.statistics import Distribution
from scrollwork.storage.home import Home
from tests.conftest import Call
from tests.flows.seam_kit import TASKS
from tests.flows.seam_raw import write

Build = Callable[..., list[dict[str, Any]]]
PUBLISHED = {  # fact sheet seam.md 1.1: samples, documents, tokens in and out
    "multi_news": (56100, 2.8, 2349, 277),
    "open_asp": (1183, 9.9, 8192, 102),
    "fuse_reviews": (742, 8.0, 704, 164),
    "musique": (44710, 20.0, 2148, 17),
    "sci_co": (521, 47.5, 4207, 150),
    "ecb_plus": (43, 22.7, 2503, 1309),
}
ASK = ("build", "seam", "--engine", "inline", "--quiet", "--runs", "2")


@pytest.fixture
def no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """cl100k_base is not on this machine."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "none"))


@pytest.fixture
def build(call: Call, no_table: None) -> Build:
    """Rows of `build --json`."""

    def of(*arguments: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(call(*ASK, "--json", *arguments)[1])
        return found

    return of


def kept(home: Path, stage: str, part: str = "") -> list[Any]:
    return [
        one
        for one in Home(str(home)).artifacts.everything()
        if one.manifest.ingredients.stage == stage and part in one.manifest.ingredients.slot
    ]


@pytest.mark.slow
def test_published_figures_are_not_beside_ours_or_words_pass_for_tokens(build: Build) -> None:
    rows = {row["task"]: row["data_set"] for row in build("--sample")}
    assert tuple(rows) == TASKS
    for task, one in rows.items():
        assert tuple(one["published"].values()) == PUBLISHED[task]
        assert one["tokenizer"] == "words"
        assert one["difference"]["tokens_in"] is one["difference"]["tokens_out"] is None
        away = pytest.approx(100 * (one["documents"] / PUBLISHED[task][1] - 1)) if one["whole"] else None
        assert one["difference"]["documents"] == away, "the paper's means are over all splits"


def test_data_set_is_what_runs_drew_or_gold_is_our_json(build: Build, call: Call) -> None:
    rows = {row["task"]: row for row in build("--sample", "--instances", "2")}
    for task, row in rows.items():
        (curated,) = kept(call.home, "curate", task)
        examples = list(curated.rows("examples", Example))
        metric = {"musique": "musique_output", "sci_co": "conll", "ecb_plus": "conll", "fuse_reviews": "fic_proxy"}
        texts = [text for one in examples for text in written_references(one, metric.get(task, ""))]
        one = row["data_set"]
        assert (row["examples"], one["samples"]) == (2, len(examples))
        assert one["documents"] == pytest.approx(sum(len(e.document_ids) for e in examples) / len(examples))
        assert one["tokens_out"] == pytest.approx(sum(len(text.split()) for text in texts) / len(examples))
        assert not any('"' in text for text in texts if task in ("sci_co", "ecb_plus", "fuse_reviews"))
        assert row["statistics"]["words_out"]["count"] == 4, "of two runs"
    assert rows["musique"]["statistics"]["in_document"]["mean"] > 0, "answers are looked for, not dicts"
    assert rows["sci_co"]["statistics"]["spread"]["count"] == rows["ecb_plus"]["statistics"]["spread"]["count"] == 0


def test_splits_that_a_task_lacks_refuse_all_or_those_read_are_not_told(build: Build, call: Call) -> None:
    splits = ("--split", "validation", "--split", "test")
    rows = build("--sample", "--task", "fuse_reviews", "--task", "sci_co", *splits)
    assert [(row["task"], row["split"]) for row in rows] == [
        ("fuse_reviews", "test"),
        ("sci_co", "validation"),
        ("sci_co", "test"),
    ]
    fused, *concepts = rows
    assert fused["data_set"]["whole"] is fused["data_sets_read"]["whole"] is False
    read = [row["data_sets_read"] for row in concepts]
    assert read[0] == read[1]
    assert (read[0]["splits"], read[0]["whole"]) == (["validation", "test"], False)
    assert read[0]["samples"] == sum(row["data_set"]["samples"] for row in concepts)
    weighted = sum(row["data_set"]["samples"] * row["data_set"]["tokens_out"] for row in concepts)
    assert read[0]["tokens_out"] == pytest.approx(weighted / read[0]["samples"])
    whole = build("--sample", "--task", "sci_co", "--split", "train", *splits)
    assert whole[0]["data_sets_read"]["whole"] is True

    status, _, err = call(*ASK, "--sample", "--task", "fuse_reviews", "--split", "validation")
    assert (status, "there is no split of fuse_reviews 'validation'; there are: train, test" in err) == (2, True)
    status, _, err = call(*ASK, "--sample", "--split", "test", "--split", "tset")
    assert (status, "there is no split of multi_news 'tset'" in err) == (2, True)


def test_table_for_people_lacks_names_of_tokenizer_and_splits(call: Call, no_table: None) -> None:
    status, out, _ = call(*ASK, "--sample", "--task", "sci_co", "--split", "train", "--split", "test")
    said = " ".join(out.split())
    assert status == 0
    assert "white-space words, as cl100k_base is not on this machine" in said
    assert "paper: over all splits, its tokenizer is not stated" in said
    assert [line.count("│") for line in out.splitlines() if "4,207" in line] == [13, 13, 13]
    assert "train, test" in out
    page = (call.home / "reports" / "seam-statistics.html").read_text(encoding="utf-8")
    section = page.partition('id="data-sets"')[2].partition("</section>")[0]
    assert section.count("4,207") == section.count("1,309") + 3 == 3
    assert "white-space words, as cl100k_base is not on this machine" in section


def test_suites_that_do_not_draw_have_data_sets(call: Call) -> None:
    status, out, _ = call("build", "scrolls", "--sample", "--task", "qmsum", "--engine", "inline", "--quiet", "--json")
    assert status == 0
    assert not {"data_set", "data_sets_read"} & set(json.loads(out)[0])


@pytest.mark.slow
def test_reference_lengths_of_a_run_are_of_our_json(call: Call, no_table: None) -> None:
    ask = ("run", "seam", "--sample", "--engine", "inline", "--quiet", "--runs", "1", "--model", "naive")
    assert call(*ask, "--task", "sci_co", "--task", "musique", "--task", "fuse_reviews")[0] == 0
    for task, metric in (("sci_co", "conll"), ("musique", "musique_output")):
        (judged,) = kept(call.home, "judge", task)
        (sample,) = kept(call.home, "sample", task)
        lengths = {row.example_id: row.reference_words for row in judged.rows("judgements", Judgement)}
        assert lengths == {
            row.example_id: len(written_references(row, metric)[0].split()) for row in sample.rows("examples", Example)
        }
        assert all(length > 2 for length in lengths.values() if length is not None)
    (judged,) = kept(call.home, "judge", "fuse_reviews")
    (sample,) = kept(call.home, "sample", "fuse_reviews")
    summaries = [row.facts.get("summary_text", "") for row in sample.rows("examples", Example)]
    measures = {row.measure: row.value for row in judged.rows("conduct", AnswerMeasure)}
    assert measures["reference_words"] == pytest.approx(sum(len(text.split()) for text in summaries) / len(summaries))


@pytest.mark.slow
def test_ecb_on_real_files_has_other_documents_a_sample(build: Build, call: Call, shared: Path) -> None:
    raw = shared / "raw"
    for needed in ("ecb_plus/ECB+_LREC2014", "seam/files/prompts/ECB.json"):
        if not (raw / needed).exists():
            pytest.skip(f"{needed} is not among the shared data")
    rows = build("--raw", str(raw), "--task", "ecb_plus", "--split", "validation", "--split", "test")
    assert [(row["data_set"]["samples"], row["data_set"]["documents"]) for row in rows] == [(8, 24.5), (10, 20.6)]
    read = rows[0]["data_sets_read"]
    assert read["documents"] == pytest.approx((196 + 206) / 18)
    assert read["documents"] == pytest.approx(read["published"]["documents"], rel=0.02), "18 of the paper's 43 topics"
    assert read["difference"]["documents"] is None, "the paper's mean is over all of them"
    counted = {
        row.measure: row.mean
        for one in kept(call.home, "sizes", "test")
        for row in one.rows("distributions", Distribution)
    }
    assert counted["tokens_out"] == 178, "mentions of a topic, a word each"


@pytest.mark.slow
def test_reviews_in_the_layout_without_a_summary_have_a_length_of_one_or_no_score(
    call: Call, no_table: None, tmp_path: Path
) -> None:
    raw = str(write(tmp_path / "raw"))
    ask = ("seam", "--raw", raw, "--task", "fuse_reviews", "--runs", "2", "--engine", "inline", "--quiet")
    status, out, _ = call("run", *ask, "--model", "naive", "--model", "lead", "--json")
    assert (status, "fic_proxy" in out) == (0, True)
    for judged in kept(call.home, "judge"):
        rows = list(judged.rows("judgements", Judgement))
        assert {row.reference_words for row in rows} == {None}
        assert all(row.answered and row.components["cover_proxy"] > 0 for row in rows)
        measures = {row.measure for row in judged.rows("conduct", AnswerMeasure)}
        assert "answer_words" in measures
        assert not {"reference_words", "length_ratio"} & measures
    ((one,),) = [json.loads(call("build", *ask, "--json")[1])]
    assert (one["data_set"]["tokens_out"], one["data_set"]["documents"], one["words_out"]) == (None, 8.0, None)
    (line,) = [line for line in call("build", *ask)[1].splitlines() if "704" in line]
    assert [cell.strip() for cell in line.split("│")][-4:-1] == ["–", "164", "–"]
