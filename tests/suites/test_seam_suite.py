"""SEAM's suite file: what its tasks read, here and from where it is published, and what the sample has of it."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scrollwork.fetching.sources import load_catalogue, needs
from scrollwork.pipeline.raw_files import find
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.runs import raw_prompts
from scrollwork.preprocessing.runs.raw_prompts import wording
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from scrollwork.storage.digest import FileDigests
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import SAMPLE, load_suite

SUITE = load_suite("seam")
TABLE_1 = {  # samples, tokens in and out, documents
    "multi_news": (56100, 2349, 277, 2.8),
    "open_asp": (1183, 8192, 102, 9.9),
    "fuse_reviews": (742, 704, 164, 8.0),
    "musique": (44710, 2148, 17, 20.0),
    "sci_co": (521, 4207, 150, 47.5),
    "ecb_plus": (43, 2503, 1309, 22.7),
}


@cache
def sampled(task: str, split: str = "test") -> list[Row]:
    """The rows that the sample has of a task."""
    config = SUITE.tasks[task]
    values = {"split": config.splits[split], split: "", **config.options}
    patterns = {role: found for role, found in config.raw.items() if role != "prompts"}
    opened = find(config.dataset, patterns, values, str(SAMPLE), FileDigests()).opened(str(SAMPLE))
    return list(curate(config.dataset, opened, task, split, config.options))


@cache
def prompted(task: str) -> list[Row]:
    """The rows of the sample's prompts of a task."""
    (path,) = SUITE.tasks[task].raw["prompts"]
    return list(raw_prompts.curate(RawFiles("seam", {"prompts": ((path, SAMPLE / path),)}), task, "demonstrations"))


def of_kind(rows: list[Row], kind: type) -> list[Any]:
    return [row for row in rows if isinstance(row, kind)]


def test_tasks_are_not_in_the_order_of_table_3_or_figures_not_those_of_table_1() -> None:
    assert list(SUITE.tasks) == list(TABLE_1)
    printed = {name: {**task.paper} for name, task in SUITE.tasks.items()}
    asked = {name: paper.pop("asked") for name, paper in printed.items()}
    assert {name: tuple(paper.values()) for name, paper in printed.items()} == TABLE_1
    inputs = {**dict.fromkeys(TABLE_1, 100), "fuse_reviews": 99, "ecb_plus": 10}  # of a run: no more are there
    assert asked == {name: 10 * count for name, count in inputs.items()}, "ten runs (section 3)"
    assert (SUITE.seed, SUITE.temperature) == (42, 0.8)
    assert {task.max_new_tokens for task in SUITE.tasks.values()} == {500}


@pytest.mark.parametrize("alternatives", [(), ("scico-hub", "musique-hub")])
def test_nobody_knows_where_a_file_is_published(alternatives: tuple[str, ...]) -> None:
    found = needs(Request("seam", "/nowhere", "/nowhere"), load_catalogue(), alternatives)
    assert {need.task for need in found} == set(SUITE.tasks)
    assert [f"{need.task}.{need.role}" for need in found if not need.sources] == []
    hubs = {source.dataset: source.hub for need in found for source in need.sources if source.hub}
    assert {"multi_news", "fusereviews"} <= set(hubs)
    assert "scico" in hubs or not alternatives


def test_suite_reads_no_file_of_its_own_split(tmp_path: Path) -> None:
    for name in ("train", "dev", "test"):
        (tmp_path / "scico").mkdir(exist_ok=True)
        (tmp_path / f"scico/{name}.jsonl").write_text("{}")
    config = SUITE.tasks["sci_co"]
    patterns = {"records": config.raw["records"]}
    for split, upstream in config.splits.items():
        found = find("sci_co", patterns, {"split": upstream, split: ""}, str(tmp_path), FileDigests())
        assert [file.path for file in found.files()] == [f"scico/{upstream}.jsonl"]


@pytest.mark.parametrize("task", TABLE_1)
def test_sample_of_a_task_has_malformed_rows_or_too_few(task: str) -> None:
    rows = sampled(task)
    assert not any(drop.error for drop in of_kind(rows, Drop))
    sizes = {"multi_news": 11, "open_asp": 6, "fuse_reviews": 6, "musique": 13, "sci_co": 5, "ecb_plus": 3}
    assert len(of_kind(rows, Example)) == sizes[task]
    known = {document.document_id for document in of_kind(rows, Document)}
    assert all(set(example.document_ids) <= known for example in of_kind(rows, Example))


def test_sample_lacks_what_was_planted_for_the_edges() -> None:
    assert Counter(drop.reason for drop in of_kind(sampled("multi_news"), Drop)) == {
        "no document": 1,
        "empty document": 1,
    }
    assert 1 in {len(example.document_ids) for example in of_kind(sampled("multi_news"), Example)}
    assert {example.facts["texts_of"] for example in of_kind(sampled("open_asp"), Example)} == {"DUC", "Multi-News"}
    fused = of_kind(sampled("fuse_reviews"), Example)
    assert sum(example.facts["overlapping"] for example in fused) == 1
    assert any([] in json.loads(example.references[0])["highlights"] for example in fused)
    answers = [json.loads(example.references[0]) for example in of_kind(sampled("musique"), Example)]
    assert Counter(answer["is_answerable"] for answer in answers) == {True: 10, False: 3}
    assert all(answer["answer_content"] for answer in answers)
    assert Counter(drop.reason for drop in of_kind(sampled("ecb_plus"), Drop)) == {"no validated sentence": 1}
    assert len(of_kind(sampled("fuse_reviews", "train"), Example)) == 2, "the data set's own layout"


@pytest.mark.parametrize("task", ["sci_co", "ecb_plus"])
def test_sample_has_no_nested_mentions_or_no_clusters_across_documents(task: str) -> None:
    nested = across = single = 0
    for example in of_kind(sampled(task), Example):
        mentions = [tuple(one) for one in example.facts["mentions"]]
        assert len(set(mentions)) == len(mentions) < 100
        nested += sum(
            one != other and one[0] == other[0] and other[1] <= one[1] and one[2] <= other[2]
            for one in mentions
            for other in mentions
        )
        for cluster in json.loads(example.references[0]):
            across += len({mentions[number][0] for number in cluster}) > 1
            single += len(cluster) == 1
    assert across > 5
    assert single > 0
    assert nested > 0 or task == "ecb_plus"


@pytest.mark.parametrize("task", TABLE_1)
def test_own_prompts_are_taken_for_published_ones_or_show_an_input(task: str) -> None:
    rows = prompted(task)
    assert len(of_kind(rows, Instruction)) == 6
    assert wording(task, of_kind(rows, Instruction)) == "own"
    shown = of_kind(rows, Example)
    assert len(shown) == 5
    assert of_kind(rows, Drop) == []
    asked = {document.document_id for document in of_kind(sampled(task), Document)}
    if task not in ("musique", "fuse_reviews"):  # paragraphs of one encyclopedia
        assert not asked & {document.document_id for document in of_kind(rows, Document)}
    queries = {example.query for example in of_kind(sampled(task), Example)} - {None}
    assert task == "open_asp" or not queries & {example.query for example in shown}
    assert all(example.facts.get("unmatched", []) == [] for example in shown)
    if task == "musique":
        assert [example.facts["answerable"] for example in shown] == [True] * 4 + [False]
    if task == "fuse_reviews":
        assert all(example.facts["highlights"] for example in shown)
