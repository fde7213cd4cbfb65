"""The page over the nights of a home, written beside its reports."""

from __future__ import annotations

import time
from pathlib import Path

from scrollwork.readings.nights.register import Nights
from scrollwork.reporting.nights.page import nights_page
from scrollwork.storage.home import Home
from scrollwork.tasks.report.published import write_home_file

NAME = "nights.html"


def write_nights_page(home: Home, out: Path | None = None) -> tuple[Path, list[str]]:
    """Write the page over all nights of a home; return (its path, notes on files that were passed over).

    out: another place than nights.html beside the reports. Raises StorageError, OSError.
    """
    nights = Nights(home.url)
    rows = nights.rows()
    accepted = {one.digest: one.by or "an unknown user" for one in nights.accepted()}
    mutes = nights.mutes(time.strftime("%Y-%m-%d", time.gmtime()))
    page = nights_page(rows, accepted, mutes, nights.notes)
    return write_home_file(out or home.reports / NAME, page.encode("utf-8")), nights.notes
