"""No stage of `build` holds a data set's keys, rows or texts: four times the data take hardly more memory.

A hundredth of what `python -m benchmarks scale_build` builds, with bounds as much smaller; its large sizes are in
`make soak`. Memory is what Python holds at most during a stage (tracemalloc), which no busy machine changes.
"""

from __future__ import annotations

import gc
import importlib
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from benchmarks.scale.corpus import SUITE, lines, notes
from scrollwork.analysis.statistics import corpus
from scrollwork.cli.main import main
from scrollwork.records import key_table
from scrollwork.storage.artifacts import checked, parts

STAGES = ("curate.run", "sample.run", "prompt.run", "statistics")
FEW, MANY = 400, 1_600  # notes
MOST = 75  # bytes a row: 40 are used; where keys are held in memory, prompt takes 90, the others 170 to 500


def built(folder: Path, count: int) -> None:
    """Build so many notes of about 30 words, all of which are inputs."""
    head, _, task = SUITE.partition("[task.reports]")
    folder.mkdir()
    (folder / "suite.toml").write_text(f"{head}[task.notes]{task.partition('[task.notes]')[2]}", encoding="utf-8")
    rows = notes(0, 30)
    lines(folder / "raw" / "notes" / "0.jsonl", (next(rows) for _ in range(count)))
    where = ("--suite", str(folder / "suite.toml"), "--raw", str(folder / "raw"))
    assert (
        main(["--home", str(folder / "home"), "--quiet", "build", *where, "--engine", "inline", "--workers", "1"]) == 0
    )


@pytest.mark.slow
def test_stage_holds_the_keys_or_rows_of_its_data_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    peaks: dict[str, list[int]] = {name: [] for name in STAGES}

    def watch(name: str) -> None:
        module = importlib.import_module(f"scrollwork.tasks.{name}")
        usual = module.run

        def run(*arguments: Any) -> None:
            gc.collect()
            gc.freeze()  # what other tests hold is not looked at
            tracemalloc.start()
            try:
                usual(*arguments)
                peaks[name].append(tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
                gc.unfreeze()

        monkeypatch.setattr(module, "run", run)

    def flush(writer: Any) -> None:
        gc.collect()  # Python keeps up to 2,000 freed tuples of each length until then
        usual_flush(writer)

    usual_flush = parts.TableWriter._flush
    monkeypatch.setattr(parts.TableWriter, "_flush", flush)
    monkeypatch.setattr(key_table, "KEEP", 100)
    monkeypatch.setattr(parts, "GROUP_BYTES", 16 << 10)
    monkeypatch.setattr(checked, "CHUNK", 16 << 10)
    monkeypatch.setattr(parts, "KEEP_BYTES", 64 << 10)
    monkeypatch.setattr(corpus, "KEPT_WORDS", 1_000)
    built(tmp_path / "first", 20)  # what is imported late
    for name in STAGES:
        watch(name)
    for number in range(3):  # threads and late imports of other tests in this process allocate, too, but not each time
        built(tmp_path / f"few {number}", FEW)
        built(tmp_path / f"many {number}", MANY)
    grown = {name: (min(sizes[1::2]) - min(sizes[::2])) / (MANY - FEW) for name, sizes in peaks.items()}
    assert {name: each for name, each in grown.items() if each > MOST} == {}, grown
