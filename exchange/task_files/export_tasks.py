"""`export lm-eval-task`, `export inspect-task`: write a built suite as tasks that another tool runs on any model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrollwork.exchange.export_logs import is_ours, write_checksums
from scrollwork.exchange.task_files import inspect_files, lm_eval_files
from scrollwork.exchange.task_files.built_tasks import built_tasks
from scrollwork.exchange.task_files.data_files import TaskData, write_data
from scrollwork.exchange.task_files.readme import readme
from scrollwork.pipeline.errors import StageFailed
from scrollwork.storage.folder import whole_folder
from scrollwork.suites.request import Request

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

WRITERS: Mapping[str, Callable[[Request, Sequence[TaskData], Path], None]] = {
    "lm-eval-task": lm_eval_files.write_tasks,
    "inspect-task": inspect_files.write_tasks,
}


@dataclass(frozen=True)
class Exported:
    """What was written. tasks: names in the other tool. lacking: stages that failed, and tasks without an input that
    can be scored, in words. notes: inputs that are left out, in words."""

    files: tuple[Path, ...]
    tasks: tuple[str, ...]
    rows: int
    lacking: tuple[str, ...]
    notes: tuple[str, ...]


def export_tasks(kind: str, chain: Chain, out: Path) -> Exported:
    """Write the folder, whole or not at all. kind: a key of WRITERS. Prompts are built where they are missing.

    Raises UsageError for a suite of windows (Dolce), StageFailed if no input can be scored, StorageError if the folder
    holds other files.
    """
    request = chain.request
    chain.design.refuse_ids(request.config, f"export {kind}", runs=True)
    tasks, lacking = built_tasks(chain)
    with whole_folder(out, is_ours) as folder:
        written = [write_data(task, folder) for task in tasks]
        filled = [one for one in written if one.rows]
        notes = [f"{one.task.name}: {n:,} inputs: {why}" for one in written for why, n in one.left_out.items()]
        if not filled:
            raise StageFailed(f"no input can be scored: {'; '.join(notes) or 'there is none'}")
        lacking += [f"{one.task.name}: no input can be scored" for one in written if not one.rows]
        WRITERS[kind](request, filled, folder)
        (folder / "README.md").write_text(readme(kind, request, filled), encoding="utf-8", newline="\n")
        names = write_checksums(folder, kind)
    return Exported(
        files=tuple(out / name for name in names),
        tasks=tuple(one.task.name for one in filled),
        rows=sum(one.rows for one in filled),
        lacking=tuple(lacking),
        notes=tuple(notes),
    )
