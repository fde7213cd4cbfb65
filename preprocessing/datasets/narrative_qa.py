"""NarrativeQA (Kočiský et al. 2018): questions on whole books and film scripts. SCROLLS 3.1.

Licences, credits and page frames are removed (docs/narrativeqa.md); each example names the rule that did it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, MalformedRow
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_of_error
from scrollwork.preprocessing.raw.kinds import refuse_foreign
from scrollwork.preprocessing.stories.book import strip_book, strip_book_page
from scrollwork.preprocessing.stories.cut import UTF16, StripResult, decode, is_binary
from scrollwork.preprocessing.stories.page import LONGEST_ERROR_PAGE, is_error_page, is_page
from scrollwork.preprocessing.stories.script import strip_script
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example, metadata

SETS = ("train", "valid", "test")
KINDS = ("gutenberg", "movie")
BY_RECORD = ()  # a share has a stretch of the list of documents


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield the split's stories as documents, in the order of documents.csv, and each question as an example."""
    asked = of_split(raw.rows("questions", ("document_id", "set", "question", "answer1", "answer2")), split)
    listed = of_split(raw.rows("documents", ("document_id", "set", "kind")), split)
    stories = {Path(name).stem: (name, place) for name, place in raw.files("stories")}
    questions: dict[str, list[Record | MalformedRecord]] = defaultdict(list)
    document_id = ""
    for row in asked:  # malformed rows keep their place, so that the ids of the others do not change
        document_id = cell(row, "document_id") or document_id
        questions[document_id].append(row)
    first: dict[str, Record] = {}
    for row in listed:
        if isinstance(row, Record) and (document_id := cell(row, "document_id")).strip():
            first.setdefault(document_id, row)

    def convert(row: Record) -> Iterator[Row]:
        document_id = row.text("document_id")
        if first[document_id] is not row:
            raise row.error("document_id", f"{document_id!r} came before; the first one is kept", "duplicate id")
        return story(raw, row, stories, questions, task, split)

    yield from convert_records(raw.own(listed), convert, task=task, split=split)
    for document_id, rows in questions.items() if raw.is_last else ():
        if document_id not in first:
            yield from drop_lost_questions(document_id, rows, task, split)


def drop_lost_questions(
    document_id: str, rows: Sequence[Record | MalformedRecord], task: str, split: str
) -> Iterator[Drop]:
    """Yield drops for questions on a document that is not in the list: one for all those that are well-formed."""
    sound = [row for row in rows if isinstance(row, Record)]
    yield from (drop_of_error(row, task, split) for row in rows if isinstance(row, MalformedRecord))
    if sound:
        problem = f"{document_id!r} is no document of this split; {len(sound)} questions are lost"
        yield drop_of_error(sound[0].error("document_id", problem, "unknown document"), task, split)


def cell(row: Record | MalformedRecord, column: str) -> str:
    """Return the cell of a column, "" if a malformed row does not tell."""
    cells = row.data if isinstance(row, Record) else row.cells if isinstance(row, MalformedRow) else {}
    return str(cells.get(column, ""))


def of_split(rows: Iterable[Record | MalformedRecord], split: str) -> list[Record | MalformedRecord]:
    """Return the rows of a split, and malformed ones whose split is not known."""
    upstream = {"validation": "valid"}.get(split, split)
    found: list[Record | MalformedRecord] = []
    for row in rows:
        named = cell(row, "set")
        if named == upstream or (named not in SETS and isinstance(row, MalformedRecord)):
            found.append(row)
        elif isinstance(row, Record) and named not in SETS:
            error = row.error("set", f"{named!r} is none of {', '.join(SETS)}", "unknown split")
            found.append(MalformedRow(error.file, error.record, error.field, error.problem, error.reason))
    return found


def story(
    raw: RawFiles,
    row: Record,
    stories: dict[str, tuple[str, Path]],
    questions: Mapping[str, Sequence[Record | MalformedRecord]],
    task: str,
    split: str,
) -> Iterator[Row]:
    """Yield a story and its questions. A missing story is an error that counts the questions lost."""
    document_id = row.text("document_id")
    asked = questions.get(document_id, [])
    if document_id not in stories:
        raise row.error(
            "document_id", f"tmp/{document_id}.content is not there; {len(asked)} questions are lost", "missing file"
        )
    path = stories[document_id]
    kind = row.text("kind")
    if kind not in KINDS:
        raise row.error("kind", f"{kind!r} is none of {', '.join(KINDS)}", "unknown kind")
    try:
        data = story_bytes(raw, path)
    except MalformedFile as error:
        raise error.of_record() from error  # each file here is one record
    stripped = strip_story(data, kind, row.data.get("story_start") or "", row.data.get("story_end") or "")
    if not stripped.text.strip():
        raise MalformedRecord(path[0], "", "", "has no text", "empty field")
    title = row.data.get("wiki_title") or ""
    document = Document.of(stripped.text, title=title, source_file=path[0], source_record=row.source)
    yield document
    facts = {"cut_start": stripped.cut_start, "cut_end": stripped.cut_end, "warnings": list(stripped.warnings)}
    told = metadata(kind=kind, strip=stripped.rule, **facts)
    for number, question in enumerate(asked):
        convert = partial(example, document, document_id, number, told, task, split)
        yield from convert_records([question], convert, task=task, split=split)


def story_bytes(raw: RawFiles, path: tuple[str, Path]) -> bytes:
    """Return the bytes of a story's file. Raises MalformedFile if it is empty, not text, or an error page."""
    data = raw.bytes(path)
    if not data.startswith(UTF16):
        refuse_foreign(data[:1024], path[0], pages=True)
        if is_binary(data):
            raise MalformedFile(path[0], "", "", "holds bytes that no text holds", "another kind of file")
    if len(data) <= LONGEST_ERROR_PAGE and is_error_page(decode(data)):
        problem = "is the page of an error, not a story (`scrollwork fetch SUITE --list` says which addresses are dead)"
        raise MalformedFile(path[0], "", "", problem, "error page")
    return data


def example(
    document: Document, document_id: str, number: int, told: str, task: str, split: str, question: Record
) -> Iterator[Example]:
    """Yield one question with its two answers, or one if they are equal (SCROLLS 3.1). Upstream has no question ids."""
    references = tuple(dict.fromkeys(question.text(field).strip() for field in ("answer1", "answer2")))
    yield Example(
        task=task,
        split=split,
        example_id=f"{document_id}_{number}",
        document_ids=(document.document_id,),
        query=question.text("question").strip(),
        references=references,
        metadata=told,
    )


def strip_story(raw: bytes, kind: str, story_start: str, story_end: str) -> StripResult:
    """Strip a story of licences, credits, transcribers' notes, tags and page frames (docs/narrativeqa.md).

    kind, story_start and story_end as in documents.csv. Only what a rule justifies is removed; the result names the
    rules.
    """
    text = decode(raw)
    if kind == "movie":
        return strip_script(text, story_start, story_end)
    if is_page(text):
        return strip_book_page(text, story_start, story_end)
    return strip_book(text, story_start, story_end)
