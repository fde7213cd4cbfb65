"""A model whose vendor has announced its last day is asked until then, with a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrollwork.suites import model_tables
from scrollwork.suites.model_tables import retired
from scrollwork.suites.request import Request

ENDING = {
    "gpt-4o": "2027-01-14",
    "gpt-4o-mini": "2027-01-14",
    "gpt-4.1": "2027-01-14",
    "gpt-5": "2026-12-11",
    "gpt-5-mini": "2026-12-11",
}


def told(folder: Path, monkeypatch: pytest.MonkeyPatch, today: str, *models: str) -> list[str]:
    """What is said of models on a day."""
    monkeypatch.setattr(model_tables, "adopt", lambda tokenizer, home: tokenizer)  # a vocabulary is not needed
    monkeypatch.setattr("scrollwork.suites.model_tables.time.strftime", lambda form: today)
    request = Request(suite="zeroscrolls", home=str(folder), raw=str(folder), models=models)
    return retired(model_tables.calling_of(request, model_tables.tables_of(request)))


@pytest.mark.parametrize("model", ENDING)
def test_model_ends_without_a_word_before(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    day = ENDING[model]
    (before,) = told(tmp_path, monkeypatch, "2026-11-22", model)
    assert before == f"{model}: its vendor retires it on {day}; what is not answered by then never will be"
    assert told(tmp_path, monkeypatch, "2026-11-22", f"openai:{model}") == [before.replace(model, f"openai:{model}", 1)]
    (after,) = told(tmp_path, monkeypatch, day, model)
    assert after == f"{model}: its vendor has retired it on {day}; it will hardly answer"


def test_current_model_is_said_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    current = ("gpt-6-luna", "gpt-6.1-terra", "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")
    assert told(tmp_path, monkeypatch, "2026-11-22", *current) == []
