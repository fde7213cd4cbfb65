"""Raw files behind a URL: what is listed, what is fetched and how often, what a change there or a broken copy does."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fsspec
import pytest

from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.raw_files import find, forget_matches, is_match, matching_files
from scrollwork.preprocessing.raw.errors import MissingFile
from scrollwork.storage import mirror as module
from scrollwork.storage.cache import KEPT_S
from scrollwork.storage.digest import FileDigests
from scrollwork.storage.errors import StorageError
from scrollwork.storage.mirror import Mirror, copies, prune
from scrollwork.suites.request import whole_raw

URL = "memory://raw"
TREE = (
    "qmsum/data/test.jsonl", "qmsum/data/.hidden.jsonl", "qmsum/data/deep/one/test.jsonl", "qmsum/section_10.txt",
    "qmsum/section_9.txt", "qmsum/.git/test.jsonl", "squality/a[1].txt", "squality/B.TXT", "top.zip", "qmsum/x.part",
)  # fmt: skip


@pytest.fixture
def fs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """fsspec's file system in memory, with TREE below `raw`; the copies lie below tmp_path."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = fsspec.filesystem("memory")
    for path in TREE:
        found.pipe_file(f"/raw/{path}", path.encode())
    forget_matches(URL)
    yield found
    found.rm("/raw", recursive=True)
    forget_matches(URL)


@pytest.mark.parametrize(
    "pattern",
    [
        "qmsum/**/test.jsonl", "qmsum/**", "**/*.txt", "*/*.jsonl", "qmsum/section_*.txt", "squality/a[[]1].txt", "*.zip",
        "squality/*.TXT", "qmsum/data/.h*.jsonl", "top.zip", "none/*", "qmsum/*/*/*/test.jsonl", "qmsum/?ata/*", "**/.git/*",
    ],
)  # fmt: skip
def test_files_behind_a_url_match_otherwise(fs: Any, tmp_path: Path, pattern: str) -> None:
    """As the same files in a folder do, in the same order."""
    for path in TREE:
        place = tmp_path / "raw" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(path)
    here = matching_files(str(tmp_path / "raw"), pattern)
    assert matching_files(URL, pattern) == here
    assert {path for path in TREE if is_match(path, pattern)} == {
        path for path in glob.glob(pattern, root_dir=tmp_path / "raw", recursive=True) if path in TREE
    }


def found(digests: FileDigests, **patterns: tuple[str, ...]) -> Any:
    return find("qmsum", patterns, {}, URL, digests)


def test_file_is_fetched_twice_or_a_changed_one_is_not(fs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    fetch = Mirror._fetch
    monkeypatch.setattr(Mirror, "_fetch", lambda self, path, *more: (fetched.append(path), fetch(self, path, *more)))
    digests = FileDigests()
    first = found(digests, records=("qmsum/section_*.txt",))
    assert [file.path for file in first.files()] == ["qmsum/section_10.txt", "qmsum/section_9.txt"]
    ((_, place), *_) = first.opened(URL).files()
    assert place.read_text() == "qmsum/section_9.txt"
    forget_matches(URL)
    assert found(digests, records=("qmsum/section_*.txt",)).digest() == first.digest()
    assert sorted(fetched) == ["qmsum/section_10.txt", "qmsum/section_9.txt"]
    time.sleep(0.01)
    fs.pipe_file("/raw/qmsum/section_9.txt", b"qmsum/section_X.txt")  # as long
    forget_matches(URL)
    assert found(digests, records=("qmsum/section_*.txt",)).digest() != first.digest()
    assert fetched[2:] == ["qmsum/section_9.txt"]


def test_many_at_once_fetch_a_file_each(fs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    fetch = Mirror._fetch
    monkeypatch.setattr(Mirror, "_fetch", lambda self, path, *more: (fetched.append(path), fetch(self, path, *more)))
    with ThreadPoolExecutor(8) as pool:
        places = set(pool.map(lambda _: Mirror(URL).place("top.zip"), range(8)))
    assert fetched == ["top.zip"]
    assert [place.read_text() for place in places] == ["top.zip"]


def test_cut_copy_counts_as_the_file(fs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror = Mirror(URL)
    size, stamp = mirror.files("")["top.zip"]
    mirror._listed[""]["top.zip"] = (size + 1, stamp)
    with pytest.raises(StorageError, match=r"memory://raw/top.zip: 7 bytes came of 8; run the same again"):
        mirror.place("top.zip")
    assert not [path for path in copies().rglob("*") if path.is_file() and path.suffix != ".lock"]
    mirror.forget()
    assert mirror.place("top.zip").read_text() == "top.zip"


def test_missing_file_or_store_without_stamps(fs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingFile, match=r"no raw file for 'records': looked for none/\* below the raw folder"):
        found(FileDigests(), records=("none/*",))
    mirror = Mirror(URL)
    mirror.files("qmsum")
    fs.rm("/raw/qmsum/x.part")
    with pytest.raises(FileNotFoundError):
        mirror.place("qmsum/x.part")
    monkeypatch.setattr(module, "STAMPS", ())
    one, other = Mirror(URL), Mirror(URL)
    assert one.place("top.zip") != other.place("top.zip"), "nothing says that it is the same"


def test_cache_that_cannot_be_written_is_a_traceback(fs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path, *more: Any, **options: Any) -> None:
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(
        StorageError, match=r"Read-only file system; copies of raw files are kept there: set XDG_CACHE_H"
    ):
        Mirror(URL).place("top.zip")


def test_copies_are_kept_for_ever_or_removed_in_use(fs: Any) -> None:
    mirror = Mirror(URL)
    old, new = mirror.place("top.zip").parent, mirror.place("squality/B.TXT").parent
    long_ago = time.time() - KEPT_S - 60
    for folder in (old, new):
        os.utime(folder, (long_ago, long_ago))
    mirror.place("squality/B.TXT")
    prune.cache_clear()
    mirror.place("squality/a[1].txt")
    assert (old.exists(), new.exists()) == (False, True)


def test_url_is_taken_for_a_folder_or_with_its_password(tmp_path: Path) -> None:
    assert whole_raw("s3://bucket/raw/") == "s3://bucket/raw"
    assert whole_raw(f"file://{tmp_path}") == str(tmp_path)
    with pytest.raises(UsageError, match="--raw has a password in its URL"):
        whole_raw("ftp://ana:secret@host/raw")
    with pytest.raises(UsageError, match="there is no such folder"):
        whole_raw(str(tmp_path / "none"))
