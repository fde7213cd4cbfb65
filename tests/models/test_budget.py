"""Money: whole nano-dollars, reserved before sending, never passed by more than one call."""

from __future__ import annotations

import asyncio
import tomllib
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from scrollwork.models.base import Ask, Call, CallProblem, Reply, Segment, SharedPrefix, Usage
from scrollwork.models.engine.budget import Budget, Meter, input_bound
from scrollwork.models.engine.limits import Caps
from scrollwork.models.engine.prices import NANO, Price, UnknownPrice, dollars, nano, price_of
from scrollwork.models.engine.usage_bounds import read_in_batch
from scrollwork.models.registry import UnknownModel, settings
from tests.models.clock import Driven, Scripted, call, drive, in_time

TABLE = {"price": {"input": 2.5, "cached": 1.25, "output": 10, "date": "2026-01-01", "source": "a page"}}
PRICE = price_of("gpt", TABLE)


def test_dollars_a_million_tokens_are_wrong_by_hand() -> None:
    assert PRICE.of(Usage(1_000_000, 0, 0, 0)) == nano("2.5")
    assert PRICE.of(Usage(1_000_000, 400_000, 0, 100_000)) == nano("1.5") + nano("0.5") + nano("1")
    assert PRICE.of(Usage()) == 0


def test_price_of_one_token_is_lost_in_rounding() -> None:
    cheap = price_of("gpt", {"price": {"input": 0.0375, "output": 0.15}})
    assert cheap.of(Usage(1, 0, 0, 0)) == 38  # 37.5, rounded up
    assert cheap.of(Usage(2, 0, 0, 0)) == 75
    assert cheap.of(Usage(10**12, 0, 0, 0)) == 37_500 * NANO


def test_cached_tokens_are_paid_twice_or_written_ones_once() -> None:
    claude = price_of("claude", {"price": {"input": 3, "cached": 0.3, "cache_write": 3.75, "output": 15}})
    usage = Usage(input_tokens=10_000, cached_tokens=6_000, cache_write_tokens=3_000, output_tokens=100)
    assert claude.of(usage) == 1_000 * 3_000 + 6_000 * 300 + 3_000 * 3_750 + 100 * 15_000
    assert claude.most(10_000, 100) == 10_000 * 3_750 + 100 * 15_000


@pytest.mark.parametrize("table", [{}, {"price": "unknown"}, {"price": {"input": 1.0}}, {"price": {"output": 1.0}}])
def test_unknown_price_counts_as_none(table: dict[str, Any]) -> None:
    with pytest.raises(UnknownPrice) as caught:
        price_of("gpt-9", table)
    assert "[gpt-9]\nprice = { input = 0.00, output = 0.00, date" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "table", "read_as"),
    [
        ("openai:gpt-9.5", {}, "openai:gpt-9.5"),
        ("groq:openai/gpt-oss-20b", {}, "groq:openai/gpt-oss-20b"),
        ("compatible:tiny", {"base_url": "http://127.0.0.1:9/v1"}, "tiny"),
    ],
)
def test_line_to_add_for_a_model_on_the_spot_is_not_read(name: str, table: dict[str, str], read_as: str) -> None:
    """Nor is it taken as it stands: a price of nothing would be a budget of nothing."""
    with pytest.raises(UnknownPrice) as caught:
        price_of(name, table)
    said = str(caught.value).partition(":\n")[2].replace("0.00", "1.5")
    with pytest.raises(UnknownModel, match=r"price\.date must be a date such as .* not 'YYYY-MM-DD'"):
        settings(read_as, tomllib.loads(said))
    tables = tomllib.loads(said.replace("YYYY-MM-DD", "2026-11-26"))
    (found,) = tables.values()
    assert found["id"] == name.partition(":")[2]
    assert settings(read_as, tables)["price"]["input"] == 1.5


@pytest.mark.parametrize(
    ("key", "value"), [("input", "free"), ("output", -1), ("cached", True), ("batch", float("nan")), ("input", None)]
)
def test_wrong_price_is_taken(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"model 'gpt': price\.{key} = .* must be a number, 0 or more"):
        price_of("gpt", {"price": {"input": 1, "output": 1, key: value}})


def test_unknown_key_of_a_price_is_ignored() -> None:
    with pytest.raises(ValueError, match=r"price\.cach is not known; there are: input"):
        price_of("gpt", {"price": {"input": 1, "output": 1, "cach": 0.1}})


