"""A home is opened to be read: in a notebook, on a read-only disk, in a bucket; nothing is written or printed."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import fsspec
import polars as pl
import pytest

import scrollwork as sw
from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import build
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.suites.request import Request
from tests.library.conftest import with_read_only
from tests.storage.store_kit import answer, attempt, key

FRAMES = ("runs", "scores", "answers", "judgements", "aggregates", "comparisons", "examples", "documents", "calls")
READ = """
import sys
import scrollwork as sw
home = sw.open(sys.argv[1])
for name in {frames!r}:
    getattr(home, name)().collect()
print(len(home.prompts(text=True).collect()))
"""


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Time and size of every file and folder."""
    return {str(one): (one.stat().st_mtime_ns, one.stat().st_size) for one in [folder, *sorted(folder.rglob("*"))]}


def read_all(home: sw.Home) -> dict[str, pl.DataFrame]:
    """Every frame of a home, collected."""
    found = {name: getattr(home, name)().collect() for name in FRAMES}
    return {**found, "prompts": home.prompts(text=True).collect()}


@pytest.mark.parametrize("kind", ["missing", "empty", "another"])
def test_a_folder_that_is_no_home_is_opened_or_made(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "home"
    if kind != "missing":
        place.mkdir()
    if kind == "another":
        (place / "notes.txt").write_text("mine")
    before = state(tmp_path)
    why = "holds neither artifacts/ nor runs/" if kind == "another" else "there is no such folder, or it is empty"
    with pytest.raises(UsageError, match=f"is no home of scrollwork: {why}; `scrollwork run`"):
        sw.open(place)
    assert state(tmp_path) == before


def test_the_home_of_the_environment_is_passed_over(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"/\.scrollwork"):
        sw.open()
    monkeypatch.setenv("SCROLLWORK_HOME", str(whole))
    assert repr(sw.open()) == repr(sw.open(whole))
    with pytest.raises(UsageError, match="elsewhere"):
        sw.open("elsewhere")


def test_an_empty_folder_is_not_told_what_makes_a_home(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"in Python `sw\.run\(\.\.\., home=\.\.\.\)`$"):
        sw.open(tmp_path)
    (tmp_path / ".scrollwork" / "runs").mkdir(parents=True)
    with pytest.raises(UsageError, match=rf"; did you mean {tmp_path}/\.scrollwork\?$"):
        sw.open(tmp_path)


def test_a_home_in_which_nothing_ran_gives_empty_frames(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(StageFailed, match="nothing ran in this home; run `scrollwork run` or `build` first"):
        sw.open(tmp_path).scores()
    assert sw.open(tmp_path).runs().collect().is_empty()


def test_reading_writes_or_prints(copied: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = state(copied)
    found = read_all(sw.open(copied))
    assert state(copied) == before
    assert all(len(frame) for name, frame in found.items() if name != "calls")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_read_only_disk_cannot_be_read(whole: Path, tmp_path: Path) -> None:
    """Mounted so in a namespace of its own: root passes over permissions, and not over this."""
    assert int(with_read_only(whole, READ.format(frames=FRAMES), tmp_path)) > 20
    assert os.listdir(tmp_path) == []


def test_a_notebook_cannot_read_a_home(whole: Path) -> None:
    """Its event loop is running."""

    async def cell() -> dict[str, pl.DataFrame]:
        assert len(sw.suites()) > 20
        assert sw.score("es", ["30%"], ["30%"])["value"].to_list() == [100.0]
        return read_all(sw.open(whole))

    in_a_loop = asyncio.run(cell())
    for name, frame in read_all(sw.open(whole)).items():
        assert frame.equals(in_a_loop[name]), name


def test_a_remote_home_holds_other_frames_or_needs_a_store(
    whole: Path, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = fsspec.filesystem("memory")
    bucket.put(str(whole), "/frames-bucket/home", recursive=True)
    try:
        remote = sw.open("memory://frames-bucket/home")
        local = sw.open(whole)
        for name in (*FRAMES[1:-1], "prompts"):
            own = getattr(remote, name)().collect()
            assert own.equals(getattr(local, name)().collect()), name
        some = remote.scores("zeroscrolls").filter(pl.col("model") == "bm25").select("value", "example_id").head(5)
        there = local.scores("zeroscrolls").filter(pl.col("model") == "bm25").select("value", "example_id").head(5)
        assert some.collect().equals(there.collect())
        with pytest.raises(UsageError, match="calls are in its response store"):
            remote.calls()
        (part,) = bucket.glob("/frames-bucket/home/artifacts/score/zeroscrolls.qmsum.test.bm25.*/*/scores-*.parquet")
        frame = remote.scores("zeroscrolls", models=["bm25"], tasks=["qmsum"])
        bucket.pipe_file(part, bytes(bucket.size(part)))
        assert len(frame.collect()), "of this machine's copy"
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
        with pytest.raises(DamagedArtifact, match="has other bytes than the manifest says"):
            frame.collect()
    finally:
        bucket.rm("/frames-bucket", recursive=True)


def test_calls_are_not_those_of_the_store(copied: Path) -> None:
    store = ResponseStore(copied / "responses.db")
    tries = [attempt(1, "transient"), attempt(1, tried=2, cost_nano_usd=7, output_tokens=3), attempt(2)]
    store.add([answer(1), answer(2)], [], tries)
    before = state(copied)
    found = sw.open(copied).calls().collect()  # while another process holds the store open
    assert set(state(copied)) == set(before)
    store.close()
    assert state(copied)[str(copied / "runs")] == before[str(copied / "runs")]
    assert found["request_key"].to_list() == [key(1), key(2), key(1)]
    assert found["outcome"].to_list() == ["transient", "answered", "answered"]
    assert found["cost_nano_usd"].to_list() == [None, None, 7]
    assert [moment.timestamp() for moment in found["started"]] == [1001.0, 1001.0, 1002.0]
    closed = state(copied)
    assert sw.open(copied).calls().collect().equals(found)
    assert state(copied) == closed


def test_calls_in_the_log_of_a_killed_process_are_lost_or_a_file_is_made(copied: Path, tmp_path: Path) -> None:
    """A copy of its store without the index of the log, which SQLite would make to read it."""
    store = ResponseStore(tmp_path / "responses.db")
    store.add([answer(1)], [], [attempt(1)])
    for name in ("responses.db", "responses.db-wal"):
        shutil.copy(tmp_path / name, copied / name)
    store.close()
    before = state(copied)
    assert sw.open(copied).calls().collect()["request_key"].to_list() == [key(1)]
    assert state(copied) == before


def test_a_store_that_is_none_is_changed_or_unnamed(copied: Path) -> None:
    (copied / "responses.db").write_bytes(b"x" * 4096)
    before = state(copied)
    calls = sw.open(copied).calls()
    with pytest.raises(StorageError, match=r"responses\.db"):
        calls.collect()
    assert state(copied) == before


def test_a_home_that_was_only_built_shows_no_examples(tmp_path: Path) -> None:
    asked = Request.of("zeroscrolls", home=str(tmp_path), sample=True, tasks=("squality",))
    build(Chain(asked), run_inline)
    home = sw.open(tmp_path)
    examples = home.examples().collect()
    assert len(examples) == len(home.prompts(text=True).collect()) == 10
    documents = home.documents().collect()
    assert set(documents["document_id"]) == set(examples["document_ids"].explode())
    assert home.scores().collect().is_empty()
    with pytest.raises(UsageError, match="task 'qmsu' is none of"):
        home.examples(tasks="qmsu")
    assert home.examples(tasks="qmsum").collect().is_empty()
