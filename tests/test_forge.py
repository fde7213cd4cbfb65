"""What a forge and pre-commit run: commands, targets and files that exist, with few rights and an end."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import BIN, PROJECT

WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yml"))
HOOKS = PROJECT / ".pre-commit-config.yaml"
OF_THE_SYSTEM = {"sudo", "apt-get"}  # of Ubuntu's image
OPTIMISED, PLAIN, OTHER = 0, 9, 1  # what `.ci/python` is told by an interpreter of its
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


def read(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def jobs(path: Path) -> Iterator[dict[str, Any]]:
    yield from read(path)["jobs"].values()


def unknown(command: str) -> list[str]:
    """What a shell's line names that is not here: a program, a target of make, a file."""
    gone = []
    for part in re.split(r"&&|\|\||;|\n", command):
        program, *arguments = shlex.split(part)
        if program == "make":
            targets = re.findall(r"^([\w-]+):(?!=)", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
            gone += [f"make {one}" for one in arguments if one not in targets]
        elif program.startswith(".venv/bin/"):
            gone += [] if (BIN / program.rpartition("/")[2]).exists() else [program]
        elif program not in OF_THE_SYSTEM:
            gone += [] if os.access(PROJECT / program, os.X_OK) else [program]
        gone += [one for one in arguments if "/" in one and not (PROJECT / one).exists()]
    return gone


def test_a_command_that_is_gone_is_not_seen() -> None:
    assert unknown("make check nothing\n.ci/run && .ci/gone\n.venv/bin/python .ci/gone.py; frobnicate") == [
        "make nothing", ".ci/gone", ".ci/gone.py", "frobnicate",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "of_system", "chosen"),
    [
        ({"python3.11": OPTIMISED}, {"python3.11": OPTIMISED}, "python3.11"),
        ({"python3.12": PLAIN, "python3": PLAIN}, {"python3.11": OPTIMISED}, "system/python3.11"),
        ({"python3.12": PLAIN, "python3.13": OPTIMISED}, {}, "python3.13"),
        ({"python3.12": OTHER, "python3": PLAIN}, {"python3.11": OTHER}, "python3"),
        ({"python3.12": OTHER}, {}, ""),
        ({}, {}, ""),
    ],
)
def test_python_of_the_environments_is_a_slow_or_a_wrong_one(
    tmp_path: Path, first: dict[str, int], of_system: dict[str, int], chosen: str
) -> None:
    for folder, ones in (("path", first), ("system", of_system)):
        (tmp_path / folder).mkdir()
        for name, status in ones.items():
            (tmp_path / folder / name).write_text(f"#!/bin/sh\nexit {status}\n")
            (tmp_path / folder / name).chmod(0o755)
    command = ["/bin/sh", str(PROJECT / ".ci" / "python"), "system"]
    found = subprocess.run(
        command, cwd=tmp_path, env={"PATH": str(tmp_path / "path")}, capture_output=True, text=True, check=True
    )
    assert (found.stdout, found.stderr) == (f"{chosen}\n", "")


WITHOUT = """
import importlib.util, sys
sys.base_prefix, find = "/usr", importlib.util.find_spec
importlib.util.find_spec = lambda name: find(name) if name != sys.argv[1] else None
exec(sys.argv[2])
"""


@pytest.mark.parametrize("lacks", ["nothing", "ensurepip"])
def test_python_that_runs_the_tests_is_none_for_the_environments(tmp_path: Path, lacks: str) -> None:
    """Without ensurepip it is taken where there is no other, and with uv it does."""
    stub = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(WITHOUT)} {lacks} "$2"\n'
    for name, text in (("python3.11", stub), ("python3.13", f"#!/bin/sh\nexit {OPTIMISED}\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    command = ["/bin/sh", str(PROJECT / ".ci" / "python"), "/nowhere"]
    env = {"PATH": str(tmp_path)}
    found = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert found.stdout == ("python3.11\n" if lacks == "nothing" else "python3.13\n")
    (tmp_path / "python3.13").unlink()
    found = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert found.stdout == "python3.11\n"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_what_is_gone(path: Path) -> None:
    lines = [step["run"] for job in jobs(path) for step in job["steps"] if "run" in step]
    assert lines
    assert [gone for line in lines for gone in unknown(line)] == []
    text = path.read_text(encoding="utf-8")
    hashed = [name for one in re.findall(r"hashFiles\((.*?)\)", text) for name in re.findall(r"'(.*?)'", one)]
    assert [name for name in hashed if not (PROJECT / name).is_file()] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_write_or_has_no_end_or_runs_words_of_a_stranger(path: Path) -> None:
    assert read(path)["permissions"] == {"contents": "read"}
    for job in jobs(path):
        assert 0 < job["timeout-minutes"] <= 180
        assert "permissions" not in job
        assert all("persist-credentials" in step["with"] for step in job["steps"] if "checkout" in step.get("uses", ""))
        said = [found for step in job["steps"] for found in EXPRESSION.findall(step.get("run", ""))]
        assert said == [], "an expression in a shell's line: a branch's name would be run"


def test_a_python_is_promised_and_not_tried() -> None:
    wanted = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    (job,) = jobs(PROJECT / ".github" / "workflows" / "ci.yml")
    least, beyond = (int(one) for one in re.fullmatch(r">=3\.(\d+),<3\.(\d+)", wanted).groups())  # type: ignore[union-attr]
    assert job["strategy"]["matrix"]["python"] == [f"3.{minor}" for minor in range(least, beyond)]
    assert ".ci/run" in [step.get("run") for step in job["steps"]]
    assert job["env"]["PYTHON"] == "python${{ matrix.python }}", "the Makefile takes any Python that it finds"


def bare(command: str) -> str:
    """A command without its options: they differ where files are named."""
    return " ".join(word for word in command.split() if not word.startswith("--"))


def test_a_hook_runs_what_is_gone_or_make_check_does_not() -> None:
    (repo,) = read(HOOKS)["repos"]
    assert repo["repo"] == "local", "nothing is downloaded to check a commit"
    assert [gone for hook in repo["hooks"] for gone in unknown(hook["entry"])] == []
    checked = (PROJECT / "Makefile").read_text(encoding="utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    in_check = [bare(line) for line in checked.replace("$(BIN)", ".venv/bin").splitlines()]
    for hook in repo["hooks"]:
        assert any(line.startswith(bare(hook["entry"])) for line in in_check), hook["id"]
        for pattern in [hook["files"]] if "files" in hook else []:
            tracked = (path.relative_to(PROJECT).as_posix() for path in PROJECT.glob("*/*.*"))
            assert any(re.search(pattern, name) for name in [*tracked, "requirements.lock"])
