"""Lines and items longer than any record: one Drop or one named error, in bounded memory, and the reader goes on behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrollwork.preprocessing.raw import json_objects
from scrollwork.preprocessing.raw.errors import MalformedFile
from tests.conftest import PROJECT, environment
from tests.preprocessing.raw_kit import Kit, story
from tests.some_slow import one_in

MB = 1 << 20
# Reads a file in a process of its own; prints what came of it and the peak of its memory above that before reading.
READ = """
import json, sys
from tests.preprocessing.raw_kit import Kit
from pathlib import Path
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) << 10
kit = Kit(Path(sys.argv[1]), "squality")
kit.roles["records"] = ["t.jsonl"]
before = peak()
documents, examples, drops = kit.sorted()
print(json.dumps([[e.example_id for e in examples], [[d.reason, d.detail] for d in drops], peak() - before]))
"""


def garbage(kind: str, size: int) -> Iterator[bytes]:
    """A line of about `size` bytes, in pieces."""
    pieces = {
        "letters": b"x" * MB,
        "a text": b"x" * MB,
        "brackets": b"[" * MB,
        "empty lists": b"[]," * (MB // 3),
        "one wide character": b"x" * MB,
        "bytes that are no UTF-8": b"\xff" * MB,
        "NUL bytes": b"\0" * MB,
        "a valid record": b"x" * MB,
    }
    head, tail = {
        "a text": (b'{"document": "', b'"}'),
        "empty lists": (b"[", b"1]"),
        "one wide character": ('{"document": "😀'.encode(), b'"}'),
        "a valid record": (json.dumps(story("long")).replace("Once", "").encode()[:-1] + b', "more": "', b'"}'),
    }.get(kind, (b"", b""))
    yield head
    for _ in range(size // MB):
        yield pieces[kind]
    yield tail + b"\n"


def read_apart(folder: Path) -> tuple[list[str], list[list[str]], int]:
    ended = subprocess.run(
        [sys.executable, "-c", READ, str(folder)], cwd=PROJECT, env=environment(PYTHONPATH=str(PROJECT)),
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-2000:]
    examples, drops, memory = json.loads(ended.stdout)
    return examples, drops, memory


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    "kind",
    one_in(
        6,
        [
            "letters",
            "brackets",
            "empty lists",
            "one wide character",
            "bytes that are no UTF-8",
            "NUL bytes",
            "a valid record",
        ],
    ),
)
def test_line_of_100_mb_stops_the_rest_or_fills_the_memory(tmp_path: Path, kind: str) -> None:
    good = [json.dumps(story(name)).encode() + b"\n" for name in ("good", "last")]
    with (tmp_path / "t.jsonl").open("wb") as stream:
        stream.write(good[0])
        stream.writelines(garbage(kind, 100 * MB))
        stream.write(good[1])
    examples, drops, memory = read_apart(tmp_path)
    assert examples == ["good_1", "last_1"]
    ((reason, detail),) = drops
    assert reason == "line too long"
    assert detail.startswith("t.jsonl, line 2: is longer than 32 MiB (1")
    assert memory < 100 * MB, f"{memory / MB:.0f} MiB"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize(
    "kind", one_in(3, ["letters", "brackets", "a text", "one wide character", "bytes that are no UTF-8", "NUL bytes"])
)
def test_line_just_short_enough_fills_the_memory(tmp_path: Path, kind: str) -> None:
    good = json.dumps(story("good")).encode() + b"\n"
    with (tmp_path / "t.jsonl").open("wb") as stream:
        stream.write(good)
        stream.writelines(garbage(kind, 31 * MB))
        stream.write(json.dumps(story("last")).encode())
    examples, drops, memory = read_apart(tmp_path)
    assert (examples, len(drops)) == (["good_1", "last_1"], 1)
    assert memory < 300 * MB, f"{memory / MB:.0f} MiB"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit of 4,000 bytes."""
    monkeypatch.setattr(json_objects, "LINE_BYTES", 4000)
    monkeypatch.setattr(json_objects, "CHUNK", 512)
    return 4000


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("over", [-1, 0, 1, 2, 511, 512, 513, 9000])
def test_line_at_the_limit_is_cut_in_two(tmp_path: Path, short: int, over: int, place: int, end: str) -> None:
    """Whatever its length, a line is one record or one Drop, and those around it are read."""
    newline = end or "\n"
    lines = [json.dumps(story(name)) for name in ("a", "b")]
    long = json.dumps({**story("long"), "more": ""})
    long = long[:-2] + "x" * (short + over - len(long) - len(newline)) + long[-2:]
    lines.insert(place, long)
    data = newline.join(lines) + end
    _, examples, drops = Kit(tmp_path, "squality").file("t.jsonl", data).sorted()
    fits = over <= 0
    names = ["a_1", "b_1"]
    if fits:
        names.insert(place, "long_1")
    assert [one.example_id for one in examples] == names
    found = [(drop.reason, drop.record) for drop in drops]
    assert found == ([] if fits else [("line too long", f"t.jsonl, line {place + 1}")])


def test_item_of_a_list_is_read_without_end(tmp_path: Path, short: int) -> None:
    data = json.dumps([story("a"), {**story("b"), "more": "x" * 20_000}, story("c")])
    with pytest.raises(MalformedFile, match=r"^t\.json, item 1: is not JSON: "):
        Kit(tmp_path, "squality").file("t.json", data).sorted()


def test_garbage_in_a_list_makes_the_whole_file_be_read(tmp_path: Path, short: int) -> None:
    kit = Kit(tmp_path, "squality").file("t.json", "[" + json.dumps(story("a")) + ", nothing" + " " * 1_000_000)
    reads: list[int] = []
    original = json_objects.Window._more
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_objects.Window, "_more", lambda self, size: (reads.append(size), original(self, size))[1])
        with pytest.raises(MalformedFile, match="item 1: is not JSON: Expecting value"):
            kit.sorted()
    assert sum(reads) < 5 * short
