"""Make the message that a user sees when a stage fails."""

from __future__ import annotations

import traceback
from pathlib import Path

from scrollwork.models.hosted.tables import BadTable
from scrollwork.pipeline.errors import BadRecord, CodeChanged, FailedElsewhere, Interrupted, UsageError
from scrollwork.pipeline.extras import install_line
from scrollwork.preprocessing.raw.errors import RawError, printable
from scrollwork.storage.errors import StorageError

LONGEST = 4000  # the most characters of a message that are kept and shown
EXPECTED = (RawError, StorageError, BadRecord, CodeChanged, UsageError, BadTable, FailedElsewhere, Interrupted)


def error_text(error: BaseException) -> str:
    """Return the message of an error, at most LONGEST characters.

    The message of an unexpected error also has the error's class and the place where it was raised: "TypeError: ...
    (datasets/cookbook.py, line 31)". If a library of one of our extras is missing, the message says how to install it.
    """
    text = install_line(error) or str(error) or "no message"
    if isinstance(error, EXPECTED) or install_line(error):
        return printable(text, LONGEST)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({'/'.join(Path(frames[-1].filename).parts[-2:])}, line {frames[-1].lineno})" if frames else ""
    return f"{printable(f'{type(error).__name__}: {text}', LONGEST - len(place))}{place}"
