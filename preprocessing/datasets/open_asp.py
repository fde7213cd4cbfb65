"""OpenAsp (Amar et al. 2023): summaries of one aspect of several news articles. SEAM 1.2.

Its texts are those of DUC (under an agreement) and of Multi-News, from which upstream's script builds a file per split.
"""

from collections.abc import Iterator

from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_by_filter
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

BY_RECORD = ("records",)


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield articles as documents, each aspect of a topic as an example, whose query is the aspect's label.

    Articles without text are left out and counted, as are records without any. Metadata `blanks`: see runs/blocks.py;
    only if there are such articles.
    """
    yield from convert_records(raw.records(), lambda record: aspect(record, task, split), task=task, split=split)


def aspect(record: Record, task: str, split: str) -> Iterator[Row]:
    """Yield the articles of one record, then its summary."""
    articles = list(record.records("documents"))
    texts = [(article, " ".join(article.texts("text"))) for article in articles]
    documents = [
        Document.of(text, title=part.optional_text("filename"), source_file=part.file, source_record=part.where)
        for part, text in texts
        if text.strip()
    ]
    guid, label, topic = (record.text(field) for field in ("guid", "aspect_label", "topic_id"))
    if not documents:
        yield drop_by_filter(record, "no document", "the record has no article", task=task, split=split)
        return
    summary = "\n".join(record.texts("summary_text"))
    if not summary.strip():
        raise record.error("summary_text", "has no text", "empty field")
    empty = [place for place, (_, text) in enumerate(texts) if not text.strip()]
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=guid,
        document_ids=tuple(document.document_id for document in documents),
        query=label,
        references=(summary,),
        metadata=metadata(
            documents=len(documents),
            empty_documents=len(empty),
            empty_places=empty,
            **({"blanks": [["", ""] if text.strip() else text for _, text in texts]} if empty else {}),
            topic=topic,
            title=record.optional_text("title"),
            texts_of=origin(topic),
        ),
    )
    if empty:
        detail = f"{len(empty)} of {len(articles)} articles are empty; the others stand"
        yield drop_by_filter(record, "empty document", detail, task=task, split=split)


def origin(topic: str) -> str:
    """Return whose texts a topic has, by its id ("mnews-test.228744", "DUC-2001/d01"); "" for other ids."""
    return {"mnews": "Multi-News", "DUC": "DUC"}.get(topic.partition("-")[0], "")