def test_small_sum_is_shown_as_nothing() -> None:
    assert [dollars(nano(value)) for value in ("0", "0.00421", "1234.5")] == ["$0.00", "$0.0042", "$1,234.50"]


def test_uncounted_input_is_bounded_too_low() -> None:
    words = Ask("t", "1", (Segment("document", "word " * 1000),), "0" * 64, 1, 10)
    signs = Ask("t", "1", (Segment("document", "長" * 1000),), "0" * 64, 1, 10)
    assert input_bound(words) > 1300
    assert input_bound(signs) >= 1000


def spend(
    budget: Budget, calls: list[Call], script: Any, concurrency: int, price: Price = PRICE
) -> tuple[Driven, Meter]:
    meter = Meter(budget, price)
    driven = in_time(drive(Scripted(script), calls, caps=Caps(concurrency, concurrency), gate=meter))
    return driven, meter


@hypothesis_settings(deadline=None)
@given(
    st.integers(0, 3_000_000_000),
    st.lists(st.tuples(st.integers(1, 50_000), st.integers(1, 2_000), st.floats(0.3, 1.0)), min_size=1, max_size=40),
    st.integers(1, 16),
    st.integers(0, 1000),
)
def test_budget_is_passed_though_inputs_were_counted(
    limit: int, sizes: list[tuple[int, int, float]], concurrency: int, seed: int
) -> None:
    rng = Random(seed)
    asked = [call(number, tokens=tokens, new=new) for number, (tokens, new, _) in enumerate(sizes)]
    cost: list[int] = []

    def script(one: Call, attempt: int) -> Reply | CallProblem:
        if rng.random() < 0.2:
            return (
                CallProblem("transient", "reset") if rng.random() < 0.5 else CallProblem("transient", "529", status=529)
            )
        usage = Usage(one.ask.tokens, 0, 0, int(one.ask.max_new_tokens * sizes[int(one.key)][2]))
        cost.append(PRICE.of(usage))
        return Reply("x", "complete", "m", usage)

    budget = Budget(limit)
    driven, meter = spend(budget, asked, script, concurrency)
    assert budget.spent <= limit
    assert sum(cost) == budget.spent - budget.uncertain
    assert budget.reserved == 0
    left_out = len(asked) - len(driven.answers) - len(driven.failures)
    assert (left_out > 0) == (driven.stopped != "")
    if driven.stopped:
        assert driven.stopped == meter.reason
        least = min(PRICE.most(input_bound(one.ask), one.ask.max_new_tokens) for one in asked)
        assert budget.left() < max(PRICE.most(input_bound(one.ask), one.ask.max_new_tokens) for one in asked)
        assert least > 0


@pytest.mark.parametrize("dollar", ["0.25", "0.5", "5"])
@pytest.mark.parametrize("concurrency", [1, 16])
@pytest.mark.parametrize("factor", [1.3, 2.0, 3.9])
def test_inputs_counted_too_low_pass_the_budget_by_more_than_a_call(
    factor: float, concurrency: int, dollar: str
) -> None:
    asked = [call(number, text="word" * 10_000, tokens=10_000, new=10) for number in range(1000)]
    usage = Usage(int(10_000 * factor), 0, 0, 10)
    budget = Budget(nano(dollar))
    driven, _ = spend(budget, asked, lambda *_: Reply("x", "complete", "m", usage), concurrency)
    assert budget.spent <= budget.limit + PRICE.of(usage)
    assert budget.spent > budget.limit - PRICE.of(usage) - PRICE.most(200, 10)
    assert f"the budget of {dollars(nano(dollar))} would be passed" in driven.stopped


def test_budget_ends_the_run_while_calls_under_way_will_free_some() -> None:
    """Ten dollars set aside at a time for answers that cost one: all twenty fit a budget of thirty."""
    asked = [call(number, tokens=1, new=1_000_000) for number in range(20)]
    budget = Budget(nano("30"))
    driven, _ = spend(budget, asked, lambda *_: Reply("x", "complete", "m", Usage(1, 0, 0, 100_000)), 16)
    assert len(driven.answers) == 20
    assert driven.stopped == ""
    assert budget.spent == 20 * (2_500 + nano("1"))


