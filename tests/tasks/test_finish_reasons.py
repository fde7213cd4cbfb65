"""Answers that were refused, filtered or cut are told beside the score, wherever it is shown; they are no failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, hosted, of_model, table, vendors


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


@pytest.mark.parametrize("provider", ["openai", pytest.param("anthropic", marks=pytest.mark.slow)])
def test_refused_or_filtered_answers_pass_for_good_ones(provider: str, scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={"script": ["refused", "refused", "refused", "filtered", "filtered", "window", "length"]})
    work = hosted(scrollwork, table("gpt", served.url, provider=provider))
    command = ("--task", "qmsum", *of_model(work))
    done = work.run(*command, "--json", model="gpt")
    (row,) = done.document["tasks"]
    told = {name: row["coverage"][name] for name in ("answered", "failed", "refused", "filtered", "context")}
    refused = {"refused": 3, "filtered": 2} if provider == "openai" else {"refused": 5, "filtered": 0}
    assert told == {"answered": 9, "failed": 0, **refused, "context": 1}
    assert row["coverage"]["length_cut"] == 1
    shown = work.run(*command, model="gpt").out
    assert f"gpt: qmsum: of 9 answers 1 cut at their output limit, {refused['refused']} refused" in shown
    assert "1 ended by the context" in shown
    page = (work.home / "reports" / "zeroscrolls.html").read_text()
    assert f">{refused['refused']} refused</small>" in page
    assert "1 ended by the context</small>" in page
