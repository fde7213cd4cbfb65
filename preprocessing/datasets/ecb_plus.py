"""ECB+ (Cybulska and Vossen 2014): event mentions in news, coreferent across the documents of a topic. SEAM 1.2.

Splits and validated sentences follow Cattan et al. (2021): topics 36 to 45 are test, eight others validation.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from scrollwork.preprocessing.datasets.coreference import Mention, clusters, spans
from scrollwork.preprocessing.datasets.ecb_document import Text, read
from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, MalformedRow
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records, drop_by_filter, drop_of_error
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata

VALIDATION = frozenset({2, 5, 12, 18, 21, 23, 34, 35})
TEST = frozenset(range(36, 46))
TOPICS = frozenset(range(1, 46)) - {15, 17}
BY_RECORD = ()  # a share has a stretch of the topics
COLUMNS = ("Topic", "File", "Sentence Number")
Sentences = dict[str, set[int]]  # by the name of a document ("36_1ecb")
Paths = dict[str, tuple[str, Path]]


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield documents with event mentions in validated sentences, and each topic as an example, named by its number.

    A topic is dropped whole if one of its documents, or of its rows in the list of sentences, cannot be used: its gold
    would be another.
    """
    listed: dict[int, Sentences] = defaultdict(lambda: defaultdict(set))
    broken: dict[int, MalformedRecord] = {}
    for row in raw.rows("sentences", COLUMNS):
        try:
            topic, name, number = sentence(row)
        except MalformedRecord as error:
            if topic := topic_of(row):
                broken.setdefault(topic, error)
            elif raw.is_first:
                yield drop_of_error(error, task, split)
            continue
        listed[topic][name].add(number)
    files: dict[int, Paths] = defaultdict(dict)
    for path in raw.files("documents"):
        topic, name = topic_and_document(path[0])
        if not topic and raw.is_first:
            said = "is named for no topic: TOPIC_DOCUMENT.xml, topics 1 to 45 without 15 and 17"
            yield drop_of_error(MalformedRecord(path[0], "", "", said, "unknown topic"), task, split)
        if name in files[topic]:
            broken.setdefault(topic, MalformedRecord(path[0], "", "", "is there a second time", "duplicate id"))
        files[topic][name] = path
    topics = [one for one in (listed.keys() | files.keys() | broken.keys()) & TOPICS if split_of(one) == split]
    for topic in raw.own(sorted(topics)):
        record = broken.get(topic) or Record({}, raw.dataset, f"topic {topic}")
        convert = partial(example, raw, topic, listed[topic], files[topic], task, split)
        yield from convert_records([record], convert, task=task, split=split)


def split_of(topic: int) -> str:
    """Return the split of a topic."""
    return "test" if topic in TEST else "validation" if topic in VALIDATION else "train"


def sentence(row: Record | MalformedRecord) -> tuple[int, str, int]:
    """Return (topic, document, sentence) of a row of the list of validated sentences. Raises MalformedRecord."""
    if isinstance(row, MalformedRecord):
        raise row
    value, name, number = (row.text(column).strip() for column in COLUMNS)
    topic = topic_of(row)
    if not topic:
        raise row.error("Topic", f"{value!r} is none of 1 to 45 without 15 and 17", "unknown topic")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise row.error("Sentence Number", f"{number!r} is no number", "wrong type")
    return topic, f"{topic}_{name}", int(number)


def topic_of(row: Record | MalformedRecord) -> int:
    """Return the topic of a row of the list, even of a broken one if it can be read; 0 for none."""
    cells = row.cells if isinstance(row, MalformedRow) else row.data if isinstance(row, Record) else {}
    return topic_number(str(cells.get("Topic", "")).strip())


def topic_number(text: str) -> int:
    """Return the topic that a text names, 0 for none."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    return number if number in TOPICS else 0


def topic_and_document(path: str) -> tuple[int, str]:
    """Return (topic, document) from a file's name, "36_1ecb.xml"; topic 0 for none."""
    name = Path(path).stem
    return topic_number(name.partition("_")[0]), name


def example(
    raw: RawFiles, topic: int, listed: Sentences, files: Paths, task: str, split: str, record: Record
) -> Iterator[Row]:
    """Yield the documents of a topic, ordered by their texts, then the topic."""
    for name in sorted(listed.keys() - files.keys()):
        raise record.error("", f"lacks {name}.xml, which the list of sentences names", "missing file")
    texts: list[Text] = []
    entities = 0
    for name, path in sorted(files.items()):
        if name not in listed:
            where = Record({}, path[0], "")
            yield drop_by_filter(where, "no validated sentence", "the list names none of it", task=task, split=split)
            continue
        try:
            text = read(raw, path, listed[name])
        except MalformedFile as error:
            raise error.of_record() from None
        entities += text.entities
        if text.events:
            texts.append(text)
        else:
            where = Record({}, path[0], "")
            yield drop_by_filter(where, "no event mention", "its validated sentences have none", task=task, split=split)
    if not texts:
        yield drop_by_filter(
            record, "no document", "no document of the topic has an event mention", task=task, split=split
        )
        return
    texts.sort(key=lambda text: (text.text, text.name))  # SEAM's order, before it draws one
    mentions = [
        Mention(number, event.start, event.end, event.chain)
        for number, text in enumerate(texts)
        for event in text.events
    ]
    documents = [Document.of(text.text, title=text.name, source_file=text.file) for text in texts]
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=str(topic),
        document_ids=tuple(document.document_id for document in documents),
        references=(clusters(mentions),),
        metadata=metadata(topic=topic, mentions=spans(mentions), entities=entities),
    )
