"""python -m tests.recorded [--raw DIR] [--suite SUITE]: write what this tree's commands say, to compare others with."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from tests.conftest import PROJECT, Scrollwork
from tests.recorded.commands import REAL, RUNS, SAMPLE, play, write


def main() -> None:
    """Write one file a suite."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded")
    parser.add_argument("--raw", type=Path, help="of real data, too")
    parser.add_argument("--suite", action="append", choices=list(RUNS[SAMPLE]))
    arguments = parser.parse_args()
    for source in [SAMPLE, *([REAL] if arguments.raw else [])]:
        for suite in arguments.suite or RUNS[source]:
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                work = Scrollwork(PROJECT, Path(folder) / "home", forked=False)
                raw = arguments.raw.resolve() if source == REAL else None
                write(source, suite, play(work, source, suite, Path(folder) / "out", raw))
            print(f"{source} {suite}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
