"""What a report of everything in a home puts together, and what it keeps apart."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from scrollwork.readings.home_scores import scores_in
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.home import Home
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import Call


@pytest.fixture
def run(call: Call, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Runs a model on Qasper of the sample, or on four questions of a copy in another folder."""

    def run(*arguments: str, other: bool = False) -> None:
        raw = ("--sample",)
        if other:
            folder = tmp_path / "other" / "raw"
            if not folder.is_dir():
                shutil.copytree(SAMPLE / "qasper", folder / "qasper")
            raw = ("--raw", str(folder), "--limit", "4")  # type: ignore[assignment]
        status, _, err = call(
            "--quiet", "run", "zeroscrolls", *raw, "--task", "qasper", "--engine", "inline", *arguments
        )
        assert status == 0, err

    return run


@pytest.mark.slow
def test_report_fails_on_a_family_and_its_seed_alone_on_other_inputs(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("--model", "naive")
    run("--model", "naive:seed=0", other=True)
    found = scores_in(Home(str(call.home)), "zeroscrolls")
    rows, params = found.rows, found.params
    assert params["models"] == ["naive", "naive:seed=0 (limit 4, raw other/raw)"]
    asked = {row.model: row.coverage.expected for row in rows}
    assert asked["naive:seed=0 (limit 4, raw other/raw)"] == 4
    assert asked["naive:seed=0"] == asked["naive"] > 4
    status, said, err = call("--quiet", "report", "zeroscrolls")
    assert status == 0, err
    assert "naive:seed=0 (limit 4, raw other/raw): no average" in said


def test_newer_closed_book_run_hides_the_full_one(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("--model", "bm25")
    run("--model", "bm25", "--arm", "closed-book")
    rows = scores_in(Home(str(call.home)), "zeroscrolls").rows
    assert {(row.model, row.arm) for row in rows} == {("bm25", "full"), ("bm25", "closed-book")}


def test_scores_of_other_inputs_are_put_into_one_row(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    run("--model", "bm25")
    run("--model", "bm25", other=True)
    rows = scores_in(Home(str(call.home)), "zeroscrolls").rows
    asked = {row.split: (row.model, row.coverage.expected) for row in rows}
    assert asked.pop("test, limit 4, raw other/raw") == ("bm25", 4)
    assert [*asked] == ["test"]
    assert asked["test"] > ("bm25", 4)


def cost_more(path: Path) -> int:
    """Let every answer of a store have taken three tries and $0.25; how many there are."""
    with closing(sqlite3.connect(path)) as raw, raw:
        keys = [key for (key,) in raw.execute("SELECT request_key FROM responses")]
        store = ResponseStore(path)
        answers = store.answers(keys)
        raw.execute("DELETE FROM responses")
        raw.commit()
    store.add([replace(one, attempts=3, cost_nano_usd=250_000_000) for one in answers.values()])
    store.close()
    return len(keys)


def test_report_shows_what_answers_took_in_another_home(call: Call, run) -> None:  # type: ignore[no-untyped-def]
    """Equal texts that took other tries and money: equal scores, another report."""

    def keys() -> dict[str, set[str]]:
        stages = ("score", "aggregate", "judge", "report")
        return {name: {one.parent.name for one in artifacts.glob(f"{name}/*/*/manifest.json")} for name in stages}

    artifacts = call.home / "artifacts"
    run("--model", "bm25")
    before = keys()
    asked = cost_more(call.home / "responses.db")
    shutil.rmtree(artifacts / "generate")
    run("--model", "bm25")
    now = keys()
    assert now.pop("report") > before.pop("report")
    assert now == before
    page = (call.home / "reports" / "zeroscrolls.html").read_text("utf-8")
    assert f"<td>{asked / 4:.2f}</td>" in page
    assert f"<td>{3 * asked}</td>" in page
