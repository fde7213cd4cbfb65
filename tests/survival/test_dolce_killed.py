"""kill -9 in a run over windows: the next one answers what is missing, and ends with the bytes of an undisturbed run."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import pytest

from scrollwork.sample.windows import TASKS, dolce
from tests.conftest import Scrollwork, files_of, leftovers
from tests.flows.planted_kit import run

DRIVER = str(Path(__file__).with_name("killed.py"))
TASK = "leval_quality"
MODEL = "planted:noise=0.2"
POINTS = [
    ("generate", "answers"),
    ("sample", "half"),
    ("score", "half"),
    ("complexity", "begin"),
    ("complexity", "manifest"),
]


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw")
    dolce(folder, [made for made in TASKS if made.task == TASK])
    return folder


@pytest.fixture(scope="module")
def undisturbed(house: Path, raw: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], object]:
    """Digest by path of what a run leaves, and what it says."""
    work = Scrollwork(house, tmp_path_factory.mktemp("undisturbed") / "home")
    said = run(work, raw, [TASK], MODEL)
    return files_of(work.home), said


def answers(home: Path) -> dict[str, str]:
    with sqlite3.connect(home / "responses.db") as store:
        return dict(store.execute("SELECT request_key, created FROM responses"))


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "point"), POINTS)
def test_killed_run_asks_twice_or_ends_otherwise(
    scrollwork: Scrollwork, raw: Path, undisturbed: tuple[dict[str, str], object], stage: str, point: str
) -> None:
    files, said = undisturbed
    scrollwork.with_(prefix=(DRIVER, stage, point, "SIGKILL"), warm=True)(
        *("run", "dolce", "--raw", str(raw), "--task", TASK, "--model", MODEL, "--engine", "inline", "--quiet"),
        status=-signal.SIGKILL,
    )
    assert len(files_of(scrollwork.home)) < len(files)
    before = answers(scrollwork.home) if (scrollwork.home / "responses.db").is_file() else {}
    if stage == "generate":
        assert before, "the kill came before the first answers"
    assert run(scrollwork, raw, [TASK], MODEL) == said
    after = answers(scrollwork.home)
    assert {key: after[key] for key in before} == before
    assert (len(before) < len(after)) is (stage in ("generate", "sample"))
    assert files_of(scrollwork.home) == files
    assert leftovers(scrollwork.home) == []
