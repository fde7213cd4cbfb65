"""What every part of the generator uses: seeded choices, table files, templates, writing of files.

Choices come from sha256 in counter mode, so the corpus is the same on every Python version and machine.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

TABLES = Path(__file__).resolve().parent / "tables"
SLOT = re.compile(r"(?<!\{)\{(\w+)(?::(\w+))?\}(?!\})")
ARTICLE = re.compile(r"\b([Aa]) (?=[aeioAEIO])")
PRONOUNS = {
    "she": {"they": "she", "them": "her", "their": "her", "theirs": "hers"},
    "he": {"they": "he", "them": "him", "their": "his", "theirs": "his"},
}

Row = dict[str, str]
T = TypeVar("T")


@dataclass(frozen=True)
class Person:
    """A character: a name and the pronouns that go with it."""

    name: str
    pronoun: str

    @property
    def given(self) -> str:
        """The first word of the name."""
        return self.name.split()[0]

    def form(self, which: str | None) -> str:
        """The name, or one of: they, them, their, given."""
        if which is None:
            return self.name
        return self.given if which == "given" else PRONOUNS[self.pronoun][which]


@cache
def table(name: str) -> dict[str, list[str]]:
    """One file of tables/: lines under "== key" headings; "#" starts a comment line."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (TABLES / f"{name}.txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            lines = found.setdefault(line[3:].strip(), [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line.strip())
    return found


def rows(name: str, key: str) -> list[Row]:
    """The lines of a table as records: the first line names the columns, "|" parts them."""
    header, *body = [[cell.strip() for cell in line.split("|")] for line in table(name)[key]]
    return [dict(zip(header, line, strict=True)) for line in body]


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def identity(*parts: object, length: int = 40) -> str:
    """A hexadecimal id that depends on nothing but the parts."""
    return sha256("/".join(map(str, parts)).encode()).hexdigest()[:length]


@dataclass
class Voice:
    """Seeded choices and templates over some tables; no line comes back before its table is used up."""

    seed: str
    tables: Sequence[str] = ()
    _drawn: int = 0
    _decks: dict[str, list[str]] = field(default_factory=dict)

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound - 1."""
        self._drawn += 1
        return int(sha256(f"{self.seed}#{self._drawn}".encode()).hexdigest()[:12], 16) % bound

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """A shuffled copy (Fisher and Yates)."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]

    def pick(self, items: Sequence[T], count: int) -> list[T]:
        """So many different items in random order."""
        return self.shuffled(items)[:count]

    def say(self, key: str, facts: Mapping[str, Any]) -> str:
        """The next line of a table with its slots filled."""
        if not self._decks.get(key):
            self._decks[key] = self.shuffled(self._lines(key))
        return self.fill(self._decks[key].pop(), facts)

    def fill(self, template: str, facts: Mapping[str, Any]) -> str:
        """Fill slots: {fact}, {person:their} or {table_key}; "{{" is left alone.

        An upper-case first letter in the slot asks for one in the text.
        """

        def value(match: re.Match[str]) -> str:
            name, which = match.groups()
            key = name[:1].lower() + name[1:]
            found = facts[key] if key in facts else self.say(key, facts)
            text = found.form(which) if isinstance(found, Person) else str(found)
            if SLOT.search(text):
                text = self.fill(text, facts)
            return capital(text) if name[:1].isupper() else text

        return ARTICLE.sub(r"\1n ", SLOT.sub(value, template))

    def _lines(self, key: str) -> list[str]:
        for name in self.tables:
            if key in table(name):
                return table(name)[key]
        raise KeyError(f"no fact and no table named {key!r} in {', '.join(self.tables)}")


def people(voice: Voice, count: int) -> list[Person]:
    """So many characters with different given names and different surnames."""
    given = voice.pick(rows("names", "given"), count)
    family = voice.pick(table("names")["family"], count)
    return [Person(f"{row['name']} {last}", row["pronoun"]) for row, last in zip(given, family, strict=True)]


def write_text(path: Path, text: str) -> None:
    """The text as UTF-8, newlines as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))


def write_json(path: Path, value: Any, indent: int | None = None) -> None:
    """One JSON value, Unicode kept as it is."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=indent) + "\n")


def write_lines(path: Path, records: Iterable[Any]) -> None:
    """JSON lines. Strings may hold U+2028: only "\\n" ends a record."""
    write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
