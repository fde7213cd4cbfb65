"""The manifest of one run, drawn again if it does not stand; other runs are not looked at."""

from __future__ import annotations

from dataclasses import replace

from tasks.build import ensure
from tasks.chain import locations_of
from tasks.errors import UsageError
from tasks.parts import Part
from tasks.request import Request
from tasks.sample import MANIFEST
from tasks.stages import sample_node
from tasks.workshop import Workshop


def manifest_of(request: Request, run: int) -> bytes:
    """The manifest as its artifact holds it, JSON. request: of one task and split. Raises UsageError, and what stages
    raise."""
    if not request.run_count:
        raise UsageError(f"{request.suite} does not draw its prompts in runs")
    if run < 0:
        raise UsageError("runs are counted from 0")
    (task,), (split,) = request.chosen_tasks(), request.chosen_splits()
    part = Part(replace(request, runs=max(request.run_count, run + 1)), task, split, shard=run)
    return ensure(sample_node(part), Workshop(locations_of(request))).artifact.bytes_of(MANIFEST)
