"""A full disk: a clear error, no half artifact, and the next run with room completes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, leftovers

TASKS = ("--task", "squality", "--task", "quality")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"cannot mount a small file system here: {mounted.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(place: Path, leave_kb: int) -> Path:
    """Take all room but `leave_kb`."""
    ballast = place / "ballast"
    free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
    ballast.write_bytes(b"x" * max(0, free - leave_kb * 1024))
    return ballast


@pytest.mark.parametrize("leave_kb", [0, 24, 60, 120, 250])
def test_full_disk_is_not_named_or_leaves_half_an_artifact(
    scrollwork: Scrollwork, small_disk: Path, tmp_path: Path, leave_kb: int
) -> None:
    home = small_disk / "home"
    home.mkdir()
    ballast = fill(small_disk, leave_kb)
    full = scrollwork.with_(home=home).run(*TASKS, status=None)
    assert full.status == 1, full.err
    assert "Traceback" not in full.err
    assert "no space left" in full.err
    assert str(small_disk) in full.err
    manifests = list((home / "artifacts").rglob("manifest.json")) if (home / "artifacts").is_dir() else []
    for manifest in manifests:
        assert list(manifest.parent.glob("*-*.parquet")) or list(manifest.parent.glob("*.html"))
    if manifests:
        scrollwork.with_(home=home)("verify")

    ballast.unlink()
    again = scrollwork.with_(home=home).run(*TASKS)
    assert again.status == 0
    assert leftovers(home) == []
    scrollwork.with_(home=home)("verify")
