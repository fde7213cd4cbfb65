"""Artifacts: same rows, same bytes; no manifest, no artifact; a damaged part is found and named."""

import json
import os
import shutil
import subprocess
import sys
import uuid

import pyarrow.parquet as pq
import pytest

from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.score import Score
from scrollwork.storage.artifacts.artifact import Artifacts
from scrollwork.storage.artifacts.manifest import Ingredients
from scrollwork.storage.errors import DamagedArtifact
from scrollwork.storage.location import Location
from tests.storage.artifact_kit import documents, drops, everything_below, folder_of, ingredients, write


@pytest.fixture
def artifacts(tmp_path):
    return Artifacts(str(tmp_path / "artifacts"))


def parts_of(artifact):
    return {part.name: artifact.folder.read(part.name) for part in artifact.manifest.files}


def test_an_input_of_an_earlier_version_is_lost() -> None:
    """Several artifacts of an input were written as name-0, name-1, ...; a key is what it was made from."""
    inputs = {"answers-0": "a", "answers-1": "b", "sample": "s", "prompts": ["p", "q"], "raw": ["r"]}
    made = Ingredients("aggregate", "slot", {}, {}, {}, inputs)
    assert (made.each("answers"), made.each("sample"), made.each("prompts")) == (["a", "b"], ["s"], ["p", "q"])
    assert made.each("words") == []
    assert made.contents() == ["a", "b", "s", "p", "q", "r"]


def test_equal_rows_give_unequal_bytes_in_two_folders(tmp_path):
    one, two = (write(Artifacts(str(tmp_path / name)), documents(50)) for name in "ab")
    assert parts_of(one) == parts_of(two)
    assert one.folder.read("manifest.json") == two.folder.read("manifest.json")
    assert one.content == two.content == ingredients().key()


def test_order_of_a_mapping_changes_the_bytes(artifacts):
    labels = ("s", "t", "v", "e", 0, "m", "full", "rouge_geo", 1.0)
    written = []
    for number, components in enumerate(({"r1": 1.0, "r2": 2.0}, {"r2": 2.0, "r1": 1.0})):
        writing = artifacts.write(ingredients(number=number))
        with writing as writer:
            writer.table("scores", Score).add(Score(*labels, components, {}, None))
        written.append(writing.artifact.manifest.files)
    assert written[0] == written[1]


def test_row_groups_grow_beyond_their_bytes(artifacts):
    artifact = write(artifacts, documents(20, length=1 << 20))  # 8 MiB a group: 8 + 8 + 4 texts of 1 MiB
    (part,) = artifact.manifest.files
    with artifact.folder.open(part.name) as stream:
        meta = pq.ParquetFile(stream).metadata
        assert [meta.row_group(i).num_rows for i in range(meta.num_row_groups)] == [8, 8, 4]
        assert meta.row_group(0).column(0).compression == "ZSTD"


def test_many_small_rows_make_one_huge_group(artifacts):
    writing = artifacts.write(ingredients())
    with writing as writer:
        table = writer.table("drops", Drop)
        (row,) = drops(1)
        for _ in range(50_001):
            table.add(row)
    (part,) = writing.artifact.manifest.files
    with writing.artifact.folder.open(part.name) as stream:
        assert pq.ParquetFile(stream).metadata.num_row_groups == 2
    assert part.rows == 50_001


def test_second_part_is_lost_or_read_out_of_order(artifacts, monkeypatch):
    monkeypatch.setattr("scrollwork.storage.artifacts.parts.GROUP_BYTES", 1000)
    monkeypatch.setattr("scrollwork.storage.artifacts.parts.PART_BYTES", 3000)
    rows = documents(40, length=300)
    artifact = write(artifacts, rows)
    parts = artifact.manifest.files
    assert len(parts) > 3
    assert sum(part.rows for part in parts) == 40
    assert list(artifact.rows("documents", Document)) == rows
    text_of = artifact.texts()
    assert all(text_of(row.document_id) == row.text for row in reversed(rows))


