"""Rows of SEAM's data sets as the hub's own library writes them to Parquet: the same runs as from upstream's files."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrollwork.suites.suite_files import SAMPLE
from tests.conftest import Call
from tests.flows.seam_kit import manifest

Rows = list[dict[str, Any]]


def only(pattern: str) -> Path:
    (path,) = SAMPLE.glob(pattern)
    return path


def json_lines(pattern: str) -> Rows:
    return [json.loads(line) for line in only(pattern).read_text(encoding="utf-8").removesuffix("\n").split("\n")]


def news() -> Rows:
    """As the hub has them: newlines are newlines."""
    pair = [only(f"multi_news/**/{name}").read_text(encoding="utf-8") for name in ("test.src.cleaned", "test.tgt")]
    lines = zip(*(text.removesuffix("\n").split("\n") for text in pair), strict=True)
    return [{"document": one.replace("NEWLINE_CHAR", "\n"), "summary": other} for one, other in lines]


def reviews() -> Rows:
    with only("fusereviews/dev*.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


HUB: dict[str, tuple[str, Callable[[], Rows]]] = {
    "multi_news": ("multi_news/hub/test", news),
    "open_asp": ("openasp/hub/test", lambda: json_lines("openasp/**/test.jsonl")),
    "fuse_reviews": ("fusereviews/hub/dev", reviews),
    "sci_co": ("scico/hub/test", lambda: json_lines("scico/**/test.jsonl")),
}


@pytest.mark.parametrize("task", HUB)
def test_rows_of_the_hub_make_other_runs(call: Call, tmp_path: Path, task: str) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra hf is not installed")
    folder, rows = HUB[task]
    raw = tmp_path / "raw"
    shutil.copytree(SAMPLE / "seam", raw / "seam")
    (raw / folder).mkdir(parents=True)
    found = rows()
    for number, some in enumerate((found[:3], found[3:])):
        datasets.Dataset.from_list(some).to_parquet(str(raw / folder / f"000{number}.parquet"))
    made = []
    for source in (("--raw", str(raw)), ("--sample",)):
        call.home = tmp_path / source[0].strip("-")
        ask = ("build", "seam", *source, "--task", task, "--runs", "2", "--engine", "inline", "--quiet", "--json")
        status, out, _ = call(*ask)
        assert status == 0
        (row,) = json.loads(out)
        told = {name: row[name] for name in ("examples", "data_set", "statistics", "dropped")}
        made.append((told, [manifest(call.home, task, run) for run in range(2)]))
    assert made[0] == made[1]
