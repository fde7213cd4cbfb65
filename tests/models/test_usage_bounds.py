"""A vendor's usage is believed only where it can be: it decides money and pace."""

from __future__ import annotations

from typing import Any

import pytest

from scrollwork.models.base import Ask, Reply, Segment, Usage
from scrollwork.models.engine.budget import firm_bound
from scrollwork.models.engine.usage_bounds import TEMPLATE, bounds_of, least_tokens, usage_problem
from scrollwork.models.hosted.anthropic import with_breakpoints
from tests.models.hosted_kit import SPECS, ask, body_of, one_vendor, reply_of, vendor  # noqa: F401
from tests.servers.vendor import Vendor

WORDS = "word " * 2000  # 10,000 bytes; about 2,000 tokens
BOUNDS = bounds_of(ask(WORDS), {"max_tokens": 100})
FINE = Usage(2100, 1000, 500, 80, 30)


@pytest.mark.parametrize("usage", [
    FINE, Usage(), Usage(1100, None, None, 2), Usage(10_000 + TEMPLATE, 0, 0, 100, 100), Usage(2100, 2100, 0, 40, 0),
])  # fmt: skip
def test_usage_that_can_be_is_not_believed(usage: Usage) -> None:
    assert usage_problem(usage, BOUNDS, "an answer of five words") == ""


@pytest.mark.parametrize(("usage", "said"), [
    (Usage(0, 0, 0, 0), "0 input tokens for a prompt of "),
    (Usage(1, 0, 0, 80), "1 input tokens"),
    (Usage(900, 0, 0, 80), "900 input tokens"),
    (Usage(10**15, 0, 0, 80), "1,000,000,000,000,000 input tokens"),
    (Usage(2100, 0, 0, 101), "101 output tokens where 100 were allowed"),
    (Usage(2100, 0, 0, 10**15), "where 100 were allowed"),
    (Usage(2100, 0, 0, 0), "0 output tokens for an answer of 23 characters"),
    (Usage(2100, 2101, 0, 80), "2,101 tokens cached of 2,100"),
    (Usage(2100, 0, 10**9, 80), "written to the cache of 2,100"),
    (Usage(2100, 1500, 1500, 80), "read from and written to the cache"),
    (Usage(2100, 0, 0, 80, 81), "81 tokens of thoughts among 80"),
    (Usage(None, 0, 0, 101), "101 output tokens"),
])  # fmt: skip
def test_usage_that_cannot_be_is_believed(usage: Usage, said: str) -> None:
    assert said in usage_problem(usage, BOUNDS, "an answer of five words")


@pytest.mark.parametrize(("usage", "most"), [
    (Usage(2100, 2099, 0, 80), 0), (Usage(2100, 1, 0, 80), 0), (Usage(2100, 0, 2000, 80), 0),
])  # fmt: skip
def test_vendor_takes_tokens_from_a_cache_that_no_request_may_use(usage: Usage, most: int) -> None:
    asked = ask(WORDS, question="why " * 1000, prefix="p")
    off = {"prompt_cache_options": {"mode": "explicit"}}
    for body in (body_of("anthropic:claude-test", asked), body_of("openai:gpt-test", asked) | off):
        assert f"where the request lets {most} be cached" in usage_problem(usage, bounds_of(asked, body), "")
    for body in (with_breakpoints(body_of("anthropic:claude-test", asked), asked), body_of("openai:gpt-test", asked)):
        assert usage_problem(usage, bounds_of(asked, body), "") == ""


def test_vendor_caches_more_than_what_was_marked() -> None:
    asked = ask("word " * 100, question="why " * 1000, prefix="p")
    body = with_breakpoints(body_of("anthropic:claude-test", asked), asked)
    assert usage_problem(Usage(2100, 1500, 0, 80), bounds_of(asked, body), "") == ""
    assert "1,600 tokens cached, where" in usage_problem(Usage(2100, 1600, 0, 80), bounds_of(asked, body), "")
    elsewhere = body | {"system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]}
    assert usage_problem(Usage(2100, 1600, 0, 80), bounds_of(asked, elsewhere), "") == "", (
        "a table's own mark may be anywhere"
    )


def test_answer_of_many_words_takes_one_token() -> None:
    assert usage_problem(Usage(2100, 0, 0, 3), BOUNDS, "many words " * 40) != ""


@pytest.mark.parametrize(("text", "tokens"), [  # as cl100k, o200k, Claude 2's or DeepSeek V3's tokenizer has the fewest
    ("the " * 10_000, 10_001), (" " * 40_000, 40), ("=" * 40_000, 625), ("x" * 40_000, 1250), ("- " * 20_000, 20_001),
    ("\u3002" * 10_000, 2500), ("\u7684" * 10_000, 10_000), ("\U0001f600" * 5000, 5000), ("\n" * 40_000, 1250),
    (("word" + " " * 80) * 500, 1000), (("-" * 80 + "\n") * 500, 1000), ("\u043f\u0440\u0438\u0432\u0435\u0442 " * 8000, 8002),
])  # fmt: skip
def test_fewest_tokens_of_a_text_are_more_than_a_tokenizer_counts(text: str, tokens: int) -> None:
    assert least_tokens(text) <= tokens / 1.9


@pytest.mark.parametrize("endpoint", SPECS)
@pytest.mark.parametrize("tokens", [0, 1, 10**15, -5, 2.5, True, "many", None])
def test_usage_of_a_hostile_vendor_reaches_the_books(vendor: Vendor, endpoint: str, tokens: Any) -> None:  # noqa: F811
    spec, given = SPECS[endpoint]
    vendor.set(reported=tokens)
    try:
        reply = reply_of(spec, vendor.url, ask(WORDS), **given)
    finally:
        vendor.set(reported=...)
    assert isinstance(reply, Reply)
    assert reply.text
    assert reply.usage == Usage()
    assert ("usage not believed" in reply.doubt) == (tokens in (0, 1, 10**15) and tokens is not True)
    assert reply_of(spec, vendor.url, ask(WORDS), **given).usage.input_tokens


@pytest.mark.parametrize(("text", "tokens"), [("7" * 900, 900), ("長" * 300, 600), ("{}();" * 100, 500)])
def test_batch_of_dense_text_sets_too_little_aside(text: str, tokens: int) -> None:
    """Digits one by one, two tokens a sign of Chinese, code: nothing of a batch can be held back once it was sent."""
    ask = Ask("t", "1", (Segment("document", text),), "0" * 64, 1, 10)
    assert firm_bound(ask) >= tokens
    prose = Ask("t", "1", (Segment("document", "Plain words of English, as they come. " * 100),), "0" * 64, 1, 10)
    assert firm_bound(prose) < 0.4 * len(prose.prompt) + 64
