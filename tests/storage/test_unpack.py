"""Archives that want out of their folder, never end, or end too early."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from scrollwork.storage.downloads.unpack import LEAST_BYTES, BadArchive, glob_match, move_into, unpack

FILES = {"top/a.json": b"{}", "top/deep/b.json": b"[1]", "top/readme.txt": b"hello"}


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tarred(path: Path, files: dict[str, bytes], *more: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return path


def link(name: str, to: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def left(out: Path) -> list[str]:
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


@pytest.mark.parametrize("make", [zipped, tarred])
def test_only_matching_members_are_taken(tmp_path: Path, out: Path, make: object) -> None:
    made = unpack(make(tmp_path / "x", FILES), ["top/*.json"], out)  # type: ignore[operator]
    assert left(out) == list(made) == ["top/a.json"]


def test_front_of_names_is_stripped_and_leading_dot_is_nothing(tmp_path: Path, out: Path) -> None:
    made = unpack(tarred(tmp_path / "x", {"./top/a.json": b"{}"}), ["top/a.json"], out, strip="top/")
    assert list(made) == ["a.json"]


@pytest.mark.parametrize(
    "name", ["../evil.json", "top/../../evil.json", "/evil.json", "C:/evil.json", "top\\..\\evil.json"]
)
@pytest.mark.parametrize("make", [zipped, tarred])
def test_name_that_leads_out_refuses_the_whole_archive(tmp_path: Path, out: Path, name: str, make: object) -> None:
    archive = make(tmp_path / "x", {**FILES, name: b"evil"})  # type: ignore[operator]
    with pytest.raises(BadArchive, match="leads out of the folder"):
        unpack(archive, ["**/*.json"], out)
    assert not (tmp_path / "evil.json").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_link_or_device_in_a_tar_is_refused(tmp_path: Path, out: Path, kind: bytes) -> None:
    with pytest.raises(BadArchive, match=r"top/c\.json is a link or no file"):
        unpack(tarred(tmp_path / "x", FILES, link("top/c.json", "/etc/passwd", kind)), ["top/*.json"], out)


def test_link_in_a_zip_is_refused(tmp_path: Path, out: Path) -> None:
    info = zipfile.ZipInfo("top/c.json")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(BadArchive, match="is a link"):
        unpack(tmp_path / "x", ["top/*.json"], out)


def test_file_below_a_linked_folder_stays_inside(tmp_path: Path, out: Path) -> None:
    archive = tarred(tmp_path / "x", {}, link("top", str(tmp_path)))
    with tarfile.open(tmp_path / "y", "w") as opened, tarfile.open(archive) as first:
        opened.addfile(first.getmembers()[0])
        info = tarfile.TarInfo("top/a.json")
        opened.addfile(info, io.BytesIO())
    unpack(tmp_path / "y", ["top/a.json"], out)
    assert (out / "top/a.json").is_file()
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize("wanted", ["top/bomb.json", "top/a.json"], ids=["wanted", "passed over"])
def test_tar_bomb_is_refused(tmp_path: Path, out: Path, wanted: str) -> None:
    with gzip.open(tmp_path / "x", "wb", compresslevel=9) as stream:
        info = tarfile.TarInfo("top/bomb.json")
        info.size = LEAST_BYTES + 1024
        stream.write(info.tobuf())
        for _ in range(info.size // 1024):
            stream.write(bytes(1024))
        stream.write(bytes(1024))
    with pytest.raises(BadArchive, match=r"grows? over"):
        unpack(tmp_path / "x", [wanted], out)


def test_zip_bomb_is_refused_by_what_comes_not_by_what_is_said(
    tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrollwork.storage.downloads.unpack.LEAST_BYTES", 1 << 20)
    archive = zipped(tmp_path / "x", {f"top/{n}.json": bytes(900_000) for n in range(4)})
    with pytest.raises(BadArchive, match="grow over 100 times"):
        unpack(archive, ["top/*.json"], out)


@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.parametrize("make", [zipped, tarred])
def test_truncated_archive_is_named(tmp_path: Path, out: Path, make: object, share: float) -> None:
    noise = bytes(range(256)) * 40
    archive = make(tmp_path / "x.bin", {f"top/{n}.json": noise[n:] for n in range(30)})  # type: ignore[operator]
    data = archive.read_bytes()
    archive.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(BadArchive, match=r"x\.bin: is (cut|no zip)"):
        unpack(archive, ["top/*.json"], out)


def test_flipped_byte_in_a_zip_is_named(tmp_path: Path, out: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("top/a.json", b"0123456789" * 10)
    data = (tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(data.replace(b"0123456789", b"012345678X", 1))
    with pytest.raises(BadArchive, match="CRC"):
        unpack(tmp_path / "x", ["top/*.json"], out)


def test_page_instead_of_an_archive_is_named(tmp_path: Path, out: Path) -> None:
    (tmp_path / "x").write_bytes(b"<html>no</html>")
    with pytest.raises(BadArchive, match="is no zip or tar archive"):
        unpack(tmp_path / "x", ["*"], out)


def test_missing_member_is_named(tmp_path: Path, out: Path) -> None:
    with pytest.raises(BadArchive, match=r"has no member top/z\.json"):
        unpack(zipped(tmp_path / "x", FILES), ["top/a.json", "top/z.json"], out)


def test_member_that_is_there_twice_is_refused(tmp_path: Path, out: Path) -> None:
    with tarfile.open(tmp_path / "x", "w") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo("top/a.json"), io.BytesIO())
    with pytest.raises(BadArchive, match="twice"):
        unpack(tmp_path / "x", ["top/a.json"], out)


def test_unpacked_files_replace_those_that_stand(tmp_path: Path, out: Path) -> None:
    made = unpack(zipped(tmp_path / "x", FILES), ["**/*.json"], out)
    final = tmp_path / "raw"
    (final / "top").mkdir(parents=True)
    (final / "top/a.json").write_text("old")
    move_into(out, final, made)
    assert (final / "top/a.json").read_bytes() == b"{}"
    assert (final / "top/deep/b.json").read_bytes() == b"[1]"
    assert not out.exists()


@pytest.mark.parametrize(
    ("path", "pattern", "matches"),
    [
        ("a/b/c.json", "a/**/c.json", True),
        ("a/c.json", "a/**/c.json", True),
        ("a/b/c.json", "a/*/c.json", True),
        ("a/b/d/c.json", "a/*/c.json", False),
        ("a/xcyjson", "a/*c.json", False),
        ("c.json", "**/c.json", True),
    ],
)
def test_globs_match_as_folders_do(path: str, pattern: str, matches: bool) -> None:
    assert glob_match(path, pattern) is matches
