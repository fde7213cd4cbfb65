"""Stores of older versions: brought up with all they hold, or left as they were."""

import shutil
import sqlite3

import pytest
import sqlalchemy as sa

from scrollwork.storage.answers import tables
from scrollwork.storage.answers.check import StoreCheck, check_store
from scrollwork.storage.answers.database import Database
from scrollwork.storage.answers.digests import SINCE_5
from scrollwork.storage.answers.shared_limits import Paces
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.errors import DamagedRows, ForeignStore
from scrollwork.storage.processes import this_process
from tests.storage.artifact_kit import finish, start
from tests.storage.store_kit import HOSTILE, answer, attempt, batch, failure, key

# what version 0.1.0 before model calls made
SCHEMA_1 = [
    "CREATE TABLE scrollwork_about (name VARCHAR(64) NOT NULL, value TEXT, PRIMARY KEY (name))",
    "CREATE TABLE responses (request_key VARCHAR(64) NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, "
    "text TEXT NOT NULL, finish_reason VARCHAR(16) NOT NULL, input_tokens BIGINT, cached_tokens BIGINT, "
    "output_tokens BIGINT, reported_model TEXT NOT NULL, latency_s FLOAT NOT NULL, attempts INTEGER NOT NULL, "
    "created FLOAT NOT NULL, PRIMARY KEY (request_key))",
    "CREATE TABLE failures (request_key VARCHAR(64) NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, "
    "kind VARCHAR(16) NOT NULL, status INTEGER, message TEXT NOT NULL, attempts INTEGER NOT NULL, "
    "created FLOAT NOT NULL, PRIMARY KEY (request_key))",
    "INSERT INTO scrollwork_about VALUES ('what', 'scrollwork response store'), ('schema', '1')",
]
# what the first versions with model calls added
SCHEMA_2 = [
    *(
        f"ALTER TABLE responses ADD COLUMN {name} BIGINT"
        for name in ("cache_write_tokens", "reasoning_tokens", "cost_nano_usd")
    ),
    "CREATE TABLE attempts (request_key VARCHAR(64) NOT NULL, owner VARCHAR(128) NOT NULL, number INTEGER NOT NULL, "
    "started FLOAT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, outcome VARCHAR(16) NOT NULL, status INTEGER, "
    "message TEXT NOT NULL, seconds FLOAT NOT NULL, input_tokens BIGINT, cached_tokens BIGINT, cache_write_tokens BIGINT, "
    "output_tokens BIGINT, reasoning_tokens BIGINT, cost_nano_usd BIGINT, PRIMARY KEY (request_key, owner, number, started))",
    "CREATE TABLE claims (request_key VARCHAR(64) NOT NULL, owner VARCHAR(128) NOT NULL, host TEXT NOT NULL, "
    "pid BIGINT NOT NULL, born TEXT NOT NULL, expires FLOAT NOT NULL, PRIMARY KEY (request_key))",
    "CREATE TABLE batches (batch_id VARCHAR(64) NOT NULL, state VARCHAR(16) NOT NULL, provider TEXT NOT NULL, "
    "model TEXT NOT NULL, provider_batch_id TEXT, requests_sha256 VARCHAR(64) NOT NULL, created FLOAT NOT NULL, "
    "submitted FLOAT, ended FLOAT, owner VARCHAR(128) NOT NULL, place TEXT NOT NULL, most_nano_usd BIGINT, "
    "message TEXT NOT NULL, PRIMARY KEY (batch_id))",
    "CREATE TABLE batch_requests (batch_id VARCHAR(64) NOT NULL, request_key VARCHAR(64) NOT NULL, "
    "state VARCHAR(16) NOT NULL, PRIMARY KEY (batch_id, request_key))",
    "CREATE INDEX batch_requests_of_a_key ON batch_requests (request_key)",
    "UPDATE scrollwork_about SET value = '2' WHERE name = 'schema'",
]
# schema 1 stored no lone surrogates, and PostgreSQL no NUL
OLD_TEXTS = [text for text in HOSTILE.values() if not any("\ud800" <= char <= "\udfff" for char in text)]


def old_texts(database):
    return [text for text in OLD_TEXTS if database.sqlite or "\0" not in text]


