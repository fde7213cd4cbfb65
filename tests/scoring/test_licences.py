"""docs/licences.md: what our dependencies allow, and that the one under the GPL is where it is said to be."""

from __future__ import annotations

import ast
import runpy
from email.message import Message
from pathlib import Path

import pytest

from scrollwork.pipeline.source_digest import syntax_tree
from tests.conftest import PROJECT

OURS = [
    path.parent.name
    for path in PROJECT.glob("*/__init__.py")
    if path.parent.name not in ("tests", "benchmarks", "scrollwork")
]


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(PROJECT / ".ci" / "licences.py"))


def test_licences_are_not_those_of_what_is_installed(script):
    assert script["wrong"](script["rows"]()) == []


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "AGPL-3.0-or-later", "MIT AND GPL-2.0-only", "unknown"])
def test_another_gpl_package_enters_or_one_without_a_licence(script, licence):
    page = {**script["rows"](), "nvidia-cublas": licence}  # installed nowhere here
    assert any(line.startswith(f"nvidia-cublas: {licence}") for line in script["wrong"](page))
    assert script["wrong"]({**page, "nvidia-cublas": "LGPL-3.0-only"}) == []


def test_package_without_a_row_or_with_another_licence_passes(script):
    page = script["rows"]()
    del page["prefect"]
    assert script["wrong"](page) == ["prefect: in requirements.lock and not in docs/licences.md"]
    page |= {"prefect": "MIT", "left-pad": "MIT"}
    assert script["wrong"](page) == [
        "left-pad: in docs/licences.md and not in requirements.lock",
        "prefect: is Apache-2.0, docs/licences.md says MIT",
    ]


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License-Expression": "MIT", "License": "other"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: MIT License", "License": "GPL"}, "MIT"),
        ({"License": "MIT License\n\nCopyright"}, "MIT"),
        ({"Classifier": "License :: OSI Approved"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_licence_is_read_from_another_field(script, fields, licence):
    message = Message()
    for name, value in fields.items():
        message[name] = value
    assert script["said"](message) == licence


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(syntax_tree(path.read_text(encoding="utf-8"))))
    names = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    names += [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


@pytest.mark.slow
def test_unidecode_is_imported_elsewhere_than_by_the_f1():
    files = [path for folder in OURS for path in (PROJECT / folder).rglob("*.py")]
    assert len(files) > 300
    users = [path.relative_to(PROJECT).as_posix() for path in files if imported(path) & {"unidecode", "text_unidecode"}]
    assert users == ["scoring/parts/normalize.py"]
