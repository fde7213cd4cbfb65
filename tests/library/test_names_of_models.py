"""A model's name that is wrong: what is near and which kinds of names there are, not every name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.models.registry import UnknownModel
from scrollwork.pipeline.errors import UsageError


@pytest.mark.parametrize(
    ("name", "near"),
    [("bm52", "bm25"), ("openia:gpt-6-luna", "openai"), ("naiv:seed=3", "naive"), ("gpt-6-lunar", "gpt-6-luna")],
)
def test_a_misspelt_model_is_answered_with_every_name(tmp_path: Path, name: str, near: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        sw.run("zeroscrolls", models=[name], sample=True, home=tmp_path / "home")
    said = str(caught.value)
    assert said.endswith(f"; did you mean {near!r}?")
    assert "; there are: bm25, lead, " in said
    assert "38 hosted (as chatgpt), 9 checkpoints (as bart-base), VENDOR:ID (anthropic, compatible, " in said
    assert "gpt-4.1" not in said
    assert len(said) < 500


def test_a_name_that_is_near_to_nothing_is_told_a_near_one(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel) as caught:
        sw.run("zeroscrolls", models=["qwertz\x1b[2J"], sample=True, home=tmp_path / "home")
    assert "did you mean" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_every_seed_of_a_home_is_listed(whole: Path) -> None:
    home = sw.open(whole)
    for frame in (home.scores, home.answers):
        with pytest.raises(UsageError) as caught:
            frame("zeroscrolls", models=["bm52"])
        said = str(caught.value)
        assert said == (
            "no model of this home is named 'bm52'; scores here are of: bm25, "
            "naive (seeds naive:seed=0 to naive:seed=19); did you mean 'bm25'?"
        )
    with pytest.raises(UsageError, match=r"did you mean 'naive:seed=7'\?"):
        home.scores("zeroscrolls", models="naive:seed=77")
    with pytest.raises(UsageError, match=r"did you mean 'bm25'\?"):
        home.scores("zeroscrolls", models="function:bm25@1")


def test_a_model_that_a_stopped_run_asked_is_unknown(copied: Path) -> None:
    """Its answers are stored, and frames show what is scored."""
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        if len(asked) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        return "yes"

    slow = sw.model(answer, name="slow", revision="1")
    with pytest.raises(KeyboardInterrupt):
        sw.run("zeroscrolls", models=[slow], sample=True, tasks=["qmsum"], home=copied)
    for name in ("slow", "function:slow@1"):
        with pytest.raises(
            UsageError, match=f"model '{name}' has 2 answer.s. stored and no score: a run that asked it"
        ):
            sw.open(copied).answers(models=name)


def test_a_model_that_failed_at_every_input_is_unknown(copied: Path) -> None:
    """It has a line, without answers."""
    failing = sw.model(lambda prompt: None, name="failing", revision="1")  # type: ignore[arg-type,return-value]
    sw.run("zeroscrolls", models=[failing], sample=True, tasks=["qmsum"], limit=2, home=copied)
    assert sw.open(copied).answers(models="failing").collect().is_empty()
