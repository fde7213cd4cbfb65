"""--budget: what the provider charges, by its own count, passes it by one call at most, whoever shares it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scrollwork.cli.terminal.spending import spending_line, spent_by
from scrollwork.flows import execute
from scrollwork.flows.chains import Chain
from scrollwork.pipeline import calling
from scrollwork.readings.status import store_holdings
from scrollwork.storage.home import Home
from scrollwork.suites.request import Request
from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, vendors

TASKS = ("--task", "qasper", "--task", "qmsum", "--task", "squality")
INPUT, OUTPUT = 10.0, 30.0  # USD a million tokens; nothing is cheaper from a cache, so that the sum needs no order
PRICE = {"input": INPUT, "output": OUTPUT}
INPUTS = ("prompt_tokens", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
OUTPUTS = ("completion_tokens", "output_tokens")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path, latency_s=0.05) as running:
        yield running


def charged(served: Vendors) -> float:
    """USD, from the tokens that the server counted."""
    used = served.usage
    tokens_in, tokens_out = (sum(used.get(name, 0) for name in names) for names in (INPUTS, OUTPUTS))
    return (tokens_in * INPUT + tokens_out * OUTPUT) / 1e6


def two_models(served: Vendors) -> str:
    """Tables of a model of each vendor."""
    claude = table("claude", served.url, provider="anthropic", price=PRICE, reasoning_tokens=0)
    return table("gpt", served.url, price=PRICE) + claude


def dearest(home: Path) -> float:
    """USD of the dearest call."""
    return float(rows(home, "SELECT max(cost_nano_usd) FROM attempts")[0][0]) / 1e9


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["inline", "prefect"])
def test_budget_is_passed_by_models_that_share_it(engine: str, scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={"share": 0.2, "seed": 5, "kinds": ["429-ms", "empty", "500", "cut"], "most": 2})
    work = hosted(scrollwork, two_models(served))
    command = ("run", "zeroscrolls", "--sample", "--engine", engine, "--json", *TASKS, *of_model(work, "claude", "gpt"))
    budget, before = 1.5, 0.0
    for _ in range(2 if engine == "inline" else 1):
        done = work(*command, "--budget", str(budget), status=1)
        spent, before = charged(served) - before, charged(served)
        assert budget / 2 < spent <= budget + dearest(work.home)
        assert f"the budget of ${budget:.2f} would be passed" in done.err
        assert " missing)" in done.err
        assert rows(work.home, "SELECT count(*) FROM failures") == [(0,)]
    if engine == "prefect":
        return
    done = work(*command, "--budget", "10")
    assert {row["coverage"]["answered"] for row in done.document["tasks"]} == {9, 10, 27}
    assert len(answered(work.home)) == 2 * (9 + 10 + 27)


def test_retried_run_forgets_what_it_has_spent(
    house: Path, served: Vendors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = hosted(Scrollwork(house, tmp_path / "home"), two_models(served))
    for name, key in work.env.items():
        monkeypatch.setenv(name, key)
    request = Request.of(
        "zeroscrolls", home=str(work.home), sample=True, tasks=("qasper",), models=("gpt",), budget="0.05",
        models_file=str(tmp_path / "own.toml"), run="a-run",
    )  # fmt: skip
    execute.run(Chain(request))
    first = charged(served)
    assert 0.02 < first <= 0.05 + dearest(work.home)
    calling._budgets.clear()  # as in another process
    execute.run(Chain(request))
    assert charged(served) <= 0.05 + dearest(work.home)
    execute.run(Chain(replace(request, run="another")))
    assert charged(served) > first + 0.02


@pytest.mark.parametrize("reported", [0, 1, 10**15, "many"])
def test_vendor_that_tells_wrong_tokens_passes_the_budget(
    house: Path, served: Vendors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reported: object
) -> None:
    """The books agree with each other, and with the vendor's own count they are on the safe side."""
    served.set(reported=reported)
    work = hosted(Scrollwork(house, tmp_path / "home"), table("gpt", served.url, price=PRICE, tpm=10**6))
    for name, key in work.env.items():
        monkeypatch.setenv(name, key)
    request = Request.of(
        "zeroscrolls", home=str(work.home), sample=True, tasks=("qasper",), models=("gpt",), budget="0.05",
        models_file=str(tmp_path / "own.toml"), run=f"run-{reported}",
    )  # fmt: skip
    chain = Chain(request)
    done = execute.run(chain)
    assert 0.01 < charged(served) <= 0.05 + dearest(work.home)
    spent = spent_by(chain, done.request.run)
    assert spent["amount"] <= 0.05
    assert spent["amount"] == calling._budgets[request.run].spent / 1e9 == spent["assumed"]
    assert spent["cost_assumed_calls"] == spent["calls"] == len(served.requests())
    assert f"${spent['assumed']:.4f} of it set aside for {spent['calls']} calls without usage" in spending_line(spent)
    assert store_holdings(Home(str(work.home), ""))["spent"]["amount"] == spent["amount"]


def test_budget_without_a_price_spends(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("gpt", served.url))
    done = work.run(*TASKS, *of_model(work), "--budget", "1", model="gpt", status=2)
    assert "[gpt]\nprice = { input = " in done.err
    assert "Traceback" not in done.err
    assert served.requests() == []
    assert not (work.home / "responses.db").exists()
