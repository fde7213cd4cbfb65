"""No stage of `build` holds a data set's keys, rows or texts: four times the data take hardly more memory.

A hundredth of what `python -m benchmarks scale_build` builds, with bounds as much smaller; its large sizes are in
`make soak`. Memory is what Python holds at most during a stage (tracemalloc), which no busy machine changes.
"""

from __future__ import annotations

import gc
import importlib
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from benchmarks.scale.corpus import NOTES_ALONE, lines, notes
from scrollwork.analysis.statistics import corpus
from scrollwork.cli.main import main
from scrollwork.records import key_table
from scrollwork.storage.artifacts import checked, parts
from tests.conftest import PROJECT

STAGES = ("curate.run", "sample.run", "prompt.run", "statistics")
FEW, MANY = 400, 1_600  # notes
MOST = 75  # bytes a row: 40 are used; where keys are held in memory, prompt takes 90, the others 170 to 500


def built(folder: Path, count: int) -> None:
    """Build so many notes of about 30 words, all of which are inputs."""
    folder.mkdir()
    (folder / "suite.toml").write_text(NOTES_ALONE, encoding="utf-8")
    rows = notes(0, 30)
    lines(folder / "raw" / "notes" / "0.jsonl", (next(rows) for _ in range(count)))
    where = ("--suite", str(folder / "suite.toml"), "--raw", str(folder / "raw"))
    assert (
        main(["--home", str(folder / "home"), "--quiet", "build", *where, "--engine", "inline", "--workers", "1"]) == 0
    )


@pytest.mark.slow
def test_stage_holds_the_keys_or_rows_of_its_data_set(tmp_path: Path) -> None:
    """In a process of its own: what other tests leave in theirs allocates, too."""
    command = [sys.executable, "-m", "tests.tasks.test_memory_of_builds", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    grown = json.loads(done.stdout.splitlines()[-1])
    assert sorted(grown) == sorted(STAGES)
    assert {name: each for name, each in grown.items() if each > MOST} == {}, grown


def measured(folder: Path) -> dict[str, float]:
    """By how many bytes a row each stage's peak grows."""
    peaks: dict[str, list[int]] = {name: [] for name in STAGES}

    def watch(name: str) -> None:
        module: Any = importlib.import_module(f"scrollwork.tasks.{name}")
        usual = module.run

        def run(*arguments: Any) -> None:
            gc.collect()
            gc.freeze()  # what is held already is not looked at
            tracemalloc.start()
            try:
                usual(*arguments)
                peaks[name].append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
                gc.unfreeze()

        module.run = run

    def flush(writer: Any) -> None:
        gc.collect()  # Python keeps up to 2,000 freed tuples of each length until then
        usual_flush(writer)

    writers: Any = parts.TableWriter
    usual_flush, writers._flush = writers._flush, flush
    smaller: list[tuple[Any, str, int]] = [
        (key_table, "KEEP", 100),
        (parts, "GROUP_BYTES", 16 << 10),
        (checked, "CHUNK", 16 << 10),
        (parts, "KEEP_BYTES", 64 << 10),
        (corpus, "KEPT_WORDS", 1_000),
    ]
    for module, name, bound in smaller:
        setattr(module, name, bound)
    built(folder / "first", 20)  # what is imported late
    for name in STAGES:
        watch(name)
    built(folder / "few", FEW)
    built(folder / "many", MANY)
    return {name: (many - few) / (MANY - FEW) for name, (few, many) in peaks.items()}


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]))))
