"""A folder that stands whole or not at all."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from scrollwork.storage.errors import StorageError
from scrollwork.storage.folder import files_below, whole_folder


def anything(_: Path, path: str) -> bool:
    return path.endswith(".txt")


def write(target: Path, **files: str) -> None:
    with whole_folder(target, anything) as folder:
        for name, text in files.items():
            (folder / name).mkdir()
            (folder / name / "a.txt").write_text(text)


def fail(target: Path, error: type[BaseException]) -> None:
    with whole_folder(target, anything) as folder:
        (folder / "half.txt").write_text("half")
        raise error


def test_interrupted_filling_leaves_what_stood_before(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write(target, one="1")
    with pytest.raises(KeyboardInterrupt):
        fail(target, KeyboardInterrupt)
    assert files_below(tmp_path) == ["out/one/a.txt"]


def test_the_root_of_all_folders_is_a_traceback() -> None:
    with pytest.raises(StorageError, match="name another"):
        write(Path("/"), one="1")


def test_first_filling_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        fail(tmp_path / "out", ValueError)
    assert list(tmp_path.iterdir()) == []


def test_files_of_before_that_are_not_made_again_go(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write(target, one="1", two="2")
    write(target, two="3")
    assert files_below(tmp_path) == ["out/two/a.txt"]
    assert (target / "two/a.txt").read_text() == "3"


def test_same_files_are_left_untouched(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write(target, one="1")
    before = (target / "one/a.txt").stat()
    write(target, one="1")
    after = (target / "one/a.txt").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("name", ["thesis.tex", ".git/config"])
def test_files_of_somebody_else_are_refused_and_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(StorageError, match="holds files that are no export"):
        write(tmp_path / "out", one="1")
    assert files_below(tmp_path) == [f"out/{name}"]


def test_file_in_place_of_the_folder_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(StorageError, match="is a file"):
        write(tmp_path / "out", one="1")
    assert (tmp_path / "out").read_text() == "mine"


def killed(target: Path, at: int) -> None:
    """Fill the folder, and die before rename number `at`."""
    real, count = os.rename, iter(range(100))

    def rename(one: Path, other: Path) -> None:
        if next(count) == at:
            os._exit(9)
        real(one, other)

    os.rename = rename  # type: ignore[assignment]
    write(target, one="new", three="new")
    os._exit(0)


@pytest.mark.parametrize(("at", "left"), [(0, {"old"}), (1, set())])
def test_kill_between_the_renames_leaves_old_or_nothing_and_the_next_call_mends_it(
    tmp_path: Path, at: int, left: set[str]
) -> None:
    target = tmp_path / "out"
    write(target, one="old", two="old")
    process = multiprocessing.get_context("fork").Process(target=killed, args=(target, at))
    process.start()
    process.join()
    assert process.exitcode == 9
    assert {path.read_text() for path in target.rglob("*.txt")} == left
    with pytest.raises(ValueError):
        fail(target, ValueError)
    assert files_below(tmp_path) == ["out/one/a.txt", "out/two/a.txt"]
    assert {path.read_text() for path in target.rglob("*.txt")} == {"old"}
    write(target, one="new")
    assert files_below(tmp_path) == ["out/one/a.txt"]
