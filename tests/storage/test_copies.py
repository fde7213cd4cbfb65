"""Copies of remote parts on this machine: never believed, never half, never more than there is room for."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

from scrollwork.records.document import Document
from scrollwork.storage.artifacts import copies as module
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts
from scrollwork.storage.artifacts.copies import copies
from scrollwork.storage.cache import KEPT_S
from scrollwork.storage.errors import DamagedArtifact, StorageError
from scrollwork.storage.location import Location
from tests.storage.artifact_kit import documents, write

ROWS = documents(30)


@pytest.fixture
def there() -> Artifact:
    """A remote artifact with one part, which this machine has not seen."""
    artifact = write(Artifacts(f"memory://{uuid.uuid4().hex}/artifacts"), ROWS)
    shutil.rmtree(copies())
    return artifact


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a file was fetched, by name."""
    count: Counter[str] = Counter()
    original, one_at_a_time = Location.download, Lock()

    def download(self: Location, name: str, path: Path) -> None:
        with one_at_a_time:  # files of fsspec's memory have one position
            count[name] += 1
            original(self, name, path)

    monkeypatch.setattr(Location, "download", download)
    return count


def rows(artifact: Artifact) -> list[Document]:
    return list(artifact.rows("documents", Document))


def copy_of(artifact: Artifact) -> Path:
    return copies() / artifact.manifest.files[0].sha256


def test_a_part_is_fetched_twice_or_lies_open_to_others(there: Artifact, fetched: Counter[str]) -> None:
    (part,) = there.manifest.files
    assert rows(there) == rows(there) == ROWS
    assert there.texts()(ROWS[7].document_id) == ROWS[7].text
    again = Artifacts(there.folder.url.rsplit("/", 3)[0]).at(there.folder)
    assert again is not None
    assert rows(again) == ROWS
    assert fetched == {part.name: 1}
    assert [path.name for path in copies().iterdir()] == [part.sha256]
    assert copies().stat().st_mode & 0o077 == 0


def test_a_part_that_was_just_written_is_fetched(fetched: Counter[str]) -> None:
    assert rows(write(Artifacts(f"memory://{uuid.uuid4().hex}/artifacts"), ROWS)) == ROWS
    assert fetched == {}


