"""One prediction of a system that ran elsewhere, and the error for a file that cannot be used."""

from __future__ import annotations

import json
from dataclasses import dataclass

PACKED = {
    b"\x1f\x8b": "is packed with gzip: unpack it",
    b"BZh": "is packed with bzip2: unpack it",
    b"\xfd7zXZ": "is packed with xz: unpack it",
    b"\x28\xb5\x2f\xfd": "is packed with Zstandard: unpack it",
    b"7z\xbc\xaf": "is a 7z archive: unpack it",
    b"PK\x03\x04": "is a zip archive or a spreadsheet: unpack it, or save it as CSV in UTF-8",
    b"\xff\xfe": "is UTF-16: save it as UTF-8",
    b"\xfe\xff": "is UTF-16: save it as UTF-8",
}


class SubmissionError(ValueError):
    """A file of predictions that cannot be used; the message names the place in it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A system's answer to one input of a task. where: its place in the file.

    error: why there is no answer, "" if there is one. finish: how it ended
    (scrollwork.records.response.FINISH_REASONS).
    """

    task: str
    id: str
    text: str
    where: str
    error: str = ""
    finish: str = "complete"


def packed_file_hint(start: bytes) -> str:
    """Return what a file that is not UTF-8 text is, by its first bytes, and what to do; "" if they do not tell."""
    return next((what for sign, what in PACKED.items() if start.startswith(sign)), "")


def printable(text: str) -> str:
    """Return the text with "?" for each lone surrogate, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def quoted_excerpt(text: str) -> str:
    """Return the first 80 characters of a text, quoted for a message."""
    return json.dumps(text if len(text) <= 80 else text[:80] + "…")


def input_name(task: str, name: str) -> str:
    """Return the name of an input for a message."""
    return f"{task}, id {quoted_excerpt(name)}"
