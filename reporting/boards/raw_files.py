"""How the raw files behind scores stand to what upstream publishes, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

PUBLISHED, OTHER, UNKNOWN, SAMPLE = "as published", "other bytes", "unknown", "bundled sample"
STATES = (OTHER, UNKNOWN, PUBLISHED, SAMPLE)
MOST = 20  # files named of a task
MOST_MODELS = 4  # named in a line


@dataclass(frozen=True)
class Held:
    """A raw file (path below the raw folder), its state, and why where it is not plain."""

    path: str
    state: str
    why: str = ""


@dataclass(frozen=True)
class RawNote:
    """The raw files of a task and split. states: how many files are in each. files: the first not known to be right.

    what: what is counted in them ("records", "examples", "references"; "" where no number is known). found, known: how
    many they give, and those of upstream. models: whose inputs were curated of them, where others' were of other files.
    """

    states: Mapping[str, int] = field(default_factory=dict)
    files: tuple[Held, ...] = ()
    what: str = ""
    found: int = 0
    known: int = 0
    models: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Iterable[Held], what: str = "", found: int = 0, known: int = 0) -> RawNote:
        """From all files."""
        held = list(files)
        states = {state: sum(one.state == state for one in held) for state in STATES}
        odd = sorted((one for one in held if one.state in (OTHER, UNKNOWN)), key=lambda one: STATES.index(one.state))
        return cls(states, tuple(odd[:MOST]), *((what, found, known) if not states[SAMPLE] else ()))

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> RawNote:
        """From what `plain` gives."""
        counts = plain.get("number") or {}
        files = tuple(Held(**one) for one in plain["files"])
        numbers = counts.get("of", ""), counts.get("found", 0), counts.get("known", 0)
        return cls(dict(plain["states"]), files, *numbers, tuple(plain.get("models", ())))

    def plain(self) -> dict[str, Any]:
        """As --json prints it: states, files, number: {of, found, known}, null where none is known."""
        number = {"of": self.what, "found": self.found, "known": self.known} if self.what else None
        models = {"models": list(self.models)} if self.models else {}
        return {"states": dict(self.states), "files": [asdict(one) for one in self.files], "number": number, **models}

    @property
    def number(self) -> str:
        """What is said where the files give another number than is known; "" where they do not."""
        if not self.what or self.found == self.known:
            return ""
        return f"the raw files give {self.found:,} {self.what}, those of upstream {self.known:,}"


def summary(told: Iterable[RawNote]) -> str:
    """ "raw files: 1 of other bytes, 2 unknown, 3 as published"; "" without any."""
    found = list(told)
    counts = {state: sum(one.states.get(state, 0) for one in found) for state in STATES}
    names = {OTHER: f"of {OTHER}", SAMPLE: f"of the {SAMPLE}"}
    told_counts = ", ".join(f"{count:,} {names.get(state, state)}" for state, count in counts.items() if count)
    return f"raw files: {told_counts}" if told_counts else ""


def remarks(told: Sequence[tuple[str, RawNote]]) -> Iterator[str]:
    """What stands out, by task: other bytes than published, and other numbers of examples than known."""
    for name, one in told:
        more_models = f" and {len(one.models) - MOST_MODELS} more" if len(one.models) > MOST_MODELS else ""
        task = f"{name} ({', '.join(one.models[:MOST_MODELS])}{more_models})" if one.models else name
        if count := one.states.get(OTHER):
            first = one.files[0]
            more = f", and {count - 1:,} more" if count > 1 else ""
            yield f"{task}: {first.path} has other bytes than upstream publishes ({first.why}){more}"
        if one.number:
            yield f"{task}: {one.number}"