def old_store(place, schema="1", longest=10**9):
    """A store as the old version left it: answers of every text, failures."""
    database = Database(place)
    texts = [text for text in old_texts(database) if len(text) <= longest]
    insertion = "INSERT INTO responses VALUES (:k, 'baselines', 'naive', :t, 'complete', 7, NULL, 3, 'n', 0.25, 1, 9.5)"
    failed = "INSERT INTO failures VALUES (:k, 'openai', 'gpt', 'transient', 529, :t, 3, 9.5)"

    def make(connection):
        for statement in SCHEMA_1:
            connection.exec_driver_sql(statement)
        connection.execute(sa.text("UPDATE scrollwork_about SET value = :s WHERE name = 'schema'"), {"s": schema})
        connection.execute(sa.text(insertion), [{"k": key(n), "t": text} for n, text in enumerate(texts)])
        connection.execute(sa.text(failed), [{"k": key(f"f{n}"), "t": text} for n, text in enumerate(texts)])

    database.write(make)
    database.close()
    return texts


def insert(connection, table, row):
    """As versions before schema 4 did."""
    names = [name for name in row if name not in ("masked", "origin", *SINCE_5["responses"])]
    columns = [sa.column(name, table.c[name].type) for name in names]
    connection.execute(sa.insert(sa.table(table.name, *columns)), {name: row[name] for name in names})


def expected(texts):
    answers = [answer(n, text, model="naive", reported_model="n", cost_nano_usd=0) for n, text in enumerate(texts)]
    return {a.request_key: a for a in answers}


def test_old_answers_are_lost_or_changed_by_the_new_schema(place):
    texts = old_store(place)
    for _ in range(2):  # the second opening finds the new schema
        store = ResponseStore(place)
        found = store.answers([key(n) for n in range(len(texts))])
        assert found == expected(texts)
        failed = store.failures([key(f"f{n}") for n in range(len(texts))])
        assert failed == {key(f"f{n}"): failure(f"f{n}", message=text) for n, text in enumerate(texts)}
        store.close()
    store = ResponseStore(place)
    store.add([answer("new", "\0")], [], [attempt("new")])
    assert store.answers([key("new")])[key("new")].text == "\0"
    assert store.spent()["naive"].cost_unknown_calls == 0
    store.close()


def test_money_claims_and_batches_of_schema_2_are_lost(place):
    """A store in the middle of a run: what is asked, waits in a batch or was paid must be known as before."""
    database = Database(place)

    def make(connection):
        for statement in [*SCHEMA_1, *SCHEMA_2]:
            connection.exec_driver_sql(statement)
        said = {**vars(answer(1, "\x1a0000", input_tokens=11, cost_nano_usd=7)), "created": 9.5}
        insert(connection, tables.responses, said)
        insert(connection, tables.attempts, vars(attempt(1, input_tokens=11, cost_nano_usd=7)))
        here = vars(this_process())
        connection.execute(sa.insert(tables.claims), {"request_key": key(2), "owner": "run-1", "expires": 1e12, **here})
        connection.execute(sa.insert(tables.batches), vars(batch(1, "submitted")))
        connection.execute(
            sa.insert(tables.batch_requests),
            {"batch_id": batch(1).batch_id, "request_key": key(3), "state": "waiting"},
        )

    database.write(make)
    database.close()
    store = ResponseStore(place)
    assert store.answers([key(1)])[key(1)].text == "\x1a0000"
    assert check_store(store) == StoreCheck(answers=1, attempts=1), "what stood has its digest now"
    assert store.spent("run-1")["gpt"].cost_nano_usd == 7
    assert store.claim([key(2), key(3)], "somebody else", 60) == set()
    assert store.renew([key(2)], "run-1", 60) == {key(2)}
    assert store.open_batches() == [batch(1, "submitted")]
    paces = Paces(place)
    first = paces.take("p", 1.0, lead_s=0.0, hold_s=0.0, heard=None)
    assert paces.take("p", 1.0, lead_s=0.0, hold_s=0.0, heard=None).begin == pytest.approx(first.begin + 1.0, abs=0.05)
    paces.close()
    store.close()


