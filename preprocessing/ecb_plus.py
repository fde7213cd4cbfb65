"""ECB+ (Cybulska and Vossen 2014): event mentions in news, coreferent across the documents of a topic. SEAM 1.2.

Splits and what is validated follow Cattan et al. (2021): topics 36 to 45 are test, eight others validation.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from preprocessing.coreference import Mention, clusters, spans
from preprocessing.ecb_document import Text, read
from preprocessing.errors import MalformedFile, MalformedRecord
from preprocessing.raw import RawFiles, Record, dropped, each, filtered
from records.base import Row
from records.document import Document
from records.example import Example, metadata

VALIDATION = frozenset({2, 5, 12, 18, 21, 23, 34, 35})
TEST = frozenset(range(36, 46))
COLUMNS = ("Topic", "File", "Sentence Number")
Sentences = dict[str, set[int]]  # of a document, by its name ("36_1ecb")
Paths = dict[str, tuple[str, Path]]


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Documents with event mentions in validated sentences, each topic as an example, by its number.

    A topic with a document that cannot be used is dropped whole: its gold would be another.
    """
    listed: dict[int, Sentences] = defaultdict(lambda: defaultdict(set))
    broken: dict[int, MalformedRecord] = {}
    for row in raw.rows("sentences", COLUMNS):
        try:
            topic, name, number = sentence(row)
        except MalformedRecord as error:
            yield dropped(error, task, split)
            continue
        listed[topic][name].add(number)
    files: dict[int, Paths] = defaultdict(dict)
    for path in raw.files("documents"):
        topic, name = named(path[0])
        if name in files[topic]:
            broken.setdefault(topic, MalformedRecord(path[0], "", "", "is there a second time", "duplicate id"))
        files[topic][name] = path
    for topic in sorted(listed.keys() | files.keys()):
        if topic and split_of(topic) == split:
            record = broken.get(topic) or Record({}, raw.dataset, f"topic {topic}")
            convert = partial(example, raw, topic, listed[topic], files[topic], task, split)
            yield from each([record], convert, task=task, split=split)


def split_of(topic: int) -> str:
    """The split of a topic."""
    return "test" if topic in TEST else "validation" if topic in VALIDATION else "train"


def sentence(row: Record | MalformedRecord) -> tuple[int, str, int]:
    """(topic, document, sentence) of a row of the list of validated sentences. Raises MalformedRecord."""
    if isinstance(row, MalformedRecord):
        raise row
    topic, name, number = (row.text(column).strip() for column in COLUMNS)
    for column, value in (("Topic", topic), ("Sentence Number", number)):
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise row.error(column, f"{value!r} is no number", "wrong type")
    return int(topic), f"{topic}_{name}", int(number)


def named(path: str) -> tuple[int, str]:
    """(topic, document) by a file's name, "36_1ecb.xml"; topic 0 for another form."""
    name = Path(path).stem
    topic = name.partition("_")[0]
    return (int(topic) if topic.isascii() and topic.isdigit() and len(topic) < 10 else 0), name


def example(
    raw: RawFiles, topic: int, listed: Sentences, files: Paths, task: str, split: str, record: Record
) -> Iterator[Row]:
    """The documents of a topic, then the topic. Documents stand in the order of their texts."""
    for name in sorted(listed.keys() - files.keys()):
        raise record.error("", f"lacks {name}.xml, which the list of sentences names", "missing file")
    texts: list[Text] = []
    entities = 0
    for name, path in sorted(files.items()):
        if name not in listed:
            where = Record({}, path[0], "")
            yield filtered(where, "no validated sentence", "the list names none of it", task=task, split=split)
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
            yield filtered(where, "no event mention", "its validated sentences have none", task=task, split=split)
    if not texts:
        yield filtered(record, "no document", "no document of the topic has an event mention", task=task, split=split)
        return
    texts.sort(key=lambda text: (text.text, text.name))  # as SEAM has them before it draws an order
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
