"""What each way of asking costs, and what none can go below."""

from __future__ import annotations

import itertools
import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from scrollwork.models.base import Segment
from scrollwork.models.engine.prices import Rates
from scrollwork.readings.prefix_bound import PrefixTree
from tests.conftest import Call

RATES = Rates(Decimal(100), Decimal(500), Decimal(10), Decimal(125))


def prompt(*names: str) -> list[Segment]:
    """Segments of 400 characters, which are 100 tokens."""
    return [Segment("document", name[0] * 400) for name in names]


def least(rule: str, *prompts: list[Segment], rates: Rates = RATES) -> int:
    tree = PrefixTree(rule)
    for one in prompts:
        tree.add(one, 100 * len(one), rates)
    return tree.least()


def test_bound_of_prompts_that_share_nothing_is_not_their_plain_price() -> None:
    for rule in ("breakpoints", "blocks", "prefix", "none", ""):
        assert least(rule, prompt("a"), prompt("b")) == 200 * 100


def test_a_shared_prefix_is_written_more_than_once_or_for_nothing() -> None:
    shared = [prompt("a", "b"), prompt("a", "c"), prompt("a", "d")]
    assert least("prefix", *shared) == 100 * (100 + 2 * 10) + 300 * 100
    assert least("blocks", *shared) == 100 * (125 + 2 * 10) + 300 * 100
    assert least("none", *shared) == 600 * 100
    dear = Rates(Decimal(100), Decimal(500), Decimal(90), Decimal(250))
    assert least("blocks", *shared, rates=dear) == 600 * 100, "writing costs more than three reads save"


def test_same_text_behind_another_is_one_prefix() -> None:
    assert least("prefix", prompt("a", "x"), prompt("b", "x")) == 400 * 100


def paid(order: tuple[tuple[str, ...], ...], marks: int) -> int:
    """What prompts cost in an order where each marks the prefixes that a later one shares, by the rule of blocks."""
    kept: set[tuple[str, ...]] = set()
    total = 0
    for at, names in enumerate(order):
        prefixes = [names[:size] for size in range(1, len(names) + 1)]
        held = max((len(one) for one in prefixes if one in kept), default=0)
        worth = [one for one in prefixes[held:] if any(other[: len(one)] == one for other in order[at + 1 :])][-marks:]
        written = len(worth[-1]) - held if worth else 0
        kept.update(worth)
        total += 100 * (held * 10 + written * 125 + (len(names) - held - written) * 100)
    return total


@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 200, 20)], ids=str)
def test_some_order_costs_less_than_the_bound(seeds: range) -> None:
    """All orders of small trees of prefixes; in the best the bound is nearly reached, as an independent account says."""
    for seed in seeds:
        rng = random.Random(seed)
        prompts = list({(*rng.choices("abc", k=rng.randint(1, 3)), f"{n}") for n in range(rng.randint(2, 6))})
        bound = least("blocks", *(prompt(*names) for names in prompts))
        best = min(paid(order, marks=4) for order in itertools.permutations(prompts))
        assert bound <= best <= 1.35 * bound, seed


def rows_of(call: Call, *more: str, suite: str = "zeroscrolls") -> list[dict[str, Any]]:
    code, out, err = call("estimate", suite, "--sample", "--ways", "--json", *more)
    assert code == 0, err
    found: list[dict[str, Any]] = json.loads(out)
    return found


COUNTED = ("--tokenizer", "estimate")  # without a table of tiktoken
TASKS = ("--task", "squality", "--task", "qmsum", "--task", "quality")