def test_a_part_that_was_just_written_is_not_kept_on_another_disk(
    fetched: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", link)
    artifact = write(Artifacts(f"memory://{uuid.uuid4().hex}/artifacts"), ROWS)
    assert rows(artifact) == ROWS
    assert fetched == {}
    assert len(list(copies().iterdir())) == 1


@pytest.mark.parametrize("garbage", [b"", b"PAR1", None])
def test_a_damaged_copy_is_believed(there: Artifact, fetched: Counter[str], garbage: bytes | None) -> None:
    assert rows(there) == ROWS
    data = bytearray(copy_of(there).read_bytes())
    data[len(data) // 2] ^= 1
    copy_of(there).write_bytes(bytes(data) if garbage is None else garbage)
    assert rows(there) == ROWS
    assert fetched.total() == 2
    assert rows(there) == ROWS
    assert fetched.total() == 2


@pytest.mark.parametrize("what", ["other bytes", "cut", "gone"])
def test_what_is_damaged_there_becomes_a_copy_or_passes_a_check(there: Artifact, what: str) -> None:
    (part,) = there.manifest.files
    whole = there.folder.read(part.name)
    if what == "gone":
        there.folder.remove(part.name)
    else:
        there.folder.replace(part.name, whole[:-5] if what == "cut" else bytes(len(whole)))
    why = {"other bytes": "other bytes", "cut": f"has {len(whole) - 5:,} bytes", "gone": "is missing"}[what]
    for look in (lambda: rows(there), lambda: there.check(rehash=True)):
        with pytest.raises(DamagedArtifact, match=f"{part.name} .*{why}"):
            look()
    assert list(copies().iterdir()) == []
    there.folder.replace(part.name, whole)
    assert rows(there) == ROWS
    there.folder.replace(part.name, bytes(len(whole)))
    assert rows(there) == ROWS, "the copy is whole"
    with pytest.raises(DamagedArtifact):
        there.check(rehash=True)


def test_readers_at_once_read_half_a_copy(there: Artifact, fetched: Counter[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert all(found == ROWS for found in pool.map(lambda _: rows(there), range(16)))
    assert 1 <= fetched.total() <= 8
    assert [path.name for path in copies().iterdir()] == [there.manifest.files[0].sha256]


def test_a_cache_that_cannot_be_written_ends_a_run(
    there: Artifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert rows(there) == ROWS
    assert copies().name.startswith("scrollwork-parts-")
    shutil.rmtree(copies())
    module.own_copies.cache_clear()


def test_something_else_in_place_of_a_copy_is_taken_for_a_missing_part(
    there: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = copies() / there.manifest.files[0].sha256
    place.mkdir()
    assert rows(there) == ROWS
    assert place.is_dir()
    place.rmdir()
    monkeypatch.setattr(module, "_fetch", lambda *_: None)  # what is fetched vanishes at once
    with pytest.raises(
        StorageError, match=r"no copy of memory://.* can be kept there; let XDG_CACHE_HOME name another"
    ):
        rows(there)


def test_a_file_that_vanishes_while_it_is_fetched_is_called_missing(
    there: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, emptied = Location.download, []

    def download(self: Location, name: str, path: Path) -> None:
        original(self, name, path)
        if not emptied:
            emptied.append(path)
            shutil.rmtree(path.parent)

    monkeypatch.setattr(Location, "download", download)
    assert rows(there) == ROWS
    assert emptied


def test_room_is_made_by_what_is_being_fetched(there: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    under_way = copies() / ".tmp-part-00"
    under_way.write_bytes(b"half")
    full = shutil._ntuple_diskusage(100, 100, 0)  # type: ignore[attr-defined]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    monkeypatch.setattr(module, "_prune", lambda _: None)
    assert rows(there) == ROWS
    assert under_way.exists()


def test_copies_stay_for_ever_or_what_a_killed_process_fetched(there: Artifact) -> None:
    assert rows(there) == ROWS
    left, old = copies() / ".tmp-part-killed", copies() / ("0" * 64)
    for path in (left, old):
        path.write_bytes(b"x")
    os.utime(old, (time.time() - KEPT_S - 60,) * 2)
    os.utime(copy_of(there), (time.time() - KEPT_S + 3600,) * 2)
    assert rows(there) == ROWS
    assert time.time() - copy_of(there).stat().st_mtime < 60, "a use was not noted"
    module._prune.cache_clear()
    another = write(Artifacts(f"memory://{uuid.uuid4().hex}/artifacts"), documents(3))
    copy_of(another).unlink()
    assert len(rows(another)) == 3
    assert {path.name for path in copies().iterdir()} == {copy_of(there).name, copy_of(another).name}


def test_copies_fill_the_disk(there: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    (part,) = there.manifest.files
    for age in range(4):
        path = copies() / str(age)
        path.write_bytes(bytes(part.bytes))
        os.utime(path, (time.time() - 60 * age,) * 2)

    def usage(_: object) -> object:
        used = 85 * part.bytes + sum(path.stat().st_size for path in copies().iterdir())
        return shutil._ntuple_diskusage(100 * part.bytes, used, 100 * part.bytes - used)  # type: ignore[attr-defined]

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert rows(there) == ROWS
    assert {path.name for path in copies().iterdir()} == {"0", "1", "2", "3", part.sha256}
    (copies() / "new").write_bytes(bytes(2 * part.bytes))
    copy_of(there).unlink()
    assert rows(there) == ROWS
    assert {path.name for path in copies().iterdir()} == {"0", "1", "new", part.sha256}, "the longest unused go"
