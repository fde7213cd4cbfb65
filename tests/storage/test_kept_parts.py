"""Small parts of remote artifacts that are read once: never a damaged one, never more than there is room for."""

from __future__ import annotations

import hashlib

import fsspec

from scrollwork.storage.artifacts.kept import LARGEST, KeptParts
from scrollwork.storage.location import Location


def named(data: bytes) -> str:
    return f"rows-00000-{hashlib.sha256(data).hexdigest()[:12]}.parquet"


def test_a_damaged_part_is_kept(request) -> None:  # type: ignore[no-untyped-def]
    files = fsspec.filesystem("memory")
    plain = Location(f"memory://{request.node.name}")
    name, kept = named(b"whole"), KeptParts()
    plain.replace(name, b"wrong")
    assert kept.of(plain).read(name) == b"wrong"
    plain.replace(name, b"whole")
    assert kept.of(plain).read(name) == b"whole"
    files.rm(f"/{request.node.name}", recursive=True)
    assert kept.of(plain).read(name) == b"whole"


def test_a_manifest_or_a_large_part_is_kept(request) -> None:  # type: ignore[no-untyped-def]
    plain, kept = Location(f"memory://{request.node.name}"), KeptParts()
    large = bytes(LARGEST + 1)
    for name, data in (("manifest.json", b"one"), (named(large), large)):
        plain.replace(name, data)
        assert kept.of(plain).read(name) == data
        plain.replace(name, b"another")
        assert kept.of(plain).read(name) == b"another"


def test_more_is_kept_than_there_is_room_for() -> None:
    kept, parts = KeptParts(room=10), [bytes([number]) * 4 for number in range(4)]
    for data in parts:
        kept.keep(f"s3://x/{named(data)}", data)
    assert [kept.get(f"s3://x/{named(data)}") for data in parts] == [None, None, *parts[2:]]
