"""SummScreen, ForeverDreaming subset (Chen et al. 2022): scripts of TV episodes and their recaps. SCROLLS 3.1."""

from collections.abc import Iterator

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield one episode per record: its transcript as document, its recap as reference."""
    yield from convert_records(raw.records(), lambda record: episode(record, task, split), task=task, split=split)


def episode(record: Record, task: str, split: str) -> Iterator[Row]:
    """Yield document and example; the id is the file name without its extension (fd_Gilmore_Girls_01x13)."""
    script = "\n".join(record.texts("Transcript"))
    if not script.strip():
        raise record.error("Transcript", "has no text", "empty field")
    recap = "\n".join(record.texts("Recap")).strip()
    if not recap:
        raise record.error("Recap", "has no text", "empty field")
    title, show = record.optional_text("Episode Title"), record.optional_text("Show Title")
    name = record.text("filename").removesuffix(".json")
    if not name.strip():
        raise record.error("filename", "names no episode", "empty field")
    document = Document.of(script, title=title, source_file=record.file, source_record=record.where)
    yield document
    yield Example(
        task=task,
        split=split,
        example_id=name,
        document_ids=(document.document_id,),
        references=(recap,),
        metadata=metadata(show=show),
    )
