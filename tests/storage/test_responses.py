"""The response store: an answer stands, survives kills and full disks, and no other database is touched."""

import re
import signal
import sqlite3
import subprocess
from dataclasses import replace

import pytest
import sqlalchemy as sa

from scrollwork.storage.answers.rows import ANSWERED
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import ForeignStore, StorageError, StorageFull
from tests.storage.artifact_kit import finish, heard, start, tell
from tests.storage.store_kit import HOSTILE, answer, attempt, failure, key


def opened_again(store):
    return ResponseStore(store.place)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_stored_text_comes_back_changed(store, text):
    given = answer(1, text, model=f"m {text[:50]}", reported_model=text[:50])
    lost = failure(2, message=text)
    store.add([given], [lost], [attempt(1, message=text)])
    again = opened_again(store)
    assert again.answers([key(1), key(2)]) == {key(1): given}
    assert again.failures([key(1), key(2)]) == {key(2): lost}
    assert again.holdings().failure_kinds[0]["message"] == text
    again.close()


def test_every_count_of_tokens_and_money_comes_back_changed(store):
    given = answer(1, cached_tokens=2, cache_write_tokens=1, reasoning_tokens=3, cost_nano_usd=2**62)
    store.add([given])
    assert store.answers([key(1)]) == {key(1): given}


def test_number_of_tokens_not_reported_becomes_zero(store):
    store.add([replace(answer(1), input_tokens=None, output_tokens=0)])
    found = store.answers([key(1)])[key(1)]
    assert (found.input_tokens, found.cached_tokens, found.output_tokens) == (None, None, 0)


def test_second_answer_replaces_the_first(store):
    store.add([answer(1, "paid")])
    store.add([answer(1, "paid again"), answer(2, "new")])
    assert {k: a.text for k, a in store.answers([key(1), key(2)]).items()} == {key(1): "paid", key(2): "new"}


def test_one_request_answered_twice_at_once_loses_both(store):
    store.add([answer(1, "first"), answer(1, "second")])
    assert store.answers([key(1)])[key(1)].text == "first"


def test_failure_stands_beside_the_answer(store):
    store.add([], [failure(1), failure(2)])
    store.add([answer(1)])
    assert set(store.failures([key(1), key(2)])) == {key(2)}
    store.add([], [failure(1, "terminal")])  # of a second process that was slower
    assert store.failures([key(1)]) == {}
    held = store.holdings()
    assert (held.answers, held.failures) == ({"naive:seed=0": 1}, {"gpt": 1})


def test_state_of_a_request_is_not_that_of_its_rows(store):
    store.add([answer(1), answer(4)], [failure(2, "terminal"), failure(3), failure(4)])
    assert store.states([key(n) for n in range(1, 6)]) == {
        key(1): ANSWERED,
        key(2): "terminal",
        key(3): "transient",
        key(4): ANSWERED,
    }
    assert len(store.states([key(n) for n in range(1, 5_000)])) == 4


def test_older_failure_hides_the_newer(store):
    store.add([], [failure(1, "transient")])
    store.add([], [failure(1, "terminal")])
    assert store.failures([key(1)])[key(1)].kind == "terminal"


def test_more_keys_than_a_question_holds_are_lost(store):
    store.add([answer(number) for number in range(1201)])
    found = store.answers([key(number) for number in range(1300)])
    assert set(found) == {key(number) for number in range(1201)}


def test_half_a_transaction_is_committed(store):
    broken = replace(answer(2), text=None)
    with pytest.raises(StorageError, match=re.escape(store.name)):
        store.add([answer(1), broken])
    assert store.answers([key(1), key(2)]) == {}


# --- durability ------------------------------------------------------------------------------------------------------


def test_commit_is_acknowledged_before_it_is_on_the_disk(path):
    store = ResponseStore(path)
    store.add([answer(1)])
    with store.database.engine.connect() as connection:  # synchronous is of a connection: only its own can tell
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000
    store.close()


ADD = """
import hashlib
store = ResponseStore(sys.argv[1])
name = sys.argv[2]
def answer(number):
    key = hashlib.sha256(str(number).encode()).hexdigest()
    return StoredAnswer(key, "baselines", "m", name, "complete", None, None, None, "m", 0.0, 1)
say("ready")
wait()
for start in range(0, int(sys.argv[3]), 10):
    store.add([answer(number) for number in range(start, start + 10)])
    say(start + 10)
if len(sys.argv) > 4:
    wait()
"""


