"""The data of exported tasks: a Parquet file a task, a row an input that can be scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrollwork.analysis.comparison.summary import document_group
from scrollwork.exchange.hf import row_groups, schema
from scrollwork.exchange.task_files.built_tasks import BuiltTask
from scrollwork.pipeline import progress
from scrollwork.scoring.answers import gold_problem

COLUMNS = {  # types as in `hf.schema`, and what each holds
    "id": ("string", "one a row; the example's id, of several runs with `_RUN` behind it"),
    "example_id": ("string", "the example's id in the suite"),
    "run": ("int32", "which run drew the prompt, from 0; 0 in suites without runs"),
    "split": ("string", "train, validation or test"),
    "document": ("string", "digest of the documents: rows with the same one are not independent"),
    "prompt": ("string", "the whole prompt, as it is asked"),
    "references": ("list<string>", "right answers; a score is the best over them"),
    "options": ("list<string>", "of multiple choice, in order; they stand in the prompt too"),
    "sha256": ("string", "of `prompt` in UTF-8, as `export prompts` has it"),
}
AT_ONCE = 100  # rows between two reports of progress


@dataclass(frozen=True)
class TaskData:
    """A task whose data are written. left_out: number of inputs that cannot be scored, by reason."""

    task: BuiltTask
    rows: int
    left_out: Mapping[str, int]


def write_data(task: BuiltTask, folder: Path) -> TaskData:
    """Write a task's Parquet file below a folder; none if no input can be scored. Equal prompts give equal bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / task.data
    path.parent.mkdir(exist_ok=True)
    columns = schema({name: kind for name, (kind, _) in COLUMNS.items()})
    left_out: Counter[str] = Counter()
    count = 0
    with pq.ParquetWriter(path, columns, compression="zstd", compression_level=3) as writer:
        for group in row_groups(rows(task, left_out)):
            writer.write_batch(pa.RecordBatch.from_pylist(group, schema=columns))
            count += len(group)
    if not count:
        path.unlink()
    return TaskData(task, count, dict(sorted(left_out.items())))


def rows(task: BuiltTask, left_out: Counter[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a task in order, one prompt in memory. left_out: counts inputs without a row, by reason."""
    own, runs = task.scorer.own, "run" in dict(task.prompted[0].node.labels)
    total = sum(one.prompts.facts["prompts"] for one in task.prompted)
    done = 0
    for one in task.prompted:
        for prompt, text, example in one.rows():
            done += 1
            if done % AT_ONCE == 0:
                progress.tell(f"rows of {task.name}", done, total)
            if problem := gold_problem(own, example.references):
                left_out[problem] += 1
                continue
            yield {
                "id": f"{example.example_id}_{one.run}" if runs else example.example_id,
                "example_id": example.example_id,
                "run": one.run,
                "split": task.split,
                "document": document_group(example.document_ids),
                "prompt": text,
                "references": list(example.references),
                "options": list(example.options),
                "sha256": prompt.prompt_sha256,
            }
