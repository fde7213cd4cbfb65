"""A package from elsewhere, laid into a folder as pip would lay it: modules, and a dist-info with entry points."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Scrollwork

NOTES = '''"""Notes, a line each: id|text|question|answer."""
from scrollwork.preprocessing.raw.errors import MalformedRecord
from scrollwork.preprocessing.raw.files import drop_of_error
from scrollwork.records.document import Document
from scrollwork.records.example import Example

from .lines import parted


def curate(raw, task, split, *, shout=False):
    for path in raw.files("notes"):
        for number, line in enumerate(raw.text(path).splitlines(), 1):
            fields = parted(line)
            if len(fields) != 4:
                error = MalformedRecord(path[0], f"line {number}", "", "must be four fields", "fields")
                yield drop_of_error(error, task, split)
                continue
            name, text, question, answer = fields
            document = Document.of(text, source_file=path[0], source_record=f"line {number}")
            yield document
            yield Example(
                task=task, split=split, example_id=name, document_ids=(document.document_id,),
                query=question.upper() if shout else question, references=(answer,),
            )
'''
LINES = """import json

SEPARATOR = "|"


def parted(line):
    return line.split(SEPARATOR)
"""
METRIC = '''"""Whether an answer begins as a reference does."""
from typing import TYPE_CHECKING

import colours
from scrollwork.scoring.outcome import Outcome, check_texts

from harbour_suite.deep import folded

if TYPE_CHECKING:
    import harbour_suite.never

NAME = "starts_right"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)


def score(prediction, references):
    check_texts(prediction, references)
    value = 100.0 * any(folded.same(prediction).startswith(folded.same(one)) for one in references)
    return Outcome(value, {NAME: value})


def headline(means):
    return means[NAME]
'''
PARROT = '''"""Says the last words of the first document."""
from scrollwork.models.base import Answer


def make(name, table, revision):
    return Parrot(name, table, revision)


class Parrot:
    provider = "parrot"

    def __init__(self, name, table, revision):
        self.name, self.members = name, (name,)
        self.words, self.revision = int(table.get("words", 1)), revision

    def payload(self, ask, member):
        return {"prompt": ask.prompt_sha256, "words": self.words, "revision": self.revision}

    def answer(self, calls):
        for call in calls:
            yield Answer(call.key, " ".join(call.ask.documents_shown[0].split()[-self.words:]), "complete", self.name)
'''
SUITE = """name = "harbour"
title = "Harbour"
default_splits = ["test"]
seed = 0
truncation = "input"
temperature = 0.0

[task.notes]
dataset = "harbour_notes"
short = "Note"
kind = "qa"
metric = "starts_right"
max_new_tokens = 8
instruction = "Answer."
context_header = "Note:"
query_header = "Question:"
response_header = "Answer:"
splits = { test = "test" }
raw.notes = ["harbour/notes.txt"]
options = { shout = false }

[task.plain]
dataset = "jsonl"
short = "Plain"
kind = "qa"
metric = "f1"
max_new_tokens = 8
splits = { test = "test" }
raw.records = ["harbour/plain.jsonl"]
"""
ENTRY_POINTS = """[scrollwork.suites]
harbour = harbour_suite:harbour.toml
[scrollwork.datasets]
harbour_notes = harbour_suite.notes
[scrollwork.metrics]
starts_right = harbour_suite.starts_right
[scrollwork.providers]
parrot = harbour_suite.parrot
"""
FILES = {
    "harbour_suite/__init__.py": "",
    "harbour_suite/notes.py": NOTES,
    "harbour_suite/lines.py": LINES,
    "harbour_suite/starts_right.py": METRIC,
    "harbour_suite/deep/__init__.py": "from .folded import same\n",
    "harbour_suite/deep/folded.py": "def same(text):\n    return text.strip().lower()\n",
    "harbour_suite/never.py": "raise SystemExit('nobody imports this')\n",
    "harbour_suite/unused.py": "ANSWER = 42\n",
    "harbour_suite/parrot.py": PARROT,
    "harbour_suite/harbour.toml": SUITE,
    "colours.py": "RED = 1\n",
    "harbour_suite-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: harbour-suite\nVersion: 1.0\n",
    "harbour_suite-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    "harbour_suite-1.0.dist-info/RECORD": "harbour_suite/__init__.py,,\n",
    "colours-2.5.dist-info/METADATA": "Metadata-Version: 2.1\nName: colours\nVersion: 2.5\n",
    "colours-2.5.dist-info/RECORD": "colours.py,,\n",
}
RAW = {
    "harbour/notes.txt": "n1|The lamp is Mira|Whose?|Mira\nn2|The bell is Tom|Whose?|Tom\nbroken\n",
    "harbour/plain.jsonl": '{"id": 1, "document": "It was noon", "query": "When?", "references": ["noon"]}\n',
}
MAIN = """import sys
sys.path.append({site!r})
from scrollwork.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    """Files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def installed(scrollwork: Scrollwork, folder: Path, **more: str) -> Scrollwork:
    """The command where the package is installed. more: other files of it."""
    site = written(folder / "site", {**FILES, **more})
    written(folder / "raw", RAW)
    program = folder / "main.py"
    program.write_text(MAIN.format(site=str(site)))
    return scrollwork.with_(prefix=(str(program),), warm=True)
