"""Building one node, without Prefect: reuse what stands, repair what is damaged, build what is missing."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from storage.artifacts import Artifact, ArtifactWriter
from storage.errors import DamagedArtifact
from storage.manifest import Ingredients
from tasks.graph import Node, Planner, Status
from tasks.workshop import Workshop

log = logging.getLogger("scrollwork")

Fill = Callable[[Node, Mapping[str, Artifact], Workshop, ArtifactWriter], None]
REPAIRS = 8  # how often one stage may find a damaged input before it gives up


@dataclass(frozen=True)
class Built:
    """What a stage left. content: how later stages know it. reused: it stood already."""

    node: Node
    content: str
    artifact: Artifact
    reused: bool


def ensure(node: Node, shop: Workshop) -> Built:
    """The node's artifact, built with whatever it needs if it does not stand. Raises what the stage raises."""
    for _ in range(REPAIRS):
        try:
            return _ensure(node, shop)
        except DamagedArtifact as damage:
            _discard(shop, damage)
    return _ensure(node, shop)


def _ensure(node: Node, shop: Workshop) -> Built:
    status = _checked(node, shop)
    if status.state == "reused":
        assert status.artifact is not None
        assert status.content is not None
        return Built(node, status.content, status.artifact, reused=True)
    inputs = {name: ensure(needed, shop).artifact for name, needed in node.inputs}
    planner = Planner(shop)
    ingredients = planner.ingredients(node)
    assert ingredients is not None, "every input stands"
    with shop.artifacts.building(node.stage, node.slot, ingredients.key()):
        status = _checked(node, shop)  # another process may have built it meanwhile
        if status.state == "reused":
            assert status.artifact is not None
            assert status.content is not None
            return Built(node, status.content, status.artifact, reused=True)
        return _build(node, ingredients, inputs, shop)


def _checked(node: Node, shop: Workshop) -> Status:
    """The node's state now; a damaged artifact is taken away. Raises what keeps it from being built."""
    status = Planner(shop).status(node)
    if status.problem is not None:
        raise status.problem
    if status.state == "stale" and status.artifact is not None:
        log.warning("%s: %s; it is built again", node.title, status.why)
        shop.artifacts.discard(status.artifact)
    return status


def _build(node: Node, ingredients: Ingredients, inputs: Mapping[str, Artifact], shop: Workshop) -> Built:
    module = importlib.import_module(f"tasks.{node.stage}")
    if node.stage == "generate":  # its content is the answers, known only when they are there
        artifact = cast(Artifact, module.snapshot(node, ingredients, inputs, shop))
    else:
        fill = cast(Fill, module.fill)
        writing = shop.artifacts.write(ingredients)
        with writing as writer:
            fill(node, inputs, shop, writer)
        artifact = writing.artifact
    return Built(node, artifact.content, artifact, reused=False)


def _discard(shop: Workshop, damage: DamagedArtifact) -> None:
    """Take a damaged artifact away, so that it is built again."""
    from storage.location import Location

    log.warning("%s; it is built again", damage)
    artifact = shop.artifacts.at(Location(damage.folder))
    if artifact is not None:
        shop.artifacts.discard(artifact)
