"""A backup grows by what is new, survives a kill, and is restored whole or not at all."""

import json
import os
import signal

import pytest

from scrollwork.storage.answers import backup
from scrollwork.storage.answers.backup import BackedUp, back_up, check_backup, restore
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.transfer import Imported
from scrollwork.storage.errors import DamagedRows, ForeignFile, StorageError
from scrollwork.storage.location import Location
from tests.storage.artifact_kit import heard, start
from tests.storage.snapshot_kit import TEXTS, paid
from tests.storage.store_kit import answer, key


def add(store, numbers):
    made = [paid(number, TEXTS[number % len(TEXTS)]) for number in numbers]
    store.add([one for one, _ in made], [], [one for _, tries in made for one in tries])


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "backup"


def files(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def everything(store, count):
    return store.answers([key(number) for number in range(count)]), store.spent()


@pytest.fixture
def other(tmp_path):
    opened = ResponseStore(tmp_path / "other" / "responses.db")
    yield opened
    opened.close()


def test_backup_writes_again_what_it_has_or_leaves_out_what_is_new(store, other, folder):
    add(store, range(30))
    assert back_up(store, Location(str(folder))) == BackedUp(30, 30, 1)
    first = files(folder)
    assert back_up(store, Location(str(folder))) == BackedUp(0, 30, 1)
    assert files(folder) == first, "a run that stored nothing writes nothing"
    add(store, range(30, 35))
    assert back_up(store, Location(str(folder))) == BackedUp(5, 35, 2)
    now = files(folder)
    assert {name: now[name] for name in first if name != "backup.json"} == {
        name: value for name, value in first.items() if name != "backup.json"
    }
    assert restore(other, Location(str(folder))) == Imported(35, 0, 0, 70)
    assert everything(other, 35) == everything(store, 35)
    assert restore(other, Location(str(folder))) == Imported(0, 35, 0, 0)


def test_restore_replaces_what_stands(store, other, folder):
    add(store, range(3))
    back_up(store, Location(str(folder)))
    other.add([answer(1, "ours"), answer(9)])
    assert restore(other, Location(str(folder))) == Imported(2, 0, 1, 6)
    assert other.answers([key(1)])[key(1)].text == "ours"


def test_answer_with_an_older_clock_is_left_out(store, other, folder):
    """Imported and refilled rows, and clocks that were set back: not the moment counts but the key."""
    add(store, range(3))
    back_up(store, Location(str(folder)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrollwork.storage.answers.store.time.time", lambda: 1.0)
        add(store, range(3, 5))
    assert back_up(store, Location(str(folder))).new == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
        lambda data: None,
    ],
)
@pytest.mark.parametrize("which", ["answers-00001", "answers-00002", "backup.json"])
def test_torn_or_edited_part_is_restored(other, folder, tmp_path, damage, which):
    store = ResponseStore(tmp_path / "responses.db")
    add(store, range(3))
    back_up(store, Location(str(folder)))
    add(store, range(3, 6))
    back_up(store, Location(str(folder)))
    (path,) = [path for path in folder.iterdir() if path.name.startswith(which)]
    data = damage(path.read_bytes())
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    with pytest.raises(ForeignFile, match=which):
        restore(other, Location(str(folder)))
    assert everything(other, 6) == ({}, {}), "nothing of the other parts is taken"
    if which == "backup.json" and data is not None:
        before = files(folder)
        with pytest.raises(ForeignFile):
            back_up(store, Location(str(folder)))
        assert files(folder) == before
    store.close()


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(path.read_bytes()[:-9]), os.unlink, None])
def test_damaged_part_is_taken_for_a_copy(store, other, folder, damage):
    """Told by name each time, its answers written anew; the parts that are whole can be had."""
    add(store, range(3))
    back_up(store, Location(str(folder)))
    add(store, range(3, 6))
    back_up(store, Location(str(folder)))
    (path,) = folder.glob("answers-00001-*")
    if damage is None:
        data = bytearray(path.read_bytes())
        data[200] ^= 1
        path.write_bytes(data)
    else:
        damage(path)
    left = path.read_bytes() if path.exists() else None
    with pytest.raises(ForeignFile, match="--intact"):
        restore(other, Location(str(folder)))
    assert restore(other, Location(str(folder)), intact=True).new == 3
    done = back_up(store, Location(str(folder)))
    assert (done.new, done.answers, done.parts) == (3, 6, 2)
    assert path.name in done.damaged[0]
    assert (path.read_bytes() if path.exists() else None) == left, "it is kept"
    again = back_up(store, Location(str(folder)))
    assert (again.new, again.answers, again.damaged) == (0, 6, done.damaged)
    restore(other, Location(str(folder)), intact=True)
    assert everything(other, 6) == everything(store, 6)


