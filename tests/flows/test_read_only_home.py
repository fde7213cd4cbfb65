"""A home that cannot be written, in which everything stands: of another user, or on a disk mounted for reading."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import StorageError
from tests.conftest import FINISHED, Done, Scrollwork, environment
from tests.survival.test_lost_answers import SCHEMA_3

pytestmark = pytest.mark.slow

# root passes over permissions without these words
LESS = "-dac_override,-dac_read_search"
BOUND = ["setpriv", f"--bounding-set={LESS}", f"--inh-caps={LESS}"] if os.geteuid() == 0 else []
RUN = ("run", "zeroscrolls", "--sample", "--model", "naive:seed=0", "--engine", "inline", *FINISHED)


@pytest.fixture
def closed(finished: Scrollwork) -> Iterator[Scrollwork]:
    """The command with a finished home that nobody may write; its report was made by `report`, too."""
    if BOUND and shutil.which(BOUND[0]) is None:
        pytest.skip("root, and no setpriv to give up its rights")
    finished(*RUN)
    may(finished.home, write=False)
    yield finished
    may(finished.home, write=True)


def may(home: Path, write: bool) -> None:
    for place in [home, *home.rglob("*")]:
        place.chmod(place.stat().st_mode | 0o200 if write else place.stat().st_mode & ~0o222)


def call(work: Scrollwork, *arguments: str, status: int = 0) -> Done:
    cwd = work.home.parent / "elsewhere"
    cwd.mkdir(exist_ok=True)
    command = [*BOUND, sys.executable, "-m", "scrollwork.cli.main", "--home", str(work.home), *arguments]
    env = environment(PYTHONPATH=str(work.root))
    ended = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120)
    assert ended.returncode == status, ended.stdout[-2000:] + ended.stderr[-4000:]
    assert "Traceback" not in ended.stderr
    return Done(ended.returncode, ended.stdout, ended.stderr, 0.0)


def state(home: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(home.rglob("*"))}


def test_what_stands_cannot_be_run_reported_or_verified(closed: Scrollwork) -> None:
    before = state(closed.home)
    ran = call(closed, *RUN, "--json")
    assert f"{closed.home} cannot be written: it is read, and no row of this run is kept" in ran.err
    assert ran.document["report"] == str(closed.home / "reports" / "zeroscrolls.html")
    assert len(ran.document["tasks"]) == 3
    call(closed, "build", "zeroscrolls", "--sample", "--engine", "inline", *FINISHED, status=1)
    reported = call(closed, "report", "--json").document
    page = closed.home.parent / "elsewhere" / "zeroscrolls-all.html"
    assert reported["out"] == str(page)
    assert "naive" in page.read_text()
    assert "0 broken" in call(closed, "verify").out + call(closed, "verify").err
    assert call(closed, "status", "--json").document
    assert {row["state"] for row in call(closed, "plan", *RUN[1:5], *FINISHED, "--json").document} == {"reused"}
    checked = call(closed, "store", "check")
    assert "0 failures" in checked.out + checked.err
    assert call(closed, "gc", "--json").document["removed"] == []
    assert call(closed, "verify", "--rebuild", "5%", "--json").document["ok"]
    for command in (("gc", "--yes"), ("nights", *RUN[:5], *FINISHED)):
        assert f"{closed.home}: cannot be written, so no" in call(closed, *command, status=1).err
    assert state(closed.home) == before


FRAMES = """
import sys
import scrollwork as sw
home = sw.open(sys.argv[1])
names = ("scores", "answers", "judgements", "aggregates", "comparisons", "examples", "documents", "runs")
print(*(len(getattr(home, name)().collect()) for name in names), len(home.prompts(text=True).collect()))
print(len(home.calls().collect()), sw.verify(sys.argv[1]).ok, len(sw.compare(home).table), len(sw.compare(sys.argv[1]).table))
"""


def test_what_stands_cannot_be_read_compared_or_exported(closed: Scrollwork) -> None:
    may(closed.home, write=True)
    closed(*RUN[:4], "lead", *RUN[5:])
    may(closed.home, write=False)
    before, elsewhere = state(closed.home), closed.home.parent / "elsewhere"
    request = RUN[1:3]
    compared = call(closed, "compare", str(closed.home), "--json", "--out", "compared.html").document
    assert len(compared["pairs"]) == 1
    assert "lead" in (elsewhere / "compared.html").read_text()
    page = call(closed, "report", "--out", "own.html", "--json").document
    assert page["out"] == "own.html"
    assert "lead" in (elsewhere / "own.html").read_text()
    for form, more, out in (
        ("hf", (), "hf"),
        ("prompts", (), "prompts"),
        ("inspect", ("--model", "lead"), "inspect"),
        ("submission", ("--model", "lead", "--allow-missing"), "own.csv"),
    ):
        call(closed, "export", form, *request, *FINISHED, *more, "--out", out)
        assert (elsewhere / out).exists(), form
    assert "costs nothing" in call(closed, "estimate", *request, "--model", "lead", *FINISHED).err
    command = [*BOUND, sys.executable, "-c", FRAMES, str(closed.home)]
    env = environment(PYTHONPATH=str(closed.root))
    ended = subprocess.run(command, cwd=elsewhere, env=env, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr[-4000:]
    first, second = ended.stdout.splitlines()
    assert all(int(one) > 0 for one in first.split())
    calls, whole, *tables = second.split()
    assert (calls, whole) == ("0", "True")
    assert len(set(tables)) == 1
    assert int(tables[0]) > 0
    assert state(closed.home) == before


def test_work_begins_where_nothing_can_be_kept(closed: Scrollwork) -> None:
    before = state(closed.home)
    for engine in (("--engine", "inline"), ("--engine", "prefect")):
        other = call(closed, *RUN[:4], "naive:seed=1", *FINISHED, *engine, status=1)
        assert f"{closed.home}: cannot be written, and not every stage stands there; name another --home" in other.err
    assert state(closed.home) == before


def test_leftovers_of_a_killed_run_stop_the_next(closed: Scrollwork) -> None:
    may(closed.home, write=True)
    folder = next(path.parent for path in closed.home.glob("artifacts/*/*/*/manifest.json"))
    (folder / ".tmp-part-0123456789abcdef").write_bytes(b"half")
    unfinished = folder.parent / ("0" * 20)
    unfinished.mkdir()
    (unfinished / "part.parquet").write_bytes(b"half")
    may(closed.home, write=False)
    assert "nothing was to be done" in call(closed, *RUN).err


def test_answers_in_the_log_of_a_killed_process_are_not_read(closed: Scrollwork) -> None:
    """SQLite's log beside the store holds what was committed last."""
    place = closed.home / "responses.db"
    may(closed.home, write=True)
    with closing(sqlite3.connect(place)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("UPDATE responses SET text = 'changed' WHERE rowid = (SELECT min(rowid) FROM responses)")
        writer.commit()
        assert Path(f"{place}-wal").stat().st_size
        may(closed.home, write=False)
        checked = call(closed, "store", "check", status=1)
        assert "not what its snapshot holds: text" in checked.out
        may(closed.home, write=True)


def test_an_older_store_is_a_traceback_or_taken_for_empty(closed: Scrollwork) -> None:
    place = closed.home / "responses.db"
    may(closed.home, write=True)
    with closing(sqlite3.connect(place)) as database, database:
        for statement in SCHEMA_3:
            database.execute(statement)
    may(closed.home, write=False)
    said = call(closed, "store", "check", status=1)
    assert "and the file cannot be written; let it be written once, or name a copy with --store" in said.out + said.err
    may(closed.home, write=True)
    ResponseStore(place).close()


def test_answers_are_lost_where_they_cannot_be_kept(closed: Scrollwork) -> None:
    code = (
        "import sys; from scrollwork.storage.answers.store import ResponseStore; from scrollwork.storage.answers.rows import StoredAnswer;"
        "store = ResponseStore(sys.argv[1]); print(len(store.states(['a'])));"
        "store.claim(['a'], 'me', 5.0)"
    )
    command = [*BOUND, sys.executable, "-c", code, f"sqlite:///{closed.home}/responses.db"]
    ended = subprocess.run(
        command, env=environment(PYTHONPATH=str(closed.root)), capture_output=True, text=True, timeout=60
    )
    assert ended.stdout == "0\n"
    assert StorageError.__name__ in ended.stderr
    assert "Answers cannot be kept here; let it be written, or use --store" in ended.stderr
    assert ended.returncode == 1
