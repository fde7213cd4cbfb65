"""Claims: two processes never ask the same request, and nobody waits for the dead."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from scrollwork.storage import processes
from scrollwork.storage.answers.database import Database
from scrollwork.storage.answers.store import ResponseStore
from tests.storage.artifact_kit import finish, heard, start, tell
from tests.storage.store_kit import answer, attempt, batch, failure, key

ALL = [key(number) for number in range(1200)]
CLAIM = """
from tests.storage.store_kit import key
store = ResponseStore(sys.argv[1])
say("ready")
wait()
say(len(store.claim([key(n) for n in range(int(sys.argv[2]))], "other", float(sys.argv[3]))))
wait()
"""


@pytest.fixture(autouse=True)
def server_of_old(monkeypatch):
    """The tests' PostgreSQL began a moment ago, when no lease ends (test_store_postgres.py tries that)."""
    monkeypatch.setattr(Database, "began_s", lambda *_: float("inf"))


def test_two_owners_hold_one_request(store):
    assert store.claim(ALL, "a", 60) == set(ALL)
    assert store.claim([*ALL, key("new")], "b", 60) == {key("new")}
    assert store.claim(ALL[:3], "a", 60) == set(ALL[:3])
    store.release([*ALL, key("new")], "b")
    assert store.claim([ALL[0], key("new")], "c", 60) == {key("new")}
    store.release(ALL[:2], "a")
    assert store.claim(ALL[:3], "c", 60) == set(ALL[:2])


def test_lease_never_ends(store):
    store.claim(ALL[:3], "a", 0.15)
    assert store.claim(ALL[:1], "b", 60) == set()
    assert store.renew(ALL[:1], "a", 60) == {ALL[0]}
    time.sleep(0.2)
    assert store.claim(ALL[:3], "b", 60) == set(ALL[1:3])
    assert store.renew(ALL[:3], "a", 60) == {ALL[0]}, "what another has taken is not ours any more"


def test_answered_request_is_claimed(store):
    """The answer came after the claimer looked for it."""
    store.claim(ALL[:2], "a", 60)
    store.add([answer(0)], [], [attempt(0)], owner="a")
    assert store.claim(ALL[:2], "b", 60) == set()
    store.release(ALL[:2], "a")
    assert store.claim(ALL[:2], "b", 60) == {ALL[1]}
    assert store.claim(ALL[:2], "c", 60) == set()
    assert store.holdings().claimed == 1


def test_failed_request_stays_claimed_or_frees_the_claim_of_another(store):
    store.claim(ALL[:2], "a", 60)
    store.add([], [failure(0)], owner="a")
    store.add([], [failure(1)], owner="b")
    assert store.claim(ALL[:2], "c", 60) == {ALL[0]}


def test_request_in_an_open_batch_is_claimed(store):
    store.claim(ALL[:3], "a", 60)
    store.intend(batch(1), ALL[:2], "a")
    assert store.claim(ALL[:3], "b", 60) == set()
    store.settle_requests(batch(1).batch_id, {ALL[0]: "again"})
    assert store.claim(ALL[:2], "b", 60) == {ALL[0]}
    store.save_batch(batch(1, "lost"))
    assert store.claim(ALL[:2], "c", 60) == {ALL[1]}


def test_claims_of_a_killed_process_are_waited_for(place):
    store = ResponseStore(place)
    process = start(CLAIM, place, 3, 3600)
    assert heard(process) == ["ready"]
    tell(process)
    assert heard(process) == ["3"]
    assert store.claim(ALL[:4], "a", 60) == {ALL[3]}, "it lives"
    process.kill()
    while store.claim(ALL[:1], "a", 60) != {ALL[0]}:  # a zombie is dead too
        time.sleep(0.01)
    process.wait()
    assert store.claim(ALL[:4], "a", 60) == set(ALL[:4])
    process.communicate()
    store.close()


def test_machine_that_slept_takes_the_claims_of_processes_that_slept_beside(place, monkeypatch):
    """A lid is closed over two runs for an hour: whoever wakes first takes what the other is asking."""
    store = ResponseStore(place)
    process = start(CLAIM, place, 3, 60)
    assert heard(process) == ["ready"]
    tell(process)
    assert heard(process) == ["3"]
    assert store.claim(ALL[:4], "a", 60) == {ALL[3]}
    now = Database.now
    monkeypatch.setattr(Database, "now", lambda *given: now(*given) + 3600.0)
    assert store.claim(ALL[:4], "b", 2.0) == set(), "it lives, and has had no time to renew"
    time.sleep(1.1)
    assert store.claim(ALL[:4], "b", 2.0) == set(ALL[:4]), "it had, and did not"
    process.kill()
    process.communicate()
    store.close()


