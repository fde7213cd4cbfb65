"""Signals that come in the middle of a write to standard error: they stop a run, and do not end it with an error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import environment

# Standard error whose first two writes are followed by a signal before its buffer is free again: Python looks for signals
# between both, and on a busy machine one comes there.
PROGRAM = """
import io, os, signal, sys
from scrollwork.cli.terminal.interrupts import interrupts
from scrollwork.pipeline.calling import STOP, stops_heeded

class Interrupted(io.RawIOBase):
    count = 0
    def writable(self):
        return True
    def write(self, data):
        os.write(2, data)
        Interrupted.count += 1
        if Interrupted.count <= 2:
            os.kill(os.getpid(), signal.NAME)
        return len(data)

sys.stderr = io.TextIOWrapper(io.BufferedWriter(Interrupted()), line_buffering=True)
with interrupts(), stops_heeded():
    print("one", file=sys.stderr)
    print("two", file=sys.stderr)
    os.write(1, str(STOP.level).encode())
    os._exit(0)
"""


@pytest.mark.parametrize(
    ("name", "level", "told"), [("SIGINT", 2, ["stopping: ", "stopping now: "]), ("SIGTERM", 1, [])]
)
def test_a_signal_in_the_middle_of_a_message_ends_the_run(name: str, level: int, told: list[str]) -> None:
    program = [sys.executable, "-c", PROGRAM.replace("NAME", name)]
    done = subprocess.run(program, capture_output=True, text=True, env=environment(), timeout=60)
    assert done.stdout == str(level), done.stderr
    assert "Error" not in done.stderr
    assert all(words in done.stderr for words in ("one\n", "two\n", *told))
