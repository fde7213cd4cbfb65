"""The page in a real browser: headless Chromium, from file://, without network."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=2000",
    "--enable-logging=stderr",
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (apt-get install chromium)"),
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real run on two tasks of the sample."""
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "flows.cli", "--home", str(home), "--quiet", "run", "zeroscrolls", "--sample"]
    command += ["--model", "naive", "--task", "musique", "--task", "quality", "--engine", "inline"]
    subprocess.run(command, check=True, capture_output=True)
    return home / "reports" / "zeroscrolls.html"


def browse(page: Path, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """One visit with a fresh profile."""
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def test_page_does_not_open_or_logs_errors(page: Path, tmp_path: Path) -> None:
    seen = browse(page, tmp_path, "--dump-dom")
    assert "<h1" in seen.stdout
    assert "naive" in seen.stdout
    assert "Published, not computed here" in seen.stdout
    console = [line for line in seen.stderr.splitlines() if "CONSOLE" in line]
    assert console == []


def test_statistics_page_does_not_open_or_logs_errors(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "flows.cli",
        "--home",
        str(tmp_path),
        "--quiet",
        "build",
        "zeroscrolls",
        "--sample",
    ]
    command += ["--task", "musique", "--task", "squality", "--engine", "inline"]
    subprocess.run(command, check=True, capture_output=True)
    seen = browse(tmp_path / "reports" / "zeroscrolls-statistics.html", tmp_path, "--dump-dom")
    assert "Words of an input" in seen.stdout
    assert seen.stdout.count("<svg") == 2 + 2 + 1
    assert [line for line in seen.stderr.splitlines() if "CONSOLE" in line] == []


@pytest.mark.parametrize("width", [1400, 420])
def test_page_shows_nothing(page: Path, tmp_path: Path, width: int) -> None:
    picture = tmp_path / "page.png"
    browse(page, tmp_path, f"--window-size={width},1200", f"--screenshot={picture}")
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 20_000  # a blank page of this size has about 5 kB
