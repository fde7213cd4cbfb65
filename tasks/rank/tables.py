"""Read the ranking from the artifact of stage rank."""

from __future__ import annotations

from typing import Any

from scrollwork.reporting.boards.ranks import TABLES, Ranks
from scrollwork.storage.artifacts.artifact import Artifact


def read_ranks(artifact: Artifact) -> Ranks:
    """Read the rows of all tables."""
    found: dict[str, Any] = {name: list(artifact.rows(name, row)) for name, row in TABLES.items()}
    return Ranks(**found)
