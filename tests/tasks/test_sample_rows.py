"""What stage sample writes: an example that is in it several times has one set of references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.comparison.summary import input_name
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts, ArtifactWriter
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.location import Location
from scrollwork.tasks.judge.judgements import SAID, answers_of
from scrollwork.tasks.sample.run import write_sample
from scrollwork.tasks.score.run import golds

ONE = Example(task="t", split="test", example_id="e1", document_ids=("0" * 64,), query="?", references=("A",))


def written(folder: Path, *rows: Example) -> dict[str, int]:
    """The counts of a sample of these rows."""
    with ExitStack() as stack:
        return write_sample(rows, ArtifactWriter(Location(str(folder)), stack))


def sample(home: Path, *rows: Example) -> Artifact:
    """An artifact with these rows, as a design may write it by itself."""
    writing = Artifacts(str(home)).write(Ingredients("sample", "s.t.test", {}, {}, {}, {}))
    with writing as writer:
        table = writer.table("examples", Example)
        for row in rows:
            table.add(row)
        writer.facts = {}
    return writing.artifact


@dataclass(frozen=True)
class Table:
    """An artifact with one table."""

    held: list[Any]

    def rows(self, table: str, row: type) -> Iterator[Any]:
        """Its rows."""
        return iter(self.held)

    def tuples(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The values of some columns."""
        return (tuple(map(row.get, names)) for row in self.held)


def test_repeated_example_is_refused(tmp_path: Path) -> None:
    assert (
        written(tmp_path, ONE, replace(ONE, draw=1), replace(ONE, example_id="e2", references=("B",)))["examples"] == 3
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"draw": 1, "references": ("B",)}, r"draw 1: field \"references\" differs .* a shard of their own"),
        ({"draw": 1, "options": ("y", "x")}, r"draw 1: field \"options\" differs .* a shard of their own"),
        ({"query": "Why?"}, r"draw 0: field \"draw\" is that of an earlier row"),
    ],
    ids=["references", "options", "draw"],
)
def test_row_of_an_id_is_scored_by_the_references_of_another(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    """Score finds references by id: a design that reverses options in one sample would be scored against one order.
    Sample refuses such rows before anybody is asked, score those of a design that writes its sample by itself."""
    rows = (ONE, replace(ONE, example_id="e2"), replace(ONE, **change))
    with pytest.raises(ValueError, match=rf"^sample, example 'e1', {said}"):
        written(tmp_path, *rows)
    own = sample(tmp_path / "home", *rows)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(own.folder))}, table examples, example 'e1', {said}"):
        golds(own)


def test_references_of_repeated_examples_are_lost(tmp_path: Path) -> None:
    other = replace(ONE, example_id="e2", references=("B", "C"))
    assert golds(sample(tmp_path, ONE, replace(ONE, draw=1), other)) == {"e1": ("A",), "e2": ("B", "C")}


def test_answers_of_a_repetition_are_judged_by_the_options_of_another() -> None:
    """Each repetition is a shard, with options and a draw of its own."""
    samples = [Table([replace(ONE, options=(text,), draw=draw)]) for draw, text in enumerate(("Lamp", "Bell"))]
    answer = {"example_id": "e1", "model": "m", "finish_reason": "complete", "scored_characters": None}
    answers = Table([{**answer, "draw": draw, "text": text} for draw, text in enumerate(("Lamp", "Lamp"))])
    node = Node("judge", (), {"metric": "em"}, "", (), ())
    names = {name: name for name in (input_name("e1", draw) for draw in range(2))}
    inputs = InputArtifacts({"sample": samples, "answers": [answers]})  # type: ignore[dict-item,list-item]
    judged = answers_of(node, inputs, names)
    assert [one[SAID.index("in_format")] for one in judged.values()] == [True, False]
