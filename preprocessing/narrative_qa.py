"""NarrativeQA (Kočiský et al. 2018): questions on whole books and film scripts. SCROLLS 3.1.

Stories are taken as they lie in tmp/; taking off licences and page frames is not done here (fidelity.md#narrativeqa).
"""

import codecs
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from preprocessing.errors import MalformedFile
from preprocessing.raw import RawFiles, Record, each
from records.base import Row
from records.document import Document
from records.example import Example, metadata


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Stories of the split as documents, in the order of documents.csv, each question as an example."""
    upstream = {"validation": "valid"}.get(split, split)
    questions: dict[str, list[Record]] = defaultdict(list)
    for row in raw.rows("questions", ("document_id", "set", "question", "answer1", "answer2")):
        if row.data.get("set") == upstream:
            questions[str(row.data.get("document_id"))].append(row)
    stories = {Path(name).stem: (name, place) for name, place in raw.files("stories")}
    listed = [row for row in raw.rows("documents", ("document_id", "set", "kind")) if row.data.get("set") == upstream]

    def convert(row: Record) -> Iterator[Row]:
        return story(raw, row, stories, questions, task, split)

    yield from each(listed, convert, task=task, split=split)


def story(
    raw: RawFiles,
    row: Record,
    stories: dict[str, tuple[str, Path]],
    questions: dict[str, list[Record]],
    task: str,
    split: str,
) -> Iterator[Row]:
    """A story and its questions. A story that is not there is counted, with the questions lost."""
    document_id = row.text("document_id")
    asked = questions.get(document_id, [])
    if document_id not in stories:
        raise row.error(
            "document_id", f"tmp/{document_id}.content is not there; {len(asked)} questions are lost", "missing file"
        )
    path = stories[document_id]
    try:
        text = decode(raw.bytes(path))
    except MalformedFile as error:
        raise error.of_record() from error  # a file here is one record
    document = Document.of(text, title=row.data.get("wiki_title") or "", source_file=path[0], source_record=row.source)
    yield document
    kind = row.text("kind")
    for number, question in enumerate(asked):
        convert = partial(example, document, document_id, number, kind, task, split)
        yield from each([question], convert, task=task, split=split)


def example(
    document: Document, document_id: str, number: int, kind: str, task: str, split: str, question: Record
) -> Iterator[Example]:
    """One question with its two answers; identical ones stand once (SCROLLS 3.1). Upstream gives no question ids."""
    references = tuple(dict.fromkeys(question.text(field).strip() for field in ("answer1", "answer2")))
    yield Example(
        task=task,
        split=split,
        example_id=f"{document_id}_{number}",
        document_ids=(document.document_id,),
        query=question.text("question").strip(),
        references=references,
        metadata=metadata(kind=kind),
    )


def decode(data: bytes) -> str:
    """A story's text: UTF-8 with or without byte-order mark, else Latin-1; newlines as \\n."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")