def test_killed_process_takes_acknowledged_answers_along(place):
    process = start(ADD, place, "killed", 100_000)
    assert heard(process) == ["ready"]
    tell(process)
    acknowledged = 0
    while acknowledged < 300:
        acknowledged = int(heard(process)[0])
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    store = ResponseStore(place)
    found = store.answers([key(number) for number in range(acknowledged)])
    assert len(found) == acknowledged
    store.add([answer(-1)])
    assert store.answers([key(-1)])
    store.close()


def test_answers_in_the_journal_of_a_killed_process_are_lost(path, tmp_path):
    process = start(ADD, f"sqlite:///{path}", "killed", 50, "hold")
    assert heard(process) == ["ready"]
    tell(process)
    assert [heard(process)[0] for _ in range(5)][-1] == "50"
    process.kill()
    process.communicate()
    assert path.with_name("responses.db-wal").stat().st_size > 0
    store = ResponseStore(f"sqlite:///{path}")
    assert len(store.answers([key(number) for number in range(50)])) == 50
    store.close()


def test_two_processes_that_add_at_once_fail_or_lose_an_answer(place):
    """Both make the store, and both store the same hundred requests."""
    processes = [start(ADD, place, name, 100) for name in ("one", "two")]
    assert [heard(process) for process in processes] == [["ready"]] * 2
    for process in processes:
        tell(process)
    assert [finish(process)[-1] for process in processes] == ["100", "100"]
    store = ResponseStore(place)
    found = store.answers([key(number) for number in range(100)])
    assert len(found) == 100
    assert {a.text for a in found.values()} <= {"one", "two"}
    store.close()


MAKE = """
for number in range(15):
    say("ready")
    wait()
    ResponseStore(f"sqlite:///{sys.argv[1]}/{number}.db").close()
"""


def test_two_makers_of_one_store_meet_half_of_it(tmp_path):
    makers = [start(MAKE, tmp_path) for _ in range(3)]
    for _ in range(15):
        assert [heard(maker) for maker in makers] == [["ready"]] * 3
        for maker in makers:
            tell(maker)
    for maker in makers:
        finish(maker)


@pytest.mark.slow
def test_maker_killed_between_two_tables_blocks_the_store_for_ever(path):
    """Every statement before the commit may be the last one: what it leaves must open."""
    path.parent.mkdir()
    process = start(KILLED_AT_EVERY_STATEMENT, path.parent)
    killed = int(finish(process)[-1])
    assert killed > 10
    for number in range(1, killed + 1):
        store = ResponseStore(f"sqlite:///{path.parent / str(number)}.db")
        store.add([answer(1)])
        assert store.answers([key(1)])
        store.close()


KILLED_AT_EVERY_STATEMENT = """
import sqlalchemy as sa
count = last = 0
def killed(*_):
    global count
    count += 1
    if count == last:
        os.kill(os.getpid(), 9)
while True:
    last += 1
    child = os.fork()
    if not child:
        sa.event.listen(sa.Engine, "before_cursor_execute", killed)
        ResponseStore(f"sqlite:///{sys.argv[1]}/{last}.db")
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
say(last - 1)
"""


# --- what is not ours ------------------------------------------------------------------------------------------------


# (of PostgreSQL, and of older schemas: test_store_postgres.py, test_store_migrations.py)


