"""`--draws official` from raw files of all splits to prompts, against the stream of the fact sheet (seam.md 3) called out
by hand; and what it says where a file that the stream needs is not there."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Scrollwork
from tests.flows.seam_kit import Row, manifest, rendered
from tests.flows.seam_raw import lines, reviews, text, write

RUNS, MOST, SHOTS = 2, 2, 2
WORDINGS = POOL = 3  # of each data set in the small raw files
# Text of each document's one validated sentence, its event and its entity, by token from 1. By their texts the three of
# topic 36 stand Attack, Zinc, apple; with marks [Attack](n) is behind Zinc.
TOPICS = {
    "1_1ecb": ("Rain fell there", 2, 3),
    "1_2ecb": ("Snow fell there", 2, 3),
    "2_1ecb": ("It rose", 2, 1),
    "36_1ecb": ("Attack ended .", 1, 3),
    "36_2ecb": ("Zinc sank", 2, 1),
    "36_3ecb": ("apple fell", 2, 1),
}
# Articles of each row; the second row of test has none, the fourth an empty one before two others.
NEWS = {
    "train": (("T1", "T2", "T3", "T4"), ("U1",), ("V1", "V2")),
    "val": (("W1",),),
    "test": (("A1", "A2"), ("",), ("B1",), ("", "C1", "C2")),
}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """The small raw files, with the splits that only the stream needs."""
    folder = write(tmp_path / "raw")
    for split, articles in NEWS.items():
        text(folder / f"multi_news/data/{split}.src.cleaned", "".join(" ||||| ".join(row) + "\n" for row in articles))
        text(folder / f"multi_news/data/{split}.tgt", "So.\n" * len(articles))
    (aspect,) = map(json.loads, (folder / "openasp/test.jsonl").read_text().splitlines())
    lines(folder / "openasp/train.jsonl", [{**aspect, "guid": f"t{n}"} for n in range(3)])
    lines(folder / "openasp/valid.jsonl", [{**aspect, "guid": "v"}])
    reviews(folder / "fusereviews/train.csv")
    asked = (folder / "musique/musique_full_v1.0_dev.jsonl").read_text()
    text(folder / "musique/musique_full_v1.0_train.jsonl", asked)
    (topic,) = map(json.loads, (folder / "scico/test.jsonl").read_text().splitlines())
    lines(folder / "scico/train.jsonl", [topic, {**topic, "id": 6, "mentions": topic["mentions"][:2]}])
    lines(folder / "scico/dev.jsonl", [{**topic, "id": 7, "mentions": topic["mentions"][1:]}])
    root = folder / "ecb_plus/ECB+_LREC2014"
    for path in root.glob("ECB+/*/*.xml"):
        path.unlink()
    listed = [f"{name.replace('_', ',')},0" for name in TOPICS]
    text(root / "ECBplus_coreference_sentences.csv", "\n".join(["Topic,File,Sentence Number", *listed]) + "\n")
    for name, (sentence, event, entity) in TOPICS.items():
        tokens = "".join(
            f'<token t_id="{n}" sentence="0" number="0">{word}</token>' for n, word in enumerate(sentence.split(), 1)
        )
        marks = (
            f'<ACTION_OCCURRENCE m_id="1"><token_anchor t_id="{event}"/></ACTION_OCCURRENCE>'
            f'<HUMAN_PART_PER m_id="2"><token_anchor t_id="{entity}"/></HUMAN_PART_PER>'
        )
        body = f"{tokens}<Markables>{marks}</Markables><Relations/>"
        text(
            root / f"ECB+/{name.partition('_')[0]}/{name}.xml",
            f'<Document doc_name="{name}.xml" doc_id="D">{body}</Document>',
        )
    return folder


def command(raw: Path, *arguments: str) -> tuple[str, ...]:
    sizes = ("--runs", str(RUNS), "--instances", str(MOST), "--shots", str(SHOTS))
    return ("build", "seam", "--raw", str(raw), "--draws", "official", *sizes, "--engine", "inline", *arguments)


class Stream:
    """random.Random(42), and the steps of the fact sheet."""

    def __init__(self) -> None:
        self.own = random.Random(42)

    def permutation(self, count: int) -> list[int]:
        return self.own.sample(range(count), count)

    def prompt(self) -> Row:
        wording = self.own.choice(range(WORDINGS))
        shots = self.own.sample(range(POOL), SHOTS)
        return {"instruction": wording, "demonstrations": [f"demonstration_{n + 1}" for n in shots]}

    def instances(self, *sizes: int) -> list[list[int]]:
        return [self.own.sample(range(size), MOST) if size > MOST else list(range(size)) for size in sizes]


def expected() -> dict[tuple[str, int], Row]:
    """What the manifests must say, by data set and run."""
    stream = Stream()
    found: dict[tuple[str, int], Row] = {}
    for run in range(RUNS):
        stream.permutation(1)
        ids = [stream.permutation(n) for n in (2, 2, 1, 1, 3, 3)]  # train, dev, test; events and entities of each
        order = stream.permutation(3)
        found["ecb_plus", run] = {"document_order": order, **stream.prompt(), "ids": {"36": ids[4]}}
        stream.instances(1, 1, 1)
    for run in range(RUNS):
        found["fuse_reviews", run] = {"document_order": stream.permutation(8), **stream.prompt()}
        stream.instances(1, 1)
    for run in range(RUNS):
        order = stream.permutation(1)  # of two documents: the largest number is taken for how many there are
        rows = [stream.own.sample(range(1, 100), 4)]
        told = stream.prompt()
        rows += [stream.own.sample(range(1, 100), n) for n in (2, 3, 4)]
        found["sci_co", run] = {"document_order": order, **told, "ids": {"5": rows[3]}}
        stream.instances(2, 1, 1)
    for run in range(RUNS):
        order, told = stream.permutation(4), stream.prompt()
        chosen = stream.instances(3, 1, 4)[2]
        found["multi_news", run] = {"document_order": order, **told, "instances": {str(n) for n in chosen if n != 1}}
    for run in range(RUNS):
        found["musique", run] = {"document_order": stream.permutation(20), **stream.prompt()}
        stream.instances(2, 2)
    for run in range(RUNS):  # three articles, of which the last is empty
        found["open_asp", run] = {"document_order": stream.permutation(3), **stream.prompt()}
        stream.instances(3, 1, 1)
    return found


@pytest.mark.slow
def test_official_stream_from_raw_files_is_another(scrollwork: Scrollwork, raw: Path) -> None:
    scrollwork(*command(raw))
    for (task, run), wanted in expected().items():
        told = json.loads(manifest(scrollwork.home, task, run))
        for name in ("document_order", "instruction", "demonstrations"):
            assert told[name] == wanted[name], (task, run, name)
        rows = {row["id"]: row for row in told["instances"]}
        if "instances" in wanted:
            assert rows.keys() == wanted["instances"]
        for name, ids in wanted.get("ids", {}).items():
            assert rows[name]["mention_ids"] == ids
        assert told["official_stream"]["runs"] == RUNS


def test_official_order_of_documents_is_another(scrollwork: Scrollwork, raw: Path) -> None:
    """ECB+'s are sorted with their marks, Multi-News' empty ones have a place in the permutation."""
    scrollwork(*command(raw, "--task", "ecb_plus", "--task", "multi_news"))
    for run in range(RUNS):
        told = json.loads(manifest(scrollwork.home, "ecb_plus", run))
        (row,) = told["instances"]
        ids = row["mention_ids"]  # of the mentions by the order of the plain texts: Attack, Zinc, apple
        texts = sorted([f"[Attack]({ids[0]}) ended .", f"Zinc [sank]({ids[1]})", f"apple [fell]({ids[2]})"])
        assert texts[0].startswith("Zinc")
        shown = [texts[place] for place in told["document_order"]]
        ending = "".join(f"Document {n}: ```{one}```\n" for n, one in enumerate(shown, 1)) + "*Answer*: "
        assert rendered(scrollwork.home, "ecb_plus", run)["36"].endswith(ending)
        order = json.loads(manifest(scrollwork.home, "multi_news", run))["document_order"]
        for name, prompt in rendered(scrollwork.home, "multi_news", run).items():
            articles = NEWS["test"][int(name)]
            kept = [articles[place] for place in order if place < len(articles) and articles[place]]
            ending = "\n".join(f"Document {n}: ```{one}```" for n, one in enumerate(kept, 1)) + "\n*Answer*: "
            assert prompt.endswith(f"*The documents*:\n{ending}")


@pytest.mark.slow
def test_manifest_of_the_official_stream_is_that_of_a_stream_of_one_data_set(scrollwork: Scrollwork, raw: Path) -> None:
    asked = command(raw)[2:-2]
    told = scrollwork("seam", "manifest", "musique", "1", *asked).out
    scrollwork(*command(raw))
    assert told.encode() == manifest(scrollwork.home, "musique", 1)
    alone = scrollwork("seam", "manifest", "musique", "1", *asked, "--task", "musique").out
    assert json.loads(alone)["document_order"] != json.loads(told)["document_order"]


def test_limit_moves_the_official_stream_or_is_not_nested(scrollwork: Scrollwork, raw: Path) -> None:
    asked = command(raw)[2:-2]
    told = [
        json.loads(scrollwork("seam", "manifest", "multi_news", "1", *asked, *limit).out)
        for limit in (("--limit", "1"), ("--limit", "2"), ())
    ]
    assert [len(one["instances"]) for one in told] == [1, 2, 2]
    assert told[0]["instances"][0] in told[1]["instances"]
    assert told[1]["instances"] == told[2]["instances"]
    for name in ("instruction", "demonstrations", "document_order"):
        assert told[0][name] == told[1][name] == told[2][name]


def remove(path: str) -> Any:
    return lambda raw: (raw / path).unlink()


def broken(raw: Path) -> None:
    with (raw / "scico/train.jsonl").open("a") as out:
        out.write("{\n")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (remove("openasp/train.jsonl"), "openasp/**/train.jsonl"),
        (remove("multi_news/data/val.src.cleaned"), "multi_news/**/val.src.cleaned"),
        (remove("ecb_plus/ECB+_LREC2014/ECB+/1/1_2ecb.xml"), "lacks 1_2ecb.xml"),
        (broken, "official: sci_co: the official stream depends on every record of every split, and 1 of split train"),
    ],
)
def test_official_stream_is_drawn_over_files_that_are_not_there(
    scrollwork: Scrollwork, raw: Path, spoil: Any, said: str
) -> None:
    spoil(raw)
    done = scrollwork(*command(raw), status=1)
    assert said in done.err
    assert "Traceback" not in done.err


def test_split_without_a_record_is_told_of_another_file(scrollwork: Scrollwork) -> None:
    """The sample has no topic of ECB+'s train split; its demonstrations are there, and are not what is missing."""
    done = scrollwork(
        "build", "seam", "--sample", "--task", "ecb_plus", "--split", "train", "--engine", "inline", status=1
    )
    assert "no example of split train in ecb_plus/" in done.err
    assert "ECB.json" not in done.err
