"""BookSumSort, built from BookSum (Kryściński et al. 2022): put shuffled chapter summaries in order. ZeroSCROLLS 3.1.3.

Each book uses one source of study guides, by preference; introductions and overviews are left out; what reveals a
part's place is removed by named rules (chapters/strip.py; docs/booksumsort.md). Books have 3 to 86 parts, and four
distinct orders each.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scrollwork.preprocessing.chapters.edits import Book, Edit
from scrollwork.preprocessing.chapters.intro import is_introduction
from scrollwork.preprocessing.chapters.strip import Stripped, strip_position
from scrollwork.preprocessing.raw.errors import MalformedFile, MalformedRecord, printable
from scrollwork.preprocessing.raw.files import RawFiles, drop_of_error
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example, metadata
from scrollwork.records.stable_choice import stable_order

BY_RECORD = ()  # a share has a stretch of the books
PART = re.compile(r"section_(\d+)_part_(\d+)\.txt")

File = tuple[str, Path]


@dataclass(frozen=True)
class Part:
    """A part's summary in the raw file, without blank lines. name: of the part in its book.

    analysed: the guide also has an analysis of the part.
    """

    file: str
    name: str
    text: str
    analysed: bool


def curate(
    raw: RawFiles,
    task: str,
    split: str,
    *,
    permutations: int,
    fewest: int,
    most: int,
    sources: Sequence[str],
    edits: Sequence[str],
    seed: int,
) -> Iterator[Row]:
    """Yield part summaries as documents, and `permutations` examples for each book.

    fewest, most: parts of a book; other books are dropped. sources: of study guides, the preferred first. edits: rules
    of chapters/strip.py.
    """
    if raw.is_first:
        yield from misplaced_files(raw.files(), task, split)
    for title, source, files in raw.own(chosen_books(raw.files(), sources)):
        parts: list[Part] = []
        malformed = False
        for file in files:
            try:
                parts.append(part(raw, file))
            except (MalformedFile, MalformedRecord) as error:
                malformed = True
                yield drop_of_error(error.of_record(), task, split)
        where = printable(f"booksum/finished_summaries/{source}/{title}")
        if malformed:  # a book with a gap has no true order
            detail = f"{where}: a part is malformed, its order would have a gap"
            yield Drop(task, split, where, "book with a malformed part", detail, error=True)
            continue
        told = story_parts(parts, edits)
        for one in parts:
            if one not in told:
                yield Drop(task, split, one.file, "introduction or overview", f"its name is {one.name!r}", error=False)
        edited = without_position(title, told, edits)
        if bare := next((one for one, after in edited if not after.text), None):
            yield Drop(task, split, where, "part without text after its edits", bare.file, error=False)
            continue
        documents = [Document.of(after.text, title=one.name, source_file=one.file) for one, after in edited]
        if len({document.document_id for document in documents}) < len(documents):
            yield Drop(task, split, where, "repeated summary", "two parts have the same text", error=False)
        elif not fewest <= len(documents) <= most:
            yield Drop(task, split, where, "number of parts", f"{len(documents)} parts", error=False)
        else:
            counts = Counter(edit.rule for _, after in edited for edit in after.edits)
            yield from documents
            yield from examples(title, source, documents, counts, permutations, seed, task, split)


def story_parts(parts: Sequence[Part], edits: Sequence[str]) -> list[Part]:
    """Return the parts that tell some of the story: by their names not introductions, overviews or analyses.

    A guide's analysis of the whole book is its last part; without a name, it is known as the only part without an
    analysis.
    """
    if "introduction" not in edits:
        return list(parts)
    told = [one for one in parts if not is_introduction(one.name)]
    nameless = told and not told[-1].name.strip() and not told[-1].analysed
    return told[:-1] if nameless and len(told) > 1 and all(one.analysed for one in told[:-1]) else told


def without_position(title: str, parts: Sequence[Part], edits: Sequence[str]) -> list[tuple[Part, Stripped]]:
    """Return each part of a book with its edited summary."""
    book = Book.of(title, [one.text for one in parts])
    return [(one, strip_position(one.text, one.name, book, edits)) for one in parts]


def cuts(
    raw: RawFiles, sources: Sequence[str], edits: Sequence[str], *, every: bool = False
) -> Iterator[tuple[Part, Edit | None]]:
    """Yield every edit with its part, for a person to check; None for a part that is left out as an introduction.

    Covers the books' chosen sources, or `every` source. Malformed parts are skipped: `curate` reports them.
    """
    for title, _, files in chosen_books(raw.files(), sources, every=every):
        parts = []
        for file in files:
            try:
                parts.append(part(raw, file))
            except (MalformedFile, MalformedRecord):
                continue
        told = story_parts(parts, edits)
        yield from ((one, None) for one in parts if one not in told)
        yield from ((one, edit) for one, after in without_position(title, told, edits) for edit in after.edits)


def chosen_books(
    files: Sequence[File], sources: Sequence[str], *, every: bool = False
) -> Iterator[tuple[str, str, list[File]]]:
    """Yield title, source, and files in the book's order: the preferred source of each book, or every one."""
    for _, by_source in sorted(books(files).items()):
        best = min(by_source, key=lambda one: preference(one[0], sources))
        for source, title in sorted(by_source) if every else [best]:
            found = by_source[source, title]
            yield title, source, [found[place] for place in sorted(found)]


