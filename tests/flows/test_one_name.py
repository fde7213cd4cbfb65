"""All of ours is imported as `scrollwork.<room>`: no bare room, no module under two names, links and wheel in step."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.conftest import FINISHED, PROJECT, edit, environment, serve

ROOMS = {path.parent.name for path in PROJECT.glob("*/__init__.py")} - {"scrollwork", "tests", "benchmarks"}
OF_THE_PROJECT = ("prefect.toml", "prefect.yaml", "deploy/automations.yaml")

# What a process has loaded, written at its end and again and again: servers and workers are ended by a signal.
NOTED = """
import atexit, json, os, sys, threading, time
from pathlib import Path

_one, _files = threading.Lock(), set()
_path = Path(PLACE) / f"{os.getpid()}-{time.time_ns()}"  # a worker becomes another program, with the same pid

def _note():
    with _one:
        modules = list(sys.modules.items())
        _files.update((name, os.path.realpath(one.__file__)) for name, one in modules if getattr(one, "__file__", None))
        _path.write_text(json.dumps({"command": sys.orig_argv, "files": sorted(_files)}))
        _path.replace(_path.with_suffix(".json"))

def _noted():
    while True:
        _note()
        time.sleep(0.2)

atexit.register(_note)
threading.Thread(target=_noted, daemon=True).start()
"""


def test_a_room_has_no_link_or_is_not_in_the_wheel() -> None:
    links = {path.name: os.readlink(path) for path in (PROJECT / "scrollwork").iterdir() if path.is_symlink()}
    assert links == {room: f"../{room}" for room in ROOMS}
    build = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]
    assert wheel["sources"] == {room: f"scrollwork/{room}" for room in ROOMS}
    own = [path for path in (PROJECT / "scrollwork").iterdir() if not path.is_symlink() and path.name != "__pycache__"]
    library = {f"scrollwork/{path.name}" for path in own}
    assert library >= {"scrollwork/__init__.py", "scrollwork/api.py", "scrollwork/py.typed"}
    assert set(wheel["only-include"]) == {*ROOMS, *library}
    assert wheel["force-include"] == {name: f"scrollwork/{name}" for name in OF_THE_PROJECT}
    assert set(build["targets"]["sdist"]["exclude"]) == {f"/scrollwork/{room}" for room in ROOMS}


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_bare_room_can_be_imported(room: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {room}"], cwd=PROJECT, env=environment(), capture_output=True, text=True
    )
    assert done.stderr.splitlines()[-1] == f"ImportError: {room}/ is a part of scrollwork: import scrollwork.{room}"


def test_a_copy_that_lost_its_links_fails_without_saying_so(tmp_path: Path) -> None:
    (tmp_path / "scrollwork").mkdir()
    shutil.copy2(PROJECT / "scrollwork" / "__init__.py", tmp_path / "scrollwork")
    for room in ROOMS:  # as a checkout without symbolic links writes them
        (tmp_path / "scrollwork" / room).write_text(f"../{room}")
    env = environment(PYTHONPATH=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", "import scrollwork.pipeline.plan"], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert "its links to the rooms of the checkout are lost" in done.stderr.splitlines()[-1]


def odd(files: Iterable[tuple[str, str]], root: Path) -> dict[str, list[str]]:
    """Names of each file of a room that has several, or one that does not begin with "scrollwork."."""
    names = defaultdict(list)
    for name, file in files:
        path = Path(file)
        if name != "__mp_main__" and path.is_relative_to(root) and path.relative_to(root).parts[0] in ROOMS:
            names[path.relative_to(root).as_posix()].append(name)  # __mp_main__ is __main__ once more, not loaded anew
    return {file: own for file, own in names.items() if len(own) > 1 or not own[0].startswith("scrollwork.")}


def test_pytest_loads_a_module_under_two_names() -> None:
    importlib.import_module("scrollwork.flows.chains")
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    real = {name: os.path.realpath(file) for name, file in files.items() if file}
    assert sum(name.startswith("scrollwork.") for name in real) > 40
    assert odd(real.items(), PROJECT) == {}


DEPLOYED = ("flows/build_datasets.py", "flows/evaluate.py", "flows/nightly.py")
# What is started by name or path is `__main__`, and Prefect gives files that deployments name a name of its own.
STARTED = {
    "forked.py": {"cli/main.py": ["__main__"]},
    "guard:create_app": {},
    "flows.server.worker": {"flows/server/worker.py": ["__main__"]},
    "prefect.engine": {"flows/build_datasets.py": ["build_datasets"]},
    "server.prefect_commands": {"flows/server/prefect_commands.py": ["__main__"]},
    "deployment run": {},
}


@pytest.mark.slow
def test_a_run_or_a_deployment_loads_a_module_under_two_names(tree: Path, tmp_path: Path) -> None:
    """In the command with Prefect, in its server and worker, in the process of a flow run."""
    place, project = tmp_path / "noted", tmp_path / "project"
    place.mkdir()
    edit(tree / "scrollwork" / "__init__.py", lambda text: text + NOTED.replace("PLACE", repr(str(place))))
    for server in serve(tree, project):
        server.work("run", "zeroscrolls", "--sample", "--model", "naive:seed=0", "--engine", "prefect", *FINISHED)
        run = server.trigger("build-datasets", "--param", "suite=zeroscrolls", "--param", 'tasks=["qmsum"]')
        assert server.wait(run)["state_type"] == "COMPLETED"
    seen: dict[str, dict[str, list[str]]] = {"deployment run": {}}  # may have ended before anything is noted
    for noted in map(json.loads, (path.read_text() for path in place.glob("*.json"))):
        kind = next((one for one in STARTED if one in " ".join(noted["command"])), "other")
        found = odd(noted["files"], project)
        for entry in DEPLOYED if kind == "server.prefect_commands" else ():
            assert not any(name.startswith("scrollwork.") for name in found.pop(entry)), "`prefect deploy` reads it"
        assert found.items() <= STARTED.get(kind, {}).items(), noted["command"]
        seen[kind] = seen.get(kind, {}) | found
    assert seen == STARTED
