"""Replies that mean harm, on all six data sets of SEAM: stored as they came, scored as what they are, in bounded time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Done, Scrollwork
from tests.flows.seam_kit import COREFERENCE, TASKS, Scripted, asking, hosted, rows, run_scores, scores, scripted, seam
from tests.flows.seam_raw import write

RUNS_CODE = "__import__('os').system('touch {canary}')"
MEGABYTE = 1_000_000  # about what a reply may have; longer ones are in tests/models/test_reply_size.py
HOSTILE = {
    "code": f"[{RUNS_CODE}]",
    "code-in-object": f"{{'is_answerable': {RUNS_CODE}, 'answer_content': {RUNS_CODE}}}",
    "code-in-text": f"f'{{{RUNS_CODE}}}' {{{{{RUNS_CODE}}}}} ${{{RUNS_CODE}}} `touch {{canary}}`",
    "brackets": "[" * MEGABYTE,
    "braces": "{" * (MEGABYTE // 2) + "}" * (MEGABYTE // 2),
    "nested": "[" * (MEGABYTE // 2) + "]" * (MEGABYTE // 2),
    "objects": "{'a':" * (MEGABYTE // 6) + "}" * (MEGABYTE // 6),
    "signs": "[[-1, 2], [+3, 4], [١, ２], [\u22121, 2]]",
    "huge": f"[[{'9' * (MEGABYTE // 2)}, 1], [1, {'0' * (MEGABYTE // 2)}2]]",
    "many": "[" + "1, " * (MEGABYTE // 3) + "1]",
    "lists": "[1, 2], " * (MEGABYTE // 8),
    "quotes": "{'is_answerable': '" + "\\'" * (MEGABYTE // 3) + "}",  # three bytes each on the way
    "sentences": "A. " * (MEGABYTE // 3),
    "one-word": "a" * MEGABYTE,
}
SECONDS = (
    180  # for 14 models on 10 inputs each, over twice what it takes; one quadratic reading of a megabyte takes hours
)


@dataclass(frozen=True)
class Ran:
    home: Path
    done: Done
    canary: Path
    seconds: float
    vendor: Scripted


@pytest.fixture(scope="module")
def ran(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    folder = tmp_path_factory.mktemp("hostile")
    canary = folder / "canary"
    said = {name: text.replace("{canary}", str(canary)) for name, text in HOSTILE.items()}
    with scripted() as vendor:
        vendor.reply = lambda model, prompt: said[model]
        work = hosted(Scrollwork(house, folder / "home"), vendor.url, *HOSTILE)
        began = time.monotonic()
        done = seam(work, "--raw", str(write(folder / "raw")), *asking(work, *HOSTILE), "--json")
        yield Ran(work.home, done, canary, time.monotonic() - began, vendor)


pytestmark = pytest.mark.slow


def test_code_in_a_reply_runs(ran: Ran) -> None:
    assert not ran.canary.exists()
    assert list(ran.canary.parent.glob("canary*")) == []
    assert len(ran.vendor.asked) == 10 * len(HOSTILE)


def test_time_grows_faster_than_a_reply(ran: Ran) -> None:
    assert ran.seconds < SECONDS * max(1.0, os.getloadavg()[0] / 2)


@pytest.mark.parametrize("model", HOSTILE)
@pytest.mark.parametrize("task", TASKS)
def test_hostile_reply_is_changed_or_lost(ran: Ran, task: str, model: str) -> None:
    (found,) = run_scores(ran.home, task, model)
    assert found["coverage"]["answered"] == found["coverage"]["expected"] > 0
    assert 0.0 <= found["value"] <= 100.0
    texts = {row["text"] for row in rows(ran.home, "generate", f"seam.{task}.test.{model}.*.full.0", "responses")}
    assert texts == {HOSTILE[model].replace("{canary}", str(ran.canary))}


@pytest.mark.parametrize("model", ["code", "code-in-object", "code-in-text", "brackets", "braces", "nested", "objects"])
@pytest.mark.parametrize("task", COREFERENCE)
def test_hostile_reply_makes_clusters(ran: Ran, task: str, model: str) -> None:
    (found,) = run_scores(ran.home, task, model)
    assert (found["value"], found["in_format"]) == (0.0, 0.0)
    assert set(found["components"].values()) == {0.0}


@pytest.mark.parametrize("task", COREFERENCE)
def test_id_with_a_sign_is_taken_for_one_without(ran: Ran, task: str) -> None:
    """None of the lists is of digits, commas and spaces alone (section 5)."""
    for row in scores(ran.home, task, "signs").values():
        assert row["parsed"] is None
        assert row["flags"] == {"format_ok": False, "json_ok": False}
        assert row["value"] == 0.0


@pytest.mark.parametrize("task", COREFERENCE)
def test_huge_ids_end_the_run_or_are_read_as_others(ran: Ran, task: str) -> None:
    for row in scores(ran.home, task, "huge").values():
        assert row["flags"]["format_ok"]
        assert row["components"]["sum_spurious"] >= 1.0, "an id of half a million nines is nobody's"
    for row in scores(ran.home, task, "lists").values():
        assert row["flags"]["format_ok"]


@pytest.mark.parametrize("model", ["code-in-object", "objects", "braces"])
def test_broken_object_is_read_as_an_answer(ran: Ran, model: str) -> None:
    for row in scores(ran.home, "musique", model).values():
        assert row["flags"] == {"format_ok": False, "json_ok": False}
        assert row["components"]["answerability_accuracy"] == 0.0
    for row in scores(ran.home, "musique", "quotes").values():  # whole after C's last repair, and says neither
        assert row["flags"] == {"format_ok": True, "json_ok": True}
        assert row["components"]["answerability_accuracy"] == 0.0
