"""What the storage tests share: small rows, ingredients, and real processes that stop where they are told."""

import os
import subprocess
import textwrap
from pathlib import Path

from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.storage.artifacts.manifest import Ingredients

PROJECT = Path(__file__).resolve().parents[2]
STAGE, SLOT = "curate", "zeroscrolls.qasper.test"


def ingredients(**params):
    return Ingredients(
        STAGE, SLOT, {"scrollwork.preprocessing.datasets.qasper": "ab"}, params, {"pyarrow": "1"}, {"raw": "cd"}
    )


def documents(count, length=40):
    return [
        Document.of(f"{number} ".ljust(length, "x"), title=f"t{number}", source_file="f") for number in range(count)
    ]


def drops(count):
    return [Drop("t", "v", f"line {number}", "r", "d", error=False) for number in range(count)]


def write(artifacts, rows, made_of=None, facts=None):
    writing = artifacts.write(made_of or ingredients())
    with writing as writer:
        table = writer.table("documents", Document)
        for row in rows:
            table.add(row)
        writer.facts = facts or {}
    return writing.artifact


def folder_of(artifact):
    return Path(str(artifact.folder))


def everything_below(root):
    return sorted(path.relative_to(root).as_posix() for path in Path(root).rglob("*") if path.is_file())


PRELUDE = """
import os, resource, sys
from tests.storage.artifact_kit import *
from scrollwork.records.document import Document
from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.answers.store import ResponseStore, StoredAnswer

def say(*words):
    print(*words, flush=True)

def wait():
    sys.stdin.readline()
"""


def start(code, *arguments, forked=True):
    """A Python process that runs `code` with this house on its path; speaks by say() and wait(). forked: from one that has
    the libraries (tests/forked.py)."""
    from tests.conftest import start as started  # not where the program imports this module

    program = PRELUDE + textwrap.dedent(code)
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    return started(["-c", program, *map(str, arguments)], forked, cwd=PROJECT, stdin=subprocess.PIPE, env=env)


def tell(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def heard(process):
    return process.stdout.readline().split()


def finish(process):
    """What the process still says; it must end well."""
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return said.split()
