"""Errors about bad raw input: each message names file, record and field, and what to do."""

import re

LONGEST = 1000  # characters of a message's part that may quote raw input
# What a terminal acts on or does not show: control characters, directions, zero-width marks, lone surrogates.
UNSHOWN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)


def printable(text: str, longest: int = LONGEST) -> str:
    """Return text that quotes raw input, fit for screen, log and Parquet: on one line, all visible, not too long."""
    if len(text) > longest:
        text = text[: longest - 3] + "..."
    shown = UNSHOWN.sub(_escaped, text)
    return shown if len(shown) <= longest else shown[: longest - 3] + "..."


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


class RawError(ValueError):
    """A problem with a raw file or a record in it. `str` names file, record and field."""

    def __init__(self, file: str, record: str, field: str, problem: str, reason: str) -> None:
        file, record, field, problem = (printable(text) for text in (file, record, field, problem))
        where = ", ".join(part for part in (file, record) if part)
        named = f'field "{field}" ' if field else ""
        super().__init__(f"{where}: {named}{problem}")
        self.file, self.record, self.field, self.problem, self.reason = file, record, field, problem, reason

    def of_record(self) -> "MalformedRecord":
        """Return the same problem as that of a record, for releases in which each file is a record."""
        return MalformedRecord(self.file, self.record, self.field, self.problem, self.reason)

    def of_file(self) -> "MalformedFile":
        """Return the same problem as that of the whole file."""
        return MalformedFile(self.file, self.record, self.field, self.problem, self.reason)

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str, str]]:
        return type(self), (self.file, self.record, self.field, self.problem, self.reason)


class MalformedFile(RawError):
    """A file that cannot be used: its task fails, the others go on."""


class MalformedRecord(RawError):
    """A record that cannot be used: it is dropped and counted."""


class MalformedRow(MalformedRecord):
    """A row of a CSV file that cannot be used. `cells`: what could be read of it, by column."""

    def __init__(self, file: str, record: str, field: str, problem: str, reason: str) -> None:
        super().__init__(file, record, field, problem, reason)
        self.cells: dict[str, str] = {}

    def with_cells(self, cells: dict[str, str]) -> "MalformedRow":
        """Set the cells, and return the error."""
        self.cells = cells
        return self


class MissingFile(RawError):
    """No raw file matches what the suite looks for."""
