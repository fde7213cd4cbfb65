"""Several processes, killed processes, full disks: one valid copy in the end, and nothing of a live writer removed."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from scrollwork.records.document import Document
from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.errors import StorageFull
from scrollwork.storage.location import Location
from tests.storage.artifact_kit import (
    SLOT,
    STAGE,
    documents,
    everything_below,
    finish,
    folder_of,
    heard,
    ingredients,
    start,
    tell,
    write,
)

BUILD = """
root, locked, length = sys.argv[1], sys.argv[2] == "locked", int(sys.argv[3])
artifacts = Artifacts(root)
from contextlib import nullcontext
say("ready")
wait()
built = 0
for number in range(12):
    made_of = ingredients(number=number)
    with artifacts.building(STAGE, SLOT, made_of.key()) if locked else nullcontext():
        if not locked or artifacts.find(STAGE, SLOT, made_of.key()) is None:
            write(artifacts, documents(40, length), made_of).check(rehash=True)
            built += 1
say(built)
"""


@pytest.mark.parametrize("bytes_of_parts", ["equal", pytest.param("different", marks=pytest.mark.slow)])
@pytest.mark.parametrize("lock", ["locked", "unlocked"])
def test_two_builders_of_one_artifact_spoil_it(tmp_path, lock, bytes_of_parts):
    lengths = (40, 40) if bytes_of_parts == "equal" else (40, 50)
    builders = [start(BUILD, tmp_path, lock, length) for length in lengths]
    assert [heard(builder) for builder in builders] == [["ready"]] * 2
    for builder in builders:
        tell(builder)
    built = [int(finish(builder)[0]) for builder in builders]
    assert sum(built) == (12 if lock == "locked" else 24)  # with the lock no work is done twice
    artifacts = Artifacts(str(tmp_path))
    for number in range(12):
        artifact = artifacts.find(STAGE, SLOT, ingredients(number=number).key())
        artifact.check(rehash=True)
        assert list(artifact.rows("documents", Document)) in [documents(40, length) for length in lengths]
        (part,) = artifact.manifest.files
        lock_file = [".lock"] if lock == "locked" else []
        assert everything_below(folder_of(artifact)) == sorted([*lock_file, part.name, "manifest.json", "run.json"])
    artifacts.sweep()
    assert len(list(artifacts.everything())) == 12


WRITE = """
from contextlib import nullcontext
artifacts, made_of = Artifacts(sys.argv[1]), ingredients()
with artifacts.building(STAGE, SLOT, made_of.key()) if sys.argv[2] == "locked" else nullcontext():
    writing = artifacts.write(made_of)
    with writing as writer:
        if sys.argv[3] == "published":
            done = writer.table("done", Document)
            done.close()
        table = writer.table("documents", Document)
        for row in documents(9, 1 << 20):
            table.add(row)
        say("writing")
        wait()
    say(writing.artifact.manifest.key)
"""


@pytest.mark.parametrize(
    ("lock", "state"), [("locked", "temporary"), ("locked", "published"), ("unlocked", "temporary")]
)
def test_sweep_removes_what_a_live_writer_needs(tmp_path, lock, state):
    writer = start(WRITE, tmp_path, lock, state)
    assert heard(writer) == ["writing"]
    artifacts = Artifacts(str(tmp_path))
    before = everything_below(tmp_path)
    assert any(".tmp-documents" in name for name in before)
    assert artifacts.sweep() == 0
    assert [name for name in before if name not in everything_below(tmp_path)] == []
    tell(writer)
    assert finish(writer) == [ingredients().key()]
    artifact = artifacts.find(STAGE, SLOT, ingredients().key())
    assert list(artifact.rows("documents", Document)) == documents(9, 1 << 20)


@pytest.mark.parametrize("state", ["temporary", "published"])
def test_killed_writer_leaves_files_for_ever(tmp_path, state):
    writer = start(WRITE, tmp_path, "locked", state)
    assert heard(writer) == ["writing"]
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.communicate()
    left = everything_below(tmp_path)
    assert any(".tmp-documents" in name for name in left)
    assert any(name.endswith(".parquet") for name in left) == (state == "published")
    artifacts = Artifacts(str(tmp_path))
    assert artifacts.find(STAGE, SLOT, ingredients().key()) is None
    assert artifacts.sweep() == len(left) - 1  # all but the lock are counted
    assert everything_below(tmp_path) == []


def test_artifact_cannot_be_written_after_a_kill_without_a_sweep(tmp_path):
    writer = start(WRITE, tmp_path, "locked", "published")
    assert heard(writer) == ["writing"]
    writer.kill()
    writer.communicate()
    artifacts = Artifacts(str(tmp_path))
    with artifacts.building(STAGE, SLOT, ingredients().key()):
        artifact = write(artifacts, documents(3))
    (part,) = artifact.manifest.files
    assert everything_below(folder_of(artifact)) == sorted([".lock", part.name, "manifest.json", "run.json"])


def test_sweep_removes_a_finished_artifact(tmp_path):
    artifacts = Artifacts(str(tmp_path))
    artifact = write(artifacts, documents(3))
    (folder_of(artifact) / ".tmp-documents-00000-abc").write_bytes(b"left")
    assert artifacts.sweep() == 1
    artifact.check(rehash=True)
    assert artifacts.sweep() == 0


SWEEP = """
from pathlib import Path
from scrollwork.storage.location import Location
folder = Location(sys.argv[1])
say("ready")
while not Path(sys.argv[2]).exists():
    folder.sweep()