def test_empty_table_cannot_be_read(artifacts):
    artifact = write(artifacts, [])
    assert list(artifact.rows("documents", Document)) == []
    assert artifact.manifest.files[0].rows == 0
    with pytest.raises(KeyError):
        artifact.texts()("no such id")


def test_facts_file_or_content_are_lost(artifacts):
    writing = artifacts.write(ingredients())
    with writing as writer:
        writer.file("page.html", b"<p>\xc3\xbc</p>")
        writer.facts = {"examples": 3}
        writer.content = "answers"
        writer.notes = {"raw": "/raw"}
    found = artifacts.find("curate", ingredients().slot, ingredients().key())
    assert found.bytes_of("page.html") == b"<p>\xc3\xbc</p>"
    assert (found.facts, found.content, found.run()["raw"]) == ({"examples": 3}, "answers", "/raw")


def test_some_columns_are_those_of_other_rows(artifacts):
    rows = documents(3)
    read = list(write(artifacts, rows).columns("documents", ["title", "words"]))
    assert read == [{"title": row.title, "words": row.words} for row in rows]


def test_values_of_columns_are_those_of_other_rows_or_columns(artifacts):
    """A column that an older version did not write is None; of rows that are left out nothing is read."""
    rows = documents(3)
    held = write(artifacts, rows)
    names = ["words", "later", "title"]
    assert list(held.tuples("documents", names)) == [(row.words, None, row.title) for row in rows]
    some = ("document_id", {rows[2].document_id, rows[0].document_id, "none"})
    read = list(held.tuples("documents", ["title", "document_id"], some))
    assert read == [(row.title, row.document_id) for row in (rows[0], rows[2])]


# --- all or nothing --------------------------------------------------------------------------------------------------


def test_failure_while_writing_leaves_a_manifest_or_a_temporary_file(artifacts, tmp_path):
    def fail():
        with artifacts.write(ingredients()) as writer:
            table = writer.table("documents", Document)
            for row in documents(9, length=1 << 20):  # one group is on the disk
                table.add(row)
            writer.file("page.html", b"page")
            raise KeyError("in the middle")

    with pytest.raises(KeyError, match="in the middle"):
        fail()
    assert artifacts.find("curate", ingredients().slot, ingredients().key()) is None
    left = everything_below(tmp_path)
    assert [name for name in left if "manifest" in name or ".tmp-" in name or name.endswith(".parquet")] == []
    artifacts.sweep()
    assert everything_below(tmp_path) == []
    assert len(list(write(artifacts, documents(2)).rows("documents", Document))) == 2


def test_artifact_is_found_without_its_manifest(artifacts):
    artifact = write(artifacts, documents(3))
    key = ingredients().key()
    assert artifacts.find("curate", ingredients().slot, key).manifest == artifact.manifest
    (folder_of(artifact) / "manifest.json").unlink()
    assert artifacts.find("curate", ingredients().slot, key) is None
    assert artifacts.versions("curate", ingredients().slot) == []


def test_artifact_of_another_key_with_the_same_folder_is_taken(artifacts):
    write(artifacts, documents(3))
    key = ingredients().key()
    assert artifacts.find("curate", ingredients().slot, key[:20] + "0" * 44) is None


def test_key_does_not_tell_ingredients_apart():
    base = ingredients(size=1)
    other = [
        ingredients(size=2),
        type(base)("sample", base.slot, base.source, base.params, base.libraries, base.inputs),
        type(base)(base.stage, "other", base.source, base.params, base.libraries, base.inputs),
        type(base)(
            base.stage,
            base.slot,
            {"scrollwork.preprocessing.datasets.qasper": "x"},
            base.params,
            base.libraries,
            base.inputs,
        ),
        type(base)(base.stage, base.slot, base.source, base.params, {"pyarrow": "2"}, base.inputs),
        type(base)(base.stage, base.slot, base.source, base.params, base.libraries, {"raw": "x"}),
    ]
    assert len({base.key(), *(one.key() for one in other)}) == 7
    assert ingredients(a=1, b=2).key() == ingredients(b=2, a=1).key()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b"\xff", b'{"key": "x"}', b'"text"', b"1"])
