"""The manifest of a run: all that was drawn, and the digest of each prompt (fact sheet seam.md 3, default).

Plain JSON, the same bytes on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from scrollwork.preprocessing.prompts.truncation import Limit
from scrollwork.preprocessing.runs.block_prompts import Blocks
from scrollwork.preprocessing.runs.drawn_examples import DrawSettings
from scrollwork.preprocessing.runs.draws import Draw
from scrollwork.records.base import canonical_json
from scrollwork.records.example import Example
from scrollwork.records.prompt import render


def manifest(
    suite: str,
    task: str,
    one: Draw,
    how: DrawSettings,
    examples: Iterable[Example],
    blocks: Blocks,
    text_of: Callable[[str], str],
    wording: str,
    stream: Mapping[str, Any] | None = None,
) -> bytes:
    """Return the manifest of a run, as JSON in UTF-8.

    examples: of the run, as it shows them. wording: whose paraphrases they are. stream: what else official draws depend
    on. Prompts are uncut here; what a model's limit cuts off is in that model's prompts.
    """
    rows: list[dict[str, Any]] = []
    for example in examples:
        text = render(blocks.cut(example, text_of, None, Limit("none", 0)).parts, text_of)
        row: dict[str, Any] = {
            "id": example.example_id,
            "prompt_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        }
        if ids := example.facts.get("mention_ids"):
            row["mention_ids"] = ids
        rows.append(row)
    words, form = blocks.instructions[one.instruction] if blocks.instructions else ("", "")
    told = {
        "suite": suite,
        "dataset": task,
        "run": one.run,
        "root_seed": how.seed,
        "child_seed": how.streams(task).child_seed(one.run),
        "settings": {name: value for name, value in asdict(how).items() if name != "seed"},
        "wording": wording,
        "instruction": one.instruction,
        "instruction_sha256": hashlib.sha256(f"{words}\n{form}".encode()).hexdigest(),
        "document_order": list(one.permutation),
        "demonstrations": list(one.demonstrations),
        "instances": rows,
    }
    if stream is not None:
        told["official_stream"] = dict(stream)
    return (canonical_json(told) + "\n").encode("utf-8")
