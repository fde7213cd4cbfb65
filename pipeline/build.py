"""Build one node without Prefect.

Its artifact is reused if it is there and up to date. Otherwise the node is built, and first the inputs that it lacks.
"""

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
REPAIRS = 8  # damaged artifacts that one call of `with_mending` removes; it raises the error for the next one


@dataclass(frozen=True)
class Built:
    """The result of building a node.

    content: the artifact's content key, which enters the keys of later stages. reused: True if the artifact existed
    already.
    """

    node: Node
    content: str
    artifact: Artifact
    reused: bool


def ensure(node: Node, session: Session, again: bool = True, made: dict[str, Built] | None = None) -> Built:
    """Return the node's artifact. Build it if it is not up to date, and first the inputs that are not.

    again: True to ask again for the missing answers of this node. Inputs are built with again=False, otherwise every
    later stage would ask for them too.
    made: nodes by name that this process has built or found. They are used without another check. `ensure` adds nothing
    to it, and empties it when it meets a damaged artifact.

    Raises the errors of the stage, RawError if raw files are missing or cannot be read, CodeChanged if code changed
    while this process ran, and BadRecord if the run is strict and the artifact dropped malformed records. Damaged
    artifacts are removed and built again (`with_mending`).
    """
    known = {} if made is None else made
    return with_mending(session, lambda: _ensure(node, session, again, known), known.clear)


def with_mending(session: Session, work: Callable[[], T], forget: Callable[[], None] = lambda: None) -> T:
    """Return what `work` returns. If it raises DamagedArtifact, remove that artifact, call `forget` and start it again.

    After REPAIRS removals, the next DamagedArtifact is raised. Raises StorageError if a damaged artifact may not be
    removed (`Artifacts.repair`).
    """
    for _ in range(REPAIRS):
        try:
            return work()
        except DamagedArtifact as damage:
            _discard(session, damage)
            forget()
    return work()


def _ensure(node: Node, session: Session, again: bool, made: dict[str, Built]) -> Built:
    made_before = {one.name: made[one.name] for one in node.needs if one.name in made}
    status = _checked(node, session, _standing_inputs(made_before))
    if status.state == "reused" or (status.state == "partial" and not again):
        return _standing(node, status)
    built = {one.name: made.get(one.name) or ensure(one, session, again=False, made=made) for one in node.needs}
    inputs = InputArtifacts.of(node, lambda needed: built[needed.name].artifact)
    stands = _standing_inputs(built)
    ingredients = Planner(session, stands).ingredients(node)
    assert ingredients is not None, "every input stands"
    with session.artifacts.building(node.stage, node.slot, ingredients.key()):
        # Nobody waits for a lock in a remote home: if no input was built either, the first look was a moment ago.
        if session.artifacts.root.local is not None or len(made_before) < len(node.needs):
            status = _checked(node, session, stands)  # another process may have built it meanwhile
            if status.state == "reused":
                return _standing(node, status)
        return _build(node, ingredients, inputs, session)


def _standing_inputs(built: Mapping[str, Built]) -> dict[str, Status]:
    """Return the states of inputs that exist, by node name."""
    return {name: Status("reused", content=one.content, artifact=one.artifact) for name, one in built.items()}


def _standing(node: Node, status: Status) -> Built:
    """Return the existing artifact as reused.

    Raises BadRecord if the run is strict and the artifact dropped malformed records.
    """
    assert status.artifact is not None
    assert status.content is not None
    if node.strict:
        importlib.import_module(node.body).refuse_drops(status.artifact)
    return Built(node, status.content, status.artifact, reused=True)


def _checked(node: Node, session: Session, stands: Mapping[str, Status] | None = None) -> Status:
    """Return the node's state now. stands: states of inputs that exist, by node name.

    Raises the error that keeps the node from being built, or DamagedArtifact if its artifact is damaged.
    """
    status = Planner(session, stands).status(node)
    if status.problem is not None:
        raise status.problem
    if status.damage is not None:
        raise status.damage
    return status


def _build(node: Node, ingredients: Ingredients, inputs: InputArtifacts, session: Session) -> Built:
    load_settled(node.code)  # before any model is asked, because keys of answers may depend on our code too
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
    """Remove a damaged artifact, so that it is built again. Raises StorageError if it may not be removed."""
    if session.repair(damage):
        log.warning("%s; it is built again", damage)