def foreign(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def garbage(path):
    path.write_bytes(bytes(range(256)) * 40)


def short_garbage(path):
    path.write_bytes(b"hello")


def other_tables(path):
    foreign(path, "CREATE TABLE invoices (n)", "INSERT INTO invoices VALUES (1)")


def other_tables_in_a_write_ahead_log(path):
    foreign(path, "PRAGMA journal_mode=WAL", "CREATE TABLE invoices (n)")


def newer_schema(path):
    ResponseStore(f"sqlite:///{path}").close()
    foreign(path, "UPDATE scrollwork_about SET value = '6' WHERE name = 'schema'")


def another_program(path):
    foreign(path, "CREATE TABLE scrollwork_about (name, value)", "INSERT INTO scrollwork_about VALUES ('what', 'else')")


def truncated_store(path):
    store = ResponseStore(f"sqlite:///{path}")
    store.add([answer(number, "long " * 200) for number in range(50)])
    store.close()
    path.write_bytes(path.read_bytes()[:5000])


def store_without_its_last_page(path):
    truncated_store(path)
    path.write_bytes(path.read_bytes()[:4096])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (garbage, "file is not a database"),
        (short_garbage, "file is not a database"),
        (other_tables, "holds other tables (invoices)"),
        (other_tables_in_a_write_ahead_log, "holds other tables (invoices)"),
        (newer_schema, "schema '6'"),
        (another_program, "of 'else'"),
        (truncated_store, "is torn"),
        (store_without_its_last_page, "malformed"),
    ],
)
def test_foreign_database_is_changed_or_used(tmp_path, make, said):
    path = tmp_path / "other.db"
    make(path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(ForeignStore) as caught:
        ResponseStore(f"sqlite:///{path}").answers([key(1)])
    assert said in str(caught.value)
    assert "other.db" in str(caught.value)
    assert "not changed" in str(caught.value)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_store_torn_anywhere_is_changed_or_used(tmp_path):
    path = tmp_path / "whole.db"
    store = ResponseStore(path)
    store.add([answer(number, "long " * 200) for number in range(50)])
    store.close()
    whole = path.read_bytes()
    torn = tmp_path / "torn.db"
    for size in (
        1,
        15,
        16,
        99,
        100,
        511,
        512,
        4095,
        4096,
        4097,
        8192,
        len(whole) // 2,
        len(whole) - 4096,
        len(whole) - 1,
    ):
        torn.write_bytes(whole[:size])
        with pytest.raises(ForeignStore, match=r"torn\.db.*not changed"):
            ResponseStore(torn).answers([key(1)])
        assert torn.read_bytes() == whole[:size]
        assert {file.name for file in tmp_path.iterdir()} == {"whole.db", "torn.db"}


def test_torn_journal_takes_older_answers_along(path, tmp_path):
    """What a crash of the machine may leave: the journal ends anywhere, everything before its last whole commit stands."""
    process = start(ADD, f"sqlite:///{path}", "killed", 50, "hold")
    assert heard(process) == ["ready"]
    tell(process)
    assert [heard(process)[0] for _ in range(5)][-1] == "50"
    process.kill()
    process.communicate()
    journal = path.with_name("responses.db-wal")
    whole, data = journal.read_bytes(), path.read_bytes()
    held = []
    for size in (len(whole), len(whole) - 1, len(whole) * 2 // 3, len(whole) // 2):
        copy = tmp_path / f"torn-{size}.db"
        copy.write_bytes(data)
        copy.with_name(copy.name + "-wal").write_bytes(whole[:size])
        store = ResponseStore(copy)
        held.append(len(store.answers([key(number) for number in range(50)])))
        store.close()
    assert held[0] == 50
    assert held == sorted(held, reverse=True)
    assert all(number % 10 == 0 for number in held), "transactions are whole"


def test_store_that_another_process_holds_is_waited_for_without_end_or_word(path, monkeypatch):
    ResponseStore(path).close()
    monkeypatch.setattr("scrollwork.storage.answers.database.BUSY_S", 0.2)
    store = ResponseStore(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store.answers([key(1)]) == {}, "reading goes on"
    with pytest.raises(StorageError, match=r"responses\.db.*Another process has been writing"):
        store.add([answer(1)])
    other.rollback()
    other.close()
    store.add([answer(1)])
    store.close()


def test_store_that_may_not_be_written_is_not_named(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("cannot mount a read-only file system here")
    try:
        ResponseStore(place / "responses.db").close()
        before = (place / "responses.db").read_bytes()
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        for name in ("responses.db", "new.db"):
            with pytest.raises(StorageError, match=rf"{name}.*(Answers cannot be kept here|may its folder be written)"):
                ResponseStore(place / name).add([answer(1)])
        assert (place / "responses.db").read_bytes() == before
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_empty_file_is_refused(tmp_path):
    path = tmp_path / "new.db"
    path.touch()
    store = ResponseStore(f"sqlite:///{path}")
    store.add([answer(1)])
    assert store.answers([key(1)])
    store.close()


def test_password_of_a_store_is_printed(tmp_path):
    assert sa.make_url("postgresql://u:secret@h/d").render_as_string(hide_password=True) == "postgresql://u:***@h/d"
    with pytest.raises(StorageError) as caught:
        ResponseStore(f"sqlite:///{tmp_path}")  # a folder
    assert str(tmp_path) in str(caught.value)


def test_full_disk_loses_answers_or_locks_the_store(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        store = ResponseStore(f"sqlite:///{place / 'responses.db'}")
        ballast = place / "ballast"
        ballast.write_bytes(b"x" * (1 << 20))
        stored = []

        def add_until_full():
            for number in range(100):
                store.add([answer(number, "long " * 10_000)])
                stored.append(number)

        with pytest.raises(StorageFull) as caught:
            add_until_full()
        assert "responses.db" in str(caught.value)
        assert "free space" in str(caught.value)
        assert stored
        assert len(store.answers([key(number) for number in range(100)])) == len(stored)
        ballast.unlink()
        store.add([answer(number) for number in range(100)])
        found = store.answers([key(number) for number in range(100)])
        assert len(found) == 100
        assert found[key(stored[-1])].text == "long " * 10_000
        store.close()
    finally:
        subprocess.run(["umount", "-l", place], check=True)
