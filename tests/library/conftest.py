"""Homes that the library opens: one with runs of three suites, read by all tests; none of them changes it."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.flows.execute import run
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.suites.request import Request
from tests.conftest import environment, made_once


def ran(home: Path, suite: str, **asked: object) -> None:
    """Run a suite on the bundled sample into a home."""
    run(Chain(Request.of(suite, home=str(home), sample=True, **asked)), run_inline)
    gc.collect()  # what is open is closed, as where a command ends: SQLite's own files go
    assert not list(home.glob("responses.db-*"))


def three_results(home: Path) -> None:
    """Runs of a baseline and a family of seeds, and of a suite in runs, into a home."""
    ran(home, "zeroscrolls", models=("bm25", "naive"), tasks=("qmsum", "space_digest"))
    ran(home, "seam", models=("lead",), tasks=("musique",), runs=2)


@pytest.fixture(scope="session")
def whole(together: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a baseline, a family of seeds and a suite in runs: built by one worker of pytest, copied by each."""
    home = tmp_path_factory.mktemp("library") / "home"
    return Path(shutil.copytree(made_once("library", three_results), home))


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(whole, tmp_path / "home"))


def with_read_only(home: Path, code: str, folder: Path) -> str:
    """What a script prints that is given a home on a read-only disk, started in a folder; skips where none can be.

    Mounted so in a namespace of its own: root passes over permissions, and not over this.
    """
    mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && ! touch "$1/x" 2>/dev/null && exec "$2" -c "$3" "$1"'
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", mount, "sh"]
    if shutil.which("unshare") is None or subprocess.run([*command[:3], "true"], capture_output=True).returncode:
        pytest.skip("no namespaces of mounts here")
    ended = subprocess.run(
        [*command, str(home), sys.executable, code], env=environment(), cwd=folder, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
