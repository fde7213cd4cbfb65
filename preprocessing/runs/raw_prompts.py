"""SEAM's raw prompts: one file per task, with paraphrases of its instruction and demonstrations. SEAM 2 and 4.

Demonstrations become examples. Their documents are kept as they are, already marked up (metadata: `marked`); their only
reference is the target as a prompt prints it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from typing import Any

from scrollwork.preprocessing.datasets.coreference import is_whole
from scrollwork.preprocessing.datasets.fuse_reviews import REVIEWS
from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import RawFiles, Record, convert_records
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.example import Example, metadata
from scrollwork.records.instruction import Instruction

MARK = re.compile(r"\]\((\d{1,9})\)")  # the end of a marked mention, with its id
START, END = "{HS}", "{HE}"  # around a highlight
HIGHLIGHT = re.compile(r"\{H[SE]\}")
IDS = ("id_train", "sample_id_train", "topic_id_train", "id")  # names of a demonstration's upstream id
# Checksums (`checksum`) of the published wordings, by task: fact sheet 4 and the official code's files.
PAPER = {
    "multi_news": "73a3ab854d07cff1",
    "open_asp": "99cf71de9f0453ab",
    "fuse_reviews": "9871464ec92dca6a",
    "musique": "101b56eda11b8ec2",
    "sci_co": "bbf913e3a69c9139",
    "ecb_plus": "1bb6ac2a615da00a",
}
CODE = {**PAPER, "fuse_reviews": "1715d02f4b9b0169", "musique": "66d5b2c64739877f", "ecb_plus": "bbf913e3a69c9139"}


def curate(raw: RawFiles, task: str, split: str) -> Iterator[Row]:
    """Yield the paraphrases of a task, then its demonstrations (documents and examples), in the order of its file.

    Raises MalformedFile for a file without paraphrases or demonstrations, ValueError for an unknown task.
    """
    if task not in FORMS:
        raise ValueError(f"there are no demonstrations of {task!r}; there are of {', '.join(FORMS)}")
    for path in raw.files("prompts"):
        whole = raw.object(path)
        demonstrations = "demos" if "demos" in whole.data else "demonstrations"
        check_lists(whole, "prompts", demonstrations)
        for number, one in enumerate(whole.items("prompts"), start=1):
            yield from convert_records([one], partial(instruction, number, task), task=task, split=split)
        for number, one in enumerate(whole.items(demonstrations), start=1):
            yield from convert_records([one], partial(demonstration, number, task, split), task=task, split=split)


def check_lists(whole: Record, *fields: str) -> None:
    """Raise MalformedFile unless each field is a list that is not empty."""
    for field in fields:
        try:
            if not whole.array(field):
                raise whole.error(field, "is empty", "empty field")
        except MalformedRecord as error:
            raise error.of_file() from None


def instruction(number: int, task: str, record: Record) -> Iterator[Instruction]:
    """Yield one paraphrase; its number is its position, as upstream's ids skip one."""
    text, output_format = record.text("instructions"), record.optional_text("output_format")
    yield Instruction(task, number, text, output_format, record.source)


