"""One run of a suite that draws: its examples and its manifest, from what curation left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from preprocessing.drawn import How, Pool, draw_of, drawn
from preprocessing.manifests import manifest
from records.example import Example
from storage.artifacts import Artifact
from tasks.blocks import blocks_of
from tasks.graph import Node


def drawing(node: Node, curated: Artifact, added: Callable[[Iterable[Example]], Iterable[Example]]) -> bytes:
    """Draw one run; its manifest. added: takes its examples, as the run shows them, and passes them on.

    Raises ValueError for too few demonstrations or ids.
    """
    params = node.params["how"]
    lists: dict[str, Any] = {name: tuple(value) for name, value in params.items() if isinstance(value, list)}
    how = How(**{**params, **lists})
    task, suite = node.params["task"], node.params["suite"]
    one = draw_of(sizes(curated), task, pool_of(curated), how, node.params["run"])
    chosen = curated.rows("examples", Example, ("example_id", one.instances))
    blocks = blocks_of(node.params["block"], curated)
    return manifest(suite, task, one, how, added(drawn(chosen, suite, task, one, how)), blocks, curated.texts())


def sizes(curated: Artifact) -> dict[str, int]:
    """How many documents each example has, by its name."""
    rows = curated.columns("examples", ["example_id", "document_ids"])
    return {row["example_id"]: len(row["document_ids"]) for row in rows}


def pool_of(curated: Artifact) -> Pool:
    """What runs of a task choose from beside its instances."""
    instructions = sum(1 for _ in curated.columns("instructions", ["number"]))
    return Pool(instructions, list(curated.rows("demonstrations", Example)))
