"""Damaged and hostile logs of inspect_ai: named, bounded, never unpacked to disk."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kit.eval_logs import ZstdArchive
from scrollwork.analysis.logs.log import LogError, ReadOptions
from scrollwork.exchange.logs import json_pieces
from scrollwork.exchange.logs.inspect_ai import zip_members
from scrollwork.exchange.logs.inspect_ai.reader import read, recognizes
from scrollwork.exchange.logs.inspect_ai.zip_members import END, END_64, ENTRY, LOCATOR_64, Archive
from tests.exchange.logs.log_kit import archived, compact, header, logs_of, sample, whole, zipped
from tests.some_slow import one_in

NONE = ReadOptions()
SAMPLES = [sample("a", "C"), sample("b", "I", metadata={"text": 'quoted },{"id":"z","epoch":1 in a text'})]


def scores(path: Path) -> list[float]:
    (log,) = read(path, NONE)
    return log.scores["exact"].tolist()


# ---- what the shared data spoiled


def test_a_log_that_is_cut_or_of_another_version_is_read(shared: Path) -> None:
    folder = logs_of(shared, "spoiled")
    assert recognizes(folder / "inspect_cut.eval")
    with pytest.raises(LogError, match=r"inspect_cut\.eval: the end of the zip archive is missing"):
        read(folder / "inspect_cut.eval", NONE)
    with pytest.raises(LogError, match=r'inspect_version99\.json, field "version": is 99; only version 2'):
        read(folder / "inspect_version99.json", NONE)


# ---- archives


@pytest.mark.parametrize("zstd", [True, False])
def test_a_log_cut_anywhere_is_read_as_a_whole_one(tmp_path: Path, zstd: bool) -> None:
    path = archived(tmp_path / "a.eval", *SAMPLES, zstd=zstd)
    data = path.read_bytes()
    assert scores(path) == [1.0, 0.0]
    for size in range(4, len(data), 7):
        path.write_bytes(data[:size])
        with pytest.raises(LogError, match=r"a\.eval"):
            read(path, NONE)


@pytest.mark.parametrize("zstd", one_in(2, [True, False]))
def test_a_changed_byte_changes_scores_silently(tmp_path: Path, zstd: bool) -> None:
    path = archived(tmp_path / "a.eval", *SAMPLES, zstd=zstd)
    data = path.read_bytes()
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            (log,) = read(path, NONE)
        except LogError as error:
            assert "a.eval" in str(error)  # noqa: PT017
        else:
            assert log.scores["exact"].tolist() == [1.0, 0.0] or log.notes


def test_names_in_an_archive_are_used_as_paths(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    members = {"header.json": compact(header())}
    for name in ("../../up", "/etc/passwd", "a/b", "c:\\x", "é" * 300, ""):
        members[f"samples/{name}_epoch_1.json"] = compact(sample(f"real {name}"))
    (log,) = read(zipped(folder / "a.eval", members), NONE)
    assert log.ids is not None
    assert "real ../../up" in log.ids
    assert len(log) == 6
    assert [one.name for one in tmp_path.rglob("*")] == ["logs", "a.eval"]


def test_a_member_of_several_frames_ends_after_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    data = compact([sample(f"q{number}") for number in range(500)])
    with ZstdArchive(path) as archive:
        archive.write("summaries.json", data[:1000], data[1000:20_000], data[20_000:])
        archive.write("header.json", compact(header()))
    assert scores(path) == [1.0] * 500


def test_pieces_of_a_journal_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    members = {f"_journal/summaries/{number}.json": compact([sample(f"q{number}")]) for number in (10, 2, 1)}
    (log,) = read(zipped(tmp_path / "a.eval", {"_journal/start.json": compact(header())} | members), NONE)
    assert log.ids == ["q1", "q2", "q10"]


def directory_of(data: bytes) -> tuple[int, int]:
    """(size, place) of an archive's directory."""
    _, _, _, _, _, size, place, _ = END.unpack(data[-END.size :])
    return size, place


