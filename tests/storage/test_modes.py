"""Who may read what is stored: what the umask says, no more and no less."""

from __future__ import annotations

import os
from stat import S_IMODE

import pytest

from scrollwork.storage.home import Home
from scrollwork.storage.location import Location, file_lock

UMASKS = [0o077, 0o022, 0o002, 0o027]


@pytest.fixture(params=UMASKS, ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder):
    """Mode by name of all that is below a folder."""
    return {path.relative_to(folder).as_posix(): S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def test_files_of_a_home_are_readable_by_those_whom_the_umask_keeps_out(umask, tmp_path):
    home = Home.at(str(tmp_path / "home"))
    home.note_run({"stages": {}})
    location = Location(str(tmp_path / "home" / "artifacts"))
    assert location.create("created", b"1")
    location.replace("replaced", b"1")
    location.replace("replaced", b"2")
    with location.temporary("published") as (stream, path):
        assert S_IMODE(path.stat().st_mode) == 0o666 & ~umask
        location.publish(stream, path, "published")
    with file_lock(tmp_path / "home" / "locks" / "lock"):
        pass
    found = modes(tmp_path / "home")
    files = {name: mode for name, mode in found.items() if (tmp_path / "home" / name).is_file()}
    assert len(files) == 5
    assert set(files.values()) == {0o666 & ~umask}, files
    assert {found[name] for name in set(found) - set(files)} == {0o777 & ~umask}


def test_a_part_on_its_way_to_a_remote_home_is_readable_in_the_folder_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = os.umask(0)
    try:
        with Location("memory://home").temporary("part") as (_, path):
            assert path.parent == tmp_path
            assert S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


@pytest.mark.slow
@pytest.mark.parametrize("mask", [0o077, 0o022], ids=oct)
def test_a_run_leaves_files_that_the_umask_keeps_from_others(scrollwork, mask):
    scrollwork.run("--task", "space_digest", umask=mask)
    found = modes(scrollwork.home)
    assert any(name.endswith(".parquet") for name in found)
    assert any(name.startswith("reports/") for name in found)
    assert {name: oct(mode) for name, mode in found.items() if mode & mask} == {}
    if mask == 0o022:
        closed = {name: oct(mode) for name, mode in found.items() if not mode & 0o044}
        assert closed == {}, "others may read what the umask allows"
