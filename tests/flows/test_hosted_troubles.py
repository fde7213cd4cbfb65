"""What is wrong with a provider or its table is said once, in one line that tells what to do, and marks no call as failed
that a later run could have answered."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator

import pytest

from scrollwork.storage.answers.digests import row_digest
from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, vendors

TASKS = ("--task", "qmsum", "--task", "space_digest", "--task", "musique")
SHORT = {"attempts": 2, "seconds": 4.0, "longest_wait_s": 1.0}
KEYLESS = {"provider": "compatible", "retry": SHORT}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vendors]:
    with vendors(tmp_path_factory.mktemp("vendors")) as running:
        yield running


def lines(err: str, word: str) -> list[str]:
    """Lines with a word in them."""
    return [line for line in err.splitlines() if word in line]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "said", "advice"),
    [
        ("401", "Incorrect API key provided", ". Look at the key in OPENAI_API_KEY. What is stored stands"),
        pytest.param("404", "does not exist", "(asked: ", marks=pytest.mark.slow),
        pytest.param(
            "quota", "current quota", ". Wait for the quota's reset, or pay for more. ", marks=pytest.mark.slow
        ),
    ],
)
def test_what_is_true_of_every_call_is_asked_and_told_for_each_task(
    fault: str, said: str, advice: str, scrollwork: Scrollwork, served: Vendors
) -> None:
    served.set(plan={"always": fault})
    before = len(served.requests())
    work = hosted(scrollwork, table("gpt", served.url))
    done = work.run(*TASKS, *of_model(work), model="gpt", status=1)
    (told,) = lines(done.err, said)
    assert advice in told
    assert len(served.requests()) - before <= 8, "one stage found it"
    assert len(lines(done.err, "unanswered: ")) == 3
    assert rows(work.home, "SELECT count(*) FROM failures") == [(0,)]
    served.set(plan={})
    work.run(*TASKS, *of_model(work), "--quiet", model="gpt")
    assert len(answered(work.home)) > 20


@pytest.mark.slow
def test_server_that_is_not_there_is_told_late_or_costs(scrollwork: Scrollwork) -> None:
    price = {"input": 1.0, "output": 1.0}
    work = hosted(scrollwork, table("gpt", "http://127.0.0.1:1", **KEYLESS, price=price))
    done = work.run(*TASKS, *of_model(work), "--budget", "0.5", model="gpt", status=1)
    told = lines(done.err, "cannot connect to http://127.0.0.1:1/v1")
    assert "no answer so far" in told[0]
    assert told[1].startswith("generate qmsum, gpt: ")
    assert told[1].endswith("the same command asks the rest")
    assert len(told) == 2
    assert "spent: $0.0000" in done.err
    assert "not known" not in done.err
    assert "Traceback" not in done.err


def test_same_command_passes_the_budget_unannounced(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={})
    work = hosted(scrollwork, table("gpt", served.url, price={"input": 1.0, "output": 1.0}))
    done = work.run("--task", "qmsum", *of_model(work), "--budget", "0.01", model="gpt", status=1)
    (told,) = lines(done.err, "the budget of $0.0100 would be passed")
    assert told.endswith("the same command asks the rest, for as much again: a budget is of one run")


@pytest.mark.slow
def test_wrong_address_marks_calls_as_failed_for_good(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={})
    work = hosted(scrollwork, table("gpt", f"{served.url}/typo", **KEYLESS))
    done = work.run(*TASKS, *of_model(work), model="gpt", status=1)
    assert len(lines(done.err, "/typo/v1/chat/completions")) == 1
    assert rows(work.home, "SELECT count(*) FROM failures") == [(0,)]


def test_provider_nobody_knows_is_found_after_the_work(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("gpt", served.url, provider="opnai"))
    done = work.run(*TASKS, *of_model(work), model="gpt", status=2)
    assert done.err.startswith("scrollwork: --models ")
    assert done.err.endswith(
        "own.toml: model 'gpt': provider 'opnai' is none of "
        "anthropic, baselines, compatible, extractive, openai, planted, transformers, or package.module; "
        "did you mean 'openai'?\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_reply_that_ended_before_its_first_word_is_scored_or_paid_again(
    provider: str, scrollwork: Scrollwork, served: Vendors
) -> None:
    served.set(plan={"always": "length-empty"})
    before = len(served.requests())
    price = {"input": 1.0, "output": 1.0}
    work = hosted(scrollwork, table("gpt", served.url, provider=provider, price=price))
    command = ("--task", "space_digest", *of_model(work), "--json")
    done = work.run(*command, model="gpt", status=1)
    assert len(served.requests()) - before == 12, "once more each, with room, and no more"
    (row,) = done.document["tasks"]
    assert (row["value"], row["coverage"]["answered"], row["coverage"]["failed"]) == (None, 0, 6)
    assert "no room to answer: the whole budget" in done.err
    assert done.document["spent"]["amount"] > 0, "what came to nothing was paid"
    assert rows(work.home, "SELECT DISTINCT kind, status FROM failures") == [("terminal", 200)]
    work.run(*command, model="gpt", status=1)
    assert len(served.requests()) - before == 12, "paid again without being asked to"
    assert rows(work.home, "SELECT outcome, count(*) FROM attempts GROUP BY outcome ORDER BY outcome") == [
        ("terminal", 6),
        ("transient", 6),
    ]
    served.set(plan={})
    done = work.run(*command, "--retry-failed", model="gpt")
    assert len(served.requests()) - before == 18
    assert done.document["tasks"][0]["coverage"]["answered"] == 6


@pytest.mark.slow
def test_empty_answer_that_an_older_version_stored_is_scored(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={})
    before = len(served.requests())
    work = hosted(scrollwork, table("gpt", served.url))
    command = ("--task", "space_digest", *of_model(work), "--json")
    work.run(*command, model="gpt")
    with sqlite3.connect(work.home / "responses.db") as store:
        store.row_factory = sqlite3.Row
        for row in store.execute("SELECT * FROM responses").fetchall():
            changed = {**dict(row), "text": " ", "finish_reason": "length", "output_tokens": 36}
            store.execute(
                "UPDATE responses SET text = ' ', finish_reason = 'length', output_tokens = 36, digest = ? "
                "WHERE request_key = ?",
                (row_digest("responses", changed), row["request_key"]),
            )
    for folder in ("generate", "score"):
        shutil.rmtree(work.home / "artifacts" / folder)
    done = work.run(*command, model="gpt", status=1)
    (row,) = done.document["tasks"]
    assert (row["value"], row["coverage"]["answered"], row["coverage"]["failed"]) == (None, 0, 6)
    assert "no room to answer: the whole budget of 36 tokens" in done.err
    assert len(served.requests()) - before == 6, "nothing is paid again"
