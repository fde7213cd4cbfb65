"""Notes of a comparison as lines for people: equal ones are one line, files and models by what tells them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scrollwork.analysis.logs.compare import Compared
from scrollwork.analysis.logs.note import NAMED, Note
from scrollwork.analysis.logs.systems import short_names

LONGEST_NAME = 60  # characters of a file or a model in a line
LONG_BEGINNING = 10  # characters that all models begin with, from which on they are left out
SEPARATORS = ",/=: "


@dataclass(frozen=True)
class Line:
    """Notes of equal words. names, pairs, tasks, metrics: what all of them together are about, each with each."""

    before: str
    after: str
    file: bool
    names: tuple[str, ...]
    pairs: tuple[tuple[str, ...], ...]
    tasks: tuple[str, ...]
    metrics: tuple[str, ...]


def note_lines(compared: Compared) -> list[str]:
    """Return the notes for a terminal, Markdown or a page, in the order of the first of each. Texts are not escaped.

    With a single pair its models are A and B, and no line names the pair.
    """
    pairs = [(pair.a, pair.b) for pair in compared.pairs]
    models = dict.fromkeys(name for pair in pairs for name in pair)
    letters = dict(zip(pairs[0], "AB", strict=True)) if len(pairs) == 1 else {}
    owners: dict[str, set[str]] = {}
    for note in compared.notes:
        for name in note.names if note.file else ():
            owners.setdefault(name, set()).add(letters.get(note.of, ""))
    shown = {
        file: f"{short} ({letter})" if letters and len(owners[file]) == 1 and (letter := min(owners[file])) else short
        for file, short in short_names(owners).items()
    }
    return [line_text(line, pairs, letters or apart(list(models)), shown) for line in folded(compared.notes)]


def apart(names: Sequence[str]) -> dict[str, str]:
    """Return long names without what all of them begin with."""
    shortest = min(map(len, names), default=0)
    common = next((at for at in range(shortest) if len({name[at] for name in names}) > 1), shortest)
    length = max(names[0].rfind(mark, 0, common) for mark in SEPARATORS) + 1 if names else 0
    return {name: f"…{name[length:]}" if length >= LONG_BEGINNING else name for name in names}


def folded(notes: Iterable[Note]) -> list[Line]:
    """Put notes of equal words together: first those on several names, then on several metrics, tasks, pairs."""
    lines = [
        Line(
            note.before,
            note.after,
            note.file,
            note.names,
            (note.pair,) if note.pair and note.of_pair else (),
            (note.task,) if note.task else (),
            (note.metric,) if note.metric else (),
        )
        for note in notes
    ]
    for field in ("names", "metrics", "tasks", "pairs"):
        lines = together(lines, field)
    return lines


def together(lines: Iterable[Line], field: str) -> list[Line]:
    """Merge lines that differ in one field alone; one without it, which holds for all, stays by itself."""
    found: dict[tuple[Line, bool], dict[Any, None]] = {}
    for line in lines:
        values = getattr(line, field)
        found.setdefault((with_field(line, field, ()), bool(values)), {}).update(dict.fromkeys(values))
    return [with_field(line, field, tuple(each)) for (line, _), each in found.items()]


def with_field(line: Line, field: str, values: tuple[Any, ...]) -> Line:
    """Return a line with another value of a field."""
    changed: dict[str, Any] = {field: values}
    return replace(line, **changed)


def line_text(line: Line, pairs: Sequence[tuple[str, str]], models: Mapping[str, str], files: Mapping[str, str]) -> str:
    """Return a line. pairs: all that are compared. models, files: what they are called in lines."""
    names = [files[name] if line.file else models.get(name, name) for name in line.names]
    about = []
    if line.pairs and len(pairs) > 1:
        every = len(line.pairs) == len(pairs)
        listed_pairs = [" and ".join(cut(models.get(name, name)) for name in pair) for pair in line.pairs]
        about.append("every pair" if every else in_short(listed_pairs))
    about += [listed(line.tasks), listed(line.metrics)]
    return ": ".join([*filter(None, about), f"{line.before}{listed(names)}{line.after}"])


def listed(names: Sequence[str]) -> str:
    """List names, the long ones cut."""
    return in_short(list(map(cut, names)))


def in_short(texts: Sequence[str]) -> str:
    """List at most three texts, and count the others."""
    more = f" and {len(texts) - NAMED:,} more" if len(texts) > NAMED else ""
    return ("; " if any(", " in text for text in texts) else ", ").join(texts[:NAMED]) + more


def cut(name: str) -> str:
    """Return a name without its middle if it is long: what tells names apart is often at the end."""
    half = LONGEST_NAME // 2 - 1
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
