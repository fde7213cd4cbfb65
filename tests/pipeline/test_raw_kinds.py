"""What has the name of a raw file and is none is named; malformed lines without number are counted in little memory."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scrollwork.pipeline.raw_files import all_matches
from scrollwork.preprocessing.raw.errors import MalformedFile, MissingFile
from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import Call, environment
from tests.pipeline.test_raw_members import found


def a_socket(path: Path) -> None:
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


MADE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a FIFO (a named pipe)": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a socket": a_socket,
    "a link to nothing": lambda path: path.symlink_to(path.parent / "gone"),
}


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("pattern", ["records/{split}.jsonl", "**/{split}.jsonl", "records/*.jsonl"])
def test_what_is_no_file_is_passed_over_or_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, pattern: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "records").mkdir()
    (tmp_path / "other.jsonl").write_text("{}\n")
    MADE[kind](tmp_path / "records" / "test.jsonl")
    with pytest.raises(MalformedFile) as told:
        found(tmp_path, pattern, "other.jsonl")
    assert str(told.value) == f"records/test.jsonl: is {kind}, not a file"


def test_a_folder_that_a_pattern_of_everything_matches_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hub" / "test" / "inner").mkdir(parents=True)
    with pytest.raises(MissingFile):
        found(tmp_path, "hub/{split}/**/*")
    (tmp_path / "hub" / "test" / "inner" / "a.parquet").write_text("x")
    all_matches.cache_clear()
    assert [file.path for file in found(tmp_path, "hub/{split}/**/*").files()] == ["hub/test/inner/a.parquet"]


def test_file_that_came_since_is_not_seen_in_one_process(call: Call, tmp_path: Path) -> None:
    """As in a notebook: the first call fails, a person puts the file there, the second finds it."""
    ask = ("--quiet", "build", "zeroscrolls", "--raw", str(tmp_path), "--engine", "inline", "--task", "musique")
    status, _, err = call(*ask)
    assert (status, "no raw file for 'records'" in err) == (1, True)
    shutil.copytree(SAMPLE / "musique", tmp_path / "musique")
    assert call(*ask)[0] == 0


# The command, and on its last line the most memory that it held, in KiB.
MEASURED = """
import sys
from scrollwork.cli.main import main
main()
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.slow
def test_quarter_of_a_million_bad_lines_fill_the_memory(house: Path, tmp_path: Path) -> None:
    """A fifth of them takes as much: what is held does not grow with their number."""
    held = {}
    for count in (50_000, 250_000):
        raw = tmp_path / f"{count}"
        shutil.copytree(SAMPLE / "musique", raw / "musique")
        with next((raw / "musique").rglob("musique_full_v1.0_dev.jsonl")).open("ab") as file:
            file.write(b"{\n" * count)
        ask = ("build", "zeroscrolls", "--raw", str(raw), "--engine", "inline", "--task", "musique", "--quiet")
        command = [sys.executable, "-c", MEASURED, "--home", str(tmp_path / f"home-{count}"), *ask]
        env = environment(PYTHONPATH=str(house))
        done = subprocess.run(command, cwd=house, env=env, capture_output=True, text=True, timeout=300)
        assert f"{count} malformed record(s) were dropped" in done.stderr
        held[count] = int(done.stdout.split()[-1])
    assert held[250_000] < 1.15 * held[50_000]
