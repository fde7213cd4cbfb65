"""Curation: run a data set's module on its raw files, and check what holds for every data set.

No document and no example id occurs twice; a record that did not become an example has a row too (`Drop`).
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scrollwork.preprocessing.raw.errors import MalformedFile, printable
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.key_table import KeyTable

Through = Callable[[Iterator[Row]], Iterator[Row]]  # transforms a stream of rows
DEMONSTRATIONS = "demonstrations"  # split of the examples that a prompt shows before the instance
RELEASE = "official_release"  # module that reads a task's official release if its upstream files are missing
PROMPTS = "prompts"  # role of raw files with paraphrases
PROMPTS_MODULE = "scrollwork.preprocessing.runs.raw_prompts"  # the module that reads these


def curate(
    dataset: str, raw: RawFiles, task: str, split: str, options: Mapping[str, Any], *, through: Through | None = None
) -> Iterator[Row]:
    """Yield the documents, examples and drops of one task and split, in the order of the raw files.

    options: keyword arguments of the data set's module. through: applied to its rows before they are checked. Raises
    MalformedFile if a file cannot be used, or no record of the task, but for a share; TypeError if the module yields no
    rows.
    """
    module = importlib.import_module(module_of(dataset))
    names = [name for role, files in raw.roles.items() for name, _ in files[:1] if role != PROMPTS]
    rows = module.curate(raw, task, split, **options)
    if not hasattr(rows, "__iter__"):
        raise TypeError(
            f"{module.__name__}.curate gave a {type(rows).__name__}; it must yield Document, Example and Drop rows"
        )
    if through is not None:
        rows = through(rows)
    shots: Iterator[Row] = iter(())
    if PROMPTS in raw.roles:
        shots = importlib.import_module(PROMPTS_MODULE).curate(raw, task, DEMONSTRATIONS)
    yield from check_rows(rows, shots, raw.dataset, split, ", ".join(names), raw.share is not None)


def by_record(dataset: str) -> tuple[str, ...] | None:
    """Return the roles of a data set's raw files that are cut into shares for several processes (BY_RECORD).

    () for one whose module takes its own part of a list of records (`RawFiles.own`); None for one that is not shared,
    or cannot be imported.
    """
    try:
        roles = getattr(importlib.import_module(module_of(dataset)), "BY_RECORD", None)
    except ImportError:
        return None  # the stage says it, with the task
    return None if roles is None else tuple(roles)


def module_of(dataset: str) -> str:
    """Return the module of a data set: one of scrollwork's by its name, or `package.module` as given."""
    return dataset if "." in dataset else f"scrollwork.preprocessing.datasets.{dataset}"


def check_rows(
    rows: Iterator[Row], shots: Iterator[Row], dataset: str, split: str, files: str, shared: bool = False
) -> Iterator[Row]:
    """Yield the rows without repeated documents; a repeated example id becomes a Drop.

    shots: demonstrations with their documents, yielded after the split's rows. files: named in the error if the split
    has no example. Raises MalformedFile if there are no rows, or only errors. shared: which one share may have.
    """
    documents, examples = KeyTable(), KeyTable()
    first: Drop | None = None
    where = files
    counts: Counter[type] = Counter()
    for row in rows:
        if isinstance(row, Document):
            where = ", ".join(filter(None, [row.source_file, row.source_record]))
            if documents.add(row.document_id) is not None:
                continue
        elif isinstance(row, Example) and examples.add(row.example_id) is not None:
            row = duplicate(row, where)
        if isinstance(row, Drop) and row.error:
            first = first or row
        counts[type(row)] += 1
        yield row
    if shared:
        return
    if not counts[Example] and not counts[Drop]:
        said = f"no example of split {split} in {where}: is this the right file?"
        raise MalformedFile(dataset, "", "", said, "no record")
    if first is not None and not counts[Example]:
        raise MalformedFile(
            dataset, "", "", f"no usable record among {counts[Drop]}; the first: {first.detail}", "no record"
        )
    for row in shots:
        if not isinstance(row, Document) or row.document_id not in documents:
            yield row
        if isinstance(row, Document):
            documents.add(row.document_id)


def duplicate(example: Example, source: str) -> Drop:
    """Make the Drop of an example whose id occurred before. source: raw file and record of its document."""
    where = printable(f"{source}, example {example.example_id}")
    detail = f'{where}: field "id" came before in this split; the first one is kept'
    return Drop(example.task, example.split, where, "duplicate id", detail, error=True)
