"""Exports of a suite that draws its prompts anew in each run: what is of no run is refused in words, the rest has all runs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Call

ASK = ("--sample", "--task", "sci_co", "--runs", "2")


@pytest.fixture
def ran(call: Call) -> Call:
    """The command, with two runs that are scored."""
    assert call("run", "seam", *ASK, "--model", "naive:seed=0", "--engine", "inline", "--quiet")[0] == 0
    return call


def test_export_of_one_record_an_input_is_of_the_first_run_or_a_crash(ran: Call, tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("Task,ID,Prediction\n")
    for said, arguments in {
        "seam draws its prompts anew in each run": ("export", "hf", "seam", *ASK, "--out", str(tmp_path / "hf")),
        "seam has no leaderboard": (
            *("export", "submission", "seam", *ASK, "--model", "naive:seed=0"),
            *("--out", str(tmp_path / "out.csv")),
        ),
        "seam has no leaderboard that takes": ("check-submission", "seam", str(tmp_path / "file.csv"), *ASK),
    }.items():
        status, out, err = ran(*arguments)
        assert (status, said in err, "Traceback" in err, out) == (2, True, False, ""), err
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("home", "file.csv")] == []


@pytest.mark.parametrize("kind", ["inspect", "lm-eval", "eee"])
def test_export_lacks_a_run(ran: Call, tmp_path: Path, kind: str) -> None:
    out = tmp_path / kind
    status, _, err = ran("export", kind, "seam", *ASK, "--model", "naive:seed=0", "--out", str(out))
    assert (status, err) == (0, "")
    if kind != "inspect":
        (path,) = [*out.rglob("samples_*.jsonl"), *out.rglob("*_samples.jsonl")]
        assert len(path.read_text(encoding="utf-8").splitlines()) == 10
        return
    (path,) = out.rglob("*.eval")
    with zipfile.ZipFile(path) as archive:
        begun = json.loads(archive.read("_journal/start.json"))["eval"]
        names = {name for name in archive.namelist() if name.startswith("samples/")}
    ids = begun["dataset"]["sample_ids"]
    assert (len(ids), begun["dataset"]["samples"], begun["config"]) == (5, 5, {"epochs": 2})
    assert names == {f"samples/{name}_epoch_{epoch}.json" for name in ids for epoch in (1, 2)}
