"""`export prompts`: write every prompt of a suite as JSON Lines, a file for each task and split; for SEAM also the
manifests of runs.

A row is {suite, task, split, run, instance, draw, prompt, sha256, references, max_new_tokens}.
"""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.exchange.export_logs import is_ours, write_checksums
from scrollwork.exchange.prompted import Prompted, prompts_of_chain
from scrollwork.pipeline import progress
from scrollwork.records.prompt import FULL
from scrollwork.storage.folder import whole_folder

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


@dataclass(frozen=True)
class Exported:
    """What was written. lacking: stages that failed, in words."""

    files: tuple[Path, ...]
    prompts: int
    lacking: tuple[str, ...]


def export_prompts(chain: Chain, out: Path) -> Exported:
    """Write the folder, whole or not at all. Raises UsageError, StageFailed, StorageError."""
    found, lacking = prompts_of_chain(chain)
    beside = chain.design.modules.get("export prompts")  # writes the design's further files
    of_file = Counter(map(file_name, found))
    count = 0
    with whole_folder(out, is_ours) as folder:
        for one in found:
            with (folder / file_name(one)).open("a", encoding="utf-8", newline="\n") as stream:
                for row in rows(one):
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                    count += 1
            if beside is not None:
                importlib.import_module(beside).write(folder, one)
            progress.tell(f"prompts of {one.node.label('task')}", one.run + 1, of_file[file_name(one)])
        names = write_checksums(folder, "prompts")
    return Exported(tuple(out / name for name in names), count, tuple(lacking))


def file_name(one: Prompted) -> str:
    """TASK-SPLIT.jsonl, or TASK-SPLIT-ARM.jsonl for another arm than "full"."""
    names = [one.node.label(name) for name in ("task", "split", "arm")]
    return "-".join(names[:2] if names[2] == FULL else names) + ".jsonl"


def rows(one: Prompted) -> Iterator[dict[str, Any]]:
    """Yield one row for each prompt."""
    for prompt, text, example in one.rows():
        yield {
            "suite": prompt.suite,
            "task": prompt.task,
            "split": prompt.split,
            "run": one.run,
            "instance": prompt.example_id,
            "draw": prompt.draw,
            "prompt": text,
            "sha256": prompt.prompt_sha256,
            "references": list(example.references),
            "max_new_tokens": prompt.max_new_tokens,
        }
