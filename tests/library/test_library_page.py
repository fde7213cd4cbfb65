"""Every snippet of docs/library.md runs, in order, in a folder with the home that the page makes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

import scrollwork as sw
from tests.conftest import PROJECT

PAGE = (PROJECT / "docs" / "library.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def typed(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the names of the page mean when all its snippets were typed into a notebook."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / ".scrollwork").symlink_to(whole)
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as at:
        at.chdir(folder)
        at.setattr("datasets.config.HF_DATASETS_CACHE", folder / "cache")
        for snippet in SNIPPETS:
            exec(compile(snippet, "docs/library.md", "exec"), names)
    return {**names, "folder": folder}


def test_a_snippet_of_the_page_gives_something_else(typed: dict[str, Any]) -> None:
    assert len(SNIPPETS) == 12
    assert typed["ranked"]["model"].to_list() == ["a", "b"]
    assert set(typed["bm25"]["model"]) == {"bm25"}
    assert set(typed["seed"]["model"]) == {"naive:seed=3"}
    scores = typed["scores"].collect()
    assert len(typed["both"].collect()) == len(typed["with_gold"].collect()) == len(scores)
    worst = typed["worst"]
    assert len(worst) == 5
    assert worst["value"].to_list() == sorted(scores.filter(task="qmsum")["value"])[:5]
    for row in worst.iter_rows(named=True):
        assert row["text_of_prompt"].startswith("You are given")
    assert len(typed["lengths"]) == len(typed["home"].examples("zeroscrolls").collect())
    assert typed["lengths"]["words"].min() > 100
    assert pq.ParquetFile(typed["folder"] / "scores.parquet").metadata.num_rows == len(scores)
    assert typed["scored"]["value"][1] == 0
    assert "rouge_geo" in set(typed["metrics"])


def test_a_snippet_that_runs_something_gives_something_else(typed: dict[str, Any]) -> None:
    assert typed["result"].complete
    assert set(typed["planned"]["state"]) == {"reused"}
    assert typed["built"].tasks["examples"].to_list() == [10]
    assert typed["costs"]["requests"].to_list() == [10]
    assert typed["checked"].ok
    assert typed["files"]["state"].to_list() == ["missing"]
    assert typed["own"].board["model"].to_list() == ["bm25", "mine"]
    assert typed["own"].board["answered"].to_list() == [10, 10]
    assert len(typed["compared"].table) == 3
    assert (typed["folder"] / "compared.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert typed["frames"].table["clusters"].to_list() == [3]


def test_a_dataset_of_the_page_gives_something_else(typed: dict[str, Any]) -> None:
    assert len(typed["squality"]) == 10
    assert min(typed["lengths_of"]["document_words"]) > 1000
    assert set(re.findall(r"`([a-z_0-9]+)`", first_cells("A task as a Dataset"))) == set(typed["squality"].features)
    assert set(typed["first"]) == set(typed["squality"].features) - {"prompt", "sha256", "max_new_tokens"}


def first_cells(title: str) -> str:
    """The first cells of the table in a section of the page."""
    text = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE))


def test_a_frame_or_a_column_of_the_page_is_not_there(whole: Path) -> None:
    """The table of frames names each method and columns that it has."""
    rows = re.findall(r"^\| `(\w+)\((.*?)\)` \|.*?\| (.*) \|$", PAGE.split("## One key")[0], re.MULTILINE)
    methods = {name for name in vars(sw.Home) if not name.startswith("_")} - {"left_out"}
    assert {name for name, _, _ in rows} == methods
    home = sw.open(whole)
    for name, options, said in rows:
        frame: pl.LazyFrame = getattr(home, name)(**({"text": True} if options else {}))
        assert set(re.findall(r"`(\w+)`", said)) <= set(frame.collect_schema()), name


def test_a_name_of_the_library_is_not_on_the_page() -> None:
    rows = re.findall(r"^\| (`sw\..*?) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`sw\.(\w+)", row)}
    assert {name for name in dir(sw) if not name.startswith("_")} == named