"""


@pytest.mark.slow
def test_sweeper_takes_a_file_between_its_making_and_its_lock(tmp_path):
    folder, end = Location(str(tmp_path / "f")), tmp_path / "end"
    folder.replace("file", b"0")
    sweepers = [start(SWEEP, tmp_path / "f", end) for _ in range(2)]
    assert [heard(sweeper) for sweeper in sweepers] == [["ready"]] * 2
    until = time.monotonic() + 1.5
    try:
        while time.monotonic() < until:
            for number in range(50):
                with folder.temporary("file") as (stream, path):
                    stream.write(str(number).encode())
                    stream.flush()
                    assert path.exists()
    finally:
        end.touch()
        for sweeper in sweepers:
            finish(sweeper)
    assert folder.names() == ["file"]


def test_lock_is_given_to_two(tmp_path):
    holder = start(
        """
        from scrollwork.storage.location import file_lock
        from pathlib import Path
        with file_lock(Path(sys.argv[1])):
            say("held")
            wait()
            Path(sys.argv[2]).write_text("holder")
            os.unlink(sys.argv[1])  # as a sweep does: whoever waits must not get the removed file's lock
        """,
        tmp_path / "a" / "lock",
        tmp_path / "order",
    )
    assert heard(holder) == ["held"]
    waiter = start(
        """
        from scrollwork.storage.location import file_lock
        from pathlib import Path
        say("waiting")
        with file_lock(Path(sys.argv[1])):
            say(Path(sys.argv[2]).read_text(), Path(sys.argv[1]).exists())
        """,
        tmp_path / "a" / "lock",
        tmp_path / "order",
    )
    assert heard(waiter) == ["waiting"]
    time.sleep(0.2)
    tell(holder)
    finish(holder)
    assert finish(waiter) == ["holder", "True"]


SWEEP_ALL = """
from pathlib import Path
artifacts = Artifacts(sys.argv[1])
say("ready")
while not Path(sys.argv[2]).exists():
    artifacts.sweep()
