"""`run` with a closed-book arm, a tokenizer and a limit, and sets of prompts, from the command line to the rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrollwork.records.document import TokenCount
from scrollwork.records.prompt import Prompt
from scrollwork.storage.home import Home
from tests.conftest import Call

RUN = ("run", "zeroscrolls", "--sample", "--model", "naive:seed=0", "--engine", "inline", "--quiet", "--json")


def rows(home: Path, stage: str, table: str, kind: type, slot: str = "") -> list:  # type: ignore[type-arg]
    found = []
    for artifact in Home(str(home)).artifacts.everything():
        if artifact.manifest.ingredients.stage == stage and slot in artifact.manifest.ingredients.slot:
            found += list(artifact.rows(table, kind))
    return found


def test_closed_book_prompt_shows_its_document(call: Call) -> None:
    status, out, _ = call(*RUN, "--task", "quality", "--task", "gov_report", "--arm", "closed-book", "--arm", "full")
    assert status == 0
    tasks = {(row["task"], row["arm"]) for row in json.loads(out)["tasks"]}
    assert tasks == {("quality", "full"), ("quality", "closed-book"), ("gov_report", "full")}
    prompts = rows(call.home, "prompt", "prompts", Prompt)
    closed = [prompt for prompt in prompts if prompt.arm == "closed-book"]
    assert closed
    for prompt in closed:
        assert {part.role for part in prompt.parts} == {
            "instruction",
            "gap",
            "query_header",
            "query",
            "response_header",
        }
        assert all(part.document_id is None for part in prompt.parts)
    averages = json.loads(out)["averages"]
    assert len(averages) == 2


def test_closed_book_of_a_task_without_question_runs(call: Call) -> None:
    status, _, err = call(*RUN, "--task", "gov_report", "--arm", "closed-book")
    assert status == 2
    assert "only tasks with a question have a closed-book arm: qasper, narrative_qa, quality, musique" in err


@pytest.fixture
def vocabulary(tmp_path: Path) -> Path:
    """A real vocabulary, trained here."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    engine = Tokenizer(models.BPE(unk_token="?"))
    engine.pre_tokenizer = pre_tokenizers.Whitespace()
    engine.train_from_iterator(
        ["the ferry left at noon and nobody waved"] * 3, trainers.BpeTrainer(vocab_size=300, special_tokens=["?"])
    )
    folder = tmp_path / "my model"
    folder.mkdir()
    engine.save(str(folder / "tokenizer.json"))
    return folder


def test_documents_are_counted_by_another_vocabulary_or_twice(call: Call, vocabulary: Path) -> None:
    cut = (*RUN, "--task", "squality", "--max-input-tokens", "500")
    status, out, _ = call(*cut, "--tokenizer", f"hf:{vocabulary}")
    assert status == 0
    (task,) = json.loads(out)["tasks"]
    assert task["coverage"]["truncated"] == task["coverage"]["expected"] > 0
    prompts = rows(call.home, "prompt", "prompts", Prompt)
    counts = {row.document_id: row.tokens for row in rows(call.home, "tokens", "tokens", TokenCount, "hf-")}
    assert list(counts) == sorted(counts)
    assert all(prompt.tokens_prompt <= 500 and prompt.truncated for prompt in prompts)
    for prompt in prompts:
        (part,) = [part for part in prompt.parts if part.role == "document"]
        assert prompt.tokens_document == counts[part.document_id]
        assert prompt.dropped[0].document_id == part.document_id
        assert (prompt.dropped[0].start, prompt.dropped_chars) == (part.end, prompt.dropped[0].end - part.end)
    # the same vocabulary elsewhere is the same: its place is in no key
    moved = vocabulary.rename(vocabulary.with_name("my model 2").with_name("elsewhere"))
    (moved.parent / "again").mkdir()
    same = moved.rename(moved.parent / "again" / "my model")
    status, out, err = call(
        "plan", *RUN[1:5], "--json", "--task", "squality", "--max-input-tokens", "500", "--tokenizer", f"hf:{same}"
    )
    assert {row["state"] for row in json.loads(out) if row["stage"] != "report"} == {"reused"}, err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tokenizer", "words"), "--tokenizer says how --max-input-tokens or --context counts: give both"),
        (("--tokenizer", "gpt", "--max-input-tokens", "9"), "no tokenizer is named 'gpt'"),
        (("--tokenizer", "hf:.", "--max-input-tokens", "9"), "has no tokenizer.json"),
        (("--prompts", "cot"), "there is no set of prompts of zeroscrolls 'cot'"),
    ],
)
def test_wrong_tokenizer_or_prompts_run(call: Call, arguments: tuple[str, ...], message: str) -> None:
    status, _, err = call(*RUN, *arguments)
    assert status == 2
    assert message in err


def test_limit_below_the_query_loses_the_example_in_silence(call: Call) -> None:
    status, _, err = call(*RUN, "--task", "qasper", "--task", "quality", "--max-input-tokens", "60")
    assert status == 1
    assert "60 tokens leave no room for the document: instruction and query need" in err
