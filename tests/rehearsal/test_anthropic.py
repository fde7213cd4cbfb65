"""Anthropic's simulator against numbers worked out by hand from the fact sheet, through the SDK."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from scrollwork.rehearsal.tokens import thoughts
from tests.rehearsal.kit import bill, claude, rehearsing, text

DOCUMENT = text(2_000, "d")


def ask(api: anthropic.Anthropic, model: str = "claude-sonnet-5", content: Any = None, **options: Any) -> Any:
    options = {"max_tokens": 20, "thinking": {"type": "disabled"}} | options
    options = {name: value for name, value in options.items() if value is not None}
    return api.messages.create(model=model, messages=[{"role": "user", "content": content or DOCUMENT}], **options)


def marked(question: str, ttl: str = "5m") -> list[dict[str, Any]]:
    mark = {"type": "ephemeral", "ttl": ttl}
    return [{"type": "text", "text": DOCUMENT, "cache_control": mark}, {"type": "text", "text": text(10, question)}]


def test_a_cached_block_is_not_read_again_or_outlives_five_minutes() -> None:
    with rehearsing() as running:
        seen = []
        for letter, later in (("x", 0), ("y", 299), ("z", 299), ("u", 301)):
            running.world.clock.turn(later)
            usage = ask(claude(running), content=marked(letter)).usage
            seen.append((usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens))
        assert seen == [(10, 0, 2_000), (10, 2_000, 0), (10, 2_000, 0), (10, 0, 2_000)]
        assert bill(running) == 2 * 2_000 * 2_500 + 2 * 2_000 * 200 + 4 * (10 * 2_000 + 20 * 10_000)


def test_an_hour_does_not_cost_twice_the_input_or_does_not_last() -> None:
    with rehearsing() as running:
        first = ask(claude(running), content=marked("x", "1h")).usage
        assert first.cache_creation.ephemeral_1h_input_tokens == 2_000
        running.world.clock.turn(3_599)
        assert ask(claude(running), content=marked("y", "1h")).usage.cache_read_input_tokens == 2_000
        assert bill(running) == 2_000 * 4_000 + 2_000 * 200 + 2 * (10 * 2_000 + 20 * 10_000)


def test_without_a_mark_or_below_the_minimum_something_is_cached() -> None:
    with rehearsing() as running:
        for content in (DOCUMENT, [{"type": "text", "text": text(1_023), "cache_control": {"type": "ephemeral"}}]):
            for _ in range(2):
                usage = ask(claude(running), content=content).usage
                assert (usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (0, 0)
        short = [{"type": "text", "text": text(512), "cache_control": {"type": "ephemeral"}}]
        assert ask(claude(running), "claude-opus-5", short).usage.cache_creation_input_tokens == 512


def test_haiku_above_100_thousand_tokens_is_billed_at_the_short_price() -> None:
    with rehearsing() as running:
        ask(claude(running), "claude-haiku-5-5", text(100_000), thinking=None)
        assert bill(running) == 100_000 * 100 + 20 * 500
        ask(claude(running), "claude-haiku-5-5", text(100_001), thinking=None)
        assert bill(running) == 100_000 * 100 + 20 * 500 + 100_001 * 500 + 20 * 2_500


def test_the_read_price_of_sonnet_does_not_change_on_its_day() -> None:
    cold, plain = 2_000 * 2_500, 2 * (10 * 2_000 + 20 * 10_000)
    for day, read in (("2026-10-06", 200), ("2026-10-07", 100)):
        with rehearsing(f"{day}T12:00:00+00:00") as running:
            for letter in "xy":
                ask(claude(running), "claude-sonnet-5-5", marked(letter), thinking={"type": "between_tools"})
            assert bill(running) == cold + 2_000 * read + plain


OLD, NEW = "2023-06-01", "2026-10-21"


@pytest.mark.parametrize(
    ("version", "part", "options"),
    [
        (NEW, "temperature", {"extra_body": {"temperature": 1.0}}),
        (OLD, "`temperature` is deprecated for this model.", {"extra_body": {"temperature": 0.0}}),
        (OLD, "may only be set to 1 when thinking", {"model": "claude-opus-4-6", "extra_body": {"temperature": 0.0},
                                                      "thinking": {"type": "adaptive"}}),
        (NEW, "thinking.type.disabled", {"model": "claude-opus-5-5"}),
        (NEW, "thinking.type.disabled", {"model": "claude-sonnet-5-5"}),
        (NEW, "thinking.type.enabled", {"thinking": {"type": "enabled", "budget_tokens": 1_024}, "max_tokens": 2_000}),
        (NEW, "output_config.effort", {"extra_body": {"output_config": {"effort": "none"}}}),
        (NEW, "prompt is too long: 1000001 tokens > 1000000 maximum", {"content": text(1_000_001)}),
        (NEW, "foo: Extra inputs", {"extra_body": {"foo": 1}}),
        (NEW, "A maximum of 4 blocks", {"content": [marked("x")[0]] * 5}),
        (NEW, "must not come after", {"content": [marked("x")[0], marked("y", "1h")[0]]}),
    ],
)  # fmt: skip
def test_what_the_vendor_refuses_is_taken(version: str, part: str, options: dict[str, Any]) -> None:
    with rehearsing() as running:
        with pytest.raises(anthropic.BadRequestError) as caught:
            ask(claude(running, version), **options)
        assert part in caught.value.message
        assert bill(running) == 0


def test_temperature_is_refused_where_the_old_version_takes_it_or_a_prefill_is_taken() -> None:
    turns: Any = [{"role": "user", "content": "Is it so?"}, {"role": "assistant", "content": "It"}]
    with rehearsing() as running:
        ask(claude(running, OLD), "claude-haiku-4-5", extra_body={"temperature": 0.0}, thinking=None)
        claude(running).messages.create(model="claude-haiku-4-5", messages=turns, max_tokens=20)
        with pytest.raises(anthropic.BadRequestError, match="prefill"):
            claude(running).messages.create(model="claude-sonnet-5", messages=turns, max_tokens=20)
        with pytest.raises(anthropic.NotFoundError, match="claude-7"):
            ask(claude(running), "claude-7")


def test_thinking_that_fills_the_room_is_free_or_ends_otherwise_than_by_max_tokens() -> None:
    with rehearsing() as running:
        reply = ask(claude(running), "claude-opus-5-5", thinking=None, max_tokens=1_000)
        assert reply.stop_reason == "max_tokens"
        assert [(block.type, block.thinking) for block in reply.content] == [("thinking", "")]
        assert reply.usage.output_tokens == reply.usage.output_tokens_details.thinking_tokens == 1_000
        assert bill(running) == 2_000 * 4_000 + 1_000 * 20_000
        low = {"output_config": {"effort": "low"}}
        reply = ask(claude(running), "claude-opus-5-5", thinking=None, max_tokens=9_000, extra_body=low)
        assert reply.stop_reason == "end_turn"
        assert reply.content[-1].text == DOCUMENT  # no sentence in it: its last word
        assert reply.usage.output_tokens == thoughts("low", DOCUMENT) + 2_000


def test_max_tokens_0_answers_or_does_not_fill_the_cache() -> None:
    with rehearsing() as running:
        reply = ask(claude(running), content=marked("x"), max_tokens=0)
        assert (reply.content, reply.usage.output_tokens) == ([], 0)
        assert ask(claude(running), content=marked("y")).usage.cache_read_input_tokens == 2_000


def test_cached_input_counts_in_the_limit_or_an_empty_bucket_answers() -> None:
    with rehearsing(limits={"anthropic": {"rpm": 100, "itpm": 2_500, "otpm": 1_000}}) as running:
        api = claude(running)
        ask(api, content=marked("x"))
        raw = api.messages.with_raw_response.create(
            model="claude-sonnet-5", max_tokens=20, messages=[{"role": "user", "content": marked("y")}],  # type: ignore[typeddict-item]
            thinking={"type": "disabled"},
        )  # fmt: skip
        assert raw.headers["anthropic-ratelimit-requests-remaining"] == "98"
        assert raw.headers["anthropic-ratelimit-input-tokens-remaining"] == "0"  # 2,500 - 2,010 - 10, in thousands
        assert raw.headers["anthropic-ratelimit-output-tokens-remaining"] == "1000"
        ask(api)  # takes the bucket below nothing
        with pytest.raises(anthropic.RateLimitError, match="2500 input tokens per minute") as caught:
            ask(api)
        # 480 - 2,000 = -1,520; to 1: 1,521 tokens at 2,500 a minute are 36.5 s
        assert caught.value.response.headers["retry-after"] == "37"


def test_models_do_not_tell_what_they_take() -> None:
    with rehearsing() as running:
        one = claude(running).models.retrieve("claude-sonnet-5-5")
        assert one.capabilities is not None
        types = one.capabilities.thinking.types
        assert (types.adaptive.supported, types.between_tools.supported) == (True, True)  # type: ignore[attr-defined]
        assert (one.lifecycle, one.retires_at) == ("active", None)
        leaving = claude(running).models.retrieve("claude-sonnet-4-5")
        assert leaving.lifecycle == "deprecated"
        assert leaving.retires_at is not None
        assert leaving.retires_at.date().isoformat() == "2026-11-30"
        running.world.clock.turn(start="2026-11-30T00:00:00+00:00")
        assert claude(running).models.retrieve("claude-sonnet-4-5").lifecycle == "retired"
        with pytest.raises(anthropic.NotFoundError):
            ask(claude(running), "claude-sonnet-4-5")
        assert len(list(claude(running).models.list())) >= 12


def test_counting_tokens_costs_something() -> None:
    with rehearsing() as running:
        found = claude(running).messages.count_tokens(
            model="claude-opus-5", messages=[{"role": "user", "content": DOCUMENT}]
        )
        assert (found.input_tokens, bill(running)) == (2_000, 0)


def batch(api: anthropic.Anthropic, count: int) -> str:
    params: Any = {
        "model": "claude-sonnet-5", "max_tokens": 20, "thinking": {"type": "disabled"},
        "messages": [{"role": "user", "content": marked("x", "1h")}],
    }  # fmt: skip
    requests: Any = [{"custom_id": f"r{number}", "params": params} for number in range(count)]
    return api.messages.batches.create(requests=[*requests, {"custom_id": "bad", "params": params | {"model": "x"}}]).id


def test_a_batch_counts_before_its_end_charges_refused_lines_or_forgets_that_discounts_stack() -> None:
    with rehearsing(batch_s=600) as running:
        api = claude(running)
        name = batch(api, 3)
        running.world.clock.turn(599)
        early = api.messages.batches.retrieve(name)
        assert (early.processing_status, early.request_counts.succeeded) == ("in_progress", 0)
        running.world.clock.turn(1)
        done = api.messages.batches.retrieve(name)
        assert (done.processing_status, done.request_counts.succeeded, done.request_counts.errored) == ("ended", 3, 1)
        kinds = {one.custom_id: one.result.type for one in api.messages.batches.results(name)}
        assert kinds == {"r0": "succeeded", "r1": "succeeded", "r2": "succeeded", "bad": "errored"}
        # half of: one write of an hour ($4), two reads ($0.20), three questions ($2) and answers ($10)
        assert bill(running) == 2_000 * 2_000 + 2 * 2_000 * 100 + 3 * (10 * 1_000 + 20 * 5_000)


def test_lines_of_an_expired_batch_that_never_ran_are_charged() -> None:
    with rehearsing(batch_done=0.5) as running:
        api = claude(running)
        name = batch(api, 3)
        running.world.clock.turn(86_400)
        done = api.messages.batches.retrieve(name)
        assert (done.request_counts.succeeded, done.request_counts.expired) == (2, 2)
        assert bill(running) == 2_000 * 2_000 + 2_000 * 100 + 2 * (10 * 1_000 + 20 * 5_000)


def test_bytes_a_token_of_a_model_are_rounded_or_those_of_its_vendor() -> None:
    with rehearsing(ratio={"anthropic/claude-opus-5-5": 3.3, "anthropic": 2}) as running:
        for name, tokens in (("claude-opus-5-5", 100), ("claude-opus-5", 165)):
            counted = claude(running).messages.count_tokens(
                model=name, messages=[{"role": "user", "content": "a" * 330}]
            )
            assert counted.input_tokens == tokens