def test_an_archive_of_more_than_65535_members_or_4_gb_cannot_be_read(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.eval", *SAMPLES)
    data = path.read_bytes()
    size, place = directory_of(data)
    first = ENTRY.unpack_from(data, place)
    assert first[11] == 0
    name = data[place + ENTRY.size : place + ENTRY.size + first[10]]
    long = struct.pack("<2H3Q", 1, 24, first[9], first[8], first[16])  # size, packed size, offset: 64 bits each
    entry = ENTRY.pack(*first[:8], 0xFFFFFFFF, 0xFFFFFFFF, first[10], len(long), *first[12:16], 0xFFFFFFFF)
    directory = entry + name + long + data[place + ENTRY.size + first[10] : place + size]
    end = place + len(directory)
    path.write_bytes(
        data[:place] + directory
        + END_64.pack(b"PK\x06\x06", 44, 45, 45, 0, 0, 5, 5, len(directory), place)
        + LOCATOR_64.pack(b"PK\x06\x07", 0, end, 1)
        + END.pack(b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    )  # fmt: skip
    assert zipfile.ZipFile(path).namelist()[0] == "_journal/start.json"
    assert scores(path) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (3, 1, "is encrypted"),
        (4, 12, "is packed by method 12; known: 0, 8"),
        (7, 0, r"is damaged \(size or CRC differ"),
        (9, 7, "is damaged"),
        (9, 1 << 31, "is 2,147,483,648 bytes unpacked, more than"),
        (16, 1 << 31, "lies outside the file"),
    ],
)
def test_a_member_that_lies_about_itself_is_read(tmp_path: Path, field: int, value: int, said: str) -> None:
    path = archived(tmp_path / "a.eval", *SAMPLES, zstd=False)
    data = bytearray(path.read_bytes())
    place = data.rindex(b"header.json") - ENTRY.size
    entry = list(ENTRY.unpack_from(data, place))
    entry[field] = value
    ENTRY.pack_into(data, place, *entry)
    path.write_bytes(data)
    with pytest.raises(LogError, match=rf"a\.eval, member 'header\.json': {said}"):
        read(path, NONE)


def test_a_directory_that_hides_a_member_or_renames_it_is_believed(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.eval", *SAMPLES, zstd=False)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"summaries.json", b"summaries.jsom", 1))  # the member's own header stands first
    with pytest.raises(
        LogError, match=r"member 'summaries\.json': cannot be unpacked \(the directory gives it another"
    ):
        read(path, NONE)
    _, place = directory_of(data)
    first = list(ENTRY.unpack_from(data, place))
    second = ENTRY.unpack_from(data, place + ENTRY.size + first[10])
    first[12] = ENTRY.size + second[10]  # a comment as long as the next entry
    path.write_bytes(data[:place] + ENTRY.pack(*first) + data[place + ENTRY.size :])
    with pytest.raises(LogError, match="the directory has 4 members, not 5: it is damaged"):
        read(path, NONE)


def test_a_bomb_fills_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_pieces, "MOST_VALUE", 1 << 20)
    blanks, text = b" " * (16 << 20), b'[{"id":"' + b"x" * (16 << 20) + b'"}]'
    for number, data in enumerate((b"[" + blanks + b"]", text, b"[" * (1 << 20), b"{" + blanks, b"0" * (8 << 20))):
        path = zipped(
            tmp_path / f"{number}.eval", {"header.json": compact(header()), "summaries.json": data}, number % 2 == 0
        )
        assert path.stat().st_size < 200_000
        tracemalloc.start()
        with pytest.raises(LogError, match=rf"{number}\.eval"):
            read(path, NONE)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12 << 20


def test_a_member_of_more_bytes_than_it_declares_is_unpacked_whole(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.eval", {"header.json": compact(header()) + b" " * (16 << 20)}, zstd=False)
    data = bytearray(path.read_bytes())
    place = data.rindex(b"header.json") - ENTRY.size
    entry = list(ENTRY.unpack_from(data, place))
    entry[9] = 200
    ENTRY.pack_into(data, place, *entry)
    path.write_bytes(data)
    with Archive(path) as archive:
        pieces = archive.pieces(archive.members()["header.json"])
        with pytest.raises(LogError, match="is damaged"):
            next(pieces)


def test_a_directory_that_claims_more_than_the_file_is_allocated(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.eval", *SAMPLES)
    data = path.read_bytes()
    path.write_bytes(data[: -END.size] + END.pack(b"PK\x05\x06", 0, 0, 4, 4, 1 << 31, 0, 0))
    with pytest.raises(LogError, match="the directory of the zip archive is damaged"):
        read(path, NONE)


@pytest.mark.parametrize(
    "frame", [b"", b"not a frame", b"\x28\xb5\x2f\xfd", zlib.compress(b"x")], ids=["none", "text", "cut", "zlib"]
)
def test_a_frame_that_is_none_stops_with_another_error(tmp_path: Path, frame: bytes) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", frame)
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, data.rindex(b"header.json") - ENTRY.size + 10, zip_members.ZSTANDARD)
    struct.pack_into("<I", data, data.rindex(b"header.json") - ENTRY.size + 24, 100)
    path.write_bytes(data)
    with pytest.raises(LogError, match=r"member 'header\.json'"):
        read(path, NONE)


def test_an_archive_without_a_header_or_a_sample_in_chunks_is_read(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"has neither header\.json nor _journal/start\.json"):
        read(zipped(tmp_path / "a.eval", {"samples/a_epoch_1.json": compact(sample("a"))}), NONE)
    members = {"samples/a_epoch_1/sample.json": compact(sample("a")), "header.json": compact(header())}
    with pytest.raises(LogError, match="is stored in chunks"):
        read(zipped(tmp_path / "b.eval", members), NONE)
    members["summaries.json"] = compact([sample("a")])
    assert scores(zipped(tmp_path / "c.eval", members)) == [1.0]


# ---- JSON


def summaries_of(count: int, **more: Any) -> list[dict[str, Any]]:
    nested = [{"id": "n1", "epoch": 1}, {"id": "n2", "epoch": 2}]
    said = [
        {"id": "m1", "role": "user", "content": "?"},
        {"id": "m2", "role": "user", "content": '},{"id":"z","epoch":1'},
    ]
    return [
        sample(f"q{number}", "C" if number % 3 else "I", metadata={"nested": nested}, input=said) | more
        for number in range(count)
    ]


@pytest.mark.parametrize("block", [1, 300, 5000, 1 << 18])
@pytest.mark.parametrize("form", ["compact", "spaces", "indented"])
def test_where_a_long_array_is_cut_changes_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, form: str
) -> None:
    monkeypatch.setattr(json_pieces, "BLOCK", block)
    rows = summaries_of(40) + summaries_of(40, metadata={"x": float("nan")})
    data = {
        "compact": compact(rows),
        "spaces": json.dumps(rows).encode(),
        "indented": json.dumps(rows, indent=2).encode(),
    }
    pieces = (data[form][place : place + 97] for place in range(0, len(data[form]), 97))
    found = list(json_pieces.summaries(pieces, tmp_path / "a.eval", "summaries.json"))
    assert json.dumps(found) == json.dumps(rows)


