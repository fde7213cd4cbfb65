"""Stage generate for models whose answers cost money or take long: hosted models and checkpoints, call by call."""

from __future__ import annotations

from typing import cast

from scrollwork.models.engine.running import Runs
from scrollwork.models.registry import HOSTED
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.errors import Interrupted
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.tasks.generate.asker import Asker
from scrollwork.tasks.generate.pending import Calls
from scrollwork.tasks.generate.run import Parameters
from scrollwork.tasks.generate.snapshot import Asking, model_of, note_snapshot

ONE_PROCESS = True  # calls share limits, a budget and claims; a checkpoint is loaded once


def run(node: Node, ingredients: Ingredients, inputs: InputArtifacts, session: Session) -> Artifact:
    """Ask for missing answers, then write the snapshot of all answers to these prompts. Raises Interrupted."""
    calling = session.locations.calling
    assert calling is not None, "a model whose answers take long is asked with the settings of its run"
    parameters = Parameters(**node.params)
    settings = {**calling.tables[parameters.model], **parameters.settings}
    model = cast(Runs, model_of(parameters.model, settings))
    calls = Calls(node, model, inputs, session.store, by_prefix=settings["provider"] in HOSTED)
    if not calling.batch or settings["provider"] not in HOSTED:  # else batches.py has sent the requests
        Asker(model, calling, session.store, node.title, calls.total).ask(calls.batches)
    calls.render_rest()
    if calling.batch and STOP.level:
        raise Interrupted("stopped; batches that were submitted stand, the same command takes them in")
    return note_snapshot(node, ingredients, Asking(model, calls.asked), session)
