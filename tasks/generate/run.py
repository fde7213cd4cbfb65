"""Stage generate: prompts -> answers in the store -> a snapshot of them, for models that answer at once.

Hosted models and checkpoints are asked by tasks/generate/hosted.py.

A request with a stored answer is never sent again. A snapshot's key includes the answers digest, over sorted (request
key, sha256 of the text or kind of failure), so scores of a run with missing answers and of the same run when it is
complete are different artifacts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.models.registry import module_of_table
from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.home import SNAPSHOTS

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = SNAPSHOTS


@dataclass(frozen=True)
class Parameters:
    """model: its name in the request. settings: the part of its table that decides answers (suites/model_tables.py).

    epoch: in which it is asked anew, "" for none (docs/fresh.md). reuse: the earlier answers that stand in that epoch
    (tasks/generate/epochs.py), None for none.
    """

    model: str
    settings: Mapping[str, Any]
    epoch: str = ""
    reuse: Mapping[str, Any] | None = None


def declare(
    part: Part,
    curated: Node,
    prompts: Node,
    sample: Node,
    settings: Mapping[str, Any],
    *,
    fitted: Node | None = None,
    body: str = __name__,
    epoch: str = "",
    reuse: Mapping[str, Any] | None = None,
) -> Node:
    """Declare the asking of a model. settings: the part of its table that decides answers.

    fitted: the values that its rule learned on another split, None if it has no such rule. body: the module that asks.
    epoch, reuse: see `Parameters`.
    """
    inputs = (("curated", (curated,)), ("prompts", (prompts,)), ("sample", (sample,)))
    parameters = non_default(Parameters(part.model, settings, epoch, reuse))
    modules = (module_of_table(settings),)
    more = (("fitted", (fitted,)),) if fitted else ()
    return Node(STAGE, part.sharded, parameters, body, modules, (*inputs, *more), asks=True)


def run(node: Node, ingredients: Ingredients, inputs: InputArtifacts, session: Session) -> Artifact:
    """Ask for missing answers, many at a time, then write the snapshot of all answers to these prompts.

    Its tables are `responses` and `failures`.
    """
    from scrollwork.tasks.generate.pending import CHUNK, Calls
    from scrollwork.tasks.generate.snapshot import (
        COMMIT,
        Asking,
        answer_missing,
        is_ours,
        model_of,
        note_snapshot,
        with_fitted,
    )

    parameters = Parameters(**node.params)
    model = model_of(parameters.model, with_fitted(parameters.settings, node.label("task"), inputs))
    # Each transaction of the store takes milliseconds; others' models may take seconds for a call.
    at_once = max(CHUNK, COMMIT // len(model.members)) if is_ours(model) else CHUNK
    calls = Calls(node, model, inputs, session.store if parameters.reuse else None, at_once=at_once)
    failed = 0
    for batch in calls.batches():
        failed += answer_missing(batch, model, session)
        progress.tell(node.title, len(calls.asked), calls.total)
        progress.asked(node.title, progress.Standing(len(calls.asked), calls.total, failed))
    return note_snapshot(node, ingredients, Asking(model, calls.asked), session)
