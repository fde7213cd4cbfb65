"""Families of today: each is asked as its vendor takes it, by the name of its table and by its id on the spot."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.hosted.tables import BadTable, checked_table
from scrollwork.models.registry import make, settings
from scrollwork.models.vendors.families import families
from scrollwork.suites.suite_files import load_models
from tests.models.hosted_kit import ask, one_vendor, vendor

__all__ = ["one_vendor", "vendor"]
TABLES = load_models()
QUIET = {"temperature": 0.0, "reasoning_effort": "none", "max_completion_tokens": 10}
LOW = {"reasoning_effort": "low", "max_completion_tokens": 25_010}
EFFORT = {"output_config": {"effort": "low"}, "max_tokens": 25_010}
# what is sent beside model and messages, for an answer of ten tokens: ../shared/notes, vendors' facts of November 2026
ASKED: dict[str, dict[str, Any]] = {
    "openai:gpt-6-luna": QUIET,
    "openai:gpt-6-sol": QUIET,
    "openai:gpt-6.1-terra": QUIET,
    "openai:gpt-5.6-luna": QUIET,
    "openai:gpt-5.6-terra": QUIET,
    "openai:gpt-5.6-sol": QUIET,
    "openai:gpt-6.1-sol": LOW,
    "openai:gpt-6.2-sol": LOW,
    "openai:gpt-6.2-astra": LOW,
    "anthropic:claude-haiku-5-5": EFFORT,
    "anthropic:claude-opus-5-5": EFFORT,
    "anthropic:claude-fable-5-2": EFFORT,
    "anthropic:claude-sonnet-5-5": {"thinking": {"type": "between_tools"}, "max_tokens": 10},
    "anthropic:claude-opus-5": {"thinking": {"type": "disabled"}, "max_tokens": 10},
    "anthropic:claude-sonnet-5": {"thinking": {"type": "disabled"}, "max_tokens": 10},
}


def payload_of(spec: str, table: dict[str, Any], most: int = 10) -> dict[str, Any]:
    """What the request key is the digest of."""
    found: Any = make(spec, dict(table), "").payload(ask(max_new_tokens=most), spec)
    return dict(found)


@pytest.mark.parametrize("spec", ASKED)
def test_current_model_is_refused_or_left_without_room(spec: str) -> None:
    body = payload_of(spec, settings(spec, TABLES))["body"]
    assert {key: value for key, value in body.items() if key not in ("model", "messages")} == ASKED[spec]


@pytest.mark.parametrize("spec", ASKED)
def test_model_on_the_spot_is_asked_worse_than_its_table(spec: str) -> None:
    name = spec.partition(":")[2]
    assert settings(spec, TABLES) == settings(name, TABLES)
    own = {**TABLES, "mine": {"provider": spec.partition(":")[0], "id": name}}
    assert settings(spec, own) == settings(name, TABLES), "a table of one's own takes the settings away"


@pytest.mark.parametrize("spec", ["anthropic:claude-opus-5-5", "anthropic:claude-sonnet-5-5", "openai:gpt-6-luna"])
def test_answers_that_were_paid_before_the_table_cannot_be_reached(spec: str) -> None:
    """The body that a name on the spot had when no table knew it is that of a table that holds nothing but the id."""
    provider, _, name = spec.partition(":")
    bare = {"provider": provider, "id": name}
    assert payload_of("mine", settings("mine", {**TABLES, "mine": bare})) == payload_of(spec, settings(spec, {}))


def test_gemini_on_its_compatible_endpoint_has_no_room_for_thoughts() -> None:
    for name in ("gemini-3.8-flash", "gemini-3.5-flash-lite"):
        table = settings(name, TABLES)
        assert table["key_env"] == "GEMINI_API_KEY"
        body = payload_of(name, table)["body"]
        assert (body["max_tokens"], body["temperature"], body["reasoning_effort"]) == (25_010, 0.0, "low")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cache_options": {"messages": []}}, "cache_options 'messages' is set by the request itself"),
        ({"cache_options": {"temperature": 1}}, "cache_options 'temperature' is set"),
        ({"cache_options": {"day": date(2026, 1, 1)}}, "cache_options.day = .* cannot be sent as JSON"),
        ({"cache_options": {"a": 1}, "extra": {"a": 2}}, "a stands in extra and in cache_options"),
        ({"cache_options": {"a": 1}, "provider": "anthropic"}, "cache_options is not for anthropic"),
    ],
)
def test_cache_options_smuggle_what_changes_answers(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadTable, match=said):
        checked_table("lab", {"provider": "openai", "id": "m", **change})


def test_readme_names_a_model_that_ends(request: pytest.FixtureRequest) -> None:
    ends = {name for name, table in TABLES.items() if table.get("retired")} | {"claude-haiku-4-5"}
    ends |= {family.id for family in families() if family.get("ends")}
    root: Path = request.config.rootpath
    for page in (root / "README.md", *(root / "docs").glob("*.md")):
        for line in page.read_text().splitlines():
            named = line.split("--model ")[1:]
            found = {one.split()[0].strip("`.,;)").rpartition(":")[2] for one in named if one.strip()}
            assert not found & ends, f"{page.name}: {line}"
