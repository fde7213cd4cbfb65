"""Formats that name an input by its id alone have no place for SEAM's runs: nothing of one run passes for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Scrollwork
from tests.flows.seam_kit import seam

FORMATS = ("hf", "submission", "lm-eval", "inspect", "eee")
ANSWERS = "Task,ID,Prediction\nmusique,2hop__1,x\n"


def test_export_of_runs_is_a_traceback_or_has_one_of_them(scrollwork: Scrollwork, tmp_path: Path) -> None:
    seam(scrollwork, "--model", "lead", tasks=("open_asp",), runs=2)
    for kind in FORMATS:
        model = () if kind == "hf" else ("--model", "lead")
        asked = ("export", kind, "seam", "--sample", "--task", "open_asp", "--runs", "2", *model)
        done = scrollwork(*asked, "--out", str(tmp_path / kind), status=2)
        assert done.err.startswith(f"scrollwork: export {kind}: inputs of seam are asked anew in each run")
        assert not (tmp_path / kind).exists()


@pytest.mark.parametrize(
    "command", [("check-submission",), ("import", "--name", "theirs"), ("score", "--name", "theirs")]
)
def test_one_answer_is_scored_in_every_run(scrollwork: Scrollwork, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Mentions have other ids in each run: an answer to one is none to another."""
    (tmp_path / "answers.csv").write_text(ANSWERS)
    file = ("--predictions",) if command[0] == "score" else ()
    done = scrollwork(command[0], "seam", *file, str(tmp_path / "answers.csv"), "--sample", *command[1:], status=2)
    assert "asked anew in each run" in done.err
