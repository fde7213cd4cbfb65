"""A home where none can be: one line that names the folder and the keyword, and nothing is made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scrollwork as sw
from scrollwork.storage.errors import StorageError
from tests.conftest import environment

ONE = {"sample": True, "tasks": ["squality"], "limit": 1}


def plain(prompt: str) -> str:
    """A function, whose code is noted in the home."""
    return "yes"


CALLS = {
    "run": lambda home: sw.run("zeroscrolls", models=["bm25"], home=home, **ONE),
    "function": lambda home: sw.run("zeroscrolls", models=[sw.model(plain, name="m", revision="1")], home=home, **ONE),
    "build": lambda home: sw.build("zeroscrolls", home=home, **ONE),
    "estimate": lambda home: sw.estimate("zeroscrolls", models="openai:gpt-6-luna", home=home, **ONE),
    "dataset": lambda home: sw.dataset("zeroscrolls", "squality", sample=True, home=home),
    "fetch": lambda home: sw.fetch("zeroscrolls", tasks="squality", home=home),
}
READING = {
    "open": lambda home: sw.open(home),
    "verify": lambda home: sw.verify(home),
    "plan": lambda home: sw.plan("zeroscrolls", models=["bm25"], home=home, **ONE),
}
# root passes over permissions without these words
LESS = "-dac_override,-dac_read_search"
BOUND = ["setpriv", f"--bounding-set={LESS}", f"--inh-caps={LESS}"] if os.geteuid() == 0 else []
RUN = """
import sys
import scrollwork as sw
try:
    sw.run("zeroscrolls", models=["bm25"], sample=True, tasks=["squality"], limit=1, home=sys.argv[1])
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.parametrize("call", [*CALLS, *READING])
@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_as_home_is_an_error_of_the_system(tmp_path: Path, call: str, below: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    place = file / below
    with pytest.raises(StorageError) as caught:
        {**CALLS, **READING}[call](place)
    assert str(caught.value) == f"{place}: no home can be there: {file} is no folder; name another home="
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc here")
@pytest.mark.parametrize("call", CALLS)
def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(call: str) -> None:
    with pytest.raises(StorageError, match=r"^/proc/x: no home can be written there: .*; name another home=$"):
        CALLS[call]("/proc/x")


def ended(command: list[str], home: Path) -> str:
    """What a run in another process printed."""
    done = subprocess.run(
        [*command, sys.executable, "-c", RUN, str(home)], env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_a_folder_without_rights_is_an_error_of_the_system(tmp_path: Path) -> None:
    if BOUND and shutil.which(BOUND[0]) is None:
        pytest.skip("root, and no setpriv to give up its rights")
    home = tmp_path / "home"
    home.mkdir(mode=0o000)
    try:
        said = ended(BOUND, home)
        assert said == f"StorageError: {home}: the folder {home} may not be read; name another home="
        home.chmod(0o555)
        said = ended(BOUND, home)
        assert said == f"StorageError: {home}: cannot be written, and not every stage stands there; name another home="
    finally:
        home.chmod(0o755)


@pytest.mark.parametrize("kind", ["ro", "full"])
def test_a_full_or_read_only_disk_is_an_error_of_the_system(tmp_path: Path, kind: str) -> None:
    """A small disk in a namespace of its own."""
    lay = {"ro": "mount -o remount,ro", "full": "dd if=/dev/zero bs=4096 2>/dev/null of="}[kind]
    lay = f'{lay} "$1"' if kind == "ro" else f'{lay}"$1"/filled || true'
    script = f'mount -t tmpfs -o size=64k none "$1" && {{ {lay}; }} && shift && exec "$@"'
    command = ["unshare", "--mount", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("no namespaces of mounts here")
    disk = tmp_path / "disk"
    disk.mkdir()
    said = ended([*command, "sh", "-c", script, "sh", str(disk)], disk / "home")
    if kind == "ro":
        why = "StorageError", "cannot be written, and not every stage stands there; name another home="
    else:
        why = "StorageFull", "no space left while writing a first file"
    assert said.startswith(f"{why[0]}: {disk / 'home'}: {why[1]}"), said
