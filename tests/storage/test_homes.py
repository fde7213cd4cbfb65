"""The home folder, and the digests of raw files that it remembers."""

import hashlib
import json
import os

import pytest

from scrollwork.storage.digest import FileDigests, sha256_file, sha256_of
from scrollwork.storage.errors import StorageError
from scrollwork.storage.home import Home
from scrollwork.storage.location import Location
from tests.storage.artifact_kit import documents, write

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4, appendix B.1


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "raw.jsonl"
    path.write_bytes(b"abc")
    return path


def test_digest_of_a_file_differs_from_the_standard(file):
    assert sha256_file(file) == ABC
    assert FileDigests().of(file) == (ABC, 3)
    file.write_bytes(b"x" * (3 << 20))  # several chunks
    assert sha256_file(file) == hashlib.sha256(b"x" * (3 << 20)).hexdigest()


def test_equal_values_have_unequal_digests():
    assert sha256_of({"b": 1, "a": "ü"}) == sha256_of({"a": "ü", "b": 1})
    assert sha256_of({"a": "ü"}) == hashlib.sha256('{"a":"ü"}'.encode()).hexdigest()
    assert sha256_of(["a"]) != sha256_of("a")


def test_changed_file_keeps_its_old_digest(file, tmp_path):
    memory = tmp_path / "cache" / "digests.json"
    digests = FileDigests(memory)
    assert digests.of(file) == (ABC, 3)
    digests.save()
    file.write_bytes(b"abcd")
    assert FileDigests(memory).of(file) == (hashlib.sha256(b"abcd").hexdigest(), 4)
    file.write_bytes(b"abd")
    os.utime(file, ns=(0, 0))  # the size of before, another time
    assert FileDigests(memory).of(file) == (hashlib.sha256(b"abd").hexdigest(), 3)


def test_unchanged_file_is_read_again(file, tmp_path):
    memory = tmp_path / "digests.json"
    digests = FileDigests(memory)
    digests.of(file)
    digests.save()
    remembered = json.loads(memory.read_text())
    remembered[str(file)][2] = "remembered"
    memory.write_text(json.dumps(remembered))
    assert FileDigests(memory).of(file) == ("remembered", 3)


@pytest.mark.parametrize("content", ["", "{", "[]", "\x00", "7", "null", '{"PATH": 5}', '{"PATH": [3]}'])
def test_broken_memory_of_digests_stops_a_run(file, tmp_path, content):
    memory = tmp_path / "digests.json"
    memory.write_text(content.replace("PATH", str(file)))
    digests = FileDigests(memory)
    assert digests.of(file) == (ABC, 3)
    digests.save()
    assert json.loads(memory.read_text())[str(file)][2] == ABC


def test_memory_that_cannot_be_written_stops_a_run(file, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder belongs")
    digests = FileDigests(tmp_path / "cache" / "digests.json")
    assert digests.of(file) == (ABC, 3)
    digests.save()


def test_home_moves_with_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home = Home.at("home")
    monkeypatch.chdir("/")
    write(home.artifacts, documents(1))
    assert (tmp_path / "home" / "artifacts" / "curate").is_dir()
    assert home.store_place == tmp_path / "home" / "responses.db"
    assert Home.at("home", "postgresql://h/d").store_place == "postgresql://h/d"


def test_remote_home_keeps_its_answers_on_one_machine():
    with pytest.raises(StorageError, match="--store postgresql://"):
        Home.at("s3://bucket/home")
    assert Home.at("s3://bucket/home", "postgresql://h/d").url == "s3://bucket/home"


@pytest.mark.parametrize(
    "held",
    [b"{\xff", b"", b"[]", b"7", b"{}", b'"time"', b"[" * 10**5, b'{"time": 1.0, "request": []}',
     b'{"time": "1", "request": {"suite": "a"}}', b'{"time": 1.0, "request": {"suite": 1}}'],
)  # fmt: skip
def test_unreadable_row_hides_the_other_runs(tmp_path, held):
    home = Home.at(str(tmp_path))
    assert home.runs() == []
    home.note_run({"request": {"suite": "zeroscrolls"}})
    (tmp_path / "runs" / "broken.json").write_bytes(held)
    (run,) = home.runs()
    assert run["request"] == {"suite": "zeroscrolls"}
    assert run["time"] > 0


def test_second_run_of_a_process_in_one_second_overwrites_the_first(tmp_path):
    home = Home.at(str(tmp_path), "")
    for number in range(20):
        home.note_run({"number": number, "request": {"suite": "zeroscrolls"}})
    assert [run["number"] for run in home.runs()] == list(range(20))
    assert len({run["id"] for run in home.runs()}) == 20


@pytest.mark.parametrize(
    "made", [lambda: Home(""), lambda: Home.at(""), lambda: Home.at("file://"), lambda: Location("")]
)
def test_empty_home_is_the_folder_that_a_process_works_in(made):
    """Digests of raw files lay in cache/ of a checkout."""
    with pytest.raises(StorageError, match=r"the home is empty|without a path"):
        made()


def test_store_without_a_file_is_the_folder_that_a_process_works_in(tmp_path):
    with pytest.raises(StorageError, match=r"--store sqlite:///: name its file, such as sqlite:///answers\.db"):
        Home.at(str(tmp_path), "sqlite:///")
