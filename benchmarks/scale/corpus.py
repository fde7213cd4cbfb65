"""A raw corpus of any size, written as a stream: GovReport's layout, and notes in the layout of data set `jsonl`.

Half of the bytes are reports of about 7,100 words (49 kB of JSON each), of which a suite of ours takes 500; half are
notes of about 1,000 words (7 kB), all of which are inputs. So both kinds of growth show: of what is read, and of what
becomes inputs. Both are in JSON Lines, ten files of each, as large releases are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

from benchmarks.kit.prose import Prose
from benchmarks.kit.reports import SHAPES, SUMMARY_WORDS, record
from benchmarks.kit.reports import WORDS as REPORT_WORDS

FILES = 10
WORDS = 1_000
SUITE = """
name = "scale"
title = "Scale"
default_splits = ["test"]
seed = 0
truncation = "input"
temperature = 0.0

[task.reports]
dataset = "gov_report"
options = { scrolls_filter = true }
short = "Rep"
kind = "summarization"
metric = "rouge_geo"
max_new_tokens = 1024
instruction = "You are given a report. Write a one-page summary."
context_header = "Report:"
response_header = "Summary:"
splits = { test = "test" }
raw.crs = ["reports/crs.*.jsonl"]
raw.gao = ["reports/gao.*.jsonl"]
sample = { size = 500 }

[task.notes]
dataset = "jsonl"
short = "Note"
kind = "qa"
metric = "f1"
max_new_tokens = 32
instruction = "You are given a note and a question. Answer the question in a few words."
context_header = "Note:"
query_header = "Question:"
response_header = "Answer:"
splits = { test = "test" }
raw.records = ["notes/*.jsonl"]
"""
NOTES_ALONE = SUITE.partition("[task.reports]")[0] + "[task.notes]" + SUITE.partition("[task.notes]")[2]


def write(folder: Path, size: int) -> int:
    """Write `suite.toml` and `raw/` of about `size` bytes below a folder; how many bytes the raw files have."""
    (folder / "suite.toml").write_text(SUITE, encoding="utf-8")
    each = size // (2 * FILES)
    written = 0
    for number in range(FILES):
        name = f"{agency_of(number)}.{number}.jsonl"
        written += lines(folder / "raw" / "reports" / name, reports(number), each)
        written += lines(folder / "raw" / "notes" / f"{number}.jsonl", notes(number), each)
    return written


def reports(number: int) -> Iterator[dict[str, Any]]:
    """Reports without end, those of one file."""
    prose, agency = Prose(12, number), agency_of(number)
    place = 0
    while True:
        body, summary = prose.paragraphs(prose.around(REPORT_WORDS)), prose.paragraphs(SUMMARY_WORDS)
        yield record(f"{agency}-{number}-{place}", agency, SHAPES[0], body, summary)
        place += 1


def agency_of(number: int) -> str:
    """The agency of a file's reports: each has its own layout."""
    return "crs" if number % 2 else "gao"


def notes(number: int, words: int = WORDS) -> Iterator[dict[str, Any]]:
    """Notes without end, those of one file. words: on average."""
    prose = Prose(11, number)
    place = 0
    while True:
        body = "\n\n".join(prose.paragraphs(prose.around(words)))
        asked = {"query": prose.words(12), "references": [prose.words(5)]}
        yield {"id": f"note-{number}-{place}", "document": body, **asked}
        place += 1


def lines(path: Path, rows: Iterator[dict[str, Any]], size: float = inf) -> int:
    """Write JSON Lines until a file has so many bytes, or all rows; how many bytes it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("wb") as out:
        while written < size and (row := next(rows, None)) is not None:
            written += out.write(json.dumps(row).encode() + b"\n")
    return written