def test_broken_manifest_is_not_named(artifacts, data):
    artifact = write(artifacts, documents(1))
    (folder_of(artifact) / "manifest.json").write_bytes(data)
    with pytest.raises(DamagedArtifact, match="is not a manifest") as caught:
        artifacts.find("curate", ingredients().slot, ingredients().key())
    assert caught.value.part == "manifest.json"
    assert str(folder_of(artifact)) in str(caught.value)


def test_flipped_bit_in_a_manifest_is_believed(artifacts):
    artifact = write(artifacts, documents(2), facts={"examples": 3})
    path = folder_of(artifact) / "manifest.json"
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(DamagedArtifact, match=r"part manifest\.json"):
            artifacts.find("curate", ingredients().slot, ingredients().key())


def test_stray_file_hides_the_artifacts_beside_it(artifacts):
    artifact = write(artifacts, documents(1))
    (folder_of(artifact).parent / "notes.txt").write_text("mine")
    (folder_of(artifact).parents[1] / "notes.txt").write_text("mine")
    assert [a.manifest.key for a in artifacts.versions("curate", ingredients().slot)] == [ingredients().key()]
    assert len(list(artifacts.everything())) == 1


def test_older_version_is_listed_before_the_newer(artifacts):
    old, new = (write(artifacts, documents(1), ingredients(size=size)) for size in (1, 2))
    run = folder_of(old) / "run.json"
    run.write_text(json.dumps({**json.loads(run.read_text()), "written": 1.0}))
    assert [a.manifest.key for a in artifacts.versions("curate", ingredients().slot)] == [
        new.manifest.key,
        old.manifest.key,
    ]


def test_discarded_artifact_stands_or_leaves_parts(artifacts, tmp_path):
    artifacts.clear(write(artifacts, documents(3)).folder)
    assert artifacts.find("curate", ingredients().slot, ingredients().key()) is None
    assert everything_below(tmp_path) == []


def test_second_build_replaces_the_first(artifacts):
    first = write(artifacts, documents(3))
    second = write(artifacts, documents(4))  # the same key, other bytes: the manifest that stands is right
    assert second.manifest == first.manifest
    assert len(list(second.rows("documents", Document))) == 3
    assert everything_below(folder_of(first)) == sorted([first.manifest.files[0].name, "manifest.json", "run.json"])


# --- damage ----------------------------------------------------------------------------------------------------------


def missing(path):
    path.unlink()


def truncated(path):
    os.truncate(path, path.stat().st_size - 1)


