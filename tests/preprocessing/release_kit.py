"""Small releases for the tests of this room, made from examples of ours, and what the import makes of them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.prompts.template import Template, official_rows
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.suites.suite_files import load_suite

SEVERAL = ("musique", "space_digest", "book_sum_sort")
TASKS = [(suite, task) for suite in ("zeroscrolls", "scrolls") for task in load_suite(suite).tasks]


def template(suite: str, task: str) -> Template:
    return Template(**load_suite(suite).tasks[task].template)


def has_query(suite: str, task: str) -> bool:
    config = load_suite(suite).tasks[task]
    return bool(config.template.get("query_header") or config.query_ends)


def document(text: str, title: str = "") -> Document:
    return Document.of(text, title=title, source_file="f", source_record="r")


def example(
    task: str, documents: Sequence[Document], query: str | None, references: Sequence[str] = ("r",), name: str = "e1"
) -> Example:
    titles = tuple(one.title for one in documents) if task == "musique" else ()
    ids = tuple(one.document_id for one in documents)
    return Example(task, "test", name, ids, tuple(references), query=query, titles=titles)


def rows_of(suite: str, one: Example, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """The released rows of an example."""
    texts = {document.document_id: document.text for document in documents}
    return official_rows(one, template(suite, one.task), texts.__getitem__)


def zipped(folder: Path, task: str, rows: Sequence[Mapping[str, Any] | str], split: str = "test") -> Path:
    """A release's zip; a str stands as a line."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{task}.zip"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{task}/{split}.jsonl", "".join(line + "\n" for line in lines))
    return path


def imported(
    folder: Path, suite: str, task: str, rows: Sequence[Mapping[str, Any] | str], split: str = "test"
) -> tuple[dict[str, str], list[Example], list[Drop]]:
    """(texts of documents by id, examples, drops) of a release of these rows."""
    config = load_suite(suite).tasks[task]
    path = zipped(folder, task, rows, split)
    raw = RawFiles("official_release", {"records": ((f"{task}.zip!{task}/{split}.jsonl", path),)})
    options = {"template": dict(config.template), "query_ends": config.query_ends}
    made = list(curate("official_release", raw, task, split, options))
    texts = {row.document_id: row.text for row in made if isinstance(row, Document)}
    return texts, [r for r in made if isinstance(r, Example)], [r for r in made if isinstance(r, Drop)]


def written_again(suite: str, texts: Mapping[str, str], examples: Sequence[Example]) -> list[dict[str, Any]]:
    """The imported examples as released rows."""
    return [row for one in examples for row in official_rows(one, template(suite, one.task), texts.__getitem__)]


def sample_rows(suite: str, task: str, name: str = "e1", references: Sequence[str] = ("r",)) -> list[dict[str, Any]]:
    """The released rows of an example of the task, with inner documents and a query where it has them."""
    count = 3 if task in SEVERAL else 1
    documents = [document(f"Text {number} of {name}.\nMore.", f"Title {number}") for number in range(count)]
    query = f"Why {name}?" if has_query(suite, task) else None
    if task == "quality":
        query = f"{query}\n\n (A) one\n (B) two\n (C) three\n (D) four"
    return rows_of(suite, example(task, documents, query, references, name), documents)