@pytest.mark.parametrize(
    "form", [compact, lambda rows: json.dumps(rows, indent=2).encode()], ids=["compact", "indented"]
)
def test_an_array_cut_anywhere_is_read_as_a_whole_one(tmp_path: Path, form: Callable[[Any], bytes]) -> None:
    data = form(summaries_of(3))
    for size in range(len(data) - 1):
        with pytest.raises(LogError, match=r"a\.eval, summaries\.json, character \d"):
            list(json_pieces.summaries(iter([data[:size]]), tmp_path / "a.eval", "summaries.json"))


def test_a_json_log_cut_anywhere_is_read_as_a_whole_one(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.json", *SAMPLES, indent=None)
    data = path.read_bytes()
    assert scores(path) == [1.0, 0.0]
    for size in range(1, data.index(b'"reductions"') - 3, 5):
        path.write_bytes(data[:size])
        with pytest.raises(LogError, match=r"a\.json"):
            read(path, NONE)


@pytest.mark.parametrize("read_at_once", [1, 7, 1 << 20])
def test_a_number_a_letter_or_a_text_is_split_where_a_piece_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_at_once: int
) -> None:
    monkeypatch.setattr(json_pieces, "READ", read_at_once)
    samples = [sample("a", 0.123456789), sample("東京\u2028", 1e-3, input='Łódź\ud83d\ude00 "\\')]
    (log,) = read(whole(tmp_path / "a.json", *samples, indent=None), NONE)
    assert log.scores["exact"].tolist() == [0.123456789, 0.001]
    assert log.ids == ["a", "東京\u2028"]


def test_a_number_that_two_pieces_share_is_two_numbers(tmp_path: Path) -> None:
    pieces = iter([b"[1", b"2", b",3", b".5, tr", b"ue]"])
    assert list(json_pieces.Reader(pieces, tmp_path).elements()) == [12, 3.5, True]


@pytest.mark.parametrize("key", ["version", "samples"])
def test_a_json_log_without_version_or_samples_is_read(tmp_path: Path, key: str) -> None:
    path = whole(tmp_path / "a.json", *SAMPLES)
    held = json.loads(path.read_bytes())
    del held[key]
    path.write_text(json.dumps(held))
    with pytest.raises(LogError, match=f'field "{key}"'):
        read(path, NONE)


def test_bytes_that_are_not_utf_8_stop_with_another_error(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.json", *SAMPLES)
    path.write_bytes(path.read_bytes().replace(b"quoted", b"qu\xffted"))
    with pytest.raises(LogError, match=r"a\.json, character .*is not UTF-8"):
        read(path, NONE)


def test_deep_nesting_stops_with_another_error(tmp_path: Path) -> None:
    deep = b"[" * 200_000
    members = {"header.json": compact(header()), "summaries.json": compact(SAMPLES)[:-2] + b',"x":' + deep}
    with pytest.raises(LogError, match=r"a\.eval, summaries\.json, character .*(nested|cut)"):
        read(zipped(tmp_path / "a.eval", members), NONE)


def test_an_open_file_is_left_behind(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    path = archived(tmp_path / "a.eval", *SAMPLES)
    for size in (20, None):
        path.write_bytes(path.read_bytes()[:size])
        with pytest.raises(LogError):
            read(path, NONE)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_log_without_samples_is_said_to_be_unscored(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.eval", {"summaries.json": b"[]", "header.json": compact(header())})
    with pytest.raises(LogError, match=r"the log has no samples: they were not logged \(--no-log-samples\)"):
        read(path, NONE)