def test_dead_process_of_another_machine_is_taken_for_one_of_ours(store, monkeypatch):
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("scrollwork.storage.processes._host", lambda: "elsewhere")
        elsewhere.setattr("os.getpid", lambda: 2**22 + 1)  # no such process here
        store.claim(ALL[:1], "there", 0.3)
    assert store.claim(ALL[:1], "a", 60) == set()
    time.sleep(0.35)
    assert store.claim(ALL[:1], "a", 60) == {ALL[0]}


def test_owner_of_the_same_name_in_another_process_shares_the_claim(place):
    process = start(CLAIM.replace('"other"', '"run"'), place, 5, 60)
    assert heard(process) == ["ready"]
    tell(process)
    assert heard(process) == ["5"]
    store = ResponseStore(place)
    assert store.claim(ALL[:6], "run", 60) == {ALL[5]}
    store.release(ALL[:6], "run")
    assert store.claim(ALL[:6], "else", 60) == {ALL[5]}
    tell(process)
    finish(process)
    store.close()


def test_number_of_a_dead_process_given_to_another_keeps_its_claims():
    me = processes.this_process()
    assert not processes.is_dead(me)
    assert processes.is_dead(processes.Process(me.host, me.pid, "1"))
    assert not processes.is_dead(processes.Process("elsewhere", 2**22 + 1, "1"))


def test_process_of_another_user_that_proc_hides_is_taken_for_dead(tmp_path, monkeypatch):
    """/proc mounted with hidepid: others' processes do not show, but cannot be signalled either."""
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "stat").write_text("")

    def kill(pid, sign):
        raise PermissionError(pid) if pid == 77 else ProcessLookupError(pid)

    host = processes.this_process().host
    monkeypatch.setattr(processes, "PROC", tmp_path)
    monkeypatch.setattr(processes, "_host", lambda: host)
    monkeypatch.setattr("os.kill", kill)
    assert not processes.is_dead(processes.Process(host, 77, "1"))
    assert processes.is_dead(processes.Process(host, 78, "1"))


ASK = """
import random, time
from tests.storage.store_kit import answer, attempt, key
store = ResponseStore(sys.argv[1])
name, total = sys.argv[2], int(sys.argv[3])
say("ready")
wait()
waiting = [key(n) for n in range(total)]
numbers = {key(n): n for n in range(total)}
random.seed(name)
random.shuffle(waiting)
paid = []
while waiting:
    some = waiting[:20]
    ours = store.claim(some, name, 60)
    for one in ours:
        paid.append(numbers[one])
        say("paid", numbers[one])
    store.add([answer(numbers[one], name) for one in ours], [], [attempt(numbers[one], owner=name) for one in ours])
    here = store.answers(waiting)
    waiting = [one for one in waiting if one not in here]
    if not ours:
        random.shuffle(waiting)
        time.sleep(0.002)
say("done")
"""


def test_four_processes_pay_for_one_request_twice(place):
    """One is killed: what it had claimed is asked by others, what it had stored is not."""
    total = 300
    running = [start(ASK, place, f"p{number}", total) for number in range(4)]
    for process in running:
        assert heard(process) == ["ready"]
    for process in running:
        tell(process)
    lost = [heard(running[0]) for _ in range(30)]
    running[0].kill()
    lost += [line.split() for line in running[0].communicate()[0].splitlines()]
    told = [finish(process) for process in running[1:]]
    assert [words[-1] for words in told] == ["done"] * 3
    paid = [int(number) for words in told for number in words if number.isdigit()]
    assert len(paid) == len(set(paid)), "two that live never pay for the same"
    store = ResponseStore(place)
    found = store.answers([key(number) for number in range(total)])
    assert len(found) == total
    kept = {number for number in range(total) if found[key(number)].text == "p0"}
    twice = {int(words[1]) for words in lost if len(words) == 2 and words[1].isdigit()} - kept
    assert len(twice) <= 20, "only what was in flight at the kill"
    assert not kept & set(paid)
    assert store.holdings().claimed == 0
    store.close()


def test_threads_of_one_process_break_each_other(store):
    def work(number):
        ours = store.claim(ALL[:200], f"t{number}", 60)
        store.add([answer(n, f"t{number}") for n in range(200) if key(n) in ours], [], [], owner=f"t{number}")
        return ours

    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(work, range(8)))
    assert sum(map(len, claimed)) == 200
    assert len(store.answers(ALL[:200])) == 200