def test_ways_of_a_model_lack_one_that_it_has_or_have_one_that_it_lacks(call: Call) -> None:
    rows = rows_of(
        call,
        *TASKS,
        *COUNTED,
        "--model",
        "gpt-6-luna",
        "--model",
        "claude-opus-5-5",
        "--model",
        "claude-sonnet-5-5",
        "--model",
        "gpt-6.2-sol",
    )
    ways = {
        (row["model"], row["way"], row["cache"], row["lifetime"]): row for row in rows
    }  # fmt: skip
    luna = [key[1:] for key in ways if key[0] == "gpt-6-luna"]
    assert luna == [
        ("standard", False, ""), ("standard", True, "30m"), ("standard", True, "12h"),
        ("flex", False, ""), ("flex", True, "30m"), ("flex", True, "12h"), ("batch", False, ""),
    ]  # fmt: skip
    assert [key[1:] for key in ways if key[0] == "claude-opus-5-5"] == [
        ("standard", False, ""), ("standard", True, "5m"), ("standard", True, "1h"), ("batch", False, ""),
        ("batch", True, "5m"),
    ]  # fmt: skip
    assert not [key for key in ways if key[0] == "gpt-6.2-sol" and key[1] == "flex"], "its page names none"
    standard, flex = ways["gpt-6-luna", "standard", True, "30m"], ways["gpt-6-luna", "flex", True, "30m"]
    assert flex["usd"] == pytest.approx(standard["usd"] / 2)
    for row in rows:
        assert row["usd"] >= row["bound_usd"] * 0.999, row
    best = {row["model"]: (row["way"], row["lifetime"]) for row in rows if row["best"]}
    assert best == {  # of those that think, output is the most, and a batch is half of that, too
        "gpt-6-luna": ("flex", "30m"), "claude-opus-5-5": ("batch", "5m"), "claude-sonnet-5-5": ("standard", "5m"),
        "gpt-6.2-sol": ("batch", ""),
    }  # fmt: skip
    assert {row["model"]: row["thought_tokens"] for row in rows} == {
        "gpt-6-luna": 0, "claude-opus-5-5": 300, "claude-sonnet-5-5": 0, "gpt-6.2-sol": 300,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "cached"),
    [
        ('provider = "compatible"\nbase_url = "http://127.0.0.1:9/v1"\ncache_minimum = 64', True),
        ('provider = "compatible"\nbase_url = "http://127.0.0.1:9/v1"', False),
        ('provider = "anthropic"\nbase_url = "http://127.0.0.1:9"', True),
        ('provider = "anthropic"\nfamily = { cache = { rule = "none" } }', False),
    ],
)
def test_estimate_and_ways_disagree_on_the_cache_of_an_own_table(
    call: Call, table: str, cached: bool, tmp_path: Path
) -> None:
    file = tmp_path / "own.toml"
    price = "price = { input = 1.0, cached = 0.1, cache_write = 1.25, output = 2.0 }"
    file.write_text(f'[own]\nid = "claude-sonnet-5-5"\ncontext = 100000\n{price}\n{table}\n')
    asked = (*TASKS, *COUNTED, "--models", str(file), "--model", "own")
    code, out, err = call("estimate", "zeroscrolls", "--sample", "--json", *asked)
    assert code == 0, err
    online = sum(one["price"]["online"] for one in json.loads(out))
    assert (sum(one["cached_tokens"] for one in json.loads(out)) > 0) == cached
    rows = [row for row in rows_of(call, *asked) if row["way"] == "standard"]
    (run,) = [row for row in rows if row["runs"]]
    assert run["cache"] == cached
    assert run["usd"] == pytest.approx(online)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "asked"),
    [
        ("zeroscrolls", (*TASKS, "--model", "gpt-6-luna", *COUNTED)),
        ("zeroscrolls", (*TASKS, "--model", "gpt-6.1-terra", *COUNTED)),
        ("zeroscrolls", (*TASKS, "--model", "claude-opus-5-5", *COUNTED)),
        ("zeroscrolls", (*TASKS, "--model", "openai:gpt-5.4-mini")),
        ("seam", ("--task", "fuse_reviews", "--task", "musique", "--model", "claude-opus-5-5", *COUNTED)),
    ],
    ids=["breakpoints", "breakpoints-at-a-twentieth", "blocks", "steps-of-128", "demonstrations"],
)
def test_a_run_costs_more_than_a_twentieth_over_the_bound(call: Call, suite: str, asked: tuple[str, ...]) -> None:
    """Questions on one document, and demonstrations in front of all: the input that the simulated vendors bill. The
    bound is taken as a share of the plain price, as vendors count tokens otherwise than we estimate them."""
    rows = [one for one in rows_of(call, *asked, suite=suite) if one["way"] == "standard"]
    (row,), plain = [one for one in rows if one["runs"]], next(one for one in rows if not one["cache"])
    code, out, err = call("rehearse", suite, "--sample", "--quiet", "--json", *asked)
    assert code == 0, err
    (bill,) = json.loads(out)["bill"]
    billed = bill["billed_usd"] - bill["output_usd"]
    tokens = bill["plain_tokens"] + bill["cached_tokens"] + bill["written_tokens"]
    share = (row["bound_usd"] - row["output_usd"]) / (plain["usd"] - plain["output_usd"])
    rate = (plain["usd"] - plain["output_usd"]) / plain["input_tokens"]
    assert 0.97 < billed / (share * rate * tokens) <= 1.05


@pytest.mark.slow
def test_document_that_is_cut_for_each_question_goes_to_a_cache_of_its_own_each_time(call: Call) -> None:
    """By steps of 128 tokens as much is read as by marks, but for a step a prompt."""
    cut = ("--task", "squality", *COUNTED, "--max-input-tokens", "2500")
    models = ("--model", "openai:gpt-5.4-mini", "--model", "gpt-6-luna")
    code, out, err = call("rehearse", "zeroscrolls", "--sample", "--quiet", "--json", *cut, *models)
    assert code == 0, err
    steps, marks = json.loads(out)["bill"]
    assert steps["replies"] == marks["replies"] == 10
    new = marks["plain_tokens"] + marks["written_tokens"]
    assert 0 < new < marks["cached_tokens"], "two stories, five questions each"
    assert new <= steps["plain_tokens"] <= new + 128 * steps["replies"]


def test_batch_costs_half_of_flex_where_flex_was_asked_for(call: Call) -> None:
    """Each discount is of the listed price."""
    asked = ("zeroscrolls", "--sample", "--json", "--task", "gov_report", "--model", "gpt-6-luna", *COUNTED)
    code, out, _ = call("estimate", *asked)
    (standard,) = json.loads(out)
    code, out, _ = call("estimate", *asked, "--way", "flex")
    (flex,) = json.loads(out)
    assert code == 0
    assert flex["price"]["online"] == pytest.approx(standard["price"]["online"] / 2, rel=1e-6)
    assert flex["price"]["batch"] == standard["price"]["batch"]
