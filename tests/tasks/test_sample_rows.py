"""What stage sample writes: an example that is in it several times has one set of references."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.storage.location import Location
from scrollwork.tasks.sample.run import write_sample

ONE = Example(task="t", split="test", example_id="e1", document_ids=("0" * 64,), query="?", references=("A",))


def written(folder: Path, *rows: Example) -> dict[str, int]:
    """The counts of a sample of these rows."""
    with ExitStack() as stack:
        return write_sample(rows, ArtifactWriter(Location(str(folder)), stack))


def test_repeated_example_is_refused(tmp_path: Path) -> None:
    assert (
        written(tmp_path, ONE, replace(ONE, draw=1), replace(ONE, example_id="e2", references=("B",)))["examples"] == 3
    )


def test_other_references_of_one_id_reach_the_scores_as_those_of_its_first_row(tmp_path: Path) -> None:
    """Score finds references by id: a design that reverses options in one sample would be scored against one order."""
    with pytest.raises(ValueError, match=r"example 'e1', draw 1: other references .* a shard of their own"):
        written(tmp_path, ONE, replace(ONE, draw=1, references=("B",)))
