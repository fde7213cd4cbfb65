"""Build one node without Prefect: reuse its artifact, or build it, with its inputs, if it is missing or damaged."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.planner import Planner, Status
from scrollwork.pipeline.session import Session
from scrollwork.pipeline.source_digest import load_settled
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.errors import DamagedArtifact

log = logging.getLogger("scrollwork")
T = TypeVar("T")

Run = Callable[[Node, InputArtifacts, Session, ArtifactWriter], None]
REPAIRS = 8  # damaged artifacts that one call removes before it gives up


@dataclass(frozen=True)
class Built:
    """Result of building a node. content: its key in later stages' keys. reused: the artifact already existed."""

    node: Node
    content: str
    artifact: Artifact
    reused: bool


def ensure(node: Node, session: Session, again: bool = True, made: dict[str, Built] | None = None) -> Built:
    """Return the node's artifact; build it, and the inputs that it needs, if it is missing. Raises the stage's errors.

    again: ask again for missing answers of this node. Inputs are built without it, or every later stage would ask too.
    made: nodes by name that this process has just built or found; emptied when one turns out to be damaged.
    """
    known = {} if made is None else made
    return with_mending(session, lambda: _ensure(node, session, again, known), known.clear)


def with_mending(session: Session, work: Callable[[], T], forget: Callable[[], None] = lambda: None) -> T:
    """Return what `work` returns. If it meets a damaged artifact, remove that, call `forget` and start `work` again.

    After REPAIRS damaged artifacts the error of the next one is raised: removing them does not help.
    """
    for _ in range(REPAIRS):
        try:
            return work()
        except DamagedArtifact as damage:
            _discard(session, damage)
            forget()
    return work()


def _ensure(node: Node, session: Session, again: bool, made: dict[str, Built]) -> Built:
    status = _checked(
        node, session, _standing_inputs({one.name: made[one.name] for one in node.needs if one.name in made})
    )
    if status.state == "reused" or (status.state == "partial" and not again):
        return _standing(node, status)
    built = {one.name: made.get(one.name) or ensure(one, session, again=False, made=made) for one in node.needs}
    inputs = InputArtifacts.of(node, lambda needed: built[needed.name].artifact)
    stands = _standing_inputs(built)
    ingredients = Planner(session, stands).ingredients(node)
    assert ingredients is not None, "every input stands"
    with session.artifacts.building(node.stage, node.slot, ingredients.key()):
        status = _checked(node, session, stands)  # another process may have built it meanwhile
        if status.state == "reused":
            return _standing(node, status)
        return _build(node, ingredients, inputs, session)


def _standing_inputs(built: Mapping[str, Built]) -> dict[str, Status]:
    """The states of inputs that exist."""
    return {name: Status("reused", content=one.content, artifact=one.artifact) for name, one in built.items()}


def _standing(node: Node, status: Status) -> Built:
    """Reuse the existing artifact. Raises BadRecord if the run is strict and the artifact dropped malformed records."""
    assert status.artifact is not None
    assert status.content is not None
    if node.strict:
        importlib.import_module(node.body).refuse_drops(status.artifact)
    return Built(node, status.content, status.artifact, reused=True)


def _checked(node: Node, session: Session, stands: Mapping[str, Status] | None = None) -> Status:
    """The node's state now. stands: inputs that exist. Raises what keeps the node from being built, DamagedArtifact."""
    status = Planner(session, stands).status(node)
    if status.problem is not None:
        raise status.problem
    if status.damage is not None:
        raise status.damage
    return status


def _build(node: Node, ingredients: Ingredients, inputs: InputArtifacts, session: Session) -> Built:
    load_settled(node.code)  # before any model is asked: keys of answers, too, may depend on our code
    module = importlib.import_module(node.body)
    if node.asks:
        artifact = cast(Artifact, module.run(node, ingredients, inputs, session))
    else:
        run = cast(Run, module.run)
        writing = session.artifacts.write(ingredients)
        with writing as writer:
            run(node, inputs, session, writer)
        artifact = writing.artifact
    return Built(node, artifact.content, artifact, reused=False)


def _discard(session: Session, damage: DamagedArtifact) -> None:
    """Remove a damaged artifact, so that it is built again."""
    if session.artifacts.repair(damage):
        log.warning("%s; it is built again", damage)