def books(files: Sequence[File]) -> dict[str, dict[tuple[str, str], dict[tuple[int, int], File]]]:
    """Return book -> (source, its title there) -> (section, part) -> file. Titles differ in capitals and articles."""
    found: dict[str, dict[tuple[str, str], dict[tuple[int, int], File]]] = defaultdict(lambda: defaultdict(dict))
    for name, place in files:
        path = PurePosixPath(name)
        if match := PART.fullmatch(path.name):
            title, source = path.parent.name, path.parent.parent.name
            found[same_title(title)][source, title].setdefault((int(match[1]), int(match[2])), (name, place))
    return found


def misplaced_files(files: Sequence[File], task: str, split: str) -> Iterator[Drop]:
    """Yield drops of files whose place in their book is not known, or is that of another file."""
    seen: dict[tuple[PurePosixPath, int, int], str] = {}
    for name, _ in files:
        path = PurePosixPath(name)
        match = PART.fullmatch(path.name)
        if match is None:
            error = MalformedRecord(name, "", "", "is not named section_<number>_part_<number>.txt", "file name")
            yield drop_of_error(error, task, split)
        elif (other := seen.setdefault((path.parent, int(match[1]), int(match[2])), name)) != name:
            error = MalformedRecord(other, "", "", f"has the place of {path.name}, which is taken", "duplicate id")
            yield drop_of_error(error, task, split)


def same_title(title: str) -> str:
    """Return what titles of one book share: "The Tragedy of Macbeth", "macbeth"; "Typee; or, the Isles", "Typee"."""
    plain = " ".join(title.casefold().replace("’", "'").split())
    short = re.sub(r"\s*[,;:]\s*or\b,?\s.*$", "", plain)
    return re.sub(r"^(?:the\s+)?(?:tragedy|tragedie)\s+of\s+|^(?:the|an?)\s+", "", short)


def preference(source: str, sources: Sequence[str]) -> tuple[int, str]:
    """Return the sort key of a source: in the order given, then the others by name."""
    return (sources.index(source) if source in sources else len(sources), source)


def part(raw: RawFiles, path: File) -> Part:
    """Read one part's summary, without blank lines inside (fact sheet 3.3)."""
    record = raw.object(path)
    text = re.sub(r"\n\s*\n", "\n", record.text("summary")).strip()
    analysed = bool(str(record.data.get("analysis") or "").strip())
    return Part(path[0], record.text("name", empty=True), text, analysed)


def examples(
    title: str,
    source: str,
    documents: Sequence[Document],
    edits: Mapping[str, int],
    count: int,
    seed: int,
    task: str,
    split: str,
) -> Iterator[Example]:
    """Yield distinct random orders of the parts; the gold lists, in book order, where each part is shown (from 1)."""
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
            metadata=metadata(book=title, source=source, parts=len(documents), edits=dict(edits)),
        )
