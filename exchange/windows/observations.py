"""`export observations`: a model's scores on windows of contexts, as `scrollwork dolce fit --observations FILE` reads
them.

One row for each window: {task, problem, units, length, first, score or outcome}. first: the first unit of the window,
by which strategies select. A declined answer has outcome "idk", others their score, 0 to 1.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.exchange.scored_results import Scored, scored_answers
from scrollwork.pipeline.errors import UsageError
from scrollwork.storage.errors import StorageError, naming_full_disks
from scrollwork.tasks.complexity.problems import answers_with_scores, windows_of

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


@dataclass(frozen=True)
class Observations:
    """What was written. rows: number by task. lacking: what was requested and is not scored, in words."""

    files: tuple[Path, ...]
    rows: dict[str, int]
    lacking: tuple[str, ...]


def export_observations(chain: Chain, out: Path) -> Observations:
    """Write FILE, whole or not at all. Raises UsageError for more than one model, StageFailed if nothing is scored."""
    request = chain.request
    if len(request.models) > 1 or len(request.chosen_arms()) > 1 or len(request.chosen_splits()) > 1:
        raise UsageError("observations are of one model, arm and split: name one")
    found = scored_answers(chain)
    if len(found.members) > 1:
        first = next(iter(found.members))
        raise UsageError(f"{request.models[0]} is a family of {len(found.members)}; run and export one: {first}")
    if out.is_dir():
        raise StorageError(f"{out}: is a folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    with naming_full_disks("the observations", str(out)), tempfile.TemporaryDirectory(dir=out.parent) as temporary:
        path = Path(temporary) / out.name
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            for one in found.scored:
                for row in observations(one):
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                    counts[row["task"]] = counts.get(row["task"], 0) + 1
        os.replace(path, out)
    return Observations((out,), counts, found.lacking)


def observations(one: Scored) -> Iterator[dict[str, Any]]:
    """Yield the rows of a task, in the order of its answers."""
    for answer in answers_with_scores(one.inputs, windows_of(one.inputs)):
        window = answer.window
        yield {
            "task": one.node.label("task"),
            "problem": window.problem,
            "units": window.units,
            "length": window.length,
            "first": window.first,
            **({"outcome": "idk"} if answer.declined else {"score": answer.score / 100.0}),
        }
