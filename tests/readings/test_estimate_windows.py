"""`estimate` of windows: each strategy from units alone against its prompts, what questions share, what is asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.windows.spans import strategy, windows
from tests.conftest import Scrollwork
from tests.models.hosted_kit import OPENAI_KEY
from tests.servers.vendor import Vendor, running

TABLE = """
[plain]
provider = "openai"
id = "g"
endpoint = "completions"
price = { input = 3.0, cached = 0.3, cache_write = 3.75, output = 15.0, batch = 0.5 }
cache_minimum = 64
"""
# two questions on one context, and one on another of fewer units; lines of one word stand twice in the first
CONTEXTS = (
    ("Amber. " * 6 + "Basalt fell. " * 20 + "Rain came. Cedar grew.", 2),
    ("Dune. Ember. Fjord. Garnet was found.", 1),
)


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with running() as served:
        yield served


@pytest.fixture
def work(scrollwork: Scrollwork, tmp_path: Path) -> Scrollwork:
    folder = tmp_path / "raw/leval/LEval-data/Closed-ended-tasks"
    folder.mkdir(parents=True)
    rows = [
        {
            "instructions": [
                f"Which is {number}?\n\n (A) one \n (B) two \n (C) three \n (D) four " for number in range(asked)
            ],
            "outputs": ["(A) one"] * asked,
            "input": text,
            "source": "ours",
            "evaluation": "exam",
        }
        for text, asked in CONTEXTS
    ]
    (folder / "quality.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "own.toml").write_text(TABLE)
    return scrollwork


def estimate(work: Scrollwork, tmp_path: Path, *more: str, **options: Any) -> Any:
    """Its rows."""
    own = ("--raw", str(tmp_path / "raw"), "--task", "leval_quality", "--models", str(tmp_path / "own.toml"))
    return work("estimate", "dolce", *own, "--model", "plain", "--json", *more, **options)


def test_strategy_costs_other_than_its_prompts(work: Scrollwork, tmp_path: Path) -> None:
    listed = (0, 1, 2, 5, 10, 20, 50, 100)
    rows = estimate(work, tmp_path, "--strategies", "--strategy", "sample:0.5+short").document
    by_name = {row["strategy"]: row for row in rows}
    assert list(by_name) == [
        *("all", "take:5", "take:25", "sample:0.2", "take-ip", "sample-ip", "long", "short", "wide", "sample:0.5+short")
    ]
    for name in ("all", "sample:0.5+short"):
        row = by_name[name]
        wanted = sum(
            1
            for problem, units in (("0-0", 28), ("0-1", 28), ("1-0", 4))
            for _ in windows(units, listed, True, strategy(name), seed=0, task="leval_quality", problem=problem)
        )
        (built,) = estimate(work, tmp_path, "--strategy", name).document
        assert row["windows"] == wanted == built["prompts"]
        assert (row["problems"], row["per_problem"]) == (3, pytest.approx(wanted / 3))
        if built["prompts"] == built["requests"]:
            assert row["input_tokens"] == built["input_tokens"]
            assert row["output_tokens"] == built["output_tokens"]
    assert by_name["all"]["cached_tokens"] > by_name["short"]["cached_tokens"]


@pytest.mark.parametrize(
    "long", ["", "long = [{ above = 85, input = 2.0, cached = 2.0, cache_write = 2.0, output = 3.0 }]"]
)
def test_share_of_questions_on_one_window_is_not_from_the_cache_or_not_at_the_price_of_its_length(
    work: Scrollwork, tmp_path: Path, long: str
) -> None:
    (tmp_path / "own.toml").write_text(TABLE.replace(", batch", f", {long}, batch" if long else ", batch"))
    (row,) = estimate(work, tmp_path, "--strategy", "take:40+long").document
    assert row["requests"] == row["prompts"] == 6, "10, 20 and 28 units of the one; 4 are fewer than 10"
    (told,) = [
        one
        for one in estimate(work, tmp_path, "--strategies", "--strategy", "take:40+long").document
        if one["strategy"] == "take:40+long"
    ]
    assert told["cached_tokens"] == row["cached_tokens"] > 0
    assert told["cache_write_tokens"] == row["cache_write_tokens"] > 0
    assert told["price"] == row["price"]


def test_equal_windows_are_asked_twice(work: Scrollwork, tmp_path: Path) -> None:
    (row,) = estimate(work, tmp_path, "--strategy", "short").document
    assert row["prompts"] - row["requests"] > 2 * (6 - 1 + 20 - 1), (
        "single units of one word stand often in the first context"
    )
    text = estimate(work, tmp_path, "--strategy", "short")
    assert text.document == [row]


@pytest.mark.slow
def test_equal_windows_and_those_of_another_strategy_are_paid_again(
    work: Scrollwork, tmp_path: Path, vendor: Vendor
) -> None:
    models = tmp_path / "own.toml"
    models.write_text(f'{TABLE}base_url = "{vendor.url}/v1"\n')
    work = work.with_(env={"OPENAI_API_KEY": OPENAI_KEY})
    (planned,) = estimate(work, tmp_path, "--strategy", "short").document
    own = ("dolce", "--raw", str(tmp_path / "raw"), "--task", "leval_quality", "--models", str(models))
    for chosen, paid in (("short", planned["to_ask"]), ("take:2+short", 0), ("all", planned["to_ask"])):
        before = len(vendor.log.requests())
        done = work("run", *own, "--model", "plain", "--strategy", chosen, "--engine", "inline", "--json")
        asked = len(vendor.log.requests()) - before
        assert asked == paid if chosen != "all" else 0 < asked < paid, chosen
        (task,) = done.document["dolce"]["tasks"]
        assert task["windows"] == task["answered"], "those that share an answer too"
    (row,) = estimate(work, tmp_path, "--strategy", "short").document
    assert (row["stored"], row["to_ask"]) == (planned["requests"], 0)


def test_strategies_of_a_suite_without_windows_are_told(work: Scrollwork) -> None:
    done = work("estimate", "zeroscrolls", "--sample", "--model", "openai:g", "--strategies", "--json", status=2)
    assert "zeroscrolls does not observe windows" in done.document["error"]
