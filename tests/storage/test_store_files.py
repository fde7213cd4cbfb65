"""Answers in a file: they arrive whole or not at all, and never replace what stands."""

import hashlib
import shutil
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrollwork.records.base import canonical_json
from scrollwork.storage.answers.check import check_store
from scrollwork.storage.answers.file_format import NOT_IN_1, NOT_IN_2, NULL_SINCE_2
from scrollwork.storage.answers.store import ResponseStore
from scrollwork.storage.answers.transfer import Imported, export_answers, import_answers
from scrollwork.storage.errors import ForeignFile, StorageError, StorageFull
from tests.storage.artifact_kit import heard, start
from tests.storage.store_kit import HOSTILE, answer, attempt, failure, key

TEXTS = list(HOSTILE.values())


@pytest.fixture
def filled(store):
    """A store with answers of every text, attempts, failures."""
    answers = [answer(number, text, model=f"m {text[:9]}") for number, text in enumerate(TEXTS)]
    tries = [attempt(number, message=text[:50], cost_nano_usd=5) for number, text in enumerate(TEXTS)]
    retried = [attempt(number, "transient", tried=2, owner="o") for number in range(3)]
    store.add([*answers, answer(100, model="free", cost_nano_usd=0)], [failure(200)], [*tries, *retried, attempt(200)])
    return store


@pytest.fixture
def other(tmp_path):
    """The store of another home."""
    opened = ResponseStore(tmp_path / "other" / "responses.db")
    yield opened
    opened.close()


@pytest.fixture
def exported(tmp_path):
    """A file of 40 answers of 500 characters that do not compress."""
    store = ResponseStore(tmp_path / "small.db")
    texts = [hashlib.shake_256(key(n).encode()).hexdigest(250) for n in range(40)]
    store.add([answer(n, text) for n, text in enumerate(texts)], [], [attempt(n) for n in range(40)])
    path = tmp_path / "answers.parquet"
    export_answers(store, path)
    store.close()
    return path


def everything(store):
    keys = [key(number) for number in (*range(40), 100, 200)]
    return store.answers(keys), store.spent()


def test_answers_arrive_changed(filled, other, tmp_path):
    path = tmp_path / "answers.parquet"
    done = export_answers(filled, path)
    assert (done.answers, done.attempts) == (len(TEXTS) + 1, len(TEXTS) + 3)
    assert import_answers(other, path) == Imported(len(TEXTS) + 1, 0, 0, len(TEXTS) + 3)
    answers, spent = everything(filled)
    moved, spent_there = everything(other)
    assert moved == answers
    assert sum(spent.values(), start=spent["free"]) != spent["free"]
    assert {model: one for model, one in spent.items() if model != "gpt"} == {
        model: one for model, one in spent_there.items() if model != "gpt"
    }
    assert spent_there["gpt"].calls == spent["gpt"].calls - 1, "the try of what has no answer stays where it is"
    again = tmp_path / "again.parquet"
    export_answers(other, again)
    assert again.read_bytes() == path.read_bytes()


def test_file_for_a_store_of_the_other_kind_is_refused(filled, place, tmp_path):
    """SQLite -> file -> this kind -> file: the same bytes."""
    first, second = tmp_path / "1.parquet", tmp_path / "2.parquet"
    export_answers(filled, first)
    import_answers(filled, first)
    export_answers(filled, second)
    assert first.read_bytes() == second.read_bytes()


def test_second_import_changes_something(filled, other, tmp_path):
    path = tmp_path / "answers.parquet"
    export_answers(filled, path)
    import_answers(other, path)
    before = everything(other)
    assert import_answers(other, path) == Imported(0, len(TEXTS) + 1, 0, 0)
    assert everything(other) == before


def test_imported_answer_replaces_the_one_that_stands(filled, other, tmp_path):
    path = tmp_path / "answers.parquet"
    export_answers(filled, path)
    other.add([answer(1, "ours")], [failure(2), failure(200)])
    assert import_answers(other, path) == Imported(len(TEXTS), 0, 1, len(TEXTS) + 3)
    assert other.answers([key(1)])[key(1)].text == "ours"
    assert set(other.failures([key(2), key(200)])) == {key(200)}, "an answer ends its failure"


