"""Prompts of SEAM from raw files to text: every block of the fact sheet (seam.md 2) written out by hand, for all six tasks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.flows.seam_kit import TASKS, Row, examples, manifest, rendered, rows
from tests.flows.seam_raw import (
    ASPECT_DOCUMENTS,
    FORMATS,
    INSTRUCTIONS,
    NEWS,
    PARAGRAPHS,
    REVIEWS,
    SHOT_CLUSTERS,
    SHOT_NEWS,
    SHOT_REVIEWS,
    SHOT_TARGETS,
    TRAP,
    write,
)

RUNS = 4


class Drawn:
    """A run by its manifest."""

    def __init__(self, home: Path, task: str, run: int) -> None:
        told = json.loads(manifest(home, task, run))
        self.instruction: int = told["instruction"]
        self.permutation: list[int] = told["document_order"]
        self.shots = [int(name.removeprefix("demonstration_")) - 1 for name in told["demonstrations"]]
        self.ids: dict[str, list[int]] = {row["id"]: row.get("mention_ids", []) for row in told["instances"]}
        self.digests: dict[str, str] = {row["id"]: row["prompt_sha256"] for row in told["instances"]}

    def order(self, count: int) -> list[int]:
        return [number for number in self.permutation if number < count]


def backticked(texts: Sequence[str], order: Sequence[int]) -> str:
    return "\n".join(f"Document {place}: ```{texts[number]}```" for place, number in enumerate(order, start=1))


def plain(drawn: Drawn, texts: Sequence[str], shots: Sequence[Sequence[str]], targets: Sequence[str]) -> str:
    """MultiNews, SciCo, ECB+."""
    head = f"*Instructions*: {INSTRUCTIONS[drawn.instruction]}\n*The documents*:\n"
    blocks = [
        f"{head}{backticked(shots[n], drawn.order(len(shots[n])))}\n*Answer*: {targets[n]}\n\n" for n in drawn.shots
    ]
    return "".join(blocks) + f"{head}{backticked(texts, drawn.order(len(texts)))}\n*Answer*: "


NEWS_TARGETS = [f"N{n} {{documents}}" for n in range(3)]
CLUSTER_TARGETS = [str(one) for one in SHOT_TARGETS]


def multi_news(drawn: Drawn, variant: str) -> dict[str, str]:
    blank = (["Alpha {} ", " Beta two. ", " Gamma three."], ["Lonely one."], ["Delta four. ", "  ", " Epsilon five."])
    shown = [[one.format(TRAP) for one in texts] if "{}" in texts[0] else texts for texts in blank] if variant else NEWS
    return {str(n): plain(drawn, texts, SHOT_NEWS, NEWS_TARGETS) for n, texts in enumerate(shown)}


def sci_co(drawn: Drawn, variant: str) -> dict[str, str]:
    a, b, c, d = drawn.ids["5"]
    texts = [
        f"Of [cards]({a}) and [[card]({c}) games]({b})\nmore {{HS}}\n",
        f"[dice]({d}) ](3)\n",
    ]
    return {"5": plain(drawn, texts, SHOT_CLUSTERS, CLUSTER_TARGETS)}


def ecb_plus(drawn: Drawn, variant: str) -> dict[str, str]:
    # documents sorted as strings: "A sinking ..." before "The ship ..."; the covering range of "shook ... up"
    a, b, c, d = drawn.ids["36"]
    (e,) = drawn.ids["37"]
    texts = [f"A [sinking]({a}) [shook them up]({b}) .", f"The ship [sank]({c}) fast . It was a [loss]({d}) ."]
    one = [f"He [won]({e}) ."]
    return {
        "36": plain(drawn, texts, SHOT_CLUSTERS, CLUSTER_TARGETS),
        "37": plain(drawn, one, SHOT_CLUSTERS, CLUSTER_TARGETS),
    }


def open_asp(drawn: Drawn, variant: str) -> dict[str, str]:
    head = "" if variant else f"*Instructions*: {INSTRUCTIONS[drawn.instruction]}\n\n"
    blocks = [
        f"{head}Aspect label: Label {n}\n\nThe provided documents:\n"
        f"{backticked(SHOT_NEWS[n], drawn.order(len(SHOT_NEWS[n])))}\nAspect-based summary: {NEWS_TARGETS[n]}\n\n"
        for n in drawn.shots
    ]
    texts = [*ASPECT_DOCUMENTS, *([""] if variant else [])]
    own = f"{head}Aspect label: {{target}} why\n\nThe provided documents:\n{backticked(texts, drawn.order(len(texts)))}"
    return {"g/1": "".join(blocks) + own + "\nAspect-based summary: "}


def musique(drawn: Drawn, variant: str) -> dict[str, str]:
    wording = INSTRUCTIONS[drawn.instruction]
    said = f"{wording} " if variant else f"{wording.rstrip()} {FORMATS[drawn.instruction].strip()}"

    def block(question: str, texts: Sequence[str], target: str) -> str:
        mark = "?" if variant or not question.endswith("?") else ""
        return (
            f"*Instructions*:{said}\n*Question*: {question}{mark} *The documents*:\n"
            f"{backticked(texts, drawn.order(len(texts)))}\n*Answer*: {target}"
        )

    targets = [f"{{'is_answerable': {n != 1}, 'answer_content': 'A{n}'}}" for n in range(3)]
    shots = "".join(block(f"Q{n}" + "?" * (n % 2), SHOT_NEWS[n], targets[n]) + "\n\n" for n in drawn.shots)
    asked = {"2hop__1": "Which city?", "2hop__1_unanswerable": "Which {documents} city"}
    return {name: shots + block(question, PARAGRAPHS, "") for name, question in asked.items()}


def fuse_reviews(drawn: Drawn, variant: str) -> dict[str, str]:
    wording = ("Do {documents} it.", "Use {HS} and {HE}, {query}. ", "Third `one` HSX.")[drawn.instruction]
    wording = INSTRUCTIONS[drawn.instruction] if variant else wording

    def block(texts: Sequence[str], lists: Sequence[Sequence[str]], target: str) -> str:
        shown = "\n".join(f"review_{place}: {one}" for place, one in enumerate(texts))
        spans = "\n".join(
            "\n".join(
                [f"review_{place}:", *(f" {count}. {one}" for count, one in enumerate(some, start=1))]
                + ([" "] if variant and not some else [])
            )
            for place, some in enumerate(lists)
        )
        return f"{wording}\n\n{shown}\n\nAnswer: The highlighted spans are:\n{spans}\n\nSo, the answer is:{target}"

    shots = [
        block(SHOT_REVIEWS[n], [[f"Shot {n}"] if k < 2 else [] for k in range(8)], f" F{n}\n\n\n") for n in drawn.shots
    ]
    marked = {
        0: "{HS}Room 0{HE} was [warm](1) and {HS}the desk kind{HE}, review 0.",
        1: "{HS}Room 1{HE} was [warm](1) and the desk kind, review 1.",
    }
    highlights = {0: ["Room 0", "the desk kind"], 1: ["Room 1"]}
    order = drawn.order(8)
    own = block([marked.get(n, REVIEWS[n]) for n in order], [highlights.get(n, []) for n in order], "")
    return {"0": "".join(shots) + own}


EXPECTED: dict[str, Callable[[Drawn, str], dict[str, str]]] = {
    "multi_news": multi_news,
    "open_asp": open_asp,
    "fuse_reviews": fuse_reviews,
    "musique": musique,
    "sci_co": sci_co,
    "ecb_plus": ecb_plus,
}


def built(house: Path, folder: Path, *arguments: str) -> Path:
    work = Scrollwork(house, folder / "home")
    raw = folder / "raw"
    if not raw.is_dir():
        write(raw)
    official = ("--prompts", "official", "--out", str(folder / "out"))
    command = ("export", "prompts", "seam", *official) if "official" in arguments else ("build", "seam", *arguments)
    work(*command, "--raw", str(raw), "--runs", str(RUNS), "--engine", "inline", "--quiet")
    return work.home


@pytest.fixture(scope="module")
def home(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(house, tmp_path_factory.mktemp("written"))


@pytest.mark.parametrize("task", TASKS)
def test_block_of_a_task_is_another(home: Path, task: str) -> None:
    seen = set()
    for run in range(RUNS):
        drawn = Drawn(home, task, run)
        found = rendered(home, task, run)
        assert found == EXPECTED[task](drawn, "")
        assert {name: hashlib.sha256(text.encode()).hexdigest() for name, text in found.items()} == drawn.digests
        seen.add((drawn.instruction, tuple(drawn.shots), tuple(drawn.permutation)))
    assert len(seen) > 1, "one draw shows little"


@pytest.mark.parametrize("task", TASKS)
def test_mentions_share_an_id_or_have_one_out_of_range(home: Path, task: str) -> None:
    for run in range(RUNS):
        for name, ids in Drawn(home, task, run).ids.items():
            assert len(set(ids)) == len(ids)
            if task == "ecb_plus":
                assert sorted(ids) == list(range({"36": 4, "37": 1}[name]))
            elif task == "sci_co":
                assert set(ids) <= set(range(1, 100))
            else:
                assert ids == []


def test_gold_of_a_run_names_other_mentions_than_its_prompt(home: Path) -> None:
    for run in range(RUNS):
        a, b, c, d = Drawn(home, "ecb_plus", run).ids["36"]
        gold = {tuple(one) for one in json.loads(examples(home, "ecb_plus", run)[0]["references"][0])}
        assert gold == {tuple(sorted((a, c))), (b,), (d,)}, "sinking and sank are one, shook and loss alone"
        (row,) = examples(home, "sci_co", run)
        a, b, c, d = Drawn(home, "sci_co", run).ids["5"]
        # numbers stand in the order of the raw file: cards 1, card games 2, card 1, dice 3
        assert {tuple(one) for one in json.loads(row["references"][0])} == {tuple(sorted((a, c))), (b,), (d,)}


def test_empty_documents_are_shown(home: Path) -> None:
    assert {row["example_id"]: len(row["document_ids"]) for row in examples(home, "multi_news", 0)} == {
        "0": 3,
        "1": 1,
        "2": 2,
    }
    assert [len(row["document_ids"]) for row in examples(home, "open_asp", 0)] == [2]


@pytest.fixture(scope="module")
def official(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(house, tmp_path_factory.mktemp("official"), "official")


@pytest.mark.parametrize("task", TASKS)
def test_official_prompts_are_not_those_of_the_official_code(official: Path, task: str) -> None:
    for run in range(RUNS):
        found = rendered(official, task, run, "plain-official")
        assert found == EXPECTED[task](Drawn(official, task, run), "official")


def test_prompt_without_demonstrations_has_one_or_another_block(house: Path, home: Path, tmp_path: Path) -> None:
    bare = built(house, tmp_path, "--shots", "0")
    for task in TASKS:
        drawn, whole = Drawn(bare, task, 1), Drawn(home, task, 1)
        assert drawn.shots == []
        assert (drawn.instruction, drawn.permutation) == (whole.instruction, whole.permutation)
        assert drawn.ids == whole.ids
        assert rendered(bare, task, 1) == EXPECTED[task](drawn, "")


def test_too_few_demonstrations_are_filled_up_or_a_traceback(house: Path, tmp_path: Path) -> None:
    work = Scrollwork(house, tmp_path / "home")
    command = ("build", "seam", "--raw", str(write(tmp_path / "raw")), "--runs", "1", "--engine", "inline")
    done = work(*command, "--task", "musique", "--shots", "4", status=1)
    assert "3 demonstrations are too few for 4 shots" in done.err
    assert "Traceback" not in done.err


def facts_of(home: Path, task: str, run: int) -> list[Row]:
    return [row["facts"] for row in examples(home, task, run)]


def test_evidence_is_looked_for_in_another_document(home: Path) -> None:
    """Metadata that names documents follows them to their new places."""
    texts = {row["document_id"]: row["text"] for row in rows(home, "curate", "seam.musique.test", "documents")}
    orders = set()
    for run in range(RUNS):
        for example in examples(home, "musique", run):
            (span,) = example["facts"]["evidence_spans"]
            assert texts[example["document_ids"][span[0]]][span[1] : span[2]] == PARAGRAPHS[0]
            orders.add(span[0])
    assert len(orders) > 1, "one order shows little"
