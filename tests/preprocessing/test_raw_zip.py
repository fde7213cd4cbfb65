"""Raw files inside zips: read as if they lay there, and refused when the archive is not to be trusted."""

from __future__ import annotations

import io
import json
import stat
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from scrollwork.preprocessing.raw.bounds import Bounded
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.preprocessing.raw.files import RawFiles, Record
from scrollwork.preprocessing.raw.zip_members import find_member, opened

WANTED = "**/qmsum/test.jsonl"
LINES = b'{"id": "a"}\n{"id": "b"}\n'


def zipped(path: Path, files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def records(archive: Path, member: str) -> list[object]:
    raw = RawFiles("release", {"records": ((f"{archive.name}!{member}", archive),)})
    return [record.data if isinstance(record, Record) else str(record) for record in raw.records()]


@pytest.mark.parametrize("kind", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_member_is_not_read_as_the_file_itself(tmp_path: Path, kind: int) -> None:
    archive = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": LINES, "qmsum/validation.jsonl": b"{}"}, kind)
    assert find_member("r.zip", archive, WANTED) == "qmsum/test.jsonl"
    assert records(archive, "qmsum/test.jsonl") == [{"id": "a"}, {"id": "b"}]


def test_list_object_mark_and_crlf_in_a_member_are_not_what_they_are_outside(tmp_path: Path) -> None:
    marked = b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n")
    whole = json.dumps([{"id": "a"}, {"id": "b"}]).encode()
    archive = zipped(tmp_path / "r.zip", {"l.jsonl": marked, "l.json": whole, "o.json": b'{"documents": []}'})
    assert records(archive, "l.jsonl") == records(archive, "l.json") == [{"id": "a"}, {"id": "b"}]
    raw = RawFiles("release", {"records": (("r.zip!o.json", archive),)})
    assert raw.object(raw.files()[0]).data == {"documents": []}


def test_error_in_a_member_does_not_name_archive_member_and_line(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"a/b.jsonl": b'{"id": 1}\n{"id": \n'})
    assert str(records(archive, "a/b.jsonl")[1]).startswith("r.zip!a/b.jsonl, line 2: is not JSON")


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "C:/evil", "a\\..\\evil"])
def test_name_that_leads_out_is_passed_over(tmp_path: Path, name: str) -> None:
    archive = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": LINES, name: b"evil"})
    with pytest.raises(MalformedFile, match=r"r\.zip: member .* leads out of the archive; all of it is refused"):
        find_member("r.zip", archive, WANTED)


def test_link_is_read_as_its_target(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("qmsum/test.jsonl")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
        archive.writestr(info, "elsewhere")
    with pytest.raises(MalformedFile, match=r"member qmsum/test\.jsonl is a link"):
        find_member("r.zip", tmp_path / "r.zip", WANTED)


def test_missing_member_is_not_named_with_what_is_there(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"qmsum/validation.jsonl": LINES})
    told = r"r\.zip: has no member \*\*/qmsum/test\.jsonl \(there is: qmsum/validation\.jsonl\)"
    with pytest.raises(MalformedFile, match=told):
        find_member("r.zip", archive, WANTED)
    with pytest.raises(MalformedFile, match="there is: nothing"):
        find_member("e.zip", zipped(tmp_path / "e.zip", {}), WANTED)


def test_one_of_two_candidates_is_taken(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"new/qmsum/test.jsonl": LINES, "old/qmsum/test.jsonl": LINES})
    with pytest.raises(MalformedFile, match=r"new/qmsum/test\.jsonl and old/qmsum/test\.jsonl match"):
        find_member("r.zip", archive, WANTED)


def test_one_of_two_members_of_a_name_is_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "r.zip", "w") as archive:
        archive.writestr("qmsum/test.jsonl", LINES)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("qmsum/test.jsonl", b"{}\n")
    with pytest.raises(MalformedFile, match=r"member qmsum/test\.jsonl is there twice"):
        find_member("r.zip", tmp_path / "r.zip", WANTED)


def test_locked_member_is_asked_for_or_crashes(tmp_path: Path) -> None:
    path = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": LINES}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    path.write_bytes(data)
    with pytest.raises(MalformedFile, match="is locked with a password"):
        find_member("r.zip", path, WANTED)


def test_bomb_is_unpacked(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": b" " * (80 << 20)})
    with pytest.raises(MalformedFile, match=r"would unpack to 83,886,080 bytes, over the 67,108,864 allowed"):
        find_member("r.zip", archive, WANTED)


def test_bomb_that_lies_about_its_size_is_unpacked(tmp_path: Path) -> None:
    """The directory says 5 bytes, the stream holds 80 MiB: no more than a few are ever made of it."""
    path = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": b"a\n" * (40 << 20)})
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 5)
    path.write_bytes(data)
    assert find_member("r.zip", path, WANTED) == "qmsum/test.jsonl"
    tracemalloc.start()
    with pytest.raises(MalformedFile, match="is no whole zip archive"):
        records(path, "qmsum/test.jsonl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


def test_what_is_read_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the directory's size is not believed to be checked, reading stops at the limit."""
    bounded = Bounded(io.BytesIO(b"x" * 100), "r.zip!m", 99)
    with pytest.raises(MalformedFile, match=r"r\.zip!m: would unpack to 100 bytes, over the 99 allowed"):
        io.BufferedReader(bounded, 10).read()
    assert io.BufferedReader(Bounded(io.BytesIO(b"x" * 99), "r.zip!m", 99), 10).read() == b"x" * 99


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_cut_archive_is_not_named(tmp_path: Path, share: float) -> None:
    path = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": LINES * 1000, "x": bytes(range(256)) * 8})
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(MalformedFile, match=r"r\.zip: is no whole zip archive"):
        find_member("r.zip", path, WANTED)


def test_flipped_byte_gives_other_records(tmp_path: Path) -> None:
    path = zipped(tmp_path / "r.zip", {"qmsum/test.jsonl": LINES}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"c"'))
    with pytest.raises(MalformedFile, match=r"r\.zip!qmsum/test\.jsonl: is no whole zip archive \(Bad CRC-32"):
        records(path, "qmsum/test.jsonl")


def test_page_in_place_of_an_archive_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "r.zip").write_text("<html>Please log in</html>")
    with pytest.raises(MalformedFile, match=r"r\.zip: is no whole zip archive"):
        find_member("r.zip", tmp_path / "r.zip", WANTED)


def test_error_of_the_reader_is_blamed_on_the_archive(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "r.zip", {"a": LINES})
    with pytest.raises(RuntimeError, match=r"^mine$"), opened("r.zip!a", archive):
        raise RuntimeError("mine")


def test_large_member_is_whole_in_memory(tmp_path: Path) -> None:
    line = json.dumps({"text": "word " * 20_000}).encode() + b"\n"
    archive = zipped(tmp_path / "r.zip", {"m.jsonl": line * 400}, zipfile.ZIP_STORED)  # 40 MB
    raw = RawFiles("release", {"records": (("r.zip!m.jsonl", archive),)})
    tracemalloc.start()
    count = sum(1 for _ in raw.records())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert peak < 8 << 20
