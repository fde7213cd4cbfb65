"""What only a database server can do to a store: refuse, restart, deadlock, belong to somebody else."""

import os
import signal
import socket
import threading
import time

import pytest
import sqlalchemy as sa

from scrollwork.storage.answers import claiming
from scrollwork.storage.answers.database import BUSY_S
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.tables import claims, responses
from scrollwork.storage.errors import ForeignStore, StorageError
from scrollwork.storage.processes import Process
from tests.storage.postgres import PASSWORD, serve
from tests.storage.store_kit import answer, attempt, key

pytestmark = pytest.mark.slow


@pytest.fixture
def database(postgres):
    """The name of an empty database."""
    return postgres.database()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda url: url.replace(PASSWORD, "wrong-sesame"), "password authentication failed"),
        (lambda url: url.replace("scrollwork:", "stranger:"), "password authentication failed"),
        (lambda url: url + "_not_there", "does not exist"),
        (lambda url: url.replace("127.0.0.1:", "127.0.0.1:1"), "Check the address"),
        (lambda url: url.replace(PASSWORD, "sesame@opens"), "%40"),
        (lambda url: url.replace("postgresql", "mysql"), "sqlite:///FILE or postgresql://"),
        (lambda url: url.replace("@127.0.0.1:", "@127.0.0.1:port"), "no database URL"),
        (lambda url: url.replace("://", "//"), "no database URL"),
    ],
    ids=["password", "user", "database", "port", "@ in password", "other database", "port is no number", "no scheme"],
)
def test_wrong_address_shows_the_password_or_waits(postgres, database, change, said):
    began = time.monotonic()
    with pytest.raises(StorageError) as caught:
        ResponseStore(change(postgres.url(database)))
    assert said in str(caught.value)
    assert "sesame" not in str(caught.value)
    assert "opens" not in str(caught.value)
    assert time.monotonic() - began < 15


def test_password_must_stand_in_the_url(postgres, database, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    store = ResponseStore(postgres.url(database).replace(f":{PASSWORD}", ""))
    store.add([answer(1)])
    store.close()


def test_server_that_is_gone_without_a_word_is_waited_for_for_hours(postgres, database):
    store = ResponseStore(postgres.url(database))
    with store.database.engine.connect() as connection:
        raw = connection.connection.driver_connection
        with socket.socket(fileno=os.dup(raw.fileno())) as line:
            assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= BUSY_S
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == BUSY_S * 1000
    store.close()


def test_tables_of_others_are_changed(postgres, database):
    postgres.execute("CREATE TABLE invoices (n integer)", database)
    with pytest.raises(ForeignStore, match="invoices"):
        ResponseStore(postgres.url(database))
    assert postgres.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", database) == [("invoices",)]


def test_store_that_may_not_be_written_is_not_named(postgres, database):
    ResponseStore(postgres.url(database)).close()
    postgres.execute(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    store = ResponseStore(postgres.url(database))
    assert store.answers([key(1)]) == {}
    with pytest.raises(StorageError, match=r"read-only transaction.*Answers cannot be kept here"):
        store.add([answer(1)])
    store.close()


def test_answer_is_lost_when_the_server_restarts():
    """Answers are paid: whoever stores them waits for the server."""
    running = serve()
    server = next(running)
    try:
        store = ResponseStore(server.url(server.database()))
        store.add([answer(1)])
        server.stop(signal.SIGQUIT)  # at once, as a crash
        restart = threading.Timer(1.0, server.start)
        restart.start()
        store.add([answer(2)], [], [attempt(2)])
        restart.join()
        assert set(store.answers([key(1), key(2)])) == {key(1), key(2)}
        assert store.spent()["gpt"].calls == 1
        server.stop()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("scrollwork.storage.answers.database.BUSY_S", 0.3)
            with pytest.raises(StorageError, match=r"127\.0\.0\.1"):
                store.add([answer(3)])
        store.close()
    finally:
        running.close()


def test_deadlock_loses_what_was_to_be_stored(postgres, database):
    """Another session takes the rows in the other order; the server ends one of the two, and ours tries again."""
    store = ResponseStore(postgres.url(database))
    both = threading.Barrier(2, timeout=30)
    tries = []

    def cross(connection, first, second):
        store.database.add_new(connection, responses, [row(first)])
        if not tries or tries[-1] != "again":
            both.wait()
        store.database.add_new(connection, responses, [row(second)])

    def row(number):
        return {**vars(answer(number)), "created": 1.0}

    def work(first, second):
        def once(connection):
            tries.append(first)
            if tries.count(first) > 1:
                tries.append("again")
            cross(connection, first, second)

        store.database.write(once)

    threads = [threading.Thread(target=work, args=pair) for pair in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert "again" in tries, "there was a deadlock"
    assert set(store.answers([key(1), key(2)])) == {key(1), key(2)}
    store.close()


def test_claim_waits_for_an_answer_that_is_being_stored(postgres, database):
    """The claim comes between the answer and its commit: it must see the answer, or wait."""
    store = ResponseStore(postgres.url(database))
    store.claim([key(1)], "a", 60)
    found = []

    def ask():
        found.append(store.claim([key(1)], "b", 60))

    asking = threading.Thread(target=ask)

    def answering(connection):
        store.database.add_new(connection, responses, [{**vars(answer(1)), "created": 1.0}])
        connection.execute(sa.delete(claims))
        if not asking.is_alive() and not found:
            asking.start()
        time.sleep(0.5)
        assert not found, "it waits"

    store.database.write(answering)
    asking.join(30)
    assert found == [set()]
    store.close()


def test_claims_end_while_nobody_can_renew_them(monkeypatch):
    """Another machine's lease ran out while the server was away: it renews the claim, whose answer it may hold."""
    running = serve()
    server = next(running)
    try:
        url = server.url(server.database())
        theirs, ours = ResponseStore(url), ResponseStore(url)
        monkeypatch.setattr(claiming, "this_process", lambda: Process("their-machine", 7, "1"))
        assert theirs.claim([key(1)], "owner", 0.1) == {key(1)}
        server.stop()
        server.start()
        monkeypatch.undo()
        assert ours.claim([key(1), key(2)], "owner", 60.0) == {key(2)}
        monkeypatch.setattr(type(ours.database), "began_s", lambda *_: 31.0)  # long enough for those who live
        assert ours.claim([key(1)], "owner", 60.0) == {key(1)}
        theirs.close()
        ours.close()
    finally:
        running.close()
