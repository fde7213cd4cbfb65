"""What a test leaves to the next one of its process: the check of tests/conftest.py finds it, and restores it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import left_as_found

KEPT, NEW = "SCROLLWORK_KEPT", "PREFECT_NEW"
LEFT: dict[str, tuple[Callable[[Path], object], str]] = {
    "set": (lambda _: os.environ.__setitem__(NEW, "secret"), f"left changed: {NEW}"),
    "overwritten": (lambda _: os.environ.__setitem__(KEPT, "secret"), f"left changed: {KEPT}"),
    "removed": (lambda _: os.environ.__delitem__(KEPT), f"left changed: {KEPT}"),
    "moved": (os.chdir, "left changed: the working folder"),
    "moved to a removed folder": (
        lambda folder: (os.chdir(folder), folder.rmdir()),
        "left changed: the working folder",
    ),
}


@pytest.mark.parametrize("how", LEFT)
def test_what_a_test_leaves_changed_reaches_the_next_one(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEPT, "before")
    monkeypatch.delenv(NEW, raising=False)
    place = os.getcwd()
    change, message = LEFT[how]
    (folder := tmp_path / "elsewhere").mkdir()
    with pytest.raises(pytest.fail.Exception) as failed, left_as_found():
        change(folder)
    assert str(failed.value) == message  # no value, which may be a key
    assert (os.environ[KEPT], os.environ.get(NEW), os.getcwd()) == ("before", None, place)


def test_other_variables_fail_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    with left_as_found():
        monkeypatch.setenv("TZ", "UTC")
