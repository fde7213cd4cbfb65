"""Sentences that a reader should know before believing a comparison, each with what it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

NAMED = 3


@dataclass(frozen=True)
class Note:
    """One sentence: `before`, the names of what it is about, `after`.

    names: of systems, or the file of a log (file); none where the sentence is about the pair or about all. pair: names
    of A and B, () where the note is on a log or on all pairs. of_pair: whether it would be another sentence with
    another partner. task, metric: "" where it holds for all. of: the system whose log the file is.
    """

    before: str = ""
    names: tuple[str, ...] = ()
    after: str = ""
    pair: tuple[str, ...] = ()
    of_pair: bool = True
    task: str = ""
    metric: str = ""
    file: bool = False
    of: str = ""

    def __str__(self) -> str:
        about = [", ".join(self.pair), self.task, self.metric]
        return ": ".join([*filter(None, about), self.sentence])

    @property
    def sentence(self) -> str:
        """The sentence alone, without pair, task and metric."""
        return f"{self.before}{' and '.join(self.names)}{self.after}"

    def worded(self, change: Callable[[str], str]) -> Note:
        """Return the note with its texts changed."""
        names = tuple(map(change, self.names))
        return replace(self, before=change(self.before), names=names, after=change(self.after))


def some(names: Sequence[str]) -> str:
    """List a few names and count the others."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(one_line(name, 60) for name in names[:NAMED]) + more


def one_line(text: str, longest: int = 160) -> str:
    """Return a text from a log as one short line without control characters."""
    plain = "".join(character if character.isprintable() else " " for character in text[: 4 * longest])
    line = " ".join(plain.split())
    return line if len(line) <= longest and len(text) <= 4 * longest else line[: longest - 1] + "…"


def counted(number: int, what: str) -> str:
    """Return "1 item", "1,200 items"."""
    return f"{number:,} {what}{'s' * (number != 1)}"
