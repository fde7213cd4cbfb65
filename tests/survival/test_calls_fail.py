"""Providers that fail: a third of the calls, or all of them. Nothing is lost, nothing is scored as empty, all is bounded."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, vendors

FAULTS = ["429", "429-after", "429-ms", "500", "529", "reset", "half", "html", "empty", "null-content", "stall:3"]
RETRY = {"attempts": 6, "seconds": 30.0, "longest_wait_s": 1.0}
ALL = ("--task", "qmsum", "--task", "qasper", "--task", "squality")
FEW = ("--task", "qmsum")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path, latency_s=0.01) as running:
        yield running


def failing(scrollwork: Scrollwork, served: Vendors, **more: object) -> Scrollwork:
    """The command with a model whose patience is short."""
    return hosted(scrollwork, table("gpt", served.url, timeout_s=1.5, retry=RETRY, **more))


def failures(home: Path) -> list[tuple[str, int | None, int]]:
    """(kind, status, attempts) of each."""
    return [(kind, status, tries) for kind, status, tries in rows(home, "SELECT kind, status, attempts FROM failures")]


@pytest.mark.slow
# Anthropic's in `make soak`: what its faults are is held in tests/models/test_hosted_replies.py, what follows is the same.
@pytest.mark.parametrize("provider", ["openai", pytest.param("anthropic", marks=pytest.mark.soak)])
def test_faulty_third_loses_answers_or_scores_empty_ones(
    provider: str, scrollwork: Scrollwork, served: Vendors, tmp_path: Path
) -> None:
    tables = table("gpt", served.url, provider=provider, timeout_s=1.5, retry=RETRY)
    alone = hosted(scrollwork.with_(home=tmp_path / "alone" / "home"), tables)
    undisturbed = alone.run(*ALL, *of_model(alone), "--json", model="gpt").document
    asked = len(served.requests())
    total = len(answered(alone.home))

    served.set(plan={"script": FAULTS, "share": 0.3, "seed": 11, "kinds": FAULTS, "most": 5})
    work = hosted(scrollwork, tables)
    done = work.run(*ALL, *of_model(work), "--json", model="gpt")
    time.sleep(3)  # until the last stall is over, at the server too
    requests = served.requests()[asked:]
    met = {row["fault"] for row in requests} - {""}
    assert met == set(FAULTS)
    assert answered(work.home) == answered(alone.home)
    assert rows(work.home, "SELECT count(*) FROM responses WHERE trim(text) = ''") == [(0,)]
    assert failures(work.home) == []
    assert done.document["tasks"] == undisturbed["tasks"]
    assert done.seconds < 60
    tried = rows(work.home, "SELECT count(*), sum(outcome = 'answered') FROM attempts")
    assert tried == [(len(requests), total)], "each request at the server is a row"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["reset", "empty"])
def test_provider_that_only_fails_holds_the_run_up_or_leaves_no_row(
    fault: str, scrollwork: Scrollwork, served: Vendors
) -> None:
    served.set(plan={"always": fault})
    work = failing(scrollwork, served)
    done = work.run(*FEW, *of_model(work), "--json", model="gpt", status=1)
    assert done.seconds < 60
    assert answered(work.home) == set()
    assert failures(work.home) == []
    (coverage,) = [row["coverage"] for row in done.document["tasks"]]
    assert coverage["missing"] == coverage["expected"] > 0
    assert "requests in a row were not answered, all alike" in done.err
    assert "unanswered: " in done.err
    served.set(plan={})
    again = work.run(*FEW, *of_model(work), "--json", model="gpt")
    assert failures(work.home) == []
    assert [row["coverage"]["answered"] for row in again.document["tasks"]] == [coverage["expected"]]


FOR_ALL = {
    "302": ("HTTP 302: sent elsewhere", {}),
    "403": ("HTTP 403: Your key [key] has no access", {}),
    "policy": ("HTTP 403: Blocked by your organization's content policy", {}),
    "context": ("HTTP 400: This model's maximum context|maximum context", {}),
    "500": ("HTTP 500: Internal server error", {}),
    "html": ("HTTP 200 with a page of HTML", {}),
    "reset": ("the server closed the connection|Connection reset by peer", {}),
    "of-chat": ("has message.content: is the endpoint chat?", {"endpoint": "responses"}),
}


# All of them in `make soak`: tests/tasks/test_asking.py has each in process, for as many inputs.
OFTEN = ("context", "500")


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", [pytest.param(one, marks=() if one in OFTEN else pytest.mark.soak) for one in FOR_ALL]
)
def test_nothing_but_failures_are_borne_for_121_inputs_or_kept(
    fault: str, scrollwork: Scrollwork, served: Vendors
) -> None:
    """All tasks of the sample: at most 60 requests go out, nothing is marked as failed, and the same command completes
    when the vendor is well again."""
    said, more = FOR_ALL[fault]
    served.set(plan={"always": fault})
    work = failing(scrollwork, served, **more)
    done = work.run(*of_model(work), "--json", model="gpt", status=1)
    assert 0 < len(served.requests()) <= 60
    assert any(words in done.err for words in said.split("|"))
    assert failures(work.home) == []
    assert rows(work.home, "SELECT count(*) FROM claims") == [(0,)]
    coverage = [row["coverage"] for row in done.document["tasks"]]
    assert sum(one["missing"] for one in coverage) == sum(one["expected"] for one in coverage) == 121
    assert sum(one["failed"] for one in coverage) == 0
    served.set(plan={})
    again = work.run(*of_model(work), "--json", model="gpt")
    assert sum(row["coverage"]["answered"] for row in again.document["tasks"]) == 121


@pytest.mark.slow
def test_what_failed_for_good_is_asked_again_unasked_or_never(scrollwork: Scrollwork, served: Vendors) -> None:
    served.set(plan={"always": "context"})
    work = failing(scrollwork, served)
    command = (*FEW, *of_model(work), "--json")
    work.run(*command, model="gpt", status=1)
    asked = len(served.requests())
    assert failures(work.home) == [], "where nothing is answered, a claim of all prompts proves nothing"
    served.set(plan={"script": ["", "context", "", "context"]})
    work.run(*command, model="gpt", status=1)
    lost = failures(work.home)
    assert lost == [("terminal", 400, 1)] * 2
    assert len(served.requests()) == 2 * asked
    served.set(plan={})
    still = work.run(*command, model="gpt", status=1)
    assert len(served.requests()) == 2 * asked, "not asked again unasked"
    assert "failed: gpt: 2 failed for good (--retry-failed): HTTP 400: maximum context" in still.err
    done = work.run(*command, "--retry-failed", model="gpt")
    assert failures(work.home) == []
    assert [row["coverage"]["answered"] for row in done.document["tasks"]] == [asked]
    assert len(served.requests()) == 2 * asked + 2
