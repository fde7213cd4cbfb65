"""SEAM's files of prompts: paraphrases and demonstrations as rows; what is wrong in one costs that one alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.runs.raw_prompts import checksum, curate, wording
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from tests.preprocessing.raw_kit import Kit

REVIEWS = {f"review_{n}": f"Review {n} is {{HS}} kind{{HE}}." for n in range(8)}
SHOWN: dict[str, dict[str, Any]] = {
    "multi_news": {"id_train": 7, "documents": ["One.", "Two. "], "target": "Both."},
    "open_asp": {"id_train": "A/B", "aspect_label": "Cause", "documents": ["One.", "Two."], "target": "So.\nYes."},
    "fuse_reviews": {"id": 0, "reviews": REVIEWS, "output": "All are kind."},
    "musique": {
        "id": 3,
        "documents": ["One.", "Two."],
        "question": "Who's there?",
        "answer": {"answer_content": "It's 'Al'", "is_answerable": True},
    },
    "sci_co": {"documents": ["[Card [games](5)](2) here", "a [dice](31) too"], "target": [[2, 31], [5]]},
    "ecb_plus": {"documents": ["[Took](0) it", "then [ended](1)"], "target": [[0], [1]]},
}


def rows(folder: Path, task: str, *shown: Any, prompts: Any = ({"id": 0, "instructions": "Do it."},)) -> list[Row]:
    field = "demos" if task == "fuse_reviews" else "demonstrations"
    kit = Kit(folder, "seam").file("p.json", json.dumps({"prompts": list(prompts), field: list(shown)}), "prompts")
    return list(curate(kit.raw(), task, "demonstrations"))


def one(folder: Path, task: str, **changes: Any) -> Example:
    found = [row for row in rows(folder, task, {**SHOWN[task], **changes}) if isinstance(row, Example)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("task", "query", "target", "facts"),
    [
        ("multi_news", None, "Both.", {"upstream_id": "7"}),
        ("open_asp", "Cause", "So.\nYes.", {"upstream_id": "A/B"}),
        (
            "fuse_reviews",
            None,
            "All are kind.",
            {"upstream_id": "0", "marked": True, "highlights": [[n, 16, 21] for n in range(8)]},
        ),
        (
            "musique",
            "Who's there?",
            """{'is_answerable': True, 'answer_content': "It's 'Al'"}""",
            {"upstream_id": "3", "answerable": True},
        ),
        ("sci_co", None, "[[2, 31], [5]]", {"upstream_id": "", "marked": True, "ids": [5, 2, 31], "unmatched": []}),
        ("ecb_plus", None, "[[0], [1]]", {"upstream_id": "", "marked": True, "ids": [0, 1], "unmatched": []}),
    ],
)
def test_demonstration_is_printed_otherwise(
    tmp_path: Path, task: str, query: str | None, target: str, facts: dict[str, Any]
) -> None:
    found = rows(tmp_path, task, SHOWN[task])
    texts = SHOWN[task].get("documents") or list(REVIEWS.values())
    assert [row.text for row in found if isinstance(row, Document)] == texts, "texts are kept as they are"
    (example,) = [row for row in found if isinstance(row, Example)]
    assert (example.query, example.references, example.facts) == (query, (target,), facts)
    assert (example.task, example.split, example.example_id) == (task, "demonstrations", "demonstration_1")


def test_highlights_of_a_demonstration_are_not_what_stands_between_the_marks(tmp_path: Path) -> None:
    example = one(tmp_path, "fuse_reviews")
    assert {REVIEWS[f"review_{n}"][start:end] for n, start, end in example.facts["highlights"]} == {" kind"}


def test_broken_paraphrase_moves_the_numbers_of_others_or_is_lost_in_silence(tmp_path: Path) -> None:
    prompts = [{"id": 0, "instructions": "A."}, {"id": 1, "instructions": " "}, 7, {"id": 6, "instructions": "D."}]
    found = rows(tmp_path, "multi_news", SHOWN["multi_news"], prompts=prompts)
    kept = [(row.number, row.text) for row in found if isinstance(row, Instruction)]
    assert kept == [(1, "A."), (4, "D.")]
    drops = [row for row in found if isinstance(row, Drop)]
    assert [(drop.reason, drop.record, drop.error) for drop in drops] == [
        ("empty field", "p.json, prompts[1]", True),
        ("wrong type", "p.json, prompts[2]", True),
    ]


TASK_CHANGES: list[tuple[str, dict[str, Any], str, str]] = [
    ("multi_news", {"documents": []}, "empty field", "documents"),
    ("multi_news", {"documents": ["One.", " "]}, "empty field", "at place 2"),
    ("multi_news", {"target": ["So."]}, "wrong type", "target"),
    ("open_asp", {"aspect_label": ""}, "empty field", "aspect_label"),
    ("musique", {"answer": "Rome"}, "wrong type", "answer"),
    ("musique", {"answer": {"is_answerable": "True", "answer_content": "x"}}, "wrong type", "is_answerable"),
    ("musique", {"question": None}, "wrong type", "question"),
    ("fuse_reviews", {"reviews": {**REVIEWS, "review_8": "x"}}, "invalid value", "reviews"),
    ("fuse_reviews", {"reviews": {**REVIEWS, "review_2": "a {HE} b"}}, "broken marks", "review_2"),
    ("fuse_reviews", {"reviews": {**REVIEWS, "review_2": "a {HS} b {HS} c{HE}"}}, "broken marks", "review_2"),
    ("fuse_reviews", {"reviews": {**REVIEWS, "review_2": "a {HS} b"}}, "broken marks", "review_2"),
    ("ecb_plus", {"target": [[0], []]}, "wrong type", "target"),
    ("ecb_plus", {"target": [[0, True]]}, "wrong type", "target"),
    ("ecb_plus", {"target": [[0], [1, 0]]}, "duplicate id", "names mention 0 twice"),
    ("sci_co", {"documents": ["[a](5)", "[b](5)"]}, "duplicate id", "names mention 5 twice"),
]


@pytest.mark.parametrize(("task", "changes", "reason", "said"), TASK_CHANGES)
def test_broken_demonstration_is_shown_or_costs_another(
    tmp_path: Path, task: str, changes: dict[str, Any], reason: str, said: str
) -> None:
    found = rows(tmp_path, task, {**SHOWN[task], **changes}, SHOWN[task])
    assert [row.example_id for row in found if isinstance(row, Example)] == ["demonstration_2"]
    (drop,) = [row for row in found if isinstance(row, Drop)]
    assert drop.error
    assert drop.reason == reason
    assert said in drop.detail
    assert "demo" in drop.record
    assert drop.record.startswith("p.json, ")


def test_ids_in_text_or_target_only_cost_an_official_demonstration(tmp_path: Path) -> None:
    example = one(tmp_path, "ecb_plus", target=[[0], [50]])
    assert example.facts["unmatched"] == [1, 50]
    assert example.references == ("[[0], [50]]",)


def test_file_without_prompts_gives_none_in_silence(tmp_path: Path) -> None:
    for number, text in enumerate(('{"demonstrations": []}', '{"prompts": []}', "[]", "{", '{"prompts": {}}')):
        kit = Kit(tmp_path / str(number), "seam").file("p.json", text, "prompts")
        with pytest.raises(MalformedFile, match=r"^p\.json"):
            list(curate(kit.raw(), "multi_news", "demonstrations"))


def test_task_that_has_no_demonstrations_is_read_as_another(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="qmsum"):
        rows(tmp_path, "qmsum", SHOWN["multi_news"])


def test_one_letter_leaves_the_wording_the_same() -> None:
    found = [
        Instruction("multi_news", 1, "Do it.", "", "f"),
        Instruction("multi_news", 2, "Do that.", "As a list.", "f"),
    ]
    assert wording("multi_news", found) == "own"
    changed = [found[0], Instruction("multi_news", 2, "Do that.", "As a lisp.", "f")]
    assert checksum(found) != checksum(changed)
    assert checksum(found) != checksum(found[::-1])
