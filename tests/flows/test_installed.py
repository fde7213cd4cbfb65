"""The wheel, its core alone, in a clean environment and an empty folder: what a user without a checkout has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scrollwork.cli.groups import GROUPS
from scrollwork.cli.options import COMMANDS
from tests.conftest import PROJECT, environment

pytestmark = pytest.mark.slow
Installed = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the tree, and its sdist and wheel in `dist`."""
    place = tmp_path_factory.mktemp("built")
    without = shutil.ignore_patterns(".*", "__pycache__", "tests")
    tree = Path(shutil.copytree(PROJECT, place / "tree", symlinks=True, ignore=without))
    made(place / "builder", "hatchling")
    build = [place / "builder" / "bin" / "python", "-m", "hatchling", "build", "-d", place / "dist"]
    subprocess.run([*build, "-t", "sdist", "-t", "wheel"], cwd=tree, env=environment(), check=True, timeout=200)
    return place


def made(folder: Path, what: str | Path) -> None:
    """An environment with a distribution in it."""
    done = subprocess.run(
        [PROJECT / ".ci" / "environment", folder, sys.executable, what],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=500,
    )
    if done.returncode:
        pytest.skip(f"no environment without a network: {done.stderr[-300:]}")


@pytest.fixture(scope="module")
def core(built: Path) -> Path:
    """The command in an environment with no extra, installed from the sdist: what most would take from an index."""
    (sdist,) = (built / "dist").glob("*.tar.gz")
    made(built / "env", sdist)
    return built / "env" / "bin" / "scrollwork"


@pytest.fixture
def installed(core: Path, tmp_path: Path) -> Installed:
    """Call it in an empty folder, with a home beside."""
    empty = tmp_path / "empty"
    empty.mkdir()

    def call(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        env = environment(PATH=f"{core.parent}{os.pathsep}/usr/bin{os.pathsep}/bin", **more)
        command = [core, "--home", tmp_path / "home", *arguments]
        done = subprocess.run(
            command, cwd=empty, env=env, capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert list(empty.iterdir()) == []
        return done

    return call


def test_wheel_of_the_sdist_or_of_the_checkout_lacks_or_adds_a_file(built: Path, core: Path) -> None:
    """Over the links the one of the sdist had 120 files of 672, and nobody said so."""
    rooms = [path.name for path in (built / "tree" / "scrollwork").iterdir() if path.is_symlink()]
    files = [path for room in rooms for path in (built / "tree" / room).rglob("*") if path.is_file()]
    wanted = {Path("scrollwork", path.relative_to(built / "tree")): path.read_bytes() for path in files}
    wanted[Path("scrollwork/__init__.py")] = (built / "tree" / "scrollwork" / "__init__.py").read_bytes()
    assert len(wanted) > 600
    (place,) = (built / "env").glob("lib/python*/site-packages")
    there = [path for path in (place / "scrollwork").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {path.relative_to(place): path.read_bytes() for path in there} == wanted
    (wheel,) = (built / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        ours = {Path(name): archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assert ours == wanted


def test_rooms_of_a_project_are_taken_for_ours_or_ours_for_its(core: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for room in ("flows", "tasks", "config", "models", "records"):
        (project / room).mkdir(parents=True)
        (project / room / "__init__.py").write_text("WHOSE = 'theirs'\n")
    (project / "mine.py").write_text(
        "import config, flows, models, records, tasks\n"
        "import scrollwork.flows.chains, scrollwork.cli.main\n"
        "assert {one.WHOSE for one in (config, flows, models, records, tasks)} == {'theirs'}\n"
        "raise SystemExit(scrollwork.cli.main.main())\n"
    )
    env = environment(PATH=f"{core.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    python = core.parent / "python"
    for number, command in enumerate(([core], [python, "-m", "scrollwork.cli.main"], [python, "mine.py"])):
        home, engine = tmp_path / f"home-{number}", ("inline", "inline", "prefect")[number]
        asked = [*command, "--home", home, "run", *CHAIN, "--model", "naive", "--engine", engine, "--quiet"]
        done = subprocess.run(asked, cwd=project, env=env, capture_output=True, text=True, timeout=200)
        assert done.returncode == 0, done.stderr
        assert (home / "reports" / "zeroscrolls.html").is_file()
    assert sorted(path.name for path in project.iterdir() if path.name != "__pycache__") == [
        "config", "flows", "mine.py", "models", "records", "tasks",
    ]  # fmt: skip


CHAIN = ("zeroscrolls", "--sample", "--task", "qmsum")
MODEL = ("--model", "naive", "--engine", "inline", "--quiet")


def test_a_chain_or_status_needs_an_extra(installed: Installed) -> None:
    for command in (
        ("status",),
        ("run", *CHAIN, *MODEL),
        ("status",),
        ("plan", *CHAIN),
        ("verify",),
        ("store", "check"),
    ):
        done = installed(*command)
        assert done.returncode == 0, (command, done.stderr)
    assert installed("run", *CHAIN, *MODEL).stderr.splitlines()[0] == "nothing was to be done: every stage stands"
    assert installed("report", "zeroscrolls").returncode == 0


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_ends_in_a_traceback(installed: Installed, name: str) -> None:
    """Each in an empty folder with an empty home: what it says names no module of ours that lacks."""
    for inner in [(one,) for one in GROUPS.get(name, ())] or [()]:
        for more in ((), ("--help",), ("zeroscrolls",)):
            done = installed(name, *inner, *more)
            assert done.returncode in (0, 1, 2)
            assert "No module named" not in done.stdout + done.stderr
            assert "No package metadata" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("run", *CHAIN, "--model", "openai:gpt-6-luna", "--engine", "inline"), 2, "pip install 'scrollwork[api]'"),
        (
            ("run", *CHAIN, "--model", "anthropic:claude-opus-5-5", "--engine", "inline"),
            2,
            "pip install 'scrollwork[api]'",
        ),
        (
            ("run", *CHAIN, *MODEL, "--tokenizer", "tiktoken:o200k_base", "--max-input-tokens", "100"),
            1,
            "pip install 'scrollwork[tokens]'",
        ),
        (("estimate", *CHAIN, "--model", "openai:gpt-6-luna"), 1, "pip install 'scrollwork["),
        (
            ("--store", "postgresql://nobody@127.0.0.1:9/none", "store", "check"),
            1,
            "pip install 'scrollwork[postgres]'",
        ),
    ],
    ids=["openai", "anthropic", "tiktoken", "estimate", "postgres"],
)
def test_what_lacks_an_extra_names_none(
    installed: Installed, arguments: tuple[str, ...], status: int, said: str
) -> None:
    key = "sk-proj-0123456789abcdefghij"
    done = installed(*arguments, OPENAI_API_KEY=key, ANTHROPIC_API_KEY=key)
    assert said in done.stdout + done.stderr
    assert done.returncode == status


def test_up_without_a_checkout_starts_half_a_server(installed: Installed, tmp_path: Path) -> None:
    done = installed("up")
    assert done.returncode == 2
    assert done.stderr.startswith("scrollwork: up serves the deployments of scrollwork's prefect.yaml")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "home").exists()
