"""Checkpoints that score answers: `run seam --faithfulness MODEL --coverage MODEL`, to the scores and the page."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.conftest import CHECKPOINTS, Done, Scrollwork
from tests.flows.seam_kit import mapping

pytestmark = pytest.mark.slow
ASKED = "read and answer .\n\n{premise} {hypothesis}\n\nwhich letter ?\n\nanswer :"
LABELS = {"faithful": "A", "covers": "B"}


@pytest.fixture
def offline(scrollwork: Scrollwork) -> Scrollwork:
    return scrollwork.with_(env=dict(CHECKPOINTS))


def tables(path: Path, folder: Path, labels: dict[str, str] = LABELS) -> str:
    """A file of models with a judge for each role."""
    lines = []
    for name, label in labels.items():
        asked = f"{{ template = {json.dumps(ASKED)}, label = {json.dumps(label)}, window = 400 }}"
        lines += [f"[{name}]", 'provider = "transformers"', f"id = {json.dumps(str(folder))}", "threads = 1"]
        lines += ["batch_size = 3", f"entailment = {asked}"]
    path.write_text("\n".join(lines))
    return str(path)


def judged(work: Scrollwork, models: str, *arguments: str, runs: int = 2, **options: Any) -> Done:
    by = ("--models", models, "--faithfulness", "faithful", "--coverage", "covers") if models else ()
    asked = ("--sample", "--engine", "inline", "--task", "fuse_reviews", "--instances", "2", "--model", "lead")
    return work("run", "seam", "--runs", str(runs), *asked, *by, *arguments, **options)


def found(home: Path, stage: str, table: str) -> list[dict[str, Any]]:
    return [
        row
        for path in sorted((home / "artifacts" / stage).rglob(f"{table}-*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


class Reader:
    """What the checkpoint says of a text, asked here by the library alone."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        self.coder = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()

    def __call__(self, premise: str, hypothesis: str, label: str) -> float:
        import torch

        ids = self.coder(f"read and answer .\n\n{premise} {hypothesis}\n\nwhich letter ?\n\nanswer :")["input_ids"]
        ids = ids if len(ids) <= 400 else [*ids[:399], 1]
        (token,) = self.coder(label, add_special_tokens=False)["input_ids"]
        with torch.inference_mode():
            logits = self.model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([[0]])).logits
        return float(torch.softmax(logits[0, 0].double(), dim=-1)[token])


def test_judges_are_named_and_the_proxy_scores(offline: Scrollwork, tiny_t5: Path, tmp_path: Path) -> None:
    done = judged(offline, tables(tmp_path / "models.toml", tiny_t5), "--json")
    (row,) = done.document["tasks"]
    assert row["metric"] == "fic"
    scores = found(offline.home, "score", "scores")
    answers = {(one["example_id"], one["draw"]): one["text"] for one in found(offline.home, "generate", "responses")}
    gold = {
        (one["example_id"], one["draw"]): json.loads(one["references"][0])
        for one in found(offline.home, "sample", "examples")
    }
    assert len(scores) == len(answers) == 4
    read = Reader(tiny_t5)
    for score in scores:
        own = gold[score["example_id"], score["draw"]]
        listed = "\n".join(
            f"review_{number}:" + "".join(f"\n {place}. {span}" for place, span in enumerate(spans, start=1))
            for number, spans in enumerate(own["highlights"])
        )
        answer = answers[score["example_id"], score["draw"]]
        parts = [part for part in re.split(r"(?<=[.!?])\s+", answer.strip()) if part]
        faith = sum(read(listed, part, "A") for part in parts) / len(parts)
        cover = sum(read(span, answer, "B") for span in own["alignments"]) / len(own["alignments"])
        components = mapping(score["components"])
        assert components["faithfulness"] == pytest.approx(100 * faith, abs=1e-3)
        assert components["coverage"] == pytest.approx(100 * cover, abs=1e-3)
        assert components["f1"] == pytest.approx(200 * faith * cover / (faith + cover), abs=1e-3)
    (page,) = (offline.home / "reports").glob("seam*.html")
    assert "faithfulness by tiny-t5~" in page.read_text()
    assert "lexical proxy" not in page.read_text()
    assert str(tiny_t5) not in page.read_text()


def test_other_judges_ask_the_model_again(offline: Scrollwork, tiny_t5: Path, tmp_path: Path) -> None:
    judged(offline, tables(tmp_path / "models.toml", tiny_t5))
    moved = shutil.copytree(tiny_t5, tmp_path / "elsewhere" / "tiny-t5")
    again = judged(offline, tables(tmp_path / "moved.toml", moved))
    assert "nothing was to be done" in again.err, "known by its files, not by where they lie"
    before = found(offline.home, "score", "scores")
    other = judged(offline, tables(tmp_path / "other.toml", tiny_t5, {"faithful": "C", "covers": "B"}), "--json")
    stages = {row["stage"]: row["state"] for row in plan(offline, str(tmp_path / "other.toml"))}
    assert set(stages.values()) == {"reused"}, stages
    assert len(found(offline.home, "score", "scores")) == 2 * len(before)
    assert len(found(offline.home, "generate", "responses")) == 4, "answers of two runs stand as they were"
    assert other.document["tasks"][0]["metric"] == "fic"


def plan(work: Scrollwork, models: str) -> list[dict[str, Any]]:
    by = ("--models", models, "--faithfulness", "faithful", "--coverage", "covers")
    asked = ("--sample", "--task", "fuse_reviews", "--instances", "2", "--model", "lead", "--runs", "2")
    rows: list[dict[str, Any]] = work("plan", "seam", *asked, *by, "--json").document
    return rows


def test_report_of_a_home_mixes_judged_scores_and_the_proxys(
    offline: Scrollwork, tiny_t5: Path, tmp_path: Path
) -> None:
    judged(offline, "", "--model", "naive")
    judged(offline, tables(tmp_path / "models.toml", tiny_t5))
    out = tmp_path / "all.csv"
    offline("report", "seam", "--format", "csv", "--out", str(out))
    with out.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["value"] and row["task"] == "fuse_reviews"]
    assert {(row["model"], row["metric"]) for row in rows} == {("lead", "fic")}


def test_judge_that_is_no_judge_is_asked(offline: Scrollwork, tiny_llama: Path, tmp_path: Path) -> None:
    done = judged(offline, tables(tmp_path / "models.toml", tiny_llama), status=2)
    assert "--faithfulness faithful: an encoder-decoder is needed, not a causal model" in done.err
