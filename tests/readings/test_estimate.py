"""`estimate` against what a run is charged, and against dollars worked out here from the exported prompts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.conftest import Scrollwork
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY
from tests.servers.vendor import Vendor, running
from tests.survival.hosted import rows

TASKS = ("--task", "qmsum", "--task", "space_digest")
INPUT, CACHED, WRITTEN, OUTPUT, BATCH = 3.0, 0.3, 3.75, 15.0, 0.5  # USD per million tokens, share of a batch
PRICE = f"price = {{ input = {INPUT}, cached = {CACHED}, cache_write = {WRITTEN}, output = {OUTPUT}, batch = {BATCH} }}"


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with running() as served:
        yield served


@pytest.fixture
def work(scrollwork: Scrollwork, vendor: Vendor) -> Scrollwork:
    """The command with keys in its environment, and a file of models at the loopback."""
    (scrollwork.home.parent / "own.toml").write_text(
        f'[plain]\nprovider = "openai"\nid = "g"\nendpoint = "completions"\nbase_url = "{vendor.url}/v1"\n{PRICE}\n'
        f'[claude]\nprovider = "anthropic"\nid = "c"\nbase_url = "{vendor.url}"\n{PRICE}\n'
        f'[thinker]\nprovider = "openai"\nid = "t"\nbase_url = "{vendor.url}/v1"\nreasoning_tokens = 16000\n'
        f"max_output = 9000\n{PRICE}\n"
        f'[free]\nprovider = "openai"\nid = "f"\nbase_url = "{vendor.url}/v1"\n'
    )
    return scrollwork.with_(env={"OPENAI_API_KEY": OPENAI_KEY, "ANTHROPIC_API_KEY": ANTHROPIC_KEY})


def estimate(work: Scrollwork, model: str, *more: str, tasks: tuple[str, ...] = TASKS, **options: Any) -> Any:
    """The ended command."""
    own = ("--models", str(work.home.parent / "own.toml"), "--model", model)
    return work("estimate", "zeroscrolls", "--sample", *tasks, *own, *more, **options)


def test_price_is_not_what_the_prompts_come_to(work: Scrollwork, tmp_path: Path) -> None:
    found = {row["task"]: row for row in estimate(work, "plain", "--json").document}
    out = tmp_path / "hf"
    work("export", "hf", "zeroscrolls", "--sample", *TASKS, "--out", str(out), "--engine", "inline")
    for task, row in found.items():
        (file,) = out.rglob(f"{task}/test*.parquet")
        inputs = pq.read_table(file).column("input").to_pylist()  # the plain prompt is the official record's input
        tokens = sum(math.ceil(len(text) / 4) for text in inputs)
        assert row["requests"] == row["to_ask"] == len(inputs)
        assert row["input_tokens"] == pytest.approx(tokens, abs=len(inputs))
        fresh = row["input_tokens"] - row["cached_tokens"] - row["cache_write_tokens"]
        online = fresh * INPUT + row["cached_tokens"] * CACHED + row["cache_write_tokens"] * WRITTEN
        online += row["output_tokens"] * OUTPUT
        assert row["price"]["online"] == pytest.approx(online / 1e6)
        batch = BATCH * (row["input_tokens"] * INPUT + row["output_tokens"] * OUTPUT)
        assert row["price"]["batch"] == pytest.approx(batch / 1e6)
        most = row["input_tokens"] * WRITTEN + row["output_tokens_most"] * OUTPUT
        assert row["price"]["online_most"] == pytest.approx(most / 1e6)
    assert found["qmsum"]["output_tokens_most"] == 9 * 512
    assert found["space_digest"]["cached_tokens"] == 0, "no two of its prompts share their reviews"


def test_batch_of_a_vendor_that_takes_none_has_a_price(work: Scrollwork) -> None:
    done = work("estimate", "zeroscrolls", "--sample", *TASKS, "--model", "deepseek-flash", "--json")
    for row in done.document:
        assert row["price"]["batch"] is row["price"]["batch_most"] is None
        assert 0 < row["price"]["online"] < row["price"]["online_most"]
    shown = work("estimate", "zeroscrolls", "--sample", *TASKS, "--model", "deepseek-flash").out
    assert "0.0000" not in shown
    assert all(line.rstrip("┃│ ").endswith("–") for line in shown.splitlines() if line.startswith("│"))


@pytest.mark.slow
def test_prompts_are_cut_without_a_word(work: Scrollwork) -> None:
    cut = ("--tokenizer", "words", "--max-input-tokens", "800")
    own = ("--models", str(work.home.parent / "own.toml"))
    ran = work.run(*TASKS, *cut, *own, "--json", model="plain").document["tasks"]
    whole = {row["task"]: row for row in estimate(work, "plain", "--json").document}
    found = {row["task"]: row for row in estimate(work, "plain", *cut, "--json").document}
    said = estimate(work, "plain", *cut).err
    for row in ran:
        told = found[row["task"]]
        assert told["truncated"] == row["coverage"]["truncated"] > 0
        assert told["document_chars"] == whole[row["task"]]["document_chars"] > told["dropped_chars"] > 0
        share = f"{told['dropped_chars'] / told['document_chars']:.1%}"
        prompts = f"{told['truncated']} of {told['prompts']} prompts"
        assert f"plain: {row['task']}: {prompts} are cut to fit, {share} of all documents is lost" in said
        assert whole[row["task"]]["truncated"] == whole[row["task"]]["dropped_chars"] == 0
    assert "cut to fit" not in estimate(work, "plain").err


def test_prompts_of_a_model_that_costs_nothing_are_cut_without_a_word(work: Scrollwork) -> None:
    cut = ("--tokenizer", "words", "--max-input-tokens", "800")
    said = estimate(work, "bm25", *cut).err
    assert "bm25: asks no provider and costs nothing" in said
    tables = [pq.read_table(path).to_pylist() for path in work.home.rglob("prompts-*.parquet")]
    assert len(tables) == len(TASKS) / 2
    for table in tables:
        cuts, lost = (sum(row[name] for row in table) for name in ("truncated", "dropped_chars"))
        share = lost / (lost + sum(row["kept_chars"] for row in table))
        assert f": {cuts} of {len(table)} prompts are cut to fit, {share:.1%} of all documents is lost" in said
    assert estimate(work, "bm25", *cut, "--json").document == []
    assert "cut to fit" not in estimate(work, "bm25").err


@pytest.mark.slow
def test_claude_pays_for_a_cache_that_nobody_reads_or_estimate_forgets_what_it_writes(
    work: Scrollwork, vendor: Vendor
) -> None:
    found = {row["task"]: row for row in estimate(work, "claude", "--json").document}
    own = ("--models", str(work.home.parent / "own.toml"), "--json")
    told = {task: work.run("--task", task, *own, model="claude").document["spent"] for task in found}
    written = "SELECT sum(cache_write_tokens), sum(input_tokens), sum(cached_tokens) FROM attempts"
    assert told["space_digest"]["cached_tokens"] == 0
    ((wrote, read_in, cached),) = rows(work.home, written)
    qmsum = found["qmsum"]
    for ours, theirs in ((qmsum["cache_write_tokens"], wrote), (qmsum["cached_tokens"], cached)):
        share = theirs / told["qmsum"]["input_tokens"]
        assert ours / qmsum["input_tokens"] == pytest.approx(share, abs=0.02)
    assert found["space_digest"]["cache_write_tokens"] == 0
    assert read_in == sum(one["input_tokens"] for one in told.values())
    saved = (cached * (INPUT - CACHED) - wrote * (WRITTEN - INPUT)) / 1e6
    assert told["qmsum"]["saved"] == pytest.approx(saved)
    assert told["space_digest"]["saved"] == 0


@pytest.mark.slow
def test_what_is_stored_or_waits_is_counted_again(work: Scrollwork, vendor: Vendor) -> None:
    own = ("--models", str(work.home.parent / "own.toml"))
    work.run("--task", "space_digest", *own, model="plain")
    vendor.set(batch={"looks": 10**6})
    work.run("--task", "qmsum", *own, "--batch", "--batch-wait", "1", model="plain", status=1)
    done = estimate(work, "plain", "--json")
    states = {row["task"]: (row["stored"], row["in_batches"], row["to_ask"]) for row in done.document}
    assert states == {"qmsum": (0, 9, 0), "space_digest": (6, 0, 0)}
    assert sum(row["price"]["online_most"] for row in done.document) == 0
    assert "9 requests wait in batches" in estimate(work, "plain").err


def test_thoughts_are_left_out_or_are_more_than_the_model_gives(work: Scrollwork) -> None:
    done = estimate(work, "thinker", tasks=("--task", "space_digest"))
    assert "thinker: its thoughts are paid as output" in done.err
    (row,) = estimate(work, "thinker", "--json", tasks=("--task", "space_digest")).document
    assert row["output_tokens_most"] == 6 * 9000, "no more than the model gives"
    assert row["thoughts_most"] == 6 * (9000 - 36)
    assert row["thought_tokens"] == 6 * 1500
    assert 6 * 1500 < row["output_tokens"] <= 6 * (1500 + 36)


def test_one_task_without_raw_files_hides_the_others(work: Scrollwork, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "qmsum").symlink_to(work.root / "sample" / "raw" / "qmsum")
    own = ("--models", str(work.home.parent / "own.toml"), "--model", "plain", "--json")
    done = work("estimate", "zeroscrolls", "--raw", str(tmp_path / "raw"), *TASKS, *own, status=1)
    assert [row["task"] for row in done.document] == ["qmsum"]
    assert "error: curate space_digest: " in done.err


def test_advice_is_refused_when_followed(work: Scrollwork) -> None:
    done = estimate(work, "free", tasks=("--task", "space_digest"))
    assert "--tokenizer NAME, with --context TOKENS" in done.err
    assert "free: no price in its table; add price = { input = ..., output = ... }" in done.err
    estimate(work, "free", "--tokenizer", "words", "--context", "4000", tasks=("--task", "space_digest"))
    estimate(work, "gpt-4o-mini", "--tokenizer", "words", tasks=("--task", "space_digest"))


def test_model_that_its_vendor_has_retired_is_priced_without_a_word(work: Scrollwork) -> None:
    tasks = ("--task", "space_digest")
    assert "claude-v1.3: its vendor has retired it on 2024-11-06" in estimate(work, "claude-v1.3", tasks=tasks).err
    assert "retired" not in estimate(work, "claude-haiku", tasks=tasks).err


def test_prompts_are_sent_whole_where_a_context_holds_the_thoughts_alone(work: Scrollwork) -> None:
    for context, status in ((16_000, 2), (18_000, 0)):
        done = estimate(work, "thinker", "--context", str(context), tasks=("--task", "qmsum"), status=status)
        assert ("a context of 16,000 tokens leaves none for a prompt: 16,000 are kept free" in done.err) == (
            status == 2
        )
