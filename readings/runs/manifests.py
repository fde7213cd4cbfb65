"""The manifest of one run, which is drawn again if its artifact does not exist; other runs do not matter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.parts import Part
from scrollwork.tasks.sample.runs import MANIFEST

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


def manifest_of(chain: Chain, dataset: str, run: int) -> bytes:
    """Return the manifest from its artifact, as JSON. chain: of one split; of several tasks if the draws of one depend
    on the others. run: counted from 0. Raises UsageError, and the errors of stages."""
    request = chain.request
    if run < 0:
        raise UsageError("runs are counted from 0")
    task = next((one for one in request.chosen_tasks() if one.name == dataset), None)
    if task is None:
        raise UsageError(f"{dataset} is not among the data sets of the request")
    if len(request.chosen_splits()) != 1:
        raise UsageError("a manifest is of one split")
    (split,) = request.chosen_splits()
    runs = max(Part(request, task, split).shards, run + 1)
    drawn = replace(request, of_design=replace(request.of_design, runs=runs))
    part = Part(drawn, task, split, shard=run)
    return ensure(chain.sample(part), chain.session).artifact.bytes_of(MANIFEST)
