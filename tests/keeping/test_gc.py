"""gc removes what nothing kept refers to, and nothing else; runs that begin or are at work lose nothing."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scrollwork.storage.in_use import InUse, alone, at_work
from tests.conftest import Scrollwork, environment, leftovers
from tests.keeping.homes import broken, change, every, manifests, page, plan, replaced, stored
from tests.nights.hotels import night, ready, rows
from tests.survival.hosted import vendors

DRIVER = str(Path(__file__).with_name("gc_killed.py"))


@pytest.fixture(scope="module")
def old(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Scrollwork:
    """A home with replaced artifacts. Copy it."""
    return replaced(Scrollwork(house, tmp_path_factory.mktemp("old") / "place" / "home"))


@pytest.fixture
def work(old: Scrollwork, tmp_path: Path) -> Scrollwork:
    """The same home at its own place, as raw files are in the requests of its runs."""
    saved = Path(shutil.copytree(old.home, tmp_path / "home"))
    return old.with_(home=saved, root=old.root)


def gc(work: Scrollwork, *more: str, status: int = 0):
    return work("gc", "--keep-days", "0", "--json", *more, status=status)


def test_gc_says_nothing_or_removes_what_was_not_agreed_to(work: Scrollwork) -> None:
    before = every(work.home)
    told = gc(work).document
    assert every(work.home) == before
    stages = {row["stage"] for row in told["by_stage"]}
    assert {"curate", "sample", "prompt", "generate", "score", "aggregate", "judge", "report"} <= stages
    assert told["bytes"] == sum(row["bytes"] for row in told["by_stage"]) > 10_000
    assert {row["why"] for row in told["by_stage"]} == {"of runs that newer ones have replaced"}
    assert told["removed"] == []
    assert work("gc", "--json").document["items"] == [], "what was built today goes"
    said = work("gc", "--keep-days", "0")
    assert "nothing was removed: --yes does it" in said.err
    assert "would go: 2 curate" in said.out
    assert "write a number of days" in work("gc", "--keep-days", "-1", status=2).err


def test_gc_removes_what_a_kept_run_needs(work: Scrollwork, old: Scrollwork) -> None:
    reported, planned, answers = page(work), plan(old, old.home.parent / "raw"), stored(work.home)
    told = gc(work).document
    before = manifests(work.home)
    done = gc(work, "--yes").document
    assert done["removed"] == told["items"]
    assert done["freed"] == told["bytes"]
    gone = before - manifests(work.home)
    assert len(gone) == sum(one["kind"] == "artifact" for one in told["items"]) > 12
    assert len(manifests(work.home)) == told["artifacts_kept"]
    assert page(work) == reported
    assert {state for _, _, state in planned} == {"reused"}
    assert plan(work, old.home.parent / "raw") == planned
    assert broken(work) == []
    assert stored(work.home) == answers
    assert leftovers(work.home) == []
    assert gc(work, "--yes").document["removed"] == []
    assert len(list((work.home / "runs").iterdir())) == 3, "rows of runs are kept"


def test_frames_of_a_home_change_by_gc(work: Scrollwork) -> None:
    import scrollwork as sw

    before = {
        name: getattr(sw.open(work.home), name)().collect() for name in ("scores", "answers", "judgements", "examples")
    }
    assert gc(work, "--yes").document["removed"]
    after = {name: getattr(sw.open(work.home), name)().collect() for name in before}
    assert all(after[name].equals(before[name]) for name in before)


def test_run_is_at_work_and_gc_removes(work: Scrollwork) -> None:
    before = every(work.home)
    with at_work(str(work.home)):
        refused = work("gc", "--keep-days", "0", "--yes", status=1)
        assert "a run is at work here" in refused.err
        assert "Traceback" not in refused.err
        listed = work("gc", "--keep-days", "0")
        assert "a run is at work here" in listed.err
    assert every(work.home) == before
    with alone(str(work.home)):
        assert "or another gc" in work("gc", "--keep-days", "0", "--yes", status=1).err
        with pytest.raises(InUse), alone(str(work.home)):
            pass
    assert gc(work, "--yes").document["removed"]


@pytest.mark.slow
def test_run_that_begins_between_listing_and_removal_loses_what_it_reads(house: Path, tmp_path: Path) -> None:
    """The raw file is as it was before, so the run reads just what gc has listed. The run waits for gc, and gc for none:
    it lists again once it is alone."""
    work = replaced(Scrollwork(house, tmp_path / "home"))
    raw = tmp_path / "raw"
    shutil.rmtree(raw)
    shutil.copytree(house / "sample" / "raw", raw)
    env = environment(PYTHONPATH=str(work.root))
    command = [sys.executable, DRIVER, "pause", "--home", str(work.home), "gc", "--keep-days", "0", "--yes", "--json"]
    collecting = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert collecting.stdout.readline() == "listed\n"
    running = work.start(
        "run", "zeroscrolls", "--raw", str(raw), "--task", "space_digest", "--model", "naive:seed=0",
        "--engine", "inline", "--quiet", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(3)
    assert running.poll() is None, "a run goes on while gc removes"
    out, _ = collecting.communicate("go on\n", timeout=100)
    assert json.loads(out)["removed"]
    _, err = running.communicate(timeout=100)
    assert running.returncode == 0, err
    assert "waiting for scrollwork gc" in str(err)
    assert broken(work) == []
    assert leftovers(work.home) == []


@pytest.mark.slow
def test_runs_and_gc_at_once_disturb_each_other(house: Path, tmp_path: Path) -> None:
    """Twelve runs over two versions of a raw file, and gc again and again beside them."""
    work = replaced(Scrollwork(house, tmp_path / "home"))
    ended = removed = 0
    for number in range(6):
        change(tmp_path / "raw", number % 2)
        runs = [work.start("run", "zeroscrolls", "--raw", str(tmp_path / "raw"), "--task", "space_digest", "--model", model,
                           "--engine", "inline", "--quiet", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                for model in ("naive:seed=0", "lead")]  # fmt: skip
        while any(one.poll() is None for one in runs):
            done = work("gc", "--keep-days", "0", "--yes", "--json", status=None)
            assert done.status == 0 or "a run is at work" in done.err, done.err
            ended += done.status == 0
            removed += len(done.document["removed"]) if done.status == 0 else 0
        assert [one.wait() for one in runs] == [0, 0], [one.communicate() for one in runs]
    done = work("gc", "--keep-days", "0", "--yes", "--json").document
    assert removed + len(done["removed"]) > 20
    assert broken(work) == []
    assert leftovers(work.home) == []


def test_two_gc_at_once_disturb_each_other(work: Scrollwork) -> None:
    both = [
        work.start("gc", "--keep-days", "0", "--yes", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    said = [one.communicate(timeout=100) for one in both]
    assert 0 in [one.returncode for one in both], said
    assert (
        sum(len(json.loads(out)["removed"]) > 0 for (out, _), one in zip(said, both, strict=True) if not one.returncode)
        == 1
    )
    assert broken(work) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "after", [1, pytest.param(7, marks=pytest.mark.slow), pytest.param(14, marks=pytest.mark.slow)]
)
def test_killed_gc_leaves_half_an_artifact(after: int, work: Scrollwork) -> None:
    whole = work.with_(home=Path(shutil.copytree(work.home, work.home.parent / "whole")))
    told = gc(whole, "--yes").document
    killed = work.with_(prefix=(DRIVER, str(after)), warm=True)(
        "gc", "--keep-days", "0", "--yes", status=-signal.SIGKILL
    )
    assert killed.out == ""
    assert broken(work) == [], "what is left is whole"
    assert work("store", "check", "--json").document["ok"]
    assert (work.home / ".gc").is_dir(), "it was not killed while it removed"
    rest = gc(work, "--yes").document
    assert 0 < len([one for one in rest["removed"] if one["kind"] == "artifact"]) < len(told["removed"])
    assert every(work.home) == every(whole.home)
    assert not (work.home / ".gc").exists()


def test_last_copy_of_an_answer_goes(work: Scrollwork) -> None:
    with sqlite3.connect(work.home / "responses.db") as store:
        (key,) = store.execute("SELECT request_key FROM responses ORDER BY created LIMIT 1").fetchone()
        store.execute("DELETE FROM responses WHERE request_key = ?", (key,))
    told = gc(work, "--yes").document
    assert any("the store does not hold all its answers" in note for note in told["notes"])
    assert any(one["kind"] == "artifact" for one in told["removed"])
    assert work("store", "repair", "--json", status=None).document["refilled"] == 1


def test_run_that_nobody_can_read_is_passed_over(work: Scrollwork) -> None:
    (work.home / "runs" / "20260101T000000.000000000-1.json").write_text('{"id": "x"')
    before = every(work.home)
    refused = work("gc", "--keep-days", "0", "--yes", status=1)
    assert "20260101T000000.000000000-1.json: is no row of a run" in refused.err
    assert every(work.home) == before


def test_garbage_of_others_ends_gc(work: Scrollwork) -> None:
    """Damaged artifacts are left to verify and to runs, foreign files where they are."""
    manifest = next(iter(sorted(work.home.glob("artifacts/score/*/*/manifest.json"))))
    manifest.write_bytes(b"{")
    reports = work.home / "reports"
    (reports / "mine.html").write_text("mine")
    shutil.copy(reports / "zeroscrolls.html", reports / "old.html")
    (reports / ".zeroscrolls.html.123").write_text("half")
    (work.home / "plans").mkdir(exist_ok=True)
    (work.home / "plans" / "0123.json").write_text("{}")
    half = work.home / "artifacts" / "score" / "zeroscrolls.nobody" / "abcdefabcdefabcdefab"
    half.mkdir(parents=True)
    (half / "scores-0-abc.parquet").write_bytes(b"half")
    told = gc(work, "--yes").document
    assert any("left as it is, damaged" in note and "is not a manifest" in note for note in told["notes"])
    assert manifest.is_file()
    assert {one["kind"] for one in told["removed"]} >= {"plan", "page", "leftover", "artifact", "pointer"}
    assert not half.exists()
    assert {path.name for path in reports.iterdir() if path.is_file()} >= {"mine.html", "zeroscrolls.html"}
    assert not {"old.html", ".zeroscrolls.html.123"} & {path.name for path in reports.iterdir()}


def test_gc_of_no_home_makes_one(call, tmp_path: Path) -> None:
    status, _, err = call("gc", "--yes")
    assert status == 2
    assert "is no home of scrollwork" in err
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
def test_nights_lose_what_they_are_compared_with(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path) as served:
        work = ready(scrollwork, served)
        nights = [night(work) for _ in range(4)]
        listed, shown = work("nights", "--json").out, [work("nights", "show", one["name"]).out for one in nights]
        asked = len(served.requests())
        told = gc(work, "--yes").document
        assert {"epoch", "generate", "score", "report"} <= {one["stage"] for one in told["removed"]}
        assert len(list((work.home / "epochs").glob("*.complete.json"))) == 2, "of the first night and the last"
        assert len(list((work.home / "epochs").glob("*.opened.json"))) == 2
        assert work("nights", "--json").out == listed
        assert [work("nights", "show", one["name"]).out for one in nights] == shown
        assert broken(work) == []
        raw = ("--raw", str(work.home.parent / "raw"))
        tasks = ("--task", "space_digest", "--task", "quality")
        again_ = ("run", "zeroscrolls", *raw, *tasks, "--model", "m", "--models", str(work.home.parent / "own.toml"))
        work(*again_, "--engine", "inline", "--quiet")
        assert len(served.requests()) == asked, "a plain run pays again"
        assert set(work.last_run().values()) == {"reused"}
        last = night(work)
        assert last["models"][0]["reference"] == nights[0]["name"]
        assert last["sentence"].startswith("No new drop")
        assert len(rows(work.home)) == 5