def checksum(instructions: Iterable[Instruction]) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of the wordings, output formats included, joined by newlines."""
    return sha256("\n".join(one.whole for one in instructions).encode()).hexdigest()[:16]


def wording(task: str, instructions: Iterable[Instruction]) -> str:
    """Return whose paraphrases these are: "paper", "code" (the official one), "paper and code" for both, or "own"."""
    found = checksum(instructions)
    names = [name for name, known in (("paper", PAPER), ("code", CODE)) if known.get(task) == found]
    return " and ".join(names) or "own"


def demonstration(number: int, task: str, split: str, record: Record) -> Iterator[Row]:
    """Yield the documents of one demonstration, then its example; the id has its position."""
    texts = reviews_of(record) if "reviews" in record.data else record.texts("documents")
    if not texts:
        raise record.error("documents", "is empty", "empty field")
    if "" in (stripped := [text.strip() for text in texts]):
        raise record.error("documents", f"holds an empty text at place {stripped.index('') + 1}", "empty field")
    query, target, facts = FORMS[task](record, texts)
    upstream = next((str(record.data[name]) for name in IDS if record.data.get(name) is not None), "")
    documents = [Document.of(text, source_file=record.file, source_record=record.where) for text in texts]
    yield from documents
    yield Example(
        task=task,
        split=split,
        example_id=f"demonstration_{number}",
        document_ids=tuple(document.document_id for document in documents),
        query=query,
        references=(target,),
        metadata=metadata(upstream_id=upstream, **facts),
    )


def reviews_of(record: Record) -> list[str]:
    """Return the reviews of a demonstration, by their names. Raises MalformedRecord."""
    reviews = record.record("reviews")
    names = [f"review_{index}" for index in range(REVIEWS)]
    if len(reviews.data) != REVIEWS:
        raise record.error("reviews", f"are {len(reviews.data)}, must be {REVIEWS}")
    return [reviews.text(name) for name in names]


# ---- what a task's demonstrations have: (query, target as printed, facts)

Form = Callable[[Record, list[str]], tuple[str | None, str, dict[str, Any]]]


def summary(record: Record, texts: list[str]) -> tuple[str | None, str, dict[str, Any]]:
    """Read MultiNews."""
    return None, record.text("target"), {}


def aspect(record: Record, texts: list[str]) -> tuple[str | None, str, dict[str, Any]]:
    """Read OpenAsp: the aspect's label is the query."""
    return record.text("aspect_label"), record.text("target"), {}


def answer(record: Record, texts: list[str]) -> tuple[str | None, str, dict[str, Any]]:
    """Read MuSiQue: the target is a dict as Python prints it."""
    given = record.record("answer")
    answerable, content = given.boolean("is_answerable"), given.text("answer_content", empty=True)
    target = str({"is_answerable": answerable, "answer_content": content})
    return record.text("question"), target, {"answerable": answerable}


def fused_highlights(record: Record, texts: list[str]) -> tuple[str | None, str, dict[str, Any]]:
    """Read FuseReviews: `highlights` are [document, start, end] of what is between marks, in the text with marks."""
    found = [[index, start, end] for index, text in enumerate(texts) for start, end in highlights(record, index, text)]
    return None, record.text("output"), {"marked": True, "highlights": found}


def highlights(record: Record, index: int, text: str) -> Iterator[tuple[int, int]]:
    """Yield [start, end) of what is between a start and an end mark. Raises MalformedRecord."""
    opened: int | None = None
    for mark in HIGHLIGHT.finditer(text):
        if (mark[0] == START) is (opened is not None):
            raise record.error(
                f"reviews.review_{index}", f"has {mark[0]} where the other mark must come", "broken marks"
            )
        if opened is None:
            opened = mark.end()
        else:
            yield opened, mark.start()
            opened = None
    if opened is not None:
        raise record.error(f"reviews.review_{index}", f"ends without {END}", "broken marks")


def clusters(record: Record, texts: list[str]) -> tuple[str | None, str, dict[str, Any]]:
    """Read SciCo and ECB+: the target is a list of lists as Python prints it.

    ids: of the marked mentions, in text order; unmatched: those in only the texts or only the target (upstream has one
    such pair), kept as they are.
    """
    target = record.array("target")
    if not all(isinstance(one, list) and one and all(is_whole(number) for number in one) for one in target):
        raise record.error("target", "must be lists of whole numbers", "wrong type")
    ids = [int(mark[1]) for text in texts for mark in MARK.finditer(text)]
    clustered = [number for one in target for number in one]
    for field, numbers in (("documents", ids), ("target", clustered)):
        if len(set(numbers)) != len(numbers):
            twice = next(number for number in numbers if numbers.count(number) > 1)
            raise record.error(field, f"names mention {twice} twice", "duplicate id")
    return None, str(target), {"marked": True, "ids": ids, "unmatched": sorted(set(ids) ^ set(clustered))}


FORMS: dict[str, Form] = {
    "multi_news": summary,
    "open_asp": aspect,
    "fuse_reviews": fused_highlights,
    "musique": answer,
    "sci_co": clusters,
    "ecb_plus": clusters,
}