def test_torn_file_is_imported_in_part(exported, other):
    whole = exported.read_bytes()
    for size in [0, 1, 3, 4, 8, 100, len(whole) // 3, len(whole) // 2, *range(len(whole) - 12, len(whole))]:
        exported.write_bytes(whole[:size])
        with pytest.raises(ForeignFile, match=r"answers\.parquet"):
            import_answers(other, exported)
    assert everything(other) == ({}, {})


@pytest.mark.slow
def test_damaged_file_is_imported(exported, other, tmp_path):
    """One byte is another: either no row is touched (statistics of a page, which nobody reads), or it is refused."""
    whole = exported.read_bytes()
    reference = ResponseStore(tmp_path / "small.db")
    refused = 0
    for place in range(4, len(whole) - 8, len(whole) // 60):
        exported.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        before = everything(other)
        try:
            import_answers(other, exported)
        except ForeignFile:
            refused += 1
            assert everything(other) == before
        else:
            assert everything(other) == everything(reference)
    assert refused > 35
    reference.close()


def edited(path, change, metadata=None):
    """Rewrite the file with other rows, the footer as it was."""
    table = pq.read_table(path)
    footer = pq.read_metadata(path).metadata
    kept = {name: value for name, value in footer.items() if name.startswith(b"scrollwork.")} | (metadata or {})
    changed = change(table)
    with pq.ParquetWriter(path, changed.schema, compression="zstd") as writer:
        writer.write_table(changed)
        writer.add_key_value_metadata(kept)


def column(table, name, values):
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(name), pa.array(values, type=table.schema.field(name).type))


@pytest.mark.parametrize(
    ("change", "metadata", "said"),
    [
        (lambda t: column(t, "text", ["forged", *t["text"].to_pylist()[1:]]), None, "sha256"),
        (lambda t: t.slice(1), None, "sha256"),
        (lambda t: pa.concat_tables([t, t.slice(0, 1)]), None, "sha256"),
        (lambda t: column(t, "finish_reason", ["sent by post"] * len(t)), None, "finish_reason"),
        (lambda t: column(t, "request_key", ["short"] * len(t)), None, "request_key"),
        (lambda t: column(t, "latency_s", [float("nan")] * len(t)), None, "latency_s"),
        (lambda t: t.drop_columns(["tries"]), None, "schema '3'"),
        (lambda t: t, {b"scrollwork.schema": b"4"}, "schema '4'"),
        (lambda t: t, {b"scrollwork.what": b"invoices"}, "something else"),
        (lambda t: t, {b"scrollwork.what": b"\xff"}, "torn"),
        (lambda t: t, {b"scrollwork.answers": b"7"}, "sha256"),
    ],
)
def test_edited_file_is_imported(exported, other, tmp_path, change, metadata, said):
    edited(exported, lambda table: table)
    third = ResponseStore(tmp_path / "third.db")
    assert import_answers(third, exported).new == 40, "the editing is sound"
    third.close()
    edited(exported, change, metadata)
    with pytest.raises(ForeignFile) as caught:
        import_answers(other, exported)
    assert said in str(caught.value)
    assert "answers.parquet" in str(caught.value)
    assert everything(other) == ({}, {})


def test_file_of_something_else_is_imported_or_replaced(other, tmp_path):
    parquet = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), parquet)
    text = tmp_path / "answers.jsonl"
    text.write_text('{"text": "an answer"}\n')
    for path in (parquet, text):
        before = path.read_bytes()
        with pytest.raises(ForeignFile, match=path.name):
            import_answers(other, path)
        with pytest.raises(StorageError, match="name another file"):
            export_answers(other, path)
        assert path.read_bytes() == before
    for path in (tmp_path / "none.parquet", tmp_path):
        with pytest.raises(ForeignFile, match="cannot be read"):
            import_answers(other, path)
    assert everything(other) == ({}, {})


@pytest.mark.slow
def test_many_answers_are_held_in_memory_or_lost_between_pages(store, other, tmp_path):
    """More than a page, more than a row group."""
    path = tmp_path / "answers.parquet"
    for start_at in range(0, 1100, 100):
        some = range(start_at, start_at + 100)
        store.add([answer(n, f"{n} " * 2200) for n in some], [], [attempt(n) for n in some])
    assert export_answers(store, path).answers == 1100
    assert pq.read_metadata(path).num_row_groups >= 2
    assert import_answers(other, path) == Imported(1100, 0, 0, 1100)
    assert export_answers(other, path).answers == 1100


def test_killed_import_leaves_a_part(filled, tmp_path):
    path = tmp_path / "answers.parquet"
    export_answers(filled, path)
    process = start(
        """
        from pathlib import Path
        from scrollwork.storage.answers import transfer
        store = ResponseStore(Path(sys.argv[1]))
        whole = transfer._take_group
        def half(*arguments):
            whole(*arguments)
            say("half")
            wait()
        transfer._take_group = half
        transfer.import_answers(store, Path(sys.argv[2]))
        """,
        tmp_path / "other.db",
        path,
    )
    assert heard(process) == ["half"]
    process.kill()
    process.communicate()
    other = ResponseStore(tmp_path / "other.db")
    assert everything(other) == ({}, {})
    assert import_answers(other, path).new == len(TEXTS) + 1
    other.close()


