"""The rows of `export hf` where each input is asked once: the official records, and the card's text about them.

A design may name another module with these functions ("export hf" of its `modules`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.preprocessing.prompts.template import Template, official_rows
from scrollwork.readings.results import Results
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.suites.parts import Part
from scrollwork.suites.suite_files import TaskConfig

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.suites.request import Request

REFUSED = re.compile(r"[<>:/\\|?*\[\]{}\s]|^\.|^$")  # not allowed in names by `datasets` or by file systems
COLUMNS = {
    "id": "one an input; what predictions are given for",
    "pid": "one a row: an input with several references has several rows, which differ in `pid` and `output`",
    "input": "the whole prompt, documents included, untruncated",
    "output": "a reference; null where upstream does not publish the answers of the split",
    "document_start_index": "character of `input` where the document begins, behind its header",
    "document_end_index": "character behind the document",
    "query_start_index": "character where the query begins, with its header (without a query: the response header)",
    "query_end_index": "character behind the query",
    "truncation_seperator": "(sic, as released) what is put between a document that was cut and the query",
    "inner_docs_start_indices": "character where each of several documents begins, with its header",
}
WITHHELD = " The official releases leave `output` empty in their test splits."


@dataclass(frozen=True)
class Source:
    """What a split is written from. samples: one, or one for each run. columns: types of its rows, by name."""

    task: TaskConfig
    split: str
    curated: Artifact
    samples: Sequence[Artifact]
    columns: Mapping[str, str]
    rows: Iterable[dict[str, Any]]


def sources(chain: Chain) -> list[Source]:
    """The built splits of a suite. Raises UsageError, StageFailed for one that is not built."""
    request, results, found = chain.request, Results(chain), []
    for task in request.chosen_tasks():
        for split in request.splits_of(task):
            curated, sampled = _artifacts(results, chain, task, split)
            rows = records(task, sampled.rows("examples", Example), curated.texts())
            found.append(Source(task, split, curated, [sampled], fields(task), rows))
    return found


def row_sentence(request: Request) -> str:
    """The card's sentence about what a row is."""
    return "A row is one reference."


def scoring_lines(request: Request, tasks: Sequence[str]) -> list[str]:
    """The card's lines about how to score rows, where a suite needs them."""
    return []


def records(task: TaskConfig, examples: Iterator[Example], text_of: Any) -> Iterator[dict[str, Any]]:
    """The official records of a task, one for each reference."""
    template = Template(**task.template)
    for example in examples:
        yield from official_rows(example, template, text_of)


def fields(task: TaskConfig) -> dict[str, str]:
    """Columns of the released records in order, with types (ZeroSCROLLS fact sheet 2). SCROLLS has the first four."""
    columns = dict.fromkeys(("id", "pid", "input", "output"), "string")
    if task.template.get("response_header"):
        names = ("document_start_index", "document_end_index", "query_start_index", "query_end_index")
        columns |= dict.fromkeys(names, "int32") | {"truncation_seperator": "string"}
    if task.template.get("inner_header"):
        columns["inner_docs_start_indices"] = "list<int32>"
    return columns


def _artifacts(results: Results, chain: Chain, task: TaskConfig, split: str) -> tuple[Artifact, Artifact]:
    if REFUSED.search(task.name):
        raise UsageError(f"{task.name!r} cannot be the name of a configuration")
    part = Part(chain.request, task, split)
    curated, sampled = results.artifact(chain.curate(part)), results.artifact(chain.sample(part))
    if curated is None or sampled is None:
        raise StageFailed(f"{task.name}, split {split}: not built; run `scrollwork build {chain.request.suite}` first")
    return curated, sampled
