"""Two processes that run the same request at once: both end well, one valid copy stays."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Scrollwork, files_of, leftovers

TASKS = ("--task", "qmsum", "--task", "quality")
REQUEST = ("run", "zeroscrolls", "--sample", "--model", "naive", "--engine", "inline", *TASKS)


def test_two_runs_at_once_disturb_each_other(scrollwork: Scrollwork, tmp_path: Path) -> None:
    alone = scrollwork.with_(home=tmp_path / "alone")
    alone(*REQUEST)
    processes = [scrollwork.start(*REQUEST) for _ in range(3)]
    for process in processes:
        _, said = process.communicate(timeout=200)
        assert process.returncode == 0, said
    assert files_of(scrollwork.home) == files_of(alone.home)
    assert leftovers(scrollwork.home) == []
    assert scrollwork("verify", "--json").document["broken"] == []