def test_stage_ends_because_another_has_set_money_aside() -> None:
    budget = Budget(nano("10.5"))
    assert budget.take(nano("10"))

    async def work() -> Driven:
        running = asyncio.ensure_future(drive(Scripted(), [call(1, tokens=1, new=100_000)], gate=Meter(budget, PRICE)))
        await asyncio.sleep(30)
        assert not running.done()
        budget.give(nano("10"), nano("1"))
        return await running

    assert len(in_time(work()).answers) == 1


def test_reply_without_usage_is_free() -> None:
    budget = Budget(nano("100"))
    spend(budget, [call(1, tokens=1000, new=100)], lambda *_: Reply("x", "complete", "m"), 1)
    assert budget.spent == budget.uncertain == PRICE.most(input_bound(call(1, tokens=1000).ask), 100)


def test_output_that_is_not_reported_is_free() -> None:
    budget = Budget(nano("100"))
    reply = Reply("x", "complete", "m", Usage(1000, 0, 0, None))
    spend(budget, [call(1, tokens=1000, new=100)], lambda *_: reply, 1)
    assert budget.spent == budget.uncertain == PRICE.most(input_bound(call(1, tokens=1000).ask), 100)


def test_refused_request_is_paid_or_lost_one_is_free() -> None:
    budget = Budget(nano("100"))
    refused = CallProblem("terminal", "bad", status=400)
    spend(budget, [call(1)], lambda *_: refused, 1)
    assert budget.spent == 0
    lost = CallProblem("terminal", "half a body", status=200)
    spend(budget, [call(1)], lambda *_: lost, 1)
    assert budget.spent == budget.uncertain > 0
    before = budget.spent
    empty = CallProblem("terminal", "empty", status=200, paid=Usage(100, 0, 0, 10))
    spend(budget, [call(1)], lambda *_: empty, 1)
    assert budget.spent == before + PRICE.of(Usage(100, 0, 0, 10))


def test_spent_before_is_forgotten() -> None:
    budget = Budget(nano("1"), spent=nano("0.999999"))
    driven, _ = spend(budget, [call(1)], lambda *_: Reply("x", "complete", "m"), 1)
    assert driven.answers == {}
    assert driven.stopped.endswith("$1.0000 are spent, and the next call may cost $0.0014")


def test_batch_share_is_not_read() -> None:
    assert price_of("gpt", {"price": {"input": 1, "output": 2, "batch": 0.5}}).batch == Decimal("0.5")


def test_discount_of_a_cache_is_believed_where_nothing_can_be_cached() -> None:
    price = price_of("m", {"price": {"input": 1, "cached": 0.1, "output": 1}, "cache_minimum": 2048})
    follows = replace(call(1, "a", text="word " * 2000).ask, follows=True)
    assert price.counted(Usage(2100, 2000, 0, 0), follows) == 100 * 1000 + 2000 * 100
    assert price.counted(Usage(2100, 2000, 0, 0), replace(follows, follows=False)) == 2100 * 1000
    assert price.counted(Usage(2047, 2000, 0, 0), follows) == 2047 * 1000, "too short for the vendor's cache"
    assert price.counted(Usage(9000, 9000, 0, 0), replace(follows, segments=follows.segments[:0])) > 9000 * 800
    batch, told = price.in_batch(), Usage(2100, 2000, 0, 0)
    assert batch.of(read_in_batch(told, 0)) == 2100 * 1000, "no other of the batch shares anything"
    assert batch.of(read_in_batch(told, 1500)) == 600 * 1000 + 1500 * 100


def test_tokens_that_a_cache_was_asked_to_keep_are_plain_where_the_vendor_does_not_say() -> None:
    price = price_of("m", {"price": {"input": 1, "cached": 0.1, "cache_write": 1.25, "output": 1}})
    alone = replace(call(1, "a", text="word " * 2000).ask, shared_prefixes=())
    shared = replace(alone, shared_prefixes=(SharedPrefix(10_000, "a document"),))
    assert price.counted(Usage(2000, None, None, 0), shared) == 2000 * 1250
    assert price.counted(Usage(2000, 500, None, 0), shared) == 500 * 1000 + 1500 * 1250
    assert price.counted(Usage(2000, None, 0, 0), shared) == 2000 * 1000, "the vendor says that it wrote nothing"
    assert price.counted(Usage(2000, None, None, 0), alone) == 2000 * 1000, "no cache was asked for"
    assert price.counted(Usage(1000, None, None, 0), shared) == 1000 * 1000, "too short for the vendor's cache"
