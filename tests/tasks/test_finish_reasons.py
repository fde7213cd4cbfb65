"""Answers that were refused, filtered or cut are told beside the score, wherever it is shown; they are no failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, hosted, of_model, rows, table, vendors


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


@pytest.mark.slow
def test_answer_without_the_key_that_it_repeated_passes_for_whole(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={"script": ["echo", "echo"]})
    work = hosted(scrollwork, table("gpt", served.url))
    command = ("--task", "qmsum", *of_model(work))
    done = work.run(*command, "--json", model="gpt")
    (row,) = done.document["tasks"]
    assert (row["coverage"]["answered"], row["coverage"]["masked"]) == (9, 2)
    assert rows(work.home, "SELECT count(*) FROM responses WHERE masked") == [(2,)]
    assert "gpt: qmsum: of 9 answers 2 with a key masked" in work.run(*command, model="gpt").out
    assert "2 with a key masked</small>" in (work.home / "reports" / "zeroscrolls.html").read_text()


@pytest.mark.slow
def test_word_that_is_a_key_is_taken_out_of_answers(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={})
    command = ("--task", "space_digest", "--json")
    texts = []
    for name, key in (("long", "sk-proj-4x7Kq2-loopback-Zw91"), ("short", "a")):
        work = hosted(
            scrollwork.with_(home=scrollwork.home.parent / name / "home"), table("gpt", served.url), OPENAI_API_KEY=key
        )
        done = work.run(*command, *of_model(work), model="gpt")
        assert done.document["tasks"][0]["coverage"]["masked"] == 0
        texts.append(rows(work.home, "SELECT request_key, text FROM responses ORDER BY request_key"))
    assert texts[0] == texts[1], "what is scored depends on the key"


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
