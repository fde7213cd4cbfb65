"""A repair of a torn store that is killed, or fails, at any point: the next one has every row that could be read."""

import os
import signal

import pytest

from scrollwork.storage.answers import repair
from scrollwork.storage.answers.repair import open_or_mend
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import StorageFull, TornStore
from tests.storage.artifact_kit import heard, start
from tests.storage.snapshot_kit import paid
from tests.storage.store_kit import key

COUNT = 60
DRIVER = """
import os
from scrollwork.storage.answers import repair
from scrollwork.storage.location import sync_folder

def stop(holder, name, which, after=False):
    real, calls = getattr(holder, name), []
    def stopping(*arguments, **options):
        calls.append(name)
        if len(calls) == which and not after:
            say("now"); wait()
        result = real(*arguments, **options)
        if len(calls) == which and after:
            say("now"); wait()
        return result
    setattr(holder, name, stopping)

stop(*eval(sys.argv[2]))
repair.open_or_mend(sys.argv[1])
"""
POINTS = {
    "before anything is taken over": '(repair, "_take_over", 1)',
    "one table is taken over": '(repair, "_readable", 3)',
    "all tables are taken over": '(ResponseStore, "close", 3)',  # the first two closed the torn one
    "nothing has its last name": '(os, "replace", 1)',
    "the repaired file is there": '(os, "replace", 1, True)',
    "the torn file has two names": '(os, "link", 2, True)',  # the first made the new store
    "the journals are away": '(os, "replace", 2)',
    "everything is done": '(os, "replace", 2, True)',
}


@pytest.fixture
def torn(path):
    """A store without snapshots whose last page is damaged, and the answers that can be read of it."""
    store = ResponseStore(path)
    made = [paid(number, f"{number} " * 500) for number in range(COUNT)]
    store.add([one for one, _ in made], [], [one for _, tries in made for one in tries])
    store.close()
    data = path.read_bytes()
    middle = data.index(b"30 30 30") // 4096 * 4096
    path.write_bytes(data[:middle] + b"\xff" * 4096 + data[middle + 4096 :])
    return path


def readable(torn, tmp_path):
    """What a repair of a copy saves."""
    copy = tmp_path / "copy.db"
    copy.write_bytes(torn.read_bytes())
    return answers(open_or_mend(copy).store)


def answers(store):
    found = store.answers([key(number) for number in range(COUNT)])
    store.close()
    return found


@pytest.mark.parametrize("point", POINTS)
def test_killed_repair_loses_what_could_be_read(torn, tmp_path, point):
    whole, data = readable(torn, tmp_path), torn.read_bytes()
    assert COUNT // 2 < len(whole) < COUNT
    process = start(DRIVER, f"sqlite:///{torn}", POINTS[point])
    assert heard(process) == ["now"]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    if point in ("the repaired file is there", "the torn file has two names", "the journals are away"):
        with pytest.raises(TornStore, match="store repair"):
            ResponseStore(torn)
    assert answers(open_or_mend(torn).store) == whole
    assert answers(ResponseStore(torn)) == whole
    kept = [one for one in torn.parent.iterdir() if ".damaged-" in one.name and not one.name.endswith(("-wal", "-shm"))]
    assert [one.read_bytes() for one in kept] == [data], "the damaged file is kept, once"
    assert {one.name for one in torn.parent.iterdir() if "repair" in one.name} <= {f"{torn.name}.repair-lock"}


@pytest.mark.parametrize("error", [KeyboardInterrupt(), StorageFull("no space left"), OSError(5, "read error")])
def test_repair_that_fails_changes_the_store(torn, tmp_path, monkeypatch, error):
    whole, data = readable(torn, tmp_path), torn.read_bytes()
    real = repair._take_over

    def fails(*arguments):
        real(*arguments)
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(repair, "_take_over", fails)
        with pytest.raises(type(error)):
            open_or_mend(torn)
    assert torn.read_bytes() == data
    assert {one.name for one in torn.parent.iterdir()} <= {torn.name, f"{torn.name}-wal", f"{torn.name}-shm"}
    assert answers(open_or_mend(torn).store) == whole


def test_second_repair_at_once_takes_a_whole_store_away(torn, tmp_path, monkeypatch):
    """Who waited for another's repair finds a store that is whole."""
    whole = readable(torn, tmp_path)
    real, looked = repair._whole, []

    def meanwhile(place):
        looked.append(place)
        if len(looked) == 1:
            found = real(place)
            assert found is None
            answers(open_or_mend(torn).store)
            return None
        return real(place)

    monkeypatch.setattr(repair, "_whole", meanwhile)
    done = open_or_mend(torn)
    assert (done.moved, answers(done.store)) == ("", whole)
    assert len([one for one in torn.parent.iterdir() if ".damaged-" in one.name]) == 1
