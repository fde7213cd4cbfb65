"""Read the paraphrased instructions and the demonstrations that prompts are built from (SEAM)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.preprocessing.runs.block_prompts import Blocks
from scrollwork.preprocessing.runs.blocks import Block
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from scrollwork.storage.artifacts.artifact import Artifact


def blocks_of(block: Mapping[str, Any], curated: Artifact) -> Blocks:
    """Read the blocks of a task's prompts. block: from the suite file (blocks.Block). curated: holds the texts."""
    instructions = [(row.text, row.output_format) for row in curated.rows("instructions", Instruction)]
    pool = {shot.example_id: shot for shot in curated.rows("demonstrations", Example)}
    return Blocks(Block(**block), instructions, pool)
