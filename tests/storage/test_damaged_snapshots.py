"""Snapshots that are damaged beside a store that lost their answers: refused, saved as far as they can be read, kept."""

import dataclasses
import fcntl

import pytest
import sqlalchemy as sa

from scrollwork.pipeline.session import CallSettings, Locations, Session
from scrollwork.pipeline.snapshots.check import Guard, checked_store, snapshots
from scrollwork.pipeline.snapshots.damaged import damaged_snapshots
from scrollwork.pipeline.snapshots.repair import repair
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import attempts, failures, responses
from scrollwork.storage.errors import DamagedArtifact, LostAnswers
from tests.storage.snapshot_kit import TEXTS, filled, home_beside, old_snapshot, paid, snapshot
from tests.storage.store_kit import answer, key

NUMBERS = [*range(len(TEXTS)), 100]
KEYS = [key(number) for number in NUMBERS]


@pytest.fixture
def home(tmp_path, place):
    """A home with a snapshot of everything in its store."""
    made = home_beside(tmp_path, place)
    store = filled(place)
    snapshot(made, store, NUMBERS)
    store.close()
    return made


def session(home, **calling):
    return Session(Locations(home.url, "", home.store, CallSettings(**calling)))


def forget(home, *tables):
    store = ResponseStore(home.store)
    store.database.write(lambda connection: [connection.execute(sa.delete(table)) for table in tables])
    store.close()


def held(home):
    store = ResponseStore(home.store)
    found = store.answers(KEYS)
    store.close()
    return {k: dataclasses.replace(one, origin="asked", latency_s=None) for k, one in found.items()}


def folder(home):
    return next(snapshots(home)).folder.local


def files(path):
    return {one.name: one.read_bytes() for one in sorted(path.iterdir()) if one.name != ".lock"}


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def responses_of(where):
    return next(where.glob("responses-*.parquet"))


def in_a_label(where):
    flip(responses_of(where), responses_of(where).read_bytes().index(b"e3"))


def in_the_magic(where):
    flip(responses_of(where), 0)


def no_manifest(where):
    (where / "manifest.json").unlink()


def broken_manifest(where):
    flip(where / "manifest.json", 100)


def no_manifest_and_a_label(where):
    no_manifest(where)
    in_a_label(where)


def cut(where):
    responses_of(where).write_bytes(responses_of(where).read_bytes()[:-7])


def part_gone(where):
    responses_of(where).unlink()


READABLE = (in_a_label, no_manifest, broken_manifest, no_manifest_and_a_label)
DAMAGES = (*READABLE, cut, part_gone)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_snapshot_beside_a_lost_store_is_paid_again_or_thrown_away(home, damage):
    whole = held(home)
    where = folder(home)
    damage(where)
    left = files(where)
    forget(home, responses, failures, attempts)
    work = session(home)
    with pytest.raises(LostAnswers, match="store repair"):
        work.store.claim([key(0)], "run", 60)
    with pytest.raises(LostAnswers, match=rf"{where}.*store repair"):
        work.artifacts.repair(DamagedArtifact(str(where), "x", "is damaged"))
    work.artifacts.sweep()
    assert files(where) == left, "nothing is thrown away"
    done = repair(home)
    (told,) = done.damaged
    assert str(where) in told
    saved = held(home)
    if damage in READABLE:
        assert saved == whole
        assert done.refilled == 6
        assert done.checked.problems == ()
    else:
        assert saved == {}
        assert [line for line in done.checked.problems if "can be read nowhere" in line]
    aside = next((where.parents[3] / "damaged").iterdir())
    assert files(aside) == left
    assert str(aside) in told
    again = repair(home)
    assert (again.refilled, again.damaged, again.checked.problems) == (0, (), ())
    assert session(home).store.claim([key(700)], "run", 60) == {key(700)}


@pytest.mark.slow
def test_flipped_byte_of_a_snapshot_puts_another_answer_in_its_place(home):
    """Wherever it is: a row is put back as it was paid for, or told as lost; and it was refused before."""
    whole = held(home)
    part = responses_of(folder(home))
    data = part.read_bytes()
    saved = []
    for at in range(0, len(data), 211):
        aside = folder(home)
        before = files(aside)
        flip(part, at)
        forget(home, responses, failures, attempts)
        with pytest.raises(LostAnswers):
            ResponseStore(home.store, Guard(home)).claim([key(0)], "run", 60)
        done = repair(home)
        found = held(home)
        assert found.items() <= whole.items(), at
        assert bool(done.checked.problems) == (len(found) < len(whole)), at
        saved.append(len(found))
        for name, bytes_ in before.items():
            (aside / name).write_bytes(bytes_)
    assert saved.count(len(TEXTS)) > len(saved) // 3, "a footer of so few rows is most of the part"


