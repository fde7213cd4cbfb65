"""No room left: a clear error, exit status 1, nothing half; with room again the next run completes."""

from __future__ import annotations

import os
import resource
import subprocess
from contextlib import closing, suppress

import pytest

from scrollwork.readings.verify import verify
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import StorageFull
from scrollwork.storage.home import Home
from tests.conftest import Scrollwork, files_of, leftovers
from tests.storage.store_kit import answer, key

TASKS = ("--task", "qmsum", "--task", "qasper")


@pytest.fixture
def disk(tmp_path):
    """A small disk: a function that sets its size in KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk; the test of a quota runs everywhere")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")

    def resize(kib):
        subprocess.run(["mount", "-o", f"remount,size={kib}k", str(place)], check=True)
        return place

    try:
        yield resize
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(scope="module")
def undisturbed(house, tmp_path_factory):
    work = Scrollwork(house, tmp_path_factory.mktemp("undisturbed") / "home")
    work.run(*TASKS, "--quiet")
    return files_of(work.home)


def check_failure(work, done):
    assert done.status == 1
    assert "Traceback" not in done.err
    told = [line for line in done.err.splitlines() if "no space left" in line or "file size limit" in line]
    assert told, done.err
    assert str(work.home) in told[0]
    assert verify(Home.at(str(work.home)), "")["ok"], "no manifest without its parts"
    assert not list(work.home.rglob(".tmp-*"))


@pytest.mark.slow
@pytest.mark.parametrize("kib", [4, 100, 200, 300])
def test_a_full_disk_leaves_half_an_artifact_or_is_not_named(house, disk, undisturbed, kib):
    work = Scrollwork(house, disk(kib) / "home")
    check_failure(work, work.run(*TASKS, "--quiet", status=None))
    before = files_of(work.home)
    assert len(before) < len(undisturbed)

    disk(64 << 10)
    work.run(*TASKS, "--quiet")
    assert files_of(work.home) == undisturbed
    stages = {name: digest for name, digest in before.items() if not name.startswith("report/")}  # of what was there
    assert {name: undisturbed[name] for name in stages} == stages, "what was finished stood"
    assert leftovers(work.home) == []


def test_a_store_on_a_full_disk_is_said_to_fail_for_another_reason(disk):
    """SQLite makes the file that its processes share at once, and calls it an I/O error where there is no room."""
    place = disk(1024)
    with closing(ResponseStore(place / "responses.db")) as store:
        store.add([answer(1)])
    filled = place / "filled"
    with filled.open("wb", buffering=0) as stream, suppress(OSError):
        while stream.write(bytes(1024)):
            pass
    with (
        pytest.raises(StorageFull, match="no space left for answers"),
        closing(ResponseStore(place / "responses.db")) as store,
    ):
        store.add([answer(2)])
    filled.unlink()
    with closing(ResponseStore(place / "responses.db")) as store:
        assert [*store.answers([key(1), key(2)])] == [key(1)]


def test_a_quota_leaves_half_an_artifact_or_is_not_named(scrollwork, undisturbed):
    limit = 8_000  # bytes a file: more than the examples have, less than the documents
    done = scrollwork.run(
        *TASKS, "--quiet", status=None, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    check_failure(scrollwork, done)
    scrollwork.run(*TASKS, "--quiet")
    assert files_of(scrollwork.home) == undisturbed
    assert leftovers(scrollwork.home) == []
