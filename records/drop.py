"""A record that did not become an example, and why. Every record left out has such a row."""

from dataclasses import dataclass

from scrollwork.records.base import Row


@dataclass(frozen=True)
class Drop(Row):
    """record: its file and place. error: bad input (exit status 1), unlike a benchmark's own filter."""

    task: str
    split: str
    record: str
    reason: str
    detail: str
    error: bool

    def check(self) -> None:
        self.require(bool(self.reason), "reason", "is empty")