@pytest.mark.parametrize("footer", [True, False])
def test_other_answers_under_the_same_keys_are_called_backed_up(store, other, folder, footer, monkeypatch):
    """footer: without one, as files of before, every row is read."""
    add(store, range(5))
    if not footer:
        monkeypatch.setattr("scrollwork.storage.answers.file_format.stored_line", lambda *_: b"")
    back_up(store, Location(str(folder)))
    add(other, range(3))
    third, tries = paid(3, "another text")
    other.add([third], [], tries)
    before = files(folder)
    assert back_up(other, Location(str(folder))) == BackedUp(0, 5, 1, different=1)
    assert back_up(store, Location(str(folder))) == BackedUp(0, 5, 1)
    assert files(folder) == before


def test_manifest_that_was_edited_is_believed(store, other, folder):
    add(store, range(3))
    back_up(store, Location(str(folder)))
    path = folder / "backup.json"
    said = json.loads(path.read_text())
    said["parts"] = []
    path.write_text(json.dumps(said))
    for use in (lambda: restore(other, Location(str(folder))), lambda: back_up(store, Location(str(folder)))):
        with pytest.raises(ForeignFile, match=r"backup\.json"):
            use()


def test_files_of_others_are_written_among(store, folder):
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")
    add(store, [1])
    with pytest.raises(StorageError, match=r"thesis\.tex"):
        back_up(store, Location(str(folder)))
    with pytest.raises(ForeignFile, match="is no backup"):
        check_backup(Location(str(folder)))
    with pytest.raises(ForeignFile, match="is no backup"):
        restore(store, Location(str(folder)), intact=True)


def test_damaged_row_is_backed_up(store, folder):
    add(store, range(3))
    store.database.write(lambda c: c.exec_driver_sql(f"UPDATE responses SET text = 'x' WHERE request_key = '{key(1)}'"))
    with pytest.raises(DamagedRows, match=key(1)):
        back_up(store, Location(str(folder)))
    assert not (folder / "backup.json").exists()


def test_killed_backup_cannot_be_restored_or_gone_on_with(tmp_path, folder):
    """Killed before the first manifest, and between a part and its manifest; parts that came before stand."""
    store = ResponseStore(tmp_path / "responses.db")
    add(store, range(5))
    for stops in (1, 2):
        process = start(
            """
            from scrollwork.storage.answers import backup
            from scrollwork.storage.location import Location
            backup.PART_ANSWERS = 2
            count = 0
            real = Location.replace
            def stop(self, name, data):
                global count
                count += 1
                if count == int(sys.argv[3]):
                    say("now")
                    wait()
                real(self, name, data)
            Location.replace = stop
            backup.back_up(ResponseStore(sys.argv[1]), Location(sys.argv[2]))
            """,
            f"sqlite:///{tmp_path / 'responses.db'}",
            folder,
            stops,
        )
        assert heard(process) == ["now"]
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        known = [part.answers for part in check_backup(Location(str(folder)))] if stops == 2 else []
        assert known == [2] * (stops - 1)
    done = back_up(store, Location(str(folder)))
    assert (done.new, done.answers) == (3, 5)
    names = {path.name for path in folder.iterdir() if path.suffix == ".parquet"}
    assert names == {part.name for part in check_backup(Location(str(folder)))}, "what the killed ones left is gone"
    other = ResponseStore(tmp_path / "other.db")
    assert restore(other, Location(str(folder))).new == 5
    assert everything(other, 5) == everything(store, 5)
    other.close()
    store.close()


def test_remote_folder_holds_no_backup(store, other, tmp_path):
    folder = Location(f"memory://{tmp_path.name}")  # all tests of a process share this memory
    add(store, range(3))
    assert back_up(store, folder).new == 3
    add(store, range(3, 5))
    assert back_up(store, folder) == BackedUp(2, 5, 2)
    assert restore(other, folder).new == 5


def test_part_without_end_is_written_again_after_a_kill(store, folder, monkeypatch):
    monkeypatch.setattr(backup, "PART_ANSWERS", 4)
    add(store, range(10))
    assert back_up(store, Location(str(folder))) == BackedUp(10, 10, 3)
