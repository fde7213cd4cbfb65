"""The message shown for a stage's error."""

from __future__ import annotations

from scrollwork.models.hosted.tables import BadTable
from scrollwork.pipeline.errors import BadRecord, CodeChanged, FailedElsewhere, UsageError
from scrollwork.pipeline.extras import install_line
from scrollwork.preprocessing.raw.errors import RawError, printable
from scrollwork.storage.errors import StorageError

LONGEST = 4000  # characters that are kept and shown
EXPECTED = (RawError, StorageError, BadRecord, CodeChanged, UsageError, BadTable, FailedElsewhere)


def error_text(error: BaseException) -> str:
    """The message of an error, at most LONGEST characters; an unexpected error has its class name before it."""
    text = install_line(error) or str(error) or "no message"
    expected = isinstance(error, EXPECTED) or install_line(error)
    return printable(text if expected else f"{type(error).__name__}: {text}", LONGEST)
