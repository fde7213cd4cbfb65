"""Our version of a task compared with a release: ids, inputs, references and offsets, and their first differences.

Inputs are paired by id; a released input with an id of another scheme by its text, else by its documents and query.
Between equal inputs (QMSum asks one query of a meeting twice), the references decide.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scrollwork.preprocessing.datasets.official_release import output_of, pieces_of
from scrollwork.preprocessing.prompts.template import Template, official_rows
from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import Record
from scrollwork.records.example import Example

SHOWN = 40  # characters shown around the first difference
NOT_COMPARED = ("id", "pid", "output")
REFERENCES, IN_ORDER = "references", "references_in_order"
WAYS = ("id", "input", "documents and query")

Rows = Callable[[], Iterable[Record | MalformedRecord]]


@dataclass(frozen=True)
class Difference:
    """The first difference of a kind. at: character at which the texts differ, None if they are not texts."""

    example_id: str
    released_id: str
    at: int | None
    ours: Any
    released: Any

    def to_json(self) -> dict[str, Any]:
        """Return it as the command prints it."""
        return {
            "id": self.example_id,
            "release_id": self.released_id,
            "at": self.at,
            "ours": self.ours,
            "release": self.released,
        }


@dataclass
class Comparison:
    """The result of a comparison. ours, released: ids. rows: of the release.

    unreadable: rows that are not records of this benchmark. paired: number of inputs by the way in which they were
    paired. equal, of: by kind, how many of how many paired inputs agree (references: only inputs whose released ones
    are public). first: the first difference by kind.
    """

    ours: tuple[str, ...]
    released: tuple[str, ...] = ()
    rows: int = 0
    unreadable: int = 0
    unreadable_first: str = ""
    paired: Counter[str] = field(default_factory=Counter)
    equal: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    first: dict[str, Difference] = field(default_factory=dict)

    @property
    def equal_ids(self) -> float | None:
        """Return ids in both / ids in either; None without ids."""
        either = {*self.ours, *self.released}
        return len({*self.ours} & {*self.released}) / len(either) if either else None

    def share(self, kind: str) -> float | None:
        """Return the share of paired inputs that agree in a kind, 0 to 1; None without any."""
        return self.equal[kind] / self.of[kind] if self.of[kind] else None

    def to_json(self) -> dict[str, Any]:
        """Return it as the command prints it."""
        here, there = {*self.ours}, {*self.released}
        return {
            "ours": len(self.ours),
            "release": len(self.released),
            "release_rows": self.rows,
            "unreadable_rows": self.unreadable,
            "unreadable_first": self.unreadable_first or None,
            "equal_ids": self.equal_ids,
            "ids_only_ours": len(here - there),
            "ids_only_release": len(there - here),
            "first_id_only_ours": next((name for name in self.ours if name not in there), None),
            "first_id_only_release": next((name for name in self.released if name not in here), None),
            "paired_by": {way: self.paired[way] for way in WAYS},
            "equal": {
                kind: {"equal": self.equal[kind], "of": self.of[kind], "share": self.share(kind)} for kind in self.of
            },
            "first_differences": {kind: difference.to_json() for kind, difference in self.first.items()},
        }

    def note(self, kind: str, same: bool, difference: Callable[[], Difference]) -> None:
        """Count one paired input for a kind, and keep the first difference."""
        self.of[kind] += 1
        self.equal[kind] += same
        if not same and kind not in self.first:
            self.first[kind] = difference()


@dataclass
class _Released:
    """A released input whose rows are not all read yet, and the example that it is paired with."""

    references: list[str]
    example: Example | None


def compare(
    ours: Sequence[Example], text_of: Callable[[str], str], template: Template, query_ends: str, split: str, rows: Rows
) -> Comparison:
    """Compare our examples with the rows of a release. Raises MalformedFile if it cannot be read to its end.

    text_of: a document's text by id. query_ends: see official_release.py. rows: returns them anew at each call; they
    are read twice.
    """
    found = Comparison(tuple(example.example_id for example in ours))
    by_id = {example.example_id: example for example in ours}
    theirs = _references_by_id(rows(), split)
    pairing = _Pairing([one for one in ours if one.example_id not in theirs], theirs, text_of, template, query_ends)
    released: dict[str, _Released] = {}
    for row in rows():
        found.rows += 1
        try:
            if isinstance(row, MalformedRecord):
                raise row
            name, output = row.text("id"), output_of(row, split)
            if name not in released:
                row.text("input")
                way, example = ("id", by_id[name]) if name in by_id else pairing.of(row)
                released[name] = _Released([], example)
                if example is not None:
                    found.paired[way] += 1
                    _compare_record(found, example, row, template, text_of)
            if output is not None:
                released[name].references.append(output)
        except MalformedRecord as problem:
            found.unreadable += 1
            found.unreadable_first = found.unreadable_first or str(problem)
    found.released = tuple(released)
    for name, one in released.items():
        if one.example is not None and one.references:
            _compare_references(found, one.example, name, one.references)
    return found


def _references_by_id(rows: Iterable[Record | MalformedRecord], split: str) -> dict[str, frozenset[bytes]]:
    """Return digests of the references of each released input."""
    found: dict[str, set[bytes]] = {}
    for row in rows:
        if isinstance(row, MalformedRecord) or "id" not in row.data:
            continue
        own = found.setdefault(str(row.data["id"]), set())
        with suppress(MalformedRecord):  # reported where it is compared
            if (output := output_of(row, split)) is not None:
                own.add(_digest(output))
    return {name: frozenset(own) for name, own in found.items()}


class _Pairing:
    """A pairing of released inputs with those of ours whose ids the release lacks, each used once.

    theirs: digests of the references of the released inputs, by id.
    """

    def __init__(
        self,
        ours: Sequence[Example],
        theirs: Mapping[str, frozenset[bytes]],
        text_of: Callable[[str], str],
        template: Template,
        query_ends: str,
    ) -> None:
        self._template, self._query_ends = template, query_ends
        self._theirs, self._told = theirs, {*theirs.values()}
        self._free = {example.example_id for example in ours}
        self._by_content: dict[tuple[tuple[str, ...], str], list[Example]] = {}
        self._by_input: dict[bytes, list[Example]] = {}
        for one in ours:
            self._by_content.setdefault(_content(one.document_ids, one.query), []).append(one)
            text = official_rows(one, template, text_of)[0]["input"]
            self._by_input.setdefault(_digest(text), []).append(one)

    def of(self, row: Record) -> tuple[str, Example | None]:
        """Return (way, our example) for a released row, ("", None) if there is none."""
        if not self._free:
            return "", None
        for way, equal in self._candidates(row):
            if free := [one for one in equal if one.example_id in self._free]:
                example = min(free, key=lambda one: self._unlike(one, row.text("id")))
                self._free.remove(example.example_id)
                return way, example
        return "", None

    def _unlike(self, example: Example, name: str) -> tuple[bool, bool]:
        """Return a sort key: first examples with this input's references, last those with another released input's."""
        own = frozenset(map(_digest, example.references))
        return own != self._theirs[name], own in self._told

    def _candidates(self, row: Record) -> Iterator[tuple[str, list[Example]]]:
        yield WAYS[1], self._by_input.get(_digest(row.text("input")), [])
        try:
            pieces = pieces_of(row, self._template, self._query_ends)
        except MalformedRecord:  # its offsets are wrong, which is counted where they are compared
            return
        ids = tuple(document.document_id for document in pieces.documents)
        yield WAYS[2], self._by_content.get(_content(ids, pieces.query), [])


def _content(document_ids: Sequence[str], query: str | None) -> tuple[tuple[str, ...], str]:
    return tuple(document_ids), query or ""


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _compare_record(
    found: Comparison, example: Example, row: Record, template: Template, text_of: Callable[[str], str]
) -> None:
    """Compare input and offsets of a paired input."""
    own: Mapping[str, Any] = official_rows(example, template, text_of)[0]
    name = row.text("id")
    for kind, value in own.items():
        if kind in NOT_COMPARED:
            continue
        other = row.data.get(kind)

        def difference(mine: Any = value, theirs: Any = other) -> Difference:
            return _difference(example.example_id, name, mine, theirs)

        found.note(kind, value == other and type(value) is type(other), difference)


def _compare_references(found: Comparison, example: Example, name: str, theirs: Sequence[str]) -> None:
    """Compare references as sets, and as lists."""
    ours = example.references
    lacking = next((text for text in ours if text not in theirs), None)
    added = next((text for text in theirs if text not in ours), None)
    found.note(REFERENCES, set(ours) == set(theirs), lambda: _difference(example.example_id, name, lacking, added))

    def in_order() -> Difference:
        number = next(
            (number for number, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]),
            min(len(ours), len(theirs)),
        )
        pair = (texts[number] if number < len(texts) else None for texts in (ours, theirs))
        return _difference(example.example_id, name, *pair)

    found.note(IN_ORDER, tuple(theirs) == ours, in_order)


def _difference(example_id: str, released_id: str, ours: Any, released: Any) -> Difference:
    """Return where two values differ, with texts cut to the characters around that place."""
    if isinstance(ours, str) and isinstance(released, str):
        at = first_difference(ours, released)
        start = max(0, at - SHOWN // 2)
        around = (escape_surrogates(text[start : start + SHOWN]) for text in (ours, released))
        return Difference(example_id, released_id, at, *around)
    return Difference(example_id, released_id, None, _short(ours), _short(released))


def first_difference(ours: str, released: str) -> int:
    """Return the first position at which two texts differ, or where the shorter one ends."""
    pairs = enumerate(zip(ours, released, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(ours), len(released)))


def _short(value: Any) -> Any:
    """Return a value other than two texts in few characters, of a text its beginning."""
    if isinstance(value, str):
        return escape_surrogates(value[:SHOWN])
    if isinstance(value, int | float | None) or (isinstance(value, list) and len(repr(value)) <= 2 * SHOWN):
        return value
    return escape_surrogates(repr(value)[: 2 * SHOWN])


def escape_surrogates(text: str) -> str:
    """Return the text with lone surrogates escaped, so that it can be printed."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
