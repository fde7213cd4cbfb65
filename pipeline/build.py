"""Building one node, without Prefect: reuse what stands, repair what is damaged, build what is missing."""

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
from scrollwork.pipeline.source_digest import settle
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.errors import DamagedArtifact

log = logging.getLogger("scrollwork")
T = TypeVar("T")

Run = Callable[[Node, InputArtifacts, Session, ArtifactWriter], None]
REPAIRS = 8  # how often damaged artifacts may be found before it gives up


@dataclass(frozen=True)
class Built:
    """What a stage left. content: how later stages know it. reused: it stood already."""

    node: Node
    content: str
    artifact: Artifact
    reused: bool


def ensure(node: Node, session: Session, again: bool = True, made: dict[str, Built] | None = None) -> Built:
    """The node's artifact, built with whatever it needs if it does not stand. Raises what the stage raises.

    again: ask again for answers that are missing; an input is taken with those it has, or every stage behind would ask.
    made: by name, what this process has built or seen to stand a moment ago; emptied when one turns out to be damaged.
    """
    known = {} if made is None else made
    return mending(session, lambda: _ensure(node, session, again, known), known.clear)


def mending(session: Session, work: Callable[[], T], forget: Callable[[], None] = lambda: None) -> T:
    """What `work` gives. A damaged artifact that it meets is taken away, and it begins again, after `forget`."""
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
    """The states of inputs that stand."""
    return {name: Status("reused", content=one.content, artifact=one.artifact) for name, one in built.items()}


def _standing(node: Node, status: Status) -> Built:
    """What stands, as it is. Raises BadRecord where it left out what a strict run may not."""
    assert status.artifact is not None
    assert status.content is not None
    if node.strict:
        importlib.import_module(node.body).refuse_drops(status.artifact)
    return Built(node, status.content, status.artifact, reused=True)


def _checked(node: Node, session: Session, stands: Mapping[str, Status] | None = None) -> Status:
    """The node's state now. stands: inputs that do. Raises what keeps it from being built, and DamagedArtifact."""
    status = Planner(session, stands).status(node)
    if status.problem is not None:
        raise status.problem
    if status.damage is not None:
        raise status.damage
    return status


def _build(node: Node, ingredients: Ingredients, inputs: InputArtifacts, session: Session) -> Built:
    settle(node.code)  # before anything is asked: its answers too may be known by our code
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
    """Take a damaged artifact away, so that it is built again."""
    if session.artifacts.repair(damage):
        log.warning("%s; it is built again", damage)
