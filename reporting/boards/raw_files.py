"""Compare the raw files behind scores with those that upstream publishes, and say what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

PUBLISHED, OTHER, UNKNOWN, SAMPLE = "as published", "other bytes", "unknown", "bundled sample"
STATES = (OTHER, UNKNOWN, PUBLISHED, SAMPLE)
MOST = 20  # files listed for a task
MOST_MODELS = 4  # models named in a line


@dataclass(frozen=True)
class RawFileState:
    """A raw file (path below the raw folder), its state, and the reason where needed."""

    path: str
    state: str
    why: str = ""


@dataclass(frozen=True)
class RawNote:
    """A note on the raw files of a task and split. states: number of files by state. files: the first MOST that are not
    known to be right.

    what: what is counted ("records", "examples", "references"; "" if upstream's number is unknown). found, known: the
    number in these files, and in upstream's. models: models with inputs from these files, if others have other files.
    """

    states: Mapping[str, int] = field(default_factory=dict)
    files: tuple[RawFileState, ...] = ()
    what: str = ""
    found: int = 0
    known: int = 0
    models: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Iterable[RawFileState], what: str = "", found: int = 0, known: int = 0) -> RawNote:
        """Make a note from all files."""
        held = list(files)
        states = {state: sum(one.state == state for one in held) for state in STATES}
        odd = sorted((one for one in held if one.state in (OTHER, UNKNOWN)), key=lambda one: STATES.index(one.state))
        return cls(states, tuple(odd[:MOST]), *((what, found, known) if not states[SAMPLE] else ()))

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> RawNote:
        """Read the result of `plain`."""
        counts = plain.get("number") or {}
        files = tuple(RawFileState(**one) for one in plain["files"])
        numbers = counts.get("of", ""), counts.get("found", 0), counts.get("known", 0)
        return cls(dict(plain["states"]), files, *numbers, tuple(plain.get("models", ())))

    def plain(self) -> dict[str, Any]:
        """As --json prints it: states, files, number: {of, found, known}, null where none is known."""
        number = {"of": self.what, "found": self.found, "known": self.known} if self.what else None
        models = {"models": list(self.models)} if self.models else {}
        return {"states": dict(self.states), "files": [asdict(one) for one in self.files], "number": number, **models}

    @property
    def number(self) -> str:
        """A sentence if the number differs from upstream's; else ""."""
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
    """Remarks by task: files with other bytes than published, and other numbers of examples than upstream's."""
    for name, one in told:
        more_models = f" and {len(one.models) - MOST_MODELS} more" if len(one.models) > MOST_MODELS else ""
        task = f"{name} ({', '.join(one.models[:MOST_MODELS])}{more_models})" if one.models else name
        if count := one.states.get(OTHER):
            first = one.files[0]
            more = f", and {count - 1:,} more" if count > 1 else ""
            yield f"{task}: {first.path} has other bytes than upstream publishes ({first.why}){more}"
        if one.number:
            yield f"{task}: {one.number}"