"""


@pytest.mark.slow
def test_sweep_takes_the_folder_or_the_files_of_a_builder(tmp_path):
    artifacts, end = Artifacts(str(tmp_path / "a")), tmp_path / "end"
    sweepers = [start(SWEEP_ALL, tmp_path / "a", end) for _ in range(2)]
    assert [heard(sweeper) for sweeper in sweepers] == [["ready"]] * 2
    place = artifacts.folder(STAGE, SLOT, ingredients().key()).local
    until = time.monotonic() + 1.5
    try:
        while time.monotonic() < until:
            with artifacts.building(STAGE, SLOT, ingredients().key()):
                (place / "part").write_bytes(b"part")
                for _ in range(20):
                    assert (place / "part").exists()
    finally:
        end.touch()
        for sweeper in sweepers:
            finish(sweeper)


# --- full disks ------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MiB, where this machine lets us mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("cannot mount a small file system here; the limit on file size is tried instead")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def noise(count, megabytes=1):
    """Documents that zstd halves at best."""
    texts = (os.urandom(megabytes << 19).hex() for _ in range(count))
    return [Document.of(text, source_file="f") for text in texts]


def fill(place):
    """Take the last free byte."""
    descriptor = os.open(place / "ballast", os.O_CREAT | os.O_WRONLY)
    with pytest.raises(OSError, match="No space left"):
        any(os.write(descriptor, b"x" * 4096) == 0 for _ in range(2048))
    os.close(descriptor)


def ends_in_full_disk(act, place):
    with pytest.raises(StorageFull) as caught:
        act()
    said = str(caught.value)
    assert str(place) in said
    assert "no space left" in said
    assert "free space" in said
    assert "run the same command again" in said


@pytest.mark.parametrize("megabytes", [1, 12])
def test_full_disk_leaves_half_an_artifact(small_disk, megabytes):
    """1 MiB: the disk is full when the last rows are written; 12: while rows are added."""
    artifacts = Artifacts(str(small_disk))
    standing = write(artifacts, documents(3), ingredients(other=1))
    free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * (free - 100_000))
    before = everything_below(small_disk)
    ends_in_full_disk(lambda: write(artifacts, noise(megabytes)), small_disk)
    assert everything_below(small_disk) == before
    assert artifacts.find(STAGE, SLOT, ingredients().key()) is None
    standing.check(rehash=True)
    ballast.unlink()
    rows = noise(1)
    assert list(write(artifacts, rows).rows("documents", Document)) == rows


def test_full_disk_without_room_for_a_folder_is_not_named(small_disk):
    artifacts = Artifacts(str(small_disk))
    fill(small_disk)
    ends_in_full_disk(lambda: write(artifacts, documents(3)), small_disk)

    def build():
        with artifacts.building(STAGE, SLOT, ingredients().key()):
            write(artifacts, documents(3))

    ends_in_full_disk(build, small_disk)


def test_parts_stay_where_only_the_manifest_had_no_room(small_disk):
    artifacts = Artifacts(str(small_disk))
    writing = artifacts.write(ingredients())

    def act():
        with writing as writer:
            writer.table("documents", Document).add(documents(1)[0])
            writer.finish()
            fill(small_disk)

    ends_in_full_disk(act, small_disk)
    assert artifacts.find(STAGE, SLOT, ingredients().key()) is None
    artifacts.sweep()
    assert everything_below(small_disk) == ["ballast"]


def test_limit_on_file_size_leaves_half_an_artifact(tmp_path):
    process = start(
        """
        from scrollwork.storage.errors import StorageFull
        artifacts = Artifacts(sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        rows = [Document.of(os.urandom(1 << 19).hex(), source_file="f") for _ in range(9)]
        try:
            write(artifacts, rows)
        except StorageFull as error:
            say("full:", error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        say("left:", *everything_below(sys.argv[1]))
        write(artifacts, rows).check(rehash=True)
        """,
        tmp_path,
    )
    said = " ".join(finish(process))
    assert re.match(rf"full: {tmp_path}/\S+: file size limit reached while writing documents-00000\. ", said)
    assert said.endswith("left:")


# --- memory ----------------------------------------------------------------------------------------------------------

STREAM = """
import random
def peak_mib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
artifacts = Artifacts(sys.argv[1])
def rows():
    random.seed(0)
    for _ in range(200):
        yield Document.of(random.randbytes(1 << 19).hex(), source_file="f")
write(artifacts, documents(3), ingredients(warm=1))
start_mib = peak_mib()
artifact = write(artifacts, rows())
written_mib = peak_mib()
ids = [row.document_id for row in artifact.rows("documents", Document)]
read_mib = peak_mib()
text_of = artifact.texts()
assert sum(len(text_of(one)) for one in ids) == 200 << 20
say(round(written_mib - start_mib), round(read_mib - start_mib), round(peak_mib() - start_mib))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.slow
def test_memory_grows_with_the_table(tmp_path):
    written, read, looked_up = map(int, finish(start(STREAM, tmp_path, forked=False)))
    print(f"200 MiB of text: {written} MiB to write, {read} to read, {looked_up} to look up")
    assert written < 100
    assert read < 130
    assert looked_up < 200
