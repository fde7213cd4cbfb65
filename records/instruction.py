"""An instruction: one wording of what a task asks, for benchmarks that draw it from a list."""

from dataclasses import dataclass

from scrollwork.records.base import Row


@dataclass(frozen=True)
class Instruction(Row):
    """One paraphrase, as in its file.

    number: its place in the task's list, from 1, as papers count. output_format: sentences on the form of the answer
    that are separate from `text`; "" if there are none, or if the text contains them. source: raw file and record.
    """

    task: str
    number: int
    text: str
    output_format: str
    source: str

    def check(self) -> None:
        self.require(bool(self.task), "task", "is empty")
        self.require(self.number >= 1, "number", "counts from 1")
        self.require(bool(self.text.strip()), "text", "is empty")

    @property
    def whole(self) -> str:
        """Return the text, a blank, and the output format."""
        return f"{self.text.rstrip()} {self.output_format.strip()}" if self.output_format.strip() else self.text
