"""Write the manifests of runs next to exported prompts (SEAM)."""

from __future__ import annotations

from pathlib import Path

from scrollwork.exchange.prompted import Prompted
from scrollwork.tasks.sample.runs import MANIFEST


def write(folder: Path, one: Prompted) -> None:
    """Write the manifest of one run, manifests/TASK-SPLIT-RUN.json."""
    place = folder / "manifests" / f"{one.node.label('task')}-{one.node.label('split')}-{one.run}.json"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(one.sample.bytes_of(MANIFEST))