@pytest.mark.parametrize("damage", DAMAGES)
def test_whole_store_is_refused_for_a_damaged_snapshot(home, damage):
    where = folder(home)
    damage(where)
    work = session(home)
    assert work.store.claim([key(700)], "run", 60) == {key(700)}
    assert work.artifacts.repair(DamagedArtifact(str(where), "x", "is damaged"))
    assert files(where) == {}, "it is built again from the store"
    assert list(snapshots(home)) == []


def test_folder_that_another_process_writes_is_refused_or_told(home):
    where = folder(home)
    no_manifest(where)
    with (where / ".lock").open("a+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert session(home).store.claim([key(700)], "run", 60) == {key(700)}
        assert damaged_snapshots(home) == []
        assert repair(home).damaged == ()
        assert session(home).artifacts.sweep() == 0
    assert [str(one.folder) for one in damaged_snapshots(home)] == [str(where)]
    assert session(home).artifacts.sweep() > 0, "its answers stand in the store"


def test_damaged_snapshot_of_a_free_model_ends_a_run(tmp_path, place):
    home = home_beside(tmp_path, place)
    store = ResponseStore(place)
    store.add([answer(800)])
    snapshot(home, store, [800], provider="baselines")
    store.close()
    where = folder(home)
    no_manifest_and_a_label(where) if b"e3" in responses_of(where).read_bytes() else no_manifest(where)
    forget(home, responses)
    work = session(home)
    assert work.store.claim([key(800)], "run", 60) == {key(800)}
    work.artifacts.clear(next(iter(damaged_snapshots(home))).folder)
    assert files(where) == {}


def test_row_of_a_damaged_older_snapshot_is_believed(home):
    """Without a digest nobody can tell whether it is what was paid for; a part with its own bytes is."""
    store = ResponseStore(home.store)
    old_snapshot(home, next(snapshots(home)))
    store.close()
    where = folder(home)
    forget(home, responses, failures)
    no_manifest(where)
    whole = files(where)
    assert repair(home).refilled == 6, "its name says its digest"
    forget(home, responses, failures)
    for name, data in whole.items():
        (where / name).write_bytes(data)
    in_a_label(where)
    done = repair(home)
    assert done.refilled == 1, "the failure, in a part that is whole"
    assert any("5 answers" in line for line in done.checked.problems)


def test_paid_failure_that_a_snapshot_holds_is_paid_again(home):
    forget(home, failures)
    work = session(home)
    with pytest.raises(LostAnswers, match=r"1 of the answers wanted.*store repair"):
        work.store.claim([key(100), key(700)], "run", 60)
    assert session(home, retry_failed=True).store.claim([key(100)], "run", 60) == {key(100)}
    assert repair(home).refilled == 1
    assert session(home).store.states([key(100)]) == {key(100): "terminal"}
    assert session(home).store.claim([key(700)], "run", 60) == {key(700)}


def test_lost_store_of_failures_alone_is_called_whole(tmp_path, place):
    home = home_beside(tmp_path, place)
    store = filled(place)
    snapshot(home, store, [100])
    store.close()
    assert session(home).store.claim([key(700)], "run", 60) == {key(700)}
    forget(home, responses, failures)
    assert checked_store(home, list(snapshots(home))).problems
    with pytest.raises(LostAnswers):
        session(home).store.claim([key(100)], "run", 60)


def two_that_disagree(tmp_path, place):
    """A home whose store was lost and paid again once: two snapshots of the same requests. Its store has the second."""
    home = home_beside(tmp_path, place)
    store = ResponseStore(place)
    for name, text in (("one", "first"), ("two", "second")):
        store.database.write(lambda connection: [connection.execute(sa.delete(one)) for one in (responses, attempts)])
        made = [paid(number, f"{text} {number}") for number in range(5)]
        store.add([one for one, _ in made], [], [tried for _, tries in made for tried in tries])
        snapshot(home, store, range(5), name=name)
    store.close()
    return home


def test_snapshots_that_disagree_replace_each_others_answers_for_ever(tmp_path, place):
    home = two_that_disagree(tmp_path, place)
    whole = held(home)
    assert checked_store(home, list(snapshots(home))).problems == ()
    done = repair(home)
    assert (done.refilled, done.taken_out, done.checked.problems) == (0, (), ())
    assert len(done.conflicts) == 5
    assert key(0) in "".join(done.conflicts)
    assert held(home) == whole, "an answer that a snapshot holds stands"
    forget(home, responses, attempts)
    assert repair(home).refilled == 5
    assert repair(home).refilled == 0
    assert {one.text.split()[0] for one in held(home).values()} <= {"first", "second"}


def test_answer_that_no_snapshot_holds_is_replaced_by_one_of_two(tmp_path, place):
    home = two_that_disagree(tmp_path, place)
    store = ResponseStore(place)
    store.database.write(lambda c: [c.execute(sa.delete(one)) for one in (responses, attempts)])
    third, tries = paid(0, "third")
    store.add([third], [], tries)
    store.close()
    for _ in range(2):
        done = repair(home)
        assert [line for line in done.checked.problems if "2 snapshots hold different ones" in line and key(0) in line]
        assert held(home)[key(0)].text == "third"
