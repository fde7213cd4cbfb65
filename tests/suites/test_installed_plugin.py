"""A package with a suite, a data set, a metric and a provider, as a wheel that pip made and installed beside us."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import PROJECT, Done, Scrollwork, environment, with_internet
from tests.suites.plugin_kit import ENTRY_POINTS, FILES, METRIC, RAW, written

pytestmark = pytest.mark.slow
ASK = ("harbour", "--model", "parrot:x", "--engine", "inline", "--quiet", "--json")


def project(folder: Path, version: str, metric: str) -> Path:
    """The sources of the package, as its author has them."""
    points = re.sub(r"\[(.+)\]", r'[project.entry-points."\1"]', ENTRY_POINTS)
    points = re.sub(r"^(\w+) = (.+)$", r'\1 = "\2"', points, flags=re.MULTILINE)
    head = (
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        f'[project]\nname = "harbour-suite"\nversion = "{version}"\n'
    )
    files = {name: text for name, text in FILES.items() if name.startswith("harbour_suite/")}
    return written(folder, {**files, "harbour_suite/starts_right.py": metric, "pyproject.toml": head + points})


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a fresh environment with pip and a builder, where the house and its libraries are found beside what is
    installed there."""
    folder = tmp_path_factory.mktemp("beside") / "env"
    command = [PROJECT / ".ci" / "environment", folder, sys.executable, "hatchling", "pip"]
    done = subprocess.run(command, env=with_internet(), capture_output=True, text=True, timeout=200)
    if done.returncode:
        pytest.skip(f"no environment without a network: {done.stderr[-300:]}")
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "beside.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return folder / "bin" / "python"


@pytest.fixture
def pip(python: Path, tmp_path: Path) -> Callable[[str, str], None]:
    """Make a wheel of a version of the package and install it over the one that is there, without an index."""

    def install(version: str, metric: str) -> None:
        source, wheels = project(tmp_path / version, version, metric), tmp_path / "wheels"
        call = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        offline = ["--no-index", "--no-deps"]
        for command in (
            ["wheel", *offline, "--no-build-isolation", "-w", wheels, source],
            ["install", *offline, "--find-links", wheels, f"harbour-suite=={version}"],
        ):
            subprocess.run([*call, *command], env=environment(), check=True, timeout=200)
        shutil.rmtree(source)

    return install


def test_wheel_of_a_package_is_not_found_or_its_next_version_changes_no_key(
    python: Path, pip: Callable[[str, str], None], tmp_path: Path
) -> None:
    metric = METRIC.replace("import colours\n", "")
    raw = written(tmp_path / "raw", RAW)
    work = Scrollwork(tmp_path, tmp_path / "home")

    def call(*arguments: str, status: int = 0) -> Done:
        command = [python, "-m", "scrollwork.cli.main", "--home", work.home, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=200)
        assert done.returncode == status, done.stderr
        return Done(done.returncode, done.stdout, done.stderr, 0)

    assert "there is no suite 'harbour'" in call("plan", "harbour", status=2).err
    pip("1.0", metric)
    found = call("run", *ASK, "--raw", str(raw), status=1)  # a record is broken
    assert {row["task"]: (row["value"], row["metric"]) for row in found.document["tasks"]} == {
        "notes": (100.0, "harbour_suite.starts_right"), "plain": (100.0, "f1"),
    }  # fmt: skip
    assert "notes.txt, line 3: must be four fields" in found.err
    pip("1.1", metric.replace("100.0 * any(", "50.0 * any("))
    states = call("plan", *ASK[:3], "--raw", str(raw), "--json").document
    stale = {(row["stage"], row["task"]) for row in states if row["state"] != "reused" and row["task"]}
    assert stale == {("score", "notes"), ("aggregate", "notes"), ("judge", "notes")}
    found = call("run", *ASK, "--raw", str(raw), status=1)
    assert {row["task"]: row["value"] for row in found.document["tasks"]} == {"notes": 50.0, "plain": 100.0}
    assert re.search(r"\b0 broken", call("verify").out)
