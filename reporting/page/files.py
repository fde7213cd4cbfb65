"""Templates, styles and scripts of pages. Their digest is in a page's key, because they decide the page as code
does."""

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
    """The text of a template (`*.html`) or an asset (`*.css`, `*.js`)."""
    folder = "templates" if name.endswith(".html") else "assets"
    return (ROOM / folder / name).read_text(encoding="utf-8")


def styles(*names: str) -> str:
    """Several style sheets as one text."""
    return "".join(map(text_of, names))


def script() -> str:
    """The script of the report: all its files inside one function."""
    body = "\n".join(map(text_of, SCRIPTS))
    return f'"use strict";\n(() => {{\n{body}}})();\n'


def report_digest(*more: str) -> str:
    """Digest of the files of a report. more: files of the design's sections."""
    return digest(*REPORT, *dict.fromkeys(more))


def digest(*names: str) -> str:
    """sha256 of files, by name and bytes."""
    return hashlib.sha256("\0".join(f"{name}\0{text_of(name)}" for name in names).encode()).hexdigest()
