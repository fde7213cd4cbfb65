"""SEAM's data sets and prompts on real files: the counts of the fact sheet, sections 1 and 4."""

from __future__ import annotations

import json
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.raw_files import find
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.datasets.open_asp import origin
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.runs import raw_prompts
from scrollwork.preprocessing.runs.raw_prompts import CODE, PAPER, checksum, wording
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from scrollwork.storage.digest import FileDigests
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("seam")
# Event mentions, clusters and singletons in validated sentences: Cattan et al. 2021, table 1.
ECB = {"validation": (8, 1245, 409, 280), "test": (10, 1780, 805, 623)}
PARAPHRASES = {"multi_news": 20, "open_asp": 21, "fuse_reviews": 20, "musique": 21, "sci_co": 20, "ecb_plus": 20}
PAPER_NAMES = {task: task.replace("_", "") for task in PARAPHRASES}


def curated(shared: Path, task: str, split: str = "test") -> list[Row]:
    """The rows of a task, by the patterns of the suite file."""
    config = SUITE.tasks[task]
    values = {"split": config.splits[split], split: "", **config.options}
    patterns = {role: found for role, found in config.raw.items() if role != "prompts"}
    found = find(config.dataset, patterns, values, str(shared / "raw"), FileDigests())
    return list(curate(config.dataset, found.opened(str(shared / "raw")), task, split, config.options))


def of_kind(rows: list[Row], kind: type) -> list[Any]:
    return [row for row in rows if isinstance(row, kind)]


def prompts(folder: Path, task: str) -> list[Row]:
    """The rows of the task's file of prompts."""
    (pattern,) = SUITE.tasks[task].raw["prompts"]
    raw = RawFiles("seam", {"prompts": ((pattern, folder / pattern),)})
    return list(raw_prompts.curate(raw, task, "demonstrations"))


@pytest.fixture(scope="session")
def official(shared: Path) -> Path:
    if not (shared / "raw/seam/files/prompts").is_dir():
        pytest.skip("the official prompts are not among the shared data")
    return shared / "raw"


@pytest.mark.parametrize("split", ECB)
def test_ecb_has_other_topics_documents_mentions_or_clusters(shared: Path, split: str) -> None:
    rows = curated(shared, "ecb_plus", split)
    examples = of_kind(rows, Example)
    clusters = [cluster for example in examples for cluster in json.loads(example.references[0])]
    mentions = sum(len(example.facts["mentions"]) for example in examples)
    assert (len(examples), mentions, len(clusters), sum(len(one) == 1 for one in clusters)) == ECB[split]
    assert {drop.reason for drop in of_kind(rows, Drop)} == {"no validated sentence"}
    assert not any(drop.error for drop in of_kind(rows, Drop))
    if split == "test":
        assert [example.example_id for example in examples] == [str(topic) for topic in range(36, 46)]
        assert sum(len(example.document_ids) for example in examples) == 206


def event_words(folder: Path) -> Iterator[str]:
    """The words of every validated event mention of the test topics, read in another way."""
    lines = (folder / "ECBplus_coreference_sentences.csv").read_text(encoding="utf-8").split()[2:]
    listed = {tuple(line.split(",")) for line in lines}
    for topic in range(36, 46):
        for path in (folder / "ECB+" / str(topic)).iterdir():
            root = ET.parse(path).getroot()
            name = path.stem.partition("_")[2]
            tokens = {int(one.attrib["t_id"]): one for one in root.iter("token")}
            for mention in root.findall("Markables/*"):
                at = [int(anchor.attrib["t_id"]) for anchor in mention]
                sentences = {(str(topic), name, tokens[number].attrib["sentence"]) for number in at}
                if at and sentences <= listed and mention.tag[:3] in ("ACT", "NEG"):
                    pieces = (str(tokens[number].text) for number in range(min(at), max(at) + 1))
                    yield " ".join(piece.strip() for piece in pieces).lower()


def test_mention_of_ecb_does_not_begin_and_end_with_its_words(shared: Path) -> None:
    rows = curated(shared, "ecb_plus")
    texts = {document.document_id: document.text for document in of_kind(rows, Document)}
    words: Counter[str] = Counter()
    for example in of_kind(rows, Example):
        assert sorted(n for cluster in json.loads(example.references[0]) for n in cluster) == list(
            range(len(example.facts["mentions"]))
        )
        for place, start, end in example.facts["mentions"]:
            text = texts[example.document_ids[place]]
            assert start == 0 or text[start - 1] == " "
            assert end == len(text) or text[end] == " "
            words[text[start:end].lower()] += 1
        ordered = [texts[one] for one in example.document_ids]
        assert ordered == sorted(ordered)
    assert words == Counter(event_words(shared / "raw/ecb_plus/ECB+_LREC2014"))


def test_fusereviews_are_not_99_or_markers_would_change_a_review(shared: Path) -> None:
    rows = curated(shared, "fuse_reviews")
    examples = of_kind(rows, Example)
    assert len(examples) == 99
    assert of_kind(rows, Drop) == []
    texts = {document.document_id: document.text for document in of_kind(rows, Document)}
    overlapping = 0
    for example in examples:
        gold = json.loads(example.references[0])
        spans = example.facts["highlights"]
        assert spans == sorted(spans)
        assert all(one[0] != other[0] or one[2] <= other[1] for one, other in pairwise(spans))
        assert [texts[example.document_ids[n]][start:end] for n, start, end in spans] == [
            text for review in gold["highlights"] for text in review
        ]
        assert gold["alignments"] == sorted(gold["alignments"])
        overlapping += example.facts["overlapping"] > 0
    assert {len(example.document_ids) for example in examples} == {8}
    assert overlapping > 0, "upstream's spans overlap; the official code fails on them"


