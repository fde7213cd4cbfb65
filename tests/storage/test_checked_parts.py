"""Values of a part are not checked again: so only what was hashed may be parsed, and rows from elsewhere are checked."""

import os
import uuid
from dataclasses import make_dataclass
from typing import get_type_hints

import pytest

from scrollwork.records.base import InvalidRow, Row
from scrollwork.records.document import Document
from scrollwork.records.response import Response
from scrollwork.storage.artifacts import parts
from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.artifacts.checked import open_part
from scrollwork.storage.errors import DamagedArtifact
from tests.storage.artifact_kit import documents, folder_of, ingredients, write

OLD = 1_600_000_000_000_000_000  # so long ago that a write now shows, however coarse the clock of files


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """An artifact of ten row groups, and the path of its part."""
    monkeypatch.setattr(parts, "GROUP_ROWS", 3)
    artifact = write(Artifacts(str(tmp_path / "artifacts")), documents(30))
    path = folder_of(artifact) / artifact.manifest.files[0].name
    os.utime(path, ns=(OLD, OLD))
    return artifact, path


def altered(path):
    with path.open("r+b") as stream:
        stream.seek(path.stat().st_size // 2)
        byte = stream.read(1)
        stream.seek(-1, os.SEEK_CUR)
        stream.write(bytes([byte[0] ^ 1]))


def altered_in_secret(path):
    altered(path)
    os.utime(path, ns=(OLD, OLD))


def cut(path):
    os.truncate(path, path.stat().st_size - 7)


@pytest.mark.parametrize("change", [altered, altered_in_secret, cut])
def test_part_changed_between_hash_and_parsing_is_read(stored, change):
    artifact, path = stored
    (part,) = artifact.manifest.files
    with open_part(artifact.folder, part) as checked:
        change(path)
        with pytest.raises(DamagedArtifact, match=part.name):
            list(checked.groups())


@pytest.mark.parametrize("change", [altered, altered_in_secret, cut])
@pytest.mark.parametrize("way", ["rows", "columns"])
def test_part_changed_while_it_is_read_gives_other_rows(stored, change, way):
    artifact, path = stored
    right = list(artifact.rows("documents", Document))
    reading = artifact.rows("documents", Document) if way == "rows" else artifact.columns("documents", ["document_id"])
    seen = [next(reading)]
    change(path)
    with pytest.raises(DamagedArtifact, match="sha256"):
        seen.extend(reading)
    assert len(seen) == 3  # of the row group that was in memory
    assert [row.document_id if way == "rows" else row["document_id"] for row in seen] == [
        row.document_id for row in right[:3]
    ]


def test_part_replaced_while_it_is_read_ends_the_reading_or_gives_other_rows(stored):
    artifact, path = stored
    right = list(artifact.rows("documents", Document))
    reading = artifact.rows("documents", Document)
    seen = [next(reading)]
    other = path.with_name("other")
    other.write_bytes(b"x" * path.stat().st_size)
    os.utime(other, ns=(OLD, OLD))
    os.replace(other, path)
    seen.extend(reading)
    assert seen == right


def test_part_that_was_hashed_before_is_believed_after_a_change_in_secret(stored):
    artifact, path = stored
    assert len(list(artifact.rows("documents", Document))) == 30
    altered_in_secret(path)
    with pytest.raises(DamagedArtifact, match="sha256"):
        list(artifact.rows("documents", Document))


def test_remote_part_changed_between_hash_and_parsing_is_read():
    artifact = write(Artifacts(f"memory://{uuid.uuid4().hex}/artifacts"), documents(30))
    (part,) = artifact.manifest.files
    right = list(artifact.rows("documents", Document))
    with open_part(artifact.folder, part) as checked:
        artifact.folder.replace(part.name, b"PAR1 is what is left")
        assert [name for batch in checked.groups(["document_id"]) for name in batch.column(0).to_pylist()] == [
            row.document_id for row in right
        ]


def test_rows_of_another_schema_are_taken_unchecked(tmp_path):
    """A part that another version wrote: its digest says nothing of what this version asks of a row."""

    kinds = [(name, kind) for name, kind in get_type_hints(Response).items() if name != "masked"]
    lax = make_dataclass("Lax", kinds, bases=(Row,), frozen=True)  # what no row of today is
    artifacts = Artifacts(str(tmp_path / "artifacts"))
    key = "0" * 64
    values = ("s", "t", "test", "e", 0, "m", "full", key, "text", "no such ending", 1, 0, 1, "m")
    row = object.__new__(Response)
    fields = dict.fromkeys(Response.schema().names)
    row.__dict__.update(fields | dict(zip(fields, values, strict=False)))
    writing = artifacts.write(ingredients())
    with writing as writer:
        table = writer.table("responses", Response)
        table._row, table._columns = lax, parts.Columns(lax)
        table.add(row)
    with pytest.raises(InvalidRow, match="no such ending"):
        list(writing.artifact.rows("responses", Response))
