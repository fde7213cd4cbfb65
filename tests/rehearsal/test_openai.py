"""OpenAI's simulator against numbers worked out by hand from the fact sheet, through the SDK."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import httpx
import openai
import pytest

from scrollwork.rehearsal.tokens import count, thoughts
from tests.rehearsal.kit import bill, client, rehearsing, text

DOCUMENT, QUESTION = text(2_000, "d"), text(10, "q")


def ask(api: openai.OpenAI, model: str = "gpt-6-luna", content: Any = None, **options: Any) -> Any:
    options = {"reasoning_effort": "none", "max_completion_tokens": 20} | options
    options = {name: value for name, value in options.items() if value is not None}
    messages: Any = [{"role": "user", "content": content or DOCUMENT + QUESTION}]
    return api.chat.completions.create(model=model, messages=messages, **options)


def marked(question: str, ttl: str = "30m") -> list[dict[str, Any]]:
    mark = {"mode": "explicit", "ttl": ttl}
    return [
        {"type": "text", "text": DOCUMENT, "prompt_cache_breakpoint": mark},
        {"type": "text", "text": question},
    ]


EXPLICIT = {"prompt_cache_options": {"mode": "explicit"}}


def test_one_string_is_written_to_the_cache_and_never_read_by_another_question() -> None:
    with rehearsing() as running:
        for letter in "xy":
            usage = ask(client(running), content=DOCUMENT + text(10, letter)).usage
            assert usage.prompt_tokens == 2_010
            assert usage.prompt_tokens_details.cached_tokens == 0
            assert usage.prompt_tokens_details.cache_write_tokens == 2_010
            assert usage.completion_tokens == 20
        assert bill(running) == 2 * (2_010 * 125 + 20 * 500)  # luna: write $0.125, output $0.50 a million


def test_explicit_mode_without_a_mark_writes_or_is_charged_more_than_plain_input() -> None:
    with rehearsing() as running:
        usage = ask(client(running), extra_body=EXPLICIT).usage
        assert usage.prompt_tokens_details.cache_write_tokens == 0
        assert bill(running) == 2_010 * 100 + 20 * 500


def test_a_mark_behind_the_document_is_not_read_by_the_second_question_or_outlives_its_half_hour() -> None:
    with rehearsing() as running:
        api = client(running)
        seen = []
        for letter, later in (("x", 0), ("y", 1_799), ("z", 1_799), ("u", 1_801)):
            running.world.clock.turn(later)
            details = ask(api, "gpt-6.1-terra", marked(text(10, letter)), extra_body=EXPLICIT).usage
            found = details.prompt_tokens_details
            seen.append((found.cached_tokens, found.cache_write_tokens))
        assert seen == [(0, 2_000), (2_000, 0), (2_000, 0), (0, 2_000)]  # each read renews the half hour
        cold, warm = 2_000 * 1_250 + 10 * 1_000, 2_000 * 50 + 10 * 1_000
        assert bill(running) == 2 * cold + 2 * warm + 4 * 20 * 5_000


def test_twelve_hours_cost_two_and_a_half_times_and_last() -> None:
    with rehearsing() as running:
        api = client(running)
        ask(api, "gpt-6.1-terra", marked("x" * 40, "12h"), extra_body=EXPLICIT)
        running.world.clock.turn(43_000)
        usage = ask(api, "gpt-6.1-terra", marked("y" * 40, "12h"), extra_body=EXPLICIT).usage
        assert usage.prompt_tokens_details.cached_tokens == 2_000
        assert bill(running) == 2_000 * 2_500 + 2_000 * 50 + 2 * (10 * 1_000 + 20 * 5_000)


def test_another_cache_key_or_effort_reads_what_it_must_not() -> None:
    with rehearsing() as running:
        api = client(running)
        for options in ({"prompt_cache_key": "a"}, {"prompt_cache_key": "b"}, {"reasoning_effort": "low"}):
            usage = ask(api, content=marked("x" * 40), extra_body=EXPLICIT, **options).usage
            assert usage.prompt_tokens_details.cached_tokens == 0


def test_a_prefix_below_1024_tokens_is_written() -> None:
    with rehearsing() as running:
        usage = ask(client(running), content=text(1_023)).usage
        assert usage.prompt_tokens_details.cache_write_tokens == 0
        assert ask(client(running), content=text(1_024)).usage.prompt_tokens_details.cache_write_tokens == 1_024


def test_the_earlier_rule_does_not_round_down_to_128_tokens_or_forgets_too_late() -> None:
    with rehearsing() as running:
        api = client(running)
        seen = []
        for letter, later in (("x", 0), ("y", 599), ("z", 601)):
            running.world.clock.turn(later)
            usage = ask(api, "gpt-4o-mini", DOCUMENT + text(10, letter), reasoning_effort=None, max_tokens=20).usage
            assert usage.prompt_tokens_details.cache_write_tokens is None
            seen.append(usage.prompt_tokens_details.cached_tokens)
        assert seen == [0, 1_920, 0]  # 15 steps of 128 within 2,000
        assert bill(running) == 2 * 2_010 * 150 + (90 * 150 + 1_920 * 75) + 3 * 20 * 600


def test_a_prompt_above_272_thousand_tokens_is_billed_at_the_short_price() -> None:
    with rehearsing() as running:
        ask(client(running), "gpt-6.1-terra", text(272_000), extra_body=EXPLICIT)
        assert bill(running) == 272_000 * 1_000 + 20 * 5_000
        ask(client(running), "gpt-6.1-terra", text(272_001), extra_body=EXPLICIT)
        assert bill(running) == 272_000 * 1_000 + 20 * 5_000 + 272_001 * 2_000 + 20 * 7_500


def refused(code: str | None, part: str, **options: Any) -> None:
    with rehearsing() as running:
        with pytest.raises(openai.APIStatusError) as caught:
            ask(client(running), **options)
        assert caught.value.code == code
        assert part in caught.value.message
        assert bill(running) == 0


@pytest.mark.parametrize(
    ("status", "code", "part", "options"),
    [
        (400, "unsupported_value", "'temperature' does not support 0 with this model. Only the default (1)",
         {"model": "gpt-6.2-sol", "reasoning_effort": "low", "temperature": 0}),
        (400, "unsupported_value", "'temperature' does not support 0.8", {"reasoning_effort": "low", "temperature": 0.8}),
        (400, "unsupported_value", "'reasoning_effort' does not support 'none'", {"model": "gpt-6.1-sol"}),
        (400, "unsupported_parameter", "Use 'max_completion_tokens' instead", {"max_tokens": 20}),
        (400, None, "prompt_cache_options", {"model": "gpt-5.4", "extra_body": EXPLICIT}),
        (400, None, "Unrecognized request argument supplied: foo", {"extra_body": {"foo": 1}}),
        (400, None, "does not simulate 'stream'", {"stream": True}),
        (404, "model_not_found", "The model `gpt-7` does not exist", {"model": "gpt-7"}),
        (404, "model_not_found", "do not have access", {"model": "gpt-4-turbo", "reasoning_effort": None}),
        (400, "context_length_exceeded", "maximum context length", {"content": text(922_001)}),
    ],
)  # fmt: skip
def test_what_the_vendor_refuses_is_taken(status: int, code: str | None, part: str, options: dict[str, Any]) -> None:
    refused(code, part, **options)


def test_temperature_is_refused_at_effort_none_or_by_models_that_always_took_it() -> None:
    with rehearsing() as running:
        ask(client(running), temperature=0)
        ask(client(running), "gpt-4.1", temperature=0, reasoning_effort=None)


def test_thoughts_leave_no_room_and_the_reply_does_not_end_by_length_or_is_free() -> None:
    with rehearsing() as running:
        reply = ask(client(running), "gpt-6.2-sol", reasoning_effort="low", max_completion_tokens=200)
        assert (reply.choices[0].finish_reason, reply.choices[0].message.content) == ("length", "")
        assert reply.usage.completion_tokens == reply.usage.completion_tokens_details.reasoning_tokens == 200
        assert bill(running) == 2_010 * 2_500 + 200 * 10_000
        room = thoughts("low", DOCUMENT + QUESTION)
        assert 300 <= room < 330
        longer = ask(client(running), "gpt-6.2-sol", reasoning_effort="low", max_completion_tokens=4_000)
        assert longer.choices[0].finish_reason == "stop"
        assert longer.usage.completion_tokens == room + count(longer.choices[0].message.content)


def test_chat_answers_a_tiny_budget_without_its_400_where_told_to() -> None:
    with rehearsing(tiny_budget="refuse") as running, pytest.raises(openai.BadRequestError, match="Could not finish"):
        ask(client(running), reasoning_effort="low", max_completion_tokens=10)


def test_responses_take_less_than_16_tokens_or_hide_that_they_are_incomplete() -> None:
    with rehearsing() as running:
        api = client(running)
        with pytest.raises(openai.BadRequestError, match="Expected a value >= 16, but got 10") as caught:
            api.responses.create(model="gpt-6-luna", input=DOCUMENT, max_output_tokens=10)
        assert caught.value.code == "integer_below_min_value"
        with pytest.raises(openai.BadRequestError, match="'temperature' is not supported with this model"):
            api.responses.create(model="gpt-6-luna", input=DOCUMENT, temperature=0)
        reply = api.responses.create(model="gpt-6-luna", input=DOCUMENT, max_output_tokens=100)
        assert reply.status == "incomplete"
        assert reply.incomplete_details is not None
        assert reply.incomplete_details.reason == "max_output_tokens"
        assert [item.type for item in reply.output] == ["reasoning"]
        assert reply.usage is not None
        assert reply.usage.output_tokens_details.reasoning_tokens == reply.usage.output_tokens == 100
        assert bill(running) == 2_000 * 125 + 100 * 500
        off: Any = {"effort": "none"}
        done = api.responses.create(model="gpt-6-luna", input="Is it so?", reasoning=off, temperature=0)
        assert (done.status, done.output_text) == ("completed", "so?")


def test_flex_is_billed_in_full_or_its_refusal_is_billed() -> None:
    with rehearsing() as running:
        assert ask(client(running), service_tier="flex", extra_body=EXPLICIT).service_tier == "flex"
        assert bill(running) == 2_010 * 50 + 20 * 250
    with rehearsing(flex_refused=1.0) as running:
        with pytest.raises(openai.RateLimitError) as caught:
            ask(client(running), service_tier="flex")
        assert caught.value.code == "resource_unavailable"
        assert "retry-after" not in caught.value.response.headers
        assert ask(client(running), service_tier="auto").service_tier == "default"


def test_fast_is_not_billed_twice_the_price_and_named_priority() -> None:
    with rehearsing() as running:
        assert ask(client(running), service_tier="fast", extra_body=EXPLICIT).service_tier == "priority"
        assert bill(running) == 2_010 * 200 + 20 * 1_000


def test_limits_do_not_count_the_greater_of_room_and_prompt_or_never_fill_again() -> None:
    with rehearsing(limits={"openai": {"rpm": 10, "tpm": 10_000}}) as running:
        api = client(running)
        raw = api.chat.completions.with_raw_response.create(
            model="gpt-6-luna", messages=[{"role": "user", "content": "Is it so?"}], max_completion_tokens=6_000
        )
        assert raw.headers["x-ratelimit-remaining-tokens"] == "4000"
        assert raw.headers["x-ratelimit-remaining-requests"] == "9"
        assert raw.headers["x-ratelimit-reset-tokens"] == "36s"
        with pytest.raises(openai.RateLimitError, match="Limit 10000, Used 6000, Requested 6000") as caught:
            ask(api, content="Is it so?", max_completion_tokens=6_000)
        assert caught.value.code == "rate_limit_exceeded"
        assert caught.value.response.headers["retry-after"] == "13"  # 2,000 tokens at 10,000 a minute are 12 s
        running.world.clock.turn(12.01)
        ask(api, content="Is it so?", max_completion_tokens=6_000)


def test_models_do_not_say_when_they_end() -> None:
    with rehearsing() as running:
        found = {one.id: one.shutdown_date for one in client(running).models.list()}
        assert found["gpt-4o"] == "2027-01-14"
        assert found["gpt-6-luna"] is None
        assert client(running).models.retrieve("gpt-5").shutdown_date == "2026-12-11"


def test_a_request_without_a_key_is_answered() -> None:
    with rehearsing() as running:
        assert httpx.post(running.url("openai") + "/chat/completions", json={"model": "gpt-6-luna"}).status_code == 401


def test_price_of_a_line_is_rounded_to_whole_nano_dollars() -> None:
    with rehearsing() as running:
        ask(client(running), service_tier="flex")  # luna writes at $0.0625 a million in flex: 62.5 nano-dollars a token
        assert running.world.ledger.export()["nano_dollars"] == "130625"
        assert bill(running) == Decimal("62.5") * 2_010 + 20 * 250


def test_the_price_that_was_promised_until_a_day_goes_on_after_it() -> None:
    for day, price in (("2026-11-21", 4_000), ("2026-11-22", 5_000)):
        with rehearsing(f"{day}T23:00:00+00:00") as running:
            ask(client(running), "gpt-5.6", extra_body=EXPLICIT)
            assert bill(running) == 2_010 * price + 20 * (price * 5 if price == 4_000 else 30_000)
