"""A model whose vendor has announced its last day is asked until then, with a word."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from scrollwork.readings.model_warnings import vendor_warnings
from scrollwork.suites import model_tables
from scrollwork.suites.request import Request

LUNA = "; the vendor names gpt-6-luna in its place"
ENDING = {
    "gpt-4o": ("2027-01-14", " (in 53 days)", LUNA),
    "gpt-4o-mini": ("2027-01-14", " (in 53 days)", LUNA),
    "gpt-4.1": ("2027-01-14", " (in 53 days)", LUNA),
    "gpt-5": ("2026-12-11", " (in 19 days)", ""),
    "gpt-5-mini": ("2026-12-11", " (in 19 days)", ""),
}


def told(folder: Path, monkeypatch: pytest.MonkeyPatch, today: str, *models: str) -> list[str]:
    """What is said of models on a day."""
    monkeypatch.setattr(
        model_tables, "adopt_tokenizer", lambda tokenizer, home: tokenizer
    )  # a vocabulary is not needed
    request = Request(suite="zeroscrolls", home=str(folder), raw=str(folder), models=models)
    calling = model_tables.calling_of(request, model_tables.tables_of(request))
    return vendor_warnings(calling, date.fromisoformat(today))


@pytest.mark.parametrize("model", ENDING)
def test_model_ends_without_a_word_before(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    day, soon, instead = ENDING[model]
    (before,) = told(tmp_path, monkeypatch, "2026-11-22", model)
    until = "what is not answered by then never will be"
    assert before == f"{model}: its vendor retires it on {day}{soon}; {until}{instead}"
    (early,) = told(tmp_path, monkeypatch, "2026-09-01", model)
    assert early == f"{model}: its vendor retires it on {day}; {until}{instead}"
    assert told(tmp_path, monkeypatch, "2026-11-22", f"openai:{model}") == [before.replace(model, f"openai:{model}", 1)]
    (after,) = told(tmp_path, monkeypatch, day, model)
    assert after == f"{model}: its vendor has retired it on {day}; it will hardly answer{instead}"


def test_current_model_is_said_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    current = ("gpt-6-luna", "gpt-6.1-terra", "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")
    assert told(tmp_path, monkeypatch, "2026-11-22", *current) == []


def test_id_that_nobody_knows_is_taken_for_another_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dated, later = "openai:gpt-5.6-luna-2026-12-24", "anthropic:claude-opus-5-7"
    one, two = told(tmp_path, monkeypatch, "2026-11-22", dated, later)
    assert one.startswith(f"{dated}: this id is not known; it is taken for gpt-5.6-luna ")
    assert two.startswith(f"{later}: this id is not known, nor what it takes and costs"), "guessed upwards"


def test_price_of_a_later_day_is_taken_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own.toml"
    price = '[{ from = "2026-12-01", input = 1.0, output = 2.0 }]'
    grok = 'provider = "compatible"\nid = "grok-9"\nbase_url = "https://api.x.ai/v1"\n'
    own.write_text(f"[mine]\n{grok}family = {{ price = {price} }}\n")
    request = Request(
        suite="zeroscrolls", home=str(tmp_path), raw=str(tmp_path), models=("mine",), models_file=str(own)
    )
    calling = model_tables.calling_of(request, model_tables.tables_of(request))
    later = "mine: its price is known from 2026-12-01 on only; until then this price is taken"
    assert later in vendor_warnings(calling, date(2026, 11, 30))
    assert later not in vendor_warnings(calling, date(2026, 12, 1))


def test_model_that_is_passed_on_is_said_to_be_asked_as_usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = told(tmp_path, monkeypatch, "2026-11-22", "openrouter:anthropic/claude-opus-5.5")
    assert "this id is not known; it is taken for claude-opus-5-5 of Anthropic, passed on" in line
