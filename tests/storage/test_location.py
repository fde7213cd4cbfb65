"""Locks on files of a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrollwork.storage.location import file_lock


def test_a_folder_that_cannot_be_made_is_waited_for_without_end() -> None:
    """Below /proc mkdir says that a parent is missing, as it does where a sweep took one away."""
    if not Path("/proc/self").exists():
        pytest.skip("no /proc")
    with pytest.raises(FileNotFoundError), file_lock(Path("/proc/no-such-process/artifacts/a.lock")):
        pass
