"""A model that thinks has room beyond the task's length: what of its text passes that is kept, and not scored."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.records.response import FINISH_REASONS, Response, how_ended
from scrollwork.records.score import Score
from scrollwork.scoring.registry import metric
from scrollwork.storage.answers.rows import StoredAnswer
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.tasks.generate.stored_answers import scored_characters
from tests.conftest import Call

TEXT = "word " * 1000  # 5,000 bytes, which may be 625 to 2,500 tokens


def answer(text: str = TEXT, **facts: Any) -> StoredAnswer:
    one = StoredAnswer("k" * 64, "openai", "m", text, "complete", 10, 0, None, "m", 1.0, 1, output_limit=25_512)
    return replace(one, **facts)


@pytest.mark.parametrize(
    ("facts", "asked", "characters"),
    [
        ({"output_tokens": 9000, "reasoning_tokens": 8000}, 500, 2500),  # a thousand of them are the text's
        ({"output_tokens": 9000, "reasoning_tokens": 8000}, 999, None),  # one more, which may be no part of the text
        ({"output_tokens": 9000, "reasoning_tokens": 8000, "output_limit": 500}, 500, None),
        ({"output_tokens": 9000, "reasoning_tokens": 0}, 500, 2000),  # a text of 5,000 bytes has not so many
        ({"output_tokens": 3, "reasoning_tokens": 0}, 500, 2000),  # nor so few
        ({"text": "word " * 380, "output_tokens": 600, "reasoning_tokens": 0}, 512, None),  # of them thoughts, untold
        ({"output_tokens": 9000}, 500, 2000),
        ({}, 500, 2000),
        ({}, 1250, None),
        ({"output_limit": None}, 500, 2000),
        ({"output_limit": None, "provider": "local"}, 500, None),
        ({"text": "(A)", "output_tokens": 900, "reasoning_tokens": 0}, 10, None),
        ({"text": "", "output_tokens": 900}, 10, None),
        ({"text": "書" * 1000, "output_tokens": 900, "reasoning_tokens": 0}, 500, 555),
    ],
)
def test_text_is_cut_elsewhere_than_at_the_tasks_length(
    facts: dict[str, Any], asked: int, characters: int | None
) -> None:
    assert scored_characters(answer(**facts), asked, 25_000) == characters


def test_refusal_that_is_cut_is_no_refusal_any_more() -> None:
    assert [how_ended(one, 5) for one in FINISH_REASONS] == [
        "length", "length", "refused", "filtered", "context",
    ]  # fmt: skip


def test_answer_without_room_is_cut() -> None:
    """Of an older store, in which no answer says how much it was allowed."""
    assert scored_characters(answer(output_limit=None), 500, 0) is None


def artifact(home: Path, stage: str) -> Artifact:
    made = Home(str(home / "rehearsal")).artifacts.everything()
    return next(one for one in made if one.manifest.ingredients.stage == stage)


def test_what_passes_the_tasks_length_is_scored_or_lost(call: Call, tmp_path: Path) -> None:
    """GovReport allows 1,024 tokens. Claude Opus thinks, so a request allows more, and it says 1,500 words."""
    asked = ("rehearse", "zeroscrolls", "--sample", "--task", "gov_report", "--tokenizer", "estimate", "--quiet")
    code, out, err = call(*asked, "--model", "claude-opus-5-5", "--knob", "answer_words=1500", "--json")
    assert code == 0, err
    (task,) = json.loads(out)["tasks"]
    assert task["coverage"]["length_cut"] == task["coverage"]["answered"] == 6
    home = next(tmp_path.rglob("rehearsal")).parent
    answers = list(artifact(home, "generate").rows("responses", Response))
    assert {row.finish_reason for row in answers} == {"complete"}
    for row in answers:
        assert len(row.text.split()) >= 1500, "texts are stored whole"
        assert len(row.within) == pytest.approx(1024 * 3.3, abs=4), "the simulator's tokens are bytes by 3.3"
    scores = {row.example_id: dict(row.components) for row in artifact(home, "score").rows("scores", Score)}
    columns = artifact(home, "sample").columns("examples", ["example_id", "references"])
    gold = {row["example_id"]: tuple(row["references"]) for row in columns}
    own = metric("rouge_geo")
    for row in answers:
        assert scores[row.example_id]["rouge1"] == own.score(row.within, gold[row.example_id]).components["rouge1"]
        assert scores[row.example_id]["rouge1"] != own.score(row.text, gold[row.example_id]).components["rouge1"]
    code, out, err = call.at(home / "rehearsal")("verify")
    assert code == 0, err
