"""kill -9 in each stage: the next run redoes only what was not finished, and leaves the bytes of an undisturbed run."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import pytest

from scrollwork.readings.verify import verify
from scrollwork.storage.home import Home
from tests.conftest import Scrollwork, files_of, leftovers

DRIVER = str(Path(__file__).with_name("killed.py"))
STAGES = (*("curate", "sample", "prompt", "generate", "score", "aggregate", "tokens", "judge", "compare", "report"),)
TASK = ("--task", "qasper")  # 27 inputs: more than one transaction of answers (killed.py)
POINTS = ("begin", "half", "part", "manifest", "done")
QUICK = {("curate", "half"), ("generate", "half"), ("report", "manifest")}  # the others are slow all together
# All stages have one writer: half-way it is killed in three of them here and in all in `make soak`, at its manifest in all.
SELDOM = {(stage, "half") for stage in STAGES} - {("curate", "half"), ("generate", "half"), ("report", "half")}
MARKS = dict.fromkeys(QUICK, ()) | dict.fromkeys(SELDOM, (pytest.mark.slow, pytest.mark.soak))
KILLS = [
    pytest.param(stage, point, marks=MARKS.get((stage, point), (pytest.mark.slow,)))
    for stage in STAGES
    for point in POINTS
    if point in ("half", "manifest") or stage in ("curate", "generate")
]


@pytest.fixture(scope="module")
def undisturbed(house, tmp_path_factory):
    """Digest by path of what an undisturbed run leaves."""
    work = Scrollwork(house, tmp_path_factory.mktemp("undisturbed") / "home")
    work.run(*TASK, "--quiet")
    return files_of(work.home)


def names(stages):
    return sorted(stage if stage in ("compare", "report") else f"{stage} qasper" for stage in stages)


def end(work, stage, point, how="SIGKILL", status=-signal.SIGKILL):
    """Run until the stage is at the point, where the process is ended."""
    return work.with_(prefix=(DRIVER, stage, point, how), warm=True).run(*TASK, "--quiet", status=status)


def mtimes(home):
    files = [path for path in (home / "artifacts").rglob("*") if path.is_file() and path.name != ".lock"]
    return {path: path.stat().st_mtime_ns for path in files}


def answers(home):
    with sqlite3.connect(home / "responses.db") as store:
        return dict(store.execute("SELECT request_key, created FROM responses"))


@pytest.mark.parametrize(("stage", "point"), KILLS)
def test_a_killed_stage_leaves_half_an_artifact_or_is_not_redone_alone(scrollwork, undisturbed, stage, point):
    end(scrollwork, stage, point)
    assert verify(Home.at(str(scrollwork.home)), "")["ok"], "what was finished stands, and nothing else"
    assert len(files_of(scrollwork.home)) < len(undisturbed) or (stage, point) == ("report", "done")

    scrollwork.run(*TASK, "--quiet")
    unfinished = STAGES[STAGES.index(stage) + (point == "done") :]
    if stage == "generate" and point == "done":
        unfinished = ("generate", *unfinished)  # the snapshot stands, but not yet the file that points to it
    assert scrollwork.built() == names(unfinished)
    assert files_of(scrollwork.home) == undisturbed
    assert leftovers(scrollwork.home) == []


def test_answers_that_were_committed_are_asked_again(scrollwork, undisturbed):
    end(scrollwork, "generate", "answers")
    paid = answers(scrollwork.home)
    assert len(paid) == 16
    scrollwork.run(*TASK, "--quiet")
    after = answers(scrollwork.home)
    assert len(after) == 27
    assert {key: after[key] for key in paid} == paid
    assert files_of(scrollwork.home) == undisturbed


@pytest.mark.slow
def test_a_run_killed_again_and_again_never_ends(scrollwork, undisturbed):
    for stage, point in [
        ("curate", "half"),
        ("curate", "manifest"),
        ("prompt", "half"),
        ("generate", "answers"),
        ("generate", "half"),
        ("score", "manifest"),
        ("report", "half"),
    ]:
        end(scrollwork, stage, point)
    scrollwork.run(*TASK, "--quiet")
    assert scrollwork.built() == ["report"]
    assert files_of(scrollwork.home) == undisturbed
    assert leftovers(scrollwork.home) == []


def test_a_second_run_executes_a_stage_or_touches_an_artifact(scrollwork, undisturbed):
    scrollwork.run(*TASK, "--quiet")
    times = mtimes(scrollwork.home)
    done = scrollwork.run(*TASK)
    assert "nothing was to be done" in done.err
    assert scrollwork.built() == []
    assert mtimes(scrollwork.home) == times


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["curate", "generate"])
def test_control_c_is_a_traceback_or_loses_what_was_finished(scrollwork, undisturbed, stage):
    done = end(scrollwork, stage, "half", "SIGINT", status=130)
    assert "Traceback" not in done.err
    assert "run the same command to go on" in done.err
    assert leftovers(scrollwork.home) == [], "an interrupted process tidies up itself"
    scrollwork.run(*TASK, "--quiet")
    assert scrollwork.built() == names(STAGES[STAGES.index(stage) :])
    assert files_of(scrollwork.home) == undisturbed
