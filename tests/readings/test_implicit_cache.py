"""What an estimate reckons that a cache gives back, and that it counts no more of a prompt than is sent."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from scrollwork.models.base import Ask, Segment, SharedPrefix
from scrollwork.models.engine.sent_prompts import Recent
from scrollwork.models.hosted.model import Hosted
from scrollwork.models.hosted.tables import checked_table
from scrollwork.models.registry import make
from scrollwork.models.vendors.marks import batch_group, expects_hits, least_ordered_prefix
from scrollwork.readings.estimate import as_sent
from scrollwork.readings.implicit_cache import ImplicitCache
from tests.models.hosted_kit import ask as wrapped_ask
from tests.models.hosted_kit import table_of

DEEPSEEK = {"provider": "compatible", "vendor": "deepseek", "id": "deepseek-flash", "endpoint": "chat"}
GROK = {"provider": "compatible", "vendor": "xai", "id": "grok-4.7", "endpoint": "chat"}
GEMINI = {"provider": "compatible", "vendor": "gemini", "id": "gemini-3.8-flash", "endpoint": "chat"}
OLD = {"provider": "openai", "id": "gpt-5.4", "endpoint": "chat"}
LUNA = {"provider": "openai", "id": "gpt-6-luna", "endpoint": "chat"}


def asked(tokens: int, question: str, prefix: str = "", letter: str = "a") -> Ask:
    """A document of so many tokens at four characters, and a question of 250."""
    parts = Segment("instruction", "Read. "), Segment("document", letter * (4 * tokens - 6)), Segment("query", question)
    prefixes = (SharedPrefix(4 * tokens, prefix),) if prefix else ()
    return Ask("t", question, parts, "0" * 64, 1, 10, shared_prefixes=prefixes)


def given_back(table: dict[str, Any], *asks: Ask) -> list[int]:
    found = ImplicitCache(table)
    return [found.tokens(one, one.likely_tokens) for one in asks]


def test_document_that_begins_like_another_is_reckoned_as_new() -> None:
    """Dolce's windows: the first holds what the second begins with, and a third in between shares nothing."""
    windows = [asked(640, "Why?"), asked(640, "Why?", letter="b"), asked(1_280, "Why?")]
    assert given_back(DEEPSEEK, *windows) == [0, 0, 640]


def test_beginning_below_the_smallest_prefix_is_reckoned() -> None:
    assert given_back(GEMINI, asked(4_000, "Why?"), asked(4_000, "Who?")) == [0, 0]
    assert given_back(GEMINI, asked(4_200, "Why?"), asked(4_200, "Who?")) == [0, 4_160]
    assert given_back(DEEPSEEK, asked(60, "Why?"), asked(60, "Who?")) == [0, 0]


def test_requests_that_reach_other_machines_are_reckoned_to_share() -> None:
    """xAI's go by a header, OpenAI's by a key in the body: those of another document, or without one, go elsewhere."""
    assert given_back(GROK, asked(1_280, "Why?"), asked(1_280, "Who?")) == [0, 0]
    assert given_back(GROK, asked(1_280, "Why?", "p"), asked(1_280, "Who?", "p")) == [0, 1_280]
    assert given_back(OLD, asked(1_280, "Why?", "p"), asked(1_280, "Who?", "q")) == [0, 0]
    assert given_back(OLD, asked(1_280, "Why?", "p"), asked(1_280, "Who?", "p")) == [0, 1_280]


def test_model_that_needs_marks_is_reckoned_to_find_by_itself() -> None:
    assert given_back(LUNA, asked(1_280, "Why?", "p"), asked(1_280, "Who?", "p")) == [0, 0]


def test_memory_grows_with_the_run() -> None:
    found = ImplicitCache(DEEPSEEK, recent := Recent(100))
    for number in range(50):
        found.tokens(asked(640, "Why?", letter=chr(97 + number % 26)), 640)
    assert 100 < len(recent) <= 201


@pytest.mark.parametrize("tokens", [0, 200])
def test_wrappers_that_no_vendor_gets_are_counted(tokens: int) -> None:
    """Dolce's Claude prompts: a sixth of their characters is a wrapper."""
    model = make("anthropic:claude-opus-5-5", table_of("anthropic:claude-opus-5-5", {}, "http://127.0.0.1:9"), "")
    assert isinstance(model, Hosted)
    one = wrapped_ask("word " * 40, wrapped=True, tokens=tokens)
    (turn,) = model.payload(one, "m")["body"]["messages"]
    sent = sum(len(block["text"]) for block in turn["content"])
    assert len(one.prompt) > sent
    counted = as_sent(one, model).likely_tokens
    assert counted == (tokens * sent // len(one.prompt) if tokens else sent // 4 + 1)
    plain = wrapped_ask("word " * 40, tokens=tokens)
    assert as_sent(plain, model) is plain


def test_hits_are_promised_of_a_cache_that_nobody_knows_of() -> None:
    unknown = {"provider": "compatible", "id": "m", "base_url": "http://gpu.lan/v1", "endpoint": "chat"}
    passed = {"provider": "compatible", "vendor": "openrouter", "id": "anthropic/claude-opus-5.5", "endpoint": "chat"}
    assert not any(map(expects_hits, (unknown, passed, {"provider": "openai", "id": "gpt-7", "endpoint": "chat"})))
    assert all(map(expects_hits, (DEEPSEEK, GROK, GEMINI, OLD, LUNA, {**unknown, "cache_minimum": 64})))
    assert expects_hits({**unknown, "cache_options": {"cache": "on"}})
    assert expects_hits({**unknown, "provider": "anthropic", "endpoint": "messages"})
    claude = {"provider": "compatible", "vendor": "anthropic", "id": "claude-opus-5-5", "endpoint": "chat"}
    assert not expects_hits(claude), "whose blocks are not marked at a server with another protocol"
    without = checked_table(
        "m", {"provider": "anthropic", "id": "claude-sonnet-5-5", "family": {"cache": {"rule": "none"}}}
    )
    assert not expects_hits(without), "its table says that it has no cache"
    assert (batch_group(without), least_ordered_prefix(without)) == (0, sys.maxsize), "it is marked nevertheless"
