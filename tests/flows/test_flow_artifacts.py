"""What a flow run shows: tables of hostile texts, a progress that Prefect does not take, a page in a bucket."""

from __future__ import annotations

import socket
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from scrollwork.flows.artifacts import COLUMNS, MOST_ROWS, key_of, put_page, report_place, table
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import run
from scrollwork.pipeline import progress
from scrollwork.pipeline.engines import prefect as engine
from scrollwork.pipeline.engines.prefect import ProgressLog, ProgressShown
from scrollwork.pipeline.progress import Standing
from scrollwork.readings.results import Results, report_of
from scrollwork.storage.answers.rows import Spent
from scrollwork.storage.location import Location
from scrollwork.suites.request import Request
from scrollwork.tasks.report import pages

HOSTILE = "lead: 3 failed for good: [x](javascript:alert(1)) <img src=x onerror=alert(1)> \x1b[31m |"


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory):
    """(chain, outcome, results, report) of a run of two baselines on a task of the sample; its page has data files."""
    home = str(tmp_path_factory.mktemp("shown") / "home")
    chain = Chain(Request.of("zeroscrolls", home=home, sample=True, tasks=("squality",), models=("lead", "oracle")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "assemble", partial(pages.assemble, whole=10_000))
        outcome = run(chain)
    return chain, outcome, Results(chain), report_of(outcome)


def test_scores_costs_or_failures_are_missing_from_the_table(evaluated) -> None:
    _, _, results, report = evaluated
    spent = Spent(calls=7, cost_nano_usd=1_500_000_000, cost_unknown_calls=2)
    rows = table(results.ledger(report).board, {"lead": spent}, [HOSTILE, "other: 1 failed for good: x"])
    assert {tuple(row) for row in rows} == {COLUMNS}, "Prefect's page takes the columns from the first row"
    lead, oracle = (row for row in rows if row["task"] == "all tasks")
    assert (lead["model"], lead["cost"], lead["calls"]) == ("lead", "$1.50 and 2 calls of unknown cost", 7)
    assert (oracle["cost"], oracle["calls"], oracle["failures"]) == ("", "", "")
    scored = [row for row in rows if row["task"] == "squality"]
    assert [row["model"] for row in scored] == ["lead", "oracle"]
    assert all(0 < row["score"] <= 100 and row["answered"] == "10 of 10" for row in scored)
    assert "\x1b" not in lead["failures"]
    assert "<img" not in lead["failures"]
    assert "[x](" not in lead["failures"], "a link of somebody's error message"
    assert lead["failures"].startswith("3 failed for good")


def test_a_table_of_thousands_of_rows_is_sent(evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, results, report = evaluated
    spent = {f"model-{number}": Spent(calls=1) for number in range(MOST_ROWS)}
    rows = table(results.ledger(report).board, spent, [])
    assert len(rows) == MOST_ROWS + 1
    assert rows[-1]["task"] == "and 4 rows more, in the report"


@pytest.mark.parametrize("suite", ["zeroscrolls", "My Suite_2!", "../x"])
def test_prefect_refuses_a_key(suite: str) -> None:
    from prefect.client.schemas.actions import ArtifactCreate

    assert ArtifactCreate(key=key_of("report", suite), type="table", data="[]").key


def test_the_link_leads_nowhere(evaluated) -> None:
    chain, outcome, results, report = evaluated
    place = report_place(chain, outcome, results, report)
    assert place.startswith("file:///")
    assert Path(place.removeprefix("file://")).read_bytes() == outcome.report.read_bytes()


def test_a_page_without_its_data_or_with_that_of_another_is_put(evaluated, tmp_path: Path) -> None:
    """In a remote home: page and data files as a folder has them, and none of an earlier page."""
    _, outcome, results, report = evaluated
    bucket = Location(f"memory://{tmp_path.name}/reports")
    artifact = results.artifact(report)
    bucket.child("zeroscrolls.files", "0" * 64).replace("old.js", b"old")
    bucket.child("zeroscrolls-all.files", "0" * 64).replace("kept.js", b"of another page")
    for _ in range(2):
        put_page(artifact, bucket, "zeroscrolls.html")
    folder = outcome.report.parent
    local = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert any("/" in name for name in local), "data files"
    assert set(bucket.below()) == local | {f"zeroscrolls-all.files/{'0' * 64}/kept.js"}
    assert all(bucket.read(name) == (folder / name).read_bytes() for name in local)


# ---- progress


def reported(title: str, shown, seconds: float, **more) -> None:
    """A stage that reports progress a thousand times a second."""
    with ProgressLog(title, lambda line: None, shown, **more):
        until, number = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            number += 1
            progress.asked(title, Standing(number, 10**6))
            time.sleep(0.001)


def test_progress_is_sent_as_often_as_it_moves() -> None:
    shown: list[Standing] = []
    reported("ask", shown.append, 1.0, shown_every_s=0.25)
    assert 2 <= len(shown) <= 5
    assert shown == sorted(shown, key=lambda one: one.done)
    assert engine.SHOWN_EVERY_S >= 5


def test_progress_that_stands_still_is_sent_again() -> None:
    shown: list[Standing] = []
    with ProgressLog("ask", lambda line: None, shown.append, shown_every_s=0.02):
        progress.asked("ask", Standing(1, 2))
        time.sleep(0.2)
    assert shown == [Standing(1, 2)]


def test_a_stage_without_progress_shows_some() -> None:
    shown: list[Standing] = []
    with ProgressLog("ask", lambda line: None, shown.append, shown_every_s=0.02):
        time.sleep(0.1)
    assert shown == []


@pytest.mark.slow
def test_a_stage_fails_because_prefect_is_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    warned: list[str] = []
    show = ProgressShown("ask \x1b[31m", warned.append)
    with temporary_settings({PREFECT_API_URL: f"http://127.0.0.1:{port}/api"}):
        show(Standing(1, 2))
        show(Standing(2, 2))
    (line,) = warned
    assert "its progress is not shown" in line


def test_a_stage_waits_for_a_server_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ANSWER_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/api"
        with temporary_settings({PREFECT_API_URL: url}):
            began = time.monotonic()
            reported("ask", ProgressShown("ask", lambda line: None), 0.2, shown_every_s=0.05)
            assert time.monotonic() - began < 5
    assert threading.active_count() < 50