def test_musique_samples_lose_a_question_or_a_paragraph(shared: Path) -> None:
    rows = curated(shared, "musique")
    examples = of_kind(rows, Example)
    assert len(examples) == 300
    assert of_kind(rows, Drop) == []
    assert {len(example.document_ids) for example in examples} == {20}
    assert all(json.loads(example.references[0])["is_answerable"] for example in examples)


def test_openasp_counts_another_origin(shared: Path) -> None:
    entries = json.loads((shared / "raw/openasp/openasp_v1_dataset_metadata.json").read_text(encoding="utf-8"))
    found = Counter((entry["dataset_split"], origin(entry["topic_id"])) for entry in entries)
    assert found["test", "Multi-News"] == 291
    assert found["test", "Multi-News"] + found["test", "DUC"] == 596
    assert (found["valid", "Multi-News"], found["valid", "DUC"]) == (122, 116)
    assert (found["train", "Multi-News"], found["train", "DUC"]) == (279, 197)
    assert not any(whose == "" for _, whose in found)
    assert len({entry["guid"] for entry in entries}) == len(entries)


@pytest.mark.parametrize("task", PARAPHRASES)
def test_official_paraphrases_are_taken_for_others(official: Path, task: str) -> None:
    rows = prompts(official, task)
    found = of_kind(rows, Instruction)
    assert [one.number for one in found] == list(range(1, PARAPHRASES[task] + 1))
    assert checksum(found) == CODE[task]
    assert wording(task, found) == ("paper and code" if PAPER[task] == CODE[task] else "code")
    assert of_kind(rows, Drop) == []
    assert all(bool(one.output_format) == (task == "musique") for one in found)


def papers(shared: Path) -> Iterator[tuple[str, list[Instruction]]]:
    path = shared.parent / "spec" / "seam_instructions.toml"
    if not path.is_file():
        pytest.skip("the paper's paraphrases are not beside the shared data")
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for task, name in PAPER_NAMES.items():
        texts = enumerate(tables[name]["instructions"], start=1)
        yield task, [Instruction(task, number, text, "", path.name) for number, text in texts]


def test_papers_paraphrases_have_another_checksum(shared: Path) -> None:
    for task, found in papers(shared):
        assert checksum(found) == PAPER[task]
        assert wording(task, found).startswith("paper")
        assert wording(task, found[1:]) == "own"


def test_wordings_differ_by_more_than_the_fact_sheet_tells(shared: Path, official: Path) -> None:
    differing = {}
    for task, paper in papers(shared):
        code = of_kind(prompts(official, task), Instruction)
        differing[task] = [one.number for one, other in zip(paper, code, strict=True) if one.whole != other.whole]
        if task == "fuse_reviews":
            named = [one.whole.replace("{HS}", "HS").replace("{HE}", "HE") for one in code]
            differing[task] = [one.number for one, text in zip(paper, named, strict=True) if one.whole != text]
        if task == "musique":
            quoted = [one.whole.replace('"', "'") for one in code]
            differing[task] = [one.number for one, text in zip(paper, quoted, strict=True) if one.whole != text]
    assert differing == {
        "multi_news": [], "open_asp": [], "sci_co": [], "ecb_plus": [1, 15], "fuse_reviews": [1], "musique": [11],
    }  # fmt: skip


def test_official_demonstrations_are_not_as_the_fact_sheet_has_them(official: Path) -> None:
    shown = {task: of_kind(prompts(official, task), Example) for task in PARAPHRASES}
    assert {task: len(examples) for task, examples in shown.items()} == {
        "multi_news": 5, "open_asp": 5, "fuse_reviews": 4, "musique": 5, "sci_co": 5, "ecb_plus": 5,
    }  # fmt: skip
    sizes = {task: [len(example.document_ids) for example in examples] for task, examples in shown.items()}
    assert {task: (min(found), max(found)) for task, found in sizes.items()} == {
        "multi_news": (2, 3), "open_asp": (2, 2), "fuse_reviews": (8, 8), "musique": (7, 14), "sci_co": (6, 8), "ecb_plus": (5, 9),
    }  # fmt: skip
    assert shown["musique"][0].references == ("{'is_answerable': True, 'answer_content': 'Rap-A-Lot'}",)
    assert shown["musique"][4].references == ("{'is_answerable': False, 'answer_content': 'Huambo Province'}",)
    assert [example.facts["answerable"] for example in shown["musique"]] == [True] * 4 + [False]
    assert [example.facts["unmatched"] for example in shown["ecb_plus"]] == [[], [], [40, 50], [], []]
    assert [example.facts["unmatched"] for example in shown["sci_co"]] == [[]] * 5
    label, guid = shown["open_asp"][2].query, shown["open_asp"][2].facts["upstream_id"]
    assert label is not None
    assert not guid.startswith(label), "upstream: a label that does not match its id"
