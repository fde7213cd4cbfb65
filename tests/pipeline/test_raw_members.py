"""Raw files inside archives: which member is read is part of what a stage is known by."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from scrollwork.pipeline.raw_files import FoundFiles, find
from scrollwork.preprocessing.raw.errors import MissingFile
from scrollwork.storage.digest import FileDigests


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("a/test.jsonl", "b/test.jsonl"):
            archive.writestr(name, "{}\n")
    return tmp_path


def found(folder: Path, *patterns: str) -> FoundFiles:
    return find("release", {"records": patterns}, {"split": "test"}, str(folder), FileDigests(folder / "digests"))


def test_other_member_of_the_same_archive_is_reused(folder: Path) -> None:
    one, other = found(folder, "all.zip!a/{split}.jsonl"), found(folder, "all.zip!b/{split}.jsonl")
    assert [file.path for file in one.files()] == [file.path for file in other.files()] == ["all.zip"]
    assert one.digest() != other.digest()
    assert one.opened(str(folder)).files() == (("all.zip!a/test.jsonl", folder / "all.zip"),)


def test_archive_comes_before_the_file_that_is_named_first(folder: Path) -> None:
    (folder / "test.jsonl").write_text("{}\n")
    assert [file.path for file in found(folder, "{split}.jsonl", "all.zip!a/*.jsonl").files()] == ["test.jsonl"]
    with pytest.raises(MissingFile, match=r"looked for none\.jsonl or none\.zip!a/test\.jsonl below"):
        found(folder, "none.jsonl", "none.zip!a/{split}.jsonl")
