"""The wheel, its core alone, in a clean environment and an empty folder: what a user without a checkout has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.groups import GROUPS
from flows.options import COMMANDS
from tests.conftest import PROJECT, environment

pytestmark = pytest.mark.slow
Installed = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command in an environment with no extra, installed from a wheel that was built from a copy of the tree."""
    place = tmp_path_factory.mktemp("installed")
    tree = Path(shutil.copytree(PROJECT, place / "tree", ignore=shutil.ignore_patterns(".*", "__pycache__", "tests")))
    made = subprocess.run(
        [PROJECT / ".ci" / "environment", place / "env", sys.executable, tree],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=500,
    )
    if made.returncode:
        pytest.skip(f"no environment without a network: {made.stderr[-300:]}")
    return place / "env" / "bin" / "scrollwork"


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