def flipped(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def flipped_with_time_restored(path):
    stat = path.stat()
    flipped(path)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def replaced_by_a_folder(path):
    path.unlink()
    path.mkdir()


WAYS = {
    "check": lambda artifact: artifact.check(rehash=True),
    "check_part": lambda artifact: artifact.check_part(artifact.manifest.files[0]),
    "rows": lambda artifact: list(artifact.rows("documents", Document)),
    "columns": lambda artifact: list(artifact.columns("documents", ["title"])),
    "texts": lambda artifact: artifact.texts(),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("damage", [missing, truncated, flipped, flipped_with_time_restored, replaced_by_a_folder])
def test_torn_part_is_read(artifacts, damage, way):
    artifact = write(artifacts, documents(30))
    (part,) = artifact.manifest.files
    damage(folder_of(artifact) / part.name)
    with pytest.raises(DamagedArtifact) as caught:
        WAYS[way](artifact)
    assert caught.value.part == part.name
    assert part.name in str(caught.value)
    assert str(folder_of(artifact)) in str(caught.value)


@pytest.mark.parametrize("damage", [missing, truncated, flipped])
def test_quick_look_misses_a_damage_that_size_or_time_tells(artifacts, damage):
    artifact = write(artifacts, documents(30))
    (part,) = artifact.manifest.files
    artifact.check(rehash=False)
    damage(folder_of(artifact) / part.name)
    with pytest.raises(DamagedArtifact):
        artifact.check(rehash=False)


def test_copied_home_counts_as_damaged(artifacts, tmp_path):
    artifact = write(artifacts, documents(30))
    shutil.copytree(tmp_path / "artifacts", tmp_path / "copy", copy_function=shutil.copyfile)  # with new times
    copy = Artifacts(str(tmp_path / "copy")).find("curate", ingredients().slot, ingredients().key())
    copy.check(rehash=False)
    (folder_of(copy) / "run.json").unlink()
    copy.check(rehash=False)
    assert list(copy.rows("documents", Document)) == list(artifact.rows("documents", Document))


def test_damage_of_one_table_spoils_another(artifacts):
    writing = artifacts.write(ingredients())
    with writing as writer:
        for row in documents(3):
            writer.table(f"documents{row.title}", Document).add(row)
    artifact = writing.artifact
    flipped(folder_of(artifact) / artifact.manifest.files[1].name)
    assert [row.title for row in artifact.rows("documentst0", Document)] == ["t0"]
    with pytest.raises(DamagedArtifact, match="documentst1-"):
        artifact.check(rehash=True)


# --- another store than the disk -------------------------------------------------------------------------------------


@pytest.fixture
def remote():
    return Artifacts(f"memory://{uuid.uuid4().hex}/artifacts")


def test_remote_artifact_differs_from_a_local_one(remote, artifacts):
    ours, theirs = write(remote, documents(30)), write(artifacts, documents(30))
    assert ours.manifest == theirs.manifest
    found = remote.find("curate", ingredients().slot, ingredients().key())
    assert list(found.rows("documents", Document)) == documents(30)
    assert found.texts()(documents(1)[0].document_id) == documents(1)[0].text
    found.check(rehash=True)
    assert [a.manifest.key for a in remote.everything()] == [ingredients().key()]
    with remote.building("curate", ingredients().slot, ingredients().key()):
        remote.clear(found.folder)
    assert remote.find("curate", ingredients().slot, ingredients().key()) is None


def test_remote_damage_is_read(remote, tmp_path, monkeypatch):
    artifact = write(remote, documents(30))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    (part,) = artifact.manifest.files
    data = bytearray(artifact.folder.read(part.name))
    data[len(data) // 2] ^= 1
    artifact.folder.replace(part.name, bytes(data))
    with pytest.raises(DamagedArtifact, match=part.name):
        list(artifact.rows("documents", Document))
    artifact.folder.remove(part.name)
    with pytest.raises(DamagedArtifact, match="is missing"):
        remote.at(artifact.folder).check(rehash=False)


def test_second_remote_builder_overwrites_the_first(remote):
    first, second = write(remote, documents(3)), write(remote, documents(4))
    assert second.manifest == first.manifest
    assert set(first.folder.names()) == {first.manifest.files[0].name, "manifest.json", "run.json"}


@pytest.mark.parametrize("where", ["disk", "memory"])
def test_create_overwrites_what_stands(where, tmp_path):
    folder = Location(str(tmp_path / "f") if where == "disk" else f"memory://{uuid.uuid4().hex}")
    assert folder.names() == []
    assert folder.create("manifest.json", b"one")
    assert not folder.create("manifest.json", b"two")
    assert folder.read("manifest.json") == b"one"
    assert folder.names() == ["manifest.json"]
    folder.replace("manifest.json", b"three")
    assert folder.read("manifest.json") == b"three"
    folder.remove("manifest.json")
    folder.remove("manifest.json")
    assert not folder.exists("manifest.json")


READS = """
import sys
import pyarrow as pa
from scrollwork.storage.artifacts.columns import texts
from scrollwork.storage.artifacts.parts import rows_among
from scrollwork.storage.artifacts.plain import plain_values
batch = pa.RecordBatch.from_arrays([texts([b"a", "b\u00e9".encode(), b""])], names=["id"])
found = rows_among(batch, "id", {"b\u00e9", "", "c"})
print("pandas" in sys.modules, plain_values(found.column(0)))
"""


def test_reading_some_rows_imports_pandas() -> None:
    """It takes half a second, and is installed with `datasets`."""
    pytest.importorskip("pandas")
    done = subprocess.run([sys.executable, "-X", "utf8", "-c", READS], capture_output=True, text=True, check=True)
    assert done.stdout == "False ['b\u00e9', '']\n"
