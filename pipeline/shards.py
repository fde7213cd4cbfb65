"""Inputs that come in shards: one input of a node a shard (or run), named name-0, name-1, ..."""

from __future__ import annotations

from collections.abc import Mapping

from scrollwork.storage.artifacts.artifact import Artifact


def shards(inputs: Mapping[str, Artifact], name: str) -> list[Artifact]:
    """The artifacts of an input that comes in shards, in order; the one artifact of an input that does not."""
    if name in inputs:
        return [inputs[name]]
    found = {int(key.removeprefix(f"{name}-")): value for key, value in inputs.items() if key.startswith(f"{name}-")}
    return [found[number] for number in sorted(found)]