def test_answers_of_schema_4_are_damaged_or_asked_again(place):
    """Their digests cover what they hold; what is new in schema 5 is empty in them."""
    store = ResponseStore(place)
    hostile = answer(1, "a \0 text", input_tokens=11, cost_nano_usd=7, masked=True)
    tier = {"service_tier": "flex \0", "fingerprint": "fp_\x1a1", "output_limit": 25_010}
    store.add([hostile, answer(2, **tier)], [failure(3)], [attempt(1, cost_nano_usd=7)])

    def back(connection):
        connection.execute(sa.delete(tables.responses).where(tables.responses.c.request_key == key(2)))
        before = connection.execute(sa.select(tables.responses.c.digest)).scalars().all()
        for name in SINCE_5["responses"]:
            connection.exec_driver_sql(f"ALTER TABLE responses DROP COLUMN {name}")
        connection.execute(sa.text("UPDATE scrollwork_about SET value = '4' WHERE name = 'schema'"))
        return before

    (digest,) = store.database.write(back)
    store.close()
    store = ResponseStore(place)
    assert store.answers([key(1)]) == {key(1): hostile}
    assert store.failures([key(3)]) == {key(3): failure(3)}
    found = store.database.read(lambda connection: connection.execute(sa.select(tables.responses)).all())
    assert [(row.digest, row.service_tier, row.output_limit) for row in found] == [(digest, None, None)]
    assert not check_store(store).problems
    new = answer(4, **tier)
    store.add([new])
    assert store.answers([key(4)]) == {key(4): new}
    forged = sa.update(tables.responses).where(tables.responses.c.request_key == key(4)).values(output_limit=10)
    store.database.write(lambda connection: connection.execute(forged))
    with pytest.raises(DamagedRows, match=key(4)):
        store.answers([key(4)])
    store.close()


def test_migrated_tables_differ_from_new_ones(place, tmp_path, request):
    old_store(place)
    ResponseStore(place).close()
    new = request.getfixturevalue("postgres") if place.startswith("postgres") else None
    other = new.url(new.database()) if new else f"sqlite:///{tmp_path / 'new.db'}"
    ResponseStore(other).close()
    assert tables_of(place) == tables_of(other)


def tables_of(place):
    database = Database(place)

    def look(connection):
        found = {}
        inspector = sa.inspect(connection)
        for table in inspector.get_table_names():
            columns = {c["name"]: (str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)}
            keys = inspector.get_pk_constraint(table)["constrained_columns"]
            found[table] = (columns, keys, [(i["name"], i["column_names"]) for i in inspector.get_indexes(table)])
        return found

    result = database.read(look)
    database.close()
    assert len(result) == 9
    return result


@pytest.mark.parametrize("schema", ["6", "0", "one", ""])
def test_store_of_another_schema_is_changed(place, schema):
    old_store(place, schema)
    with pytest.raises(ForeignStore, match=rf"schema '{schema}' .* not changed"):
        ResponseStore(place)
    database = Database(place)
    tables = database.read(lambda connection: sa.inspect(connection).get_table_names())
    assert sorted(tables) == ["failures", "responses", "scrollwork_about"]
    database.close()


@pytest.mark.slow
def test_killed_migration_leaves_half_a_store(path):
    """Every statement of the migration may be the last one."""
    path.parent.mkdir()
    texts = old_store(path, longest=1000)
    killed = int(
        finish(
            start(
                """
                import shutil
                import sqlalchemy as sa
                count = last = 0
                def killed(*_):
                    global count
                    count += 1
                    if count == last:
                        os.kill(os.getpid(), 9)
                while True:
                    last += 1
                    copy = f"{sys.argv[1]}.{last}"
                    shutil.copy(sys.argv[1], copy)
                    child = os.fork()
                    if not child:
                        sa.event.listen(sa.Engine, "before_cursor_execute", killed)
                        ResponseStore(f"sqlite:///{copy}")
                        os._exit(0)
                    if os.waitpid(child, 0)[1] == 0:
                        break
                say(last - 1)
                """,
                path,
            )
        )[-1]
    )
    assert killed > 20
    for number in range(1, killed + 1):
        store = ResponseStore(f"sqlite:///{path}.{number}")
        assert store.answers([key(n) for n in range(len(texts))]) == expected(texts)
        store.close()


def test_two_processes_that_migrate_at_once_fail(place):
    texts = old_store(place)
    code = """
    say("ready")
    wait()
    ResponseStore(sys.argv[1]).close()
    say("whole")
    """
    processes = [start(code, place) for _ in range(3)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [finish(process) for process in processes] == [["whole"]] * 3
    store = ResponseStore(place)
    assert len(store.answers([key(n) for n in range(len(texts))])) == len(texts)
    store.close()


def test_migration_that_cannot_have_its_turn_changes_the_old_store(path):
    path.parent.mkdir()
    old_store(path)
    backup = path.with_name("backup.db")
    shutil.copy(path, backup)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("scrollwork.storage.answers.database.BUSY_S", 0.2)
            with pytest.raises(Exception, match="Another process has been writing"):
                ResponseStore(path)
    finally:
        blocker.rollback()
        blocker.close()
    assert path.read_bytes() == backup.read_bytes()
    ResponseStore(path).close()
