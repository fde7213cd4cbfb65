"""Files of pages: templates, styles and scripts. They decide a page as code does, so its key has their digest."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

ROOM = Path(__file__).parents[1]
SCRIPTS = ("text.js", "data.js", "boards.js", "list.js", "example.js", "inputs.js", "controls.js")
REPORT = ("page.html", "judgement.html", "pages.css", "report.css", *SCRIPTS)
STATISTICS = ("statistics.html", "pages.css", "statistics.css")  # of the page of `build`


@cache
def text_of(name: str) -> str:
    """A template (`*.html`) or an asset (`*.css`, `*.js`)."""
    folder = "templates" if name.endswith(".html") else "assets"
    return (ROOM / folder / name).read_text(encoding="utf-8")


def styles(*names: str) -> str:
    """Style sheets, one after another."""
    return "".join(map(text_of, names))


def script() -> str:
    """The script of the report: all its files as one function."""
    body = "\n".join(map(text_of, SCRIPTS))
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def report_digest(*more: str) -> str:
    """Digest of the files of a report. more: those of the design's sections."""
    return digest(*REPORT, *dict.fromkeys(more))


def digest(*names: str) -> str:
    """sha256 of files, by name and bytes."""
    return hashlib.sha256("\0".join(f"{name}\0{text_of(name)}" for name in names).encode()).hexdigest()