def test_export_to_a_full_disk_leaves_half_a_file(other, tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("cannot mount a small file system here")
    try:
        other.add([answer(n, hashlib.shake_256(key(n).encode()).hexdigest(50_000)) for n in range(300, 303)])
        with pytest.raises(StorageFull, match="free space"):
            export_answers(other, place / "answers.parquet")
        assert list(place.iterdir()) == []
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_damaged_page_of_the_database_is_called_whole(tmp_path):
    path = tmp_path / "responses.db"
    store = ResponseStore(path)
    store.add([answer(n, f"{n} " * 2000) for n in range(200)], [failure(1000)], [attempt(1)])
    found = check_store(store)
    assert (found.answers, found.failures, found.attempts, found.problems) == (200, 1, 1, ())
    store.close()
    whole = path.read_bytes()
    shutil.copy(path, tmp_path / "copy.db")
    middle = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:middle] + b"\xff" * 4096 + whole[middle + 4096 :])
    broken = ResponseStore(path)
    assert check_store(broken).problems
    broken.close()


def test_rows_that_contradict_each_other_are_called_whole(store):
    store.add([answer(1)], [failure(2)])
    assert check_store(store).problems == ()

    def contradict(connection):
        connection.exec_driver_sql(f"UPDATE failures SET request_key = '{key(1)}', kind = 'odd'")

    store.database.write(contradict)
    assert list(check_store(store).problems) == [
        "1 rows of failures with a kind that is not known",
        "1 requests are both answered and failed",
        f"failure {key(1)} of gpt: its row does not say what was stored in it (digest)",
    ]


def test_file_of_an_older_version_is_refused_or_its_edits_are_not(exported, other, tmp_path):
    """As da944ef wrote it: without the columns of version 2, sealed over those it had."""
    store = ResponseStore(tmp_path / "small.db")
    old = tmp_path / "old.parquet"
    for text in ("an answer", "forged"):
        table = pq.read_table(exported).drop_columns([*NOT_IN_1, *NOT_IN_2])
        rows = table.to_pylist()
        digest = hashlib.sha256(b"".join(canonical_json(row).encode() + b"\n" for row in rows)).hexdigest()
        rows[0]["text"] = text if text == "forged" else rows[0]["text"]
        fields = [field.with_nullable(field.nullable and field.name not in NULL_SINCE_2) for field in table.schema]
        schema = pa.schema(fields)
        footer = {"what": "scrollwork answers", "schema": "1", "answers": str(len(rows)), "sha256": digest}
        with pq.ParquetWriter(old, schema, compression="zstd") as writer:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            writer.add_key_value_metadata({f"scrollwork.{name}": value for name, value in footer.items()})
        if text == "forged":
            with pytest.raises(ForeignFile, match="sha256"):
                import_answers(other, old)
        else:
            assert import_answers(other, old).new == 40
            assert everything(other) == everything(store)
    store.close()


def test_file_of_version_2_is_refused_or_its_edits_are_not(exported, other, tmp_path):
    """As it was written before who answered was kept: sealed over the columns that it has."""
    old = tmp_path / "old.parquet"
    table = pq.read_table(exported).drop_columns([*NOT_IN_2])
    rows = table.to_pylist()
    digest = hashlib.sha256(b"".join(canonical_json(row).encode() + b"\n" for row in rows)).hexdigest()
    for forged in (True, False):
        given = [{**rows[0], "text": "forged"}, *rows[1:]] if forged else rows
        footer = {"what": "scrollwork answers", "schema": "2", "answers": str(len(rows)), "sha256": digest}
        with pq.ParquetWriter(old, table.schema, compression="zstd") as writer:
            writer.write_table(pa.Table.from_pylist(given, schema=table.schema))
            writer.add_key_value_metadata({f"scrollwork.{name}": value for name, value in footer.items()})
        if forged:
            with pytest.raises(ForeignFile, match="sha256"):
                import_answers(other, old)
        else:
            assert import_answers(other, old).new == 40
            assert not check_store(other).problems


def test_who_answered_is_lost_on_the_way(store, other, tmp_path):
    said = {"service_tier": "flex", "fingerprint": "fp_1", "output_limit": 25_010}
    store.add([answer(1, **said), answer(2)])
    export_answers(store, tmp_path / "answers.parquet")
    import_answers(other, tmp_path / "answers.parquet")
    assert other.answers([key(1), key(2)]) == {key(1): answer(1, **said), key(2): answer(2)}


def test_damaged_row_is_exported(store, tmp_path):
    store.add([answer(1)])
    store.database.write(lambda connection: connection.exec_driver_sql("UPDATE responses SET text = 'another'"))
    with pytest.raises(StorageError, match=rf"{key(1)}.*store repair"):
        export_answers(store, tmp_path / "answers.parquet")
    assert list(tmp_path.glob("*.parquet")) == []
