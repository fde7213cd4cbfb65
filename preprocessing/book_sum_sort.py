"""BookSumSort, built from BookSum (Kryściński et al. 2022): put shuffled chapter summaries in order. ZeroSCROLLS 3.1.3.

One source of study guides a book, by preference; books of 3 to 86 parts; four distinct permutations a book. The paper's
manual edits (introductions, titles, position-revealing words) are not made here (fidelity.md#booksumsort).
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from preprocessing.errors import MalformedFile, MalformedRecord, sayable
from preprocessing.raw import RawFiles, dropped
from records.base import Row
from records.document import Document
from records.drop import Drop
from records.example import Example, metadata
from records.stable import stable_order

PART = re.compile(r"section_(\d+)_part_(\d+)\.txt")
File = tuple[str, Path]


def curate(
    raw: RawFiles,
    task: str,
    split: str,
    *,
    permutations: int,
    fewest: int,
    most: int,
    sources: Sequence[str],
    seed: int,
) -> Iterator[Row]:
    """Section summaries as documents; a book gives `permutations` examples."""
    yield from misnamed(raw.files(), task, split)
    for title, by_source in sorted(books(raw.files()).items()):
        source = min(by_source, key=lambda name: preference(name, sources))
        documents: list[Document] = []
        malformed = False
        for _, path in sorted(by_source[source].items()):
            try:
                documents.append(summary(raw, path))
            except (MalformedFile, MalformedRecord) as error:
                malformed = True
                yield dropped(error.of_record(), task, split)
        where = sayable(f"booksum/finished_summaries/{source}/{title}")
        if malformed:  # a book with a gap has no true order
            yield Drop(task, split, where, "book with a malformed part", "its order would have a gap", error=True)
        elif len({document.document_id for document in documents}) < len(documents):
            yield Drop(task, split, where, "repeated summary", "two parts have the same text", error=False)
        elif not fewest <= len(documents) <= most:
            yield Drop(task, split, where, "number of parts", f"{len(documents)} parts", error=False)
        else:
            yield from documents
            yield from examples(title, source, documents, permutations, seed, task, split)


def books(files: Sequence[File]) -> dict[str, dict[str, dict[tuple[int, int], File]]]:
    """Title -> source -> (section, part) -> file."""
    found: dict[str, dict[str, dict[tuple[int, int], File]]] = defaultdict(lambda: defaultdict(dict))
    for name, place in files:
        path = PurePosixPath(name)
        if match := PART.fullmatch(path.name):
            found[path.parent.name][path.parent.parent.name].setdefault((int(match[1]), int(match[2])), (name, place))
    return found


def misnamed(files: Sequence[File], task: str, split: str) -> Iterator[Drop]:
    """Files whose place in their book is not known, or is that of another file."""
    seen: dict[tuple[PurePosixPath, int, int], str] = {}
    for name, _ in files:
        path = PurePosixPath(name)
        match = PART.fullmatch(path.name)
        if match is None:
            error = MalformedRecord(name, "", "", "is not named section_<number>_part_<number>.txt", "file name")
            yield dropped(error, task, split)
        elif (other := seen.setdefault((path.parent, int(match[1]), int(match[2])), name)) != name:
            error = MalformedRecord(other, "", "", f"has the place of {path.name}, which is taken", "duplicate id")
            yield dropped(error, task, split)


def preference(source: str, sources: Sequence[str]) -> tuple[int, str]:
    """Where a source stands: in the order given, the others after them by name."""
    return (sources.index(source) if source in sources else len(sources), source)


def summary(raw: RawFiles, path: File) -> Document:
    """One part's summary, without blank lines inside (fact sheet 3.3)."""
    record = raw.object(path)
    text = re.sub(r"\n\s*\n", "\n", record.text("summary")).strip()
    return Document.of(text, title=record.text("name", empty=True), source_file=path[0])


def examples(
    title: str, source: str, documents: Sequence[Document], count: int, seed: int, task: str, split: str
) -> Iterator[Example]:
    """Distinct random orders of the parts; the gold lists, in the book's order, where each part is shown (from 1)."""
    seen: set[tuple[int, ...]] = set()
    attempt = 0
    count = min(count, math.factorial(len(documents)))
    while len(seen) < count:
        order = tuple(stable_order(range(len(documents)), seed, task, title, attempt))
        attempt += 1
        if order in seen:
            continue
        seen.add(order)
        shown_at = {part: place for place, part in enumerate(order, start=1)}
        yield Example(
            task=task,
            split=split,
            example_id=f"{title}_{len(seen) - 1}",
            document_ids=tuple(documents[part].document_id for part in order),
            references=(", ".join(str(shown_at[part]) for part in range(len(documents))),),
            metadata=metadata(book=title, source=source, parts=len(documents)),
        )
