"""A schedule that processes share: no moment is given to two, none is lost, whatever their clocks do."""

import threading
import time
from itertools import pairwise
from statistics import median

import pytest

from scrollwork.storage.answers import database
from scrollwork.storage.answers.shared_limits import HEARD_S, Paces
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import StorageError
from tests.storage.artifact_kit import finish, heard, start, tell


class Still(Paces):
    """With a store's clock (seconds since 1970) and one of this process that stand where they are put."""

    wall, own = 1_000_000.0, 50.0

    def _now(self, connection):
        return self.wall, self.own

    def wait(self, seconds):
        self.wall += seconds
        self.own += seconds


def take(paces, seconds, name="p", lead_s=0.0, hold_s=0.0, heard=None):
    return paces.take(name, seconds, lead_s=lead_s, hold_s=hold_s, heard=heard)


@pytest.fixture
def still(store):
    opened = Still(store.place)
    yield opened
    opened.close()


def test_moment_is_given_twice_or_to_nobody(still):
    assert [take(still, seconds).begin for seconds in (1.0, 0.5, 2.0)] == [50.0, 51.0, 51.5]
    assert take(still, 1.0, name="another account").begin == 50.0
    still.wait(10.0)
    assert take(still, 1.0).begin == 60.0, "what passed unused is no burst"


def test_stretch_begins_before_a_slow_process_hears_of_it(still):
    assert take(still, 1.0, lead_s=3.0).begin == 53.0
    assert take(still, 1.0, lead_s=3.0).begin == 54.0
    assert take(still, 1.0).begin == 55.0


def test_hold_is_not_heeded_or_lasts_longer_the_more_tell_it(still):
    take(still, 1.0)
    for _ in range(3):
        take(still, 0.0, hold_s=20.0)
    assert take(still, 1.0).begin == 70.0


def test_telling_limits_takes_time_of_others(still):
    take(still, 1.0)
    take(still, 0.0, heard=(60, None))
    assert take(still, 1.0).begin == 51.0


def test_clock_that_is_set_back_stops_calls_for_hours(still):
    for _ in range(3):
        take(still, 1.0)
    still.wall -= 7200.0
    assert take(still, 1.0).begin == pytest.approx(53.0), "behind what was given, not after two hours"
    still.wall += 7200.0
    still.own += 1.0
    assert take(still, 1.0).begin == pytest.approx(51.0)


def test_limits_that_others_heard_are_forgotten_or_never_end(still):
    assert take(still, 1.0, heard=(60, None)).requests_limit is None, "who heard them needs no telling"
    told = take(still, 1.0)
    assert (told.requests_limit, told.tokens_limit) == (60, None)
    take(still, 1.0, heard=(None, 9000))
    told = take(still, 1.0)
    assert (told.requests_limit, told.tokens_limit) == (None, 9000)
    still.wait(HEARD_S)
    assert take(still, 1.0).tokens_limit is None


@pytest.mark.alone
def test_processes_are_given_the_same_moment(place):
    ResponseStore(place).close()
    code = """
    from scrollwork.storage.answers.shared_limits import Paces
    paces = Paces(sys.argv[1])
    say("ready")
    wait()
    for _ in range(40):
        say(paces.take("p", 0.25, lead_s=0.0, hold_s=0.0, heard=None).begin)
    """
    processes = [start(code, place) for _ in range(3)]
    for process in processes:
        assert heard(process) == ["ready"]
    for process in processes:
        tell(process)
    begins = sorted(float(word) for process in processes for word in finish(process))
    gaps = [later - earlier for earlier, later in pairwise(begins)]
    assert len(begins) == 120
    assert min(gaps) > 0.2, "no two begin together"
    assert median(gaps) == pytest.approx(0.25, abs=0.05), "and none waits for longer, but where the machine stalled"


def test_halt_between_two_clocks_shifts_the_moment(place, monkeypatch):
    """A process that was halted while it read the store's clock took its stretch for one that begins as long later."""
    ResponseStore(place).close()
    paces, other = Paces(place), Paces(place)
    real, halts = paces.database.now, [0.3]

    def halted(connection):
        now = real(connection)
        time.sleep(halts.pop() if halts else 0.0)
        return now

    monkeypatch.setattr(paces.database, "now", halted)
    first, second = (one.take("p", 1.0, lead_s=0.0, hold_s=0.0, heard=None).begin for one in (paces, other))
    paces.close()
    other.close()
    assert second - first == pytest.approx(1.0, abs=0.1)


def test_paces_wait_a_minute_for_a_store_that_hangs(place, monkeypatch):
    """SQLite: somebody writes for long. PostgreSQL: a process was stopped in the middle of a transaction."""
    ResponseStore(place).close()
    monkeypatch.setattr(database, "PASSING_S", 1)
    paces, hanging = Paces(place), Paces(place)
    take(paces, 1.0)
    over, held, began = threading.Event(), threading.Event(), []

    def hang(connection):
        began.append(time.monotonic())  # PostgreSQL ends it so long after this statement
        hanging._row(connection, "p")
        held.set()
        over.wait(30)

    def work():
        try:
            hanging.database.write(hang)
        except StorageError:
            pass  # PostgreSQL ended it

    thread = threading.Thread(target=work)
    thread.start()
    held.wait(30)
    if paces.database.sqlite:
        with pytest.raises(StorageError, match="Another process has been writing to it for 1 s"):
            take(paces, 1.0)
    else:
        take(paces, 1.0)
    assert 0.5 < time.monotonic() - began[0] < 10
    over.set()
    thread.join(30)
    take(paces, 1.0)
    for one in (paces, hanging):
        one.close()
