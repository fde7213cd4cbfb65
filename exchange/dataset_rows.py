"""Rows of a built task for the library `datasets`, an example each, read from artifacts by plain arguments.

A worker process of torch's DataLoader gets the arguments pickled, so they are names and numbers.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt, render
from scrollwork.storage.artifacts.artifact import Artifact, Artifacts
from scrollwork.storage.errors import StorageError

COLUMNS = {
    "example_id": "string",
    "draw": "int32",  # the run (SEAM), else 0
    "documents": "list<string>",  # whole texts, in the order of the prompt
    "titles": "list<string>",
    "query": "string",
    "references": "list<string>",
    "options": "list<string>",
    "metadata": "string",  # a JSON object: its keys differ by data set, and `datasets` has no maps
}
PROMPT_COLUMNS = {"prompt": "string", "sha256": "string", "max_new_tokens": "int32"}  # as in `export prompts`


@dataclass(frozen=True)
class Piece:
    """Rows start..stop of a sample, and the folders of the artifacts that they are made from.

    prompts: of its shards; () for rows without prompts. reader: module whose `inputs_of` makes inputs of the rows of a
    sample, where a row is less than an input (Dolce: a window); "" if the rows are the inputs.
    """

    sample: str
    curated: str
    prompts: tuple[str, ...]
    start: int
    stop: int
    reader: str = ""


def columns_of(prompts: bool) -> dict[str, str]:
    """Return the columns of rows in order, with types as `exchange.hf.schema` takes them."""
    return {**COLUMNS, **(PROMPT_COLUMNS if prompts else {})}


def rows(pieces: Iterable[Piece]) -> Iterator[dict[str, Any]]:
    """Yield the rows of pieces, one in memory. Raises StorageError for an artifact that is gone, DamagedArtifact."""
    for piece in pieces:
        text_of = opened(piece.curated).texts()
        examples = examples_in(opened(piece.sample), piece.reader)
        tables = [opened(folder).rows("prompts", Prompt) for folder in piece.prompts]
        for example, prompt in islice(with_prompts(examples, tables), piece.start, piece.stop):
            row = {
                "example_id": example.example_id,
                "draw": example.draw,
                "documents": [text_of(name) for name in example.document_ids],
                "titles": list(example.titles),
                "query": example.query,
                "references": list(example.references),
                "options": list(example.options),
                "metadata": example.metadata,
            }
            if prompt is not None:
                row |= {"prompt": render(prompt.parts, text_of), "sha256": prompt.prompt_sha256}
                row["max_new_tokens"] = prompt.max_new_tokens
            yield row


def opened(folder: str) -> Artifact:
    """Return the artifact in a folder. Raises StorageError if it is gone, DamagedArtifact."""
    artifacts = Artifacts(folder)
    found = artifacts.at(artifacts.root)
    if found is None:
        raise StorageError(f"{folder}: the artifact is gone from the home; call sw.dataset again to build it")
    return found


def examples_in(sample: Artifact, reader: str) -> Iterator[Example]:
    """Yield the examples of a sample, in order. reader: as of `Piece`."""
    examples = sample.rows("examples", Example)
    if not reader:
        return examples
    inputs: Iterator[Example] = importlib.import_module(reader).inputs_of(examples)
    return inputs


def with_prompts(
    examples: Iterable[Example], tables: Sequence[Iterator[Prompt]]
) -> Iterator[tuple[Example, Prompt | None]]:
    """Yield each example with its prompt, None if there are no tables.

    tables: the prompts of each shard, each in the order of the examples. Raises StorageError for an example without a
    prompt.
    """
    heads = [next(table, None) for table in tables]
    for example in examples:
        if not tables:
            yield example, None
            continue
        named = example.example_id, example.draw
        own = [place for place, head in enumerate(heads) if head and (head.example_id, head.draw) == named]
        if not own:
            raise StorageError(
                f"{example.task}, example {example.example_id!r}, draw {example.draw}: has no prompt in the home; "
                "`scrollwork verify` says which artifact is wrong"
            )
        yield example, heads[own[0]]
        heads[own[0]] = next(tables[own[0]], None)


def count(sample: Artifact, reader: str) -> int:
    """Return the number of rows of a sample. reader: as of `Piece`."""
    if reader:
        return sum(1 for _ in examples_in(sample, reader))
    return sum(part.rows for part in sample.manifest.files if part.table == "examples")
