"""Gemini's compatible endpoint and the servers that speak OpenAI's chat, through OpenAI's SDK."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from scrollwork.rehearsal.tokens import count, thoughts
from tests.rehearsal.kit import bill, client, rehearsing, text

LONG = text(5_000, "d")


def ask(api: openai.OpenAI, model: str, content: str = LONG, **options: Any) -> Any:
    options = {"max_tokens": 20} | options
    return api.chat.completions.create(model=model, messages=[{"role": "user", "content": content}], **options)


def test_gemini_counts_thoughts_within_the_completion_or_charges_none() -> None:
    with rehearsing() as running:
        reply = ask(client(running, "gemini"), "gemini-3.8-flash", "Is it so?", reasoning_effort="low", max_tokens=999)
        room = thoughts("low", "Is it so?")
        assert reply.choices[0].message.content == "so?"
        assert reply.usage.completion_tokens == count("so?") == 1
        assert reply.usage.total_tokens == 3 + 1 + room
        assert bill(running) == 3 * 750 + (1 + room) * 3_750


def test_gemini_out_of_room_leaves_a_text() -> None:
    with rehearsing() as running:
        reply = ask(client(running, "gemini"), "gemini-3.8-flash", reasoning_effort="low", max_tokens=100)
        assert (reply.choices[0].finish_reason, reply.choices[0].message.content) == ("length", None)
        assert (reply.usage.completion_tokens, reply.usage.total_tokens) == (0, 5_100)


def test_gemini_prices_do_not_double_with_the_year_or_above_200_thousand_tokens() -> None:
    with rehearsing("2026-12-31T23:59:00+00:00") as running:
        for later in (0, 120):
            running.world.clock.turn(later)
            ask(client(running, "gemini"), "gemini-3.8-flash", "Is it so?", reasoning_effort="low")
        assert bill(running) == (3 * 750 + 20 * 3_750) + (3 * 1_500 + 20 * 7_500)
    with rehearsing() as running:
        ask(client(running, "gemini"), "gemini-3.1-pro-preview", text(200_001))
        assert bill(running) == 200_001 * 4_000 + 20 * 18_000


def test_gemini_caches_below_4096_tokens_or_charges_a_hit_in_full() -> None:
    with rehearsing() as running:
        api = client(running, "gemini")
        short = [ask(api, "gemini-3.8-flash", text(4_000)).usage.prompt_tokens_details for _ in range(2)]
        assert short == [None, None]
        before = bill(running)
        ask(api, "gemini-3.8-flash", LONG + text(10, "x"))
        hit = ask(api, "gemini-3.8-flash", LONG + text(10, "y")).usage
        assert hit.prompt_tokens_details.cached_tokens == 4_992  # 39 steps of 128
        assert bill(running) - before == 5_010 * 750 + 18 * 750 + 4_992 * 75 + 2 * 20 * 3_750


def test_gemini_says_its_limit_in_headers_or_without_how_long_to_wait() -> None:
    with rehearsing(limits={"gemini": {"rpm": 1}}) as running:
        api = client(running, "gemini")
        ask(api, "gemini-3.8-flash")
        with pytest.raises(openai.RateLimitError) as caught:
            ask(api, "gemini-3.8-flash")
        assert "retry-after" not in caught.value.response.headers
        (told,) = caught.value.response.json()
        assert told["error"]["message"].startswith("You exceeded your current quota, please check your plan")
        quota, retry = told["error"]["details"]
        assert quota["violations"][0]["quotaId"].endswith("PerMinute")
        assert retry["retryDelay"] == "61s"


def test_gemini_takes_an_effort_that_it_lacks() -> None:
    with rehearsing() as running, pytest.raises(openai.BadRequestError) as caught:
        ask(client(running, "gemini"), "gemini-3.8-flash", reasoning_effort="none")
    assert caught.value.response.json()[0]["error"]["status"] == "INVALID_ARGUMENT"


def test_deepseek_does_not_charge_twice_at_peak_or_hides_its_thoughts() -> None:
    plain = 3 * 150 + 20 * 600
    for start, factor in (("2026-11-23T02:00:00+00:00", 2), ("2026-11-23T05:00:00+00:00", 1),
                          ("2026-11-22T02:00:00+00:00", 1)):  # fmt: skip  # Monday, Monday, Sunday
        with rehearsing(start) as running:
            reply = ask(client(running, "deepseek"), "deepseek-flash", "Is it so?")
            assert reply.model == "deepseek-v4.1-flash-1017"
            assert reply.choices[0].message.reasoning_content
            assert bill(running) == plain * factor


def test_grok_caches_without_a_key_or_charges_the_short_price_from_200_thousand_tokens() -> None:
    with rehearsing() as running:
        api = client(running, "xai")
        for options, cached in (({}, 0), ({}, 0), ({"prompt_cache_key": "a"}, 0), ({"prompt_cache_key": "a"}, 4_992)):
            assert ask(api, "grok-4.7", **options).usage.prompt_tokens_details.cached_tokens == cached
        before = bill(running)
        ask(api, "grok-4.7", text(200_000))
        assert bill(running) - before == 200_000 * 4_000 + 20 * 12_000


def test_groq_refuses_flex_with_another_status_or_has_no_limit_by_day() -> None:
    with rehearsing(flex_refused=1.0, limits={"groq": {"rpd": 1}}) as running:
        api = client(running, "groq")
        with pytest.raises(openai.APIStatusError) as caught:
            ask(api, "openai/gpt-oss-120b", service_tier="flex")
        assert (caught.value.status_code, caught.value.code) == (498, "capacity_exceeded")
        ask(api, "openai/gpt-oss-120b")
        with pytest.raises(openai.RateLimitError) as over:
            ask(api, "openai/gpt-oss-120b")
        assert over.value.response.headers["x-ratelimit-limit-requests"] == "1"
        assert int(over.value.response.headers["retry-after"]) > 86_000


def test_openrouter_does_not_say_what_was_written() -> None:
    with rehearsing() as running:
        usage = ask(client(running, "openrouter"), "anthropic/claude-opus-5.5").usage
        assert usage is not None
        assert usage.prompt_tokens_details is not None
        assert usage.prompt_tokens_details.model_dump()["cache_write_tokens"] == 0


def test_openrouter_turns_thoughts_off() -> None:
    off = {"reasoning": {"effort": "none"}}
    with rehearsing() as running, pytest.raises(openai.BadRequestError, match="Reasoning is mandatory"):
        ask(client(running, "openrouter"), "anthropic/claude-opus-5.5", extra_body=off)


def test_own_servers_refuse_long_prompts_in_other_words_or_ollama_says_so() -> None:
    knobs = {name: {"context": 4_000} for name in ("vllm", "llamacpp", "ollama")}
    with rehearsing(compatible=knobs) as running:
        with pytest.raises(openai.BadRequestError, match="maximum context length is 4000 tokens"):
            ask(client(running, "vllm"), "local")
        with pytest.raises(openai.BadRequestError) as caught:
            ask(client(running, "llamacpp"), "local")
        assert caught.value.response.json()["error"] == {
            "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 5_000, "n_ctx": 4_000,
            "message": "request (5000 tokens) exceeds the available context size (4000 tokens), try increasing it",
        }  # fmt: skip
        assert ask(client(running, "ollama"), "local").usage.prompt_tokens == 4_000


def test_knobs_of_compatible_servers_change_nothing() -> None:
    knobs = {"deepseek": {"usage": False, "content": "null"}, "xai": {"thoughts": "content", "cached": False}}
    with rehearsing(compatible=knobs) as running:
        reply = ask(client(running, "deepseek"), "deepseek-flash")
        assert (reply.usage, reply.choices[0].message.content) == (None, None)
        reply = ask(client(running, "xai"), "grok-4.7", "Is it so?", max_tokens=30_000)
        assert reply.usage.prompt_tokens_details is None
        assert reply.choices[0].message.content == "<think>Let me think. </think>so?"
