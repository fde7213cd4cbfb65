"""Built suites as files for other tools. Here: a folder that `datasets.load_dataset` opens."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from preprocessing.prompting import Template, official_rows
from records.example import Example
from storage.errors import naming_full_disks
from tasks.errors import StageFailed
from tasks.request import Request
from tasks.results import Results
from tasks.stages import Part, curate_node, sample_node
from tasks.suites import TaskConfig

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 16  # records in one row group: each holds its whole document


def export_hf(request: Request, out: Path) -> list[Path]:
    """Official records (fact sheet 2) as Parquet, one configuration a task, and a card; the files written.

    Raises StageFailed for a task that is not built.
    """
    results = Results(request)
    written = []
    sizes = []
    for task in request.chosen_tasks():
        for split in request.chosen_splits():
            curated = results.artifact(curate_node(Part(request, task, split)))
            sampled = results.artifact(sample_node(Part(request, task, split)))
            if curated is None or sampled is None:
                raise StageFailed(
                    f"{task.name}, split {split}: not built; run `scrollwork build {request.suite}` first"
                )
            path = out / task.name / f"{split}-00000-of-00001.parquet"
            rows = records(task, sampled.rows("examples", Example), curated.texts())
            written.append(path)
            sizes.append({"config": task.name, "split": split, "rows": write_parquet(path, rows, task)})
    card = out / "README.md"
    write_text(card, card_text(request, sizes))
    return [*written, card]


def records(task: TaskConfig, examples: Iterator[Example], text_of: Any) -> Iterator[dict[str, Any]]:
    """The official records of a task, one a reference."""
    template = Template(**task.template)
    for example in examples:
        yield from official_rows(example, template, text_of)


def schema(task: TaskConfig) -> pa.Schema:
    """The columns of the released records."""
    import pyarrow as pa

    text = [pa.field(name, pa.string()) for name in ("id", "pid", "input", "output")]
    names = ("document_start_index", "document_end_index", "query_start_index", "query_end_index")
    offsets = [pa.field(name, pa.int32()) for name in names]
    inner = [pa.field("inner_docs_start_indices", pa.list_(pa.int32()))] if task.template.get("inner_header") else []
    return pa.schema([*text, *offsets, pa.field("truncation_seperator", pa.string()), *inner])


def write_parquet(path: Path, rows: Iterator[dict[str, Any]], task: TaskConfig) -> int:
    """Write rows as a stream, whole or not at all; how many."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    count = 0
    columns = schema(task)
    with naming_full_disks(path.name, str(path.parent)):
        try:
            with pq.ParquetWriter(temporary, columns, compression="zstd", compression_level=3) as writer:
                group: list[dict[str, Any]] = []
                for row in rows:
                    group.append(row)
                    count += 1
                    if len(group) == ROWS:
                        writer.write_batch(pa.RecordBatch.from_pylist(group, schema=columns))
                        group = []
                writer.write_batch(pa.RecordBatch.from_pylist(group, schema=columns))
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    return count


def write_text(path: Path, text: str) -> None:
    """Write a small text file."""
    with naming_full_disks(path.name, str(path.parent)):
        path.write_text(text, encoding="utf-8")


def card_text(request: Request, sizes: list[dict[str, Any]]) -> str:
    """The card: configurations for `load_dataset`, sizes, how it was built."""
    configs: dict[str, list[str]] = {}
    for size in sizes:
        configs.setdefault(size["config"], []).append(size["split"])
    lines = ["---", "configs:"]
    for name, splits in configs.items():
        lines += [f"- config_name: {name}", "  data_files:"]
        for split in splits:
            lines += [f"  - split: {split}", f"    path: {name}/{split}-*.parquet"]
    lines += ["---", "", f"# {request.config.title}, built by scrollwork", ""]
    lines += ["| task | split | rows (one a reference) |", "| --- | --- | --- |"]
    lines += [f"| {size['config']} | {size['split']} | {size['rows']:,} |" for size in sizes]
    asked = {"seed": request.seed, "limit": request.limit, "options": dict(request.options or {})}
    lines += [
        "",
        f"Request: `{json.dumps(asked, sort_keys=True)}`. The data sets keep the licences of their sources.",
        "",
    ]
    return "\n".join(lines)
