"""A store that lost answers, beside snapshots that hold them: refused by name, refilled, and nothing paid again."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Scrollwork, files_of
from tests.survival.hosted import Vendors, hosted, of_model, rows, table, twice, vendors

pytestmark = pytest.mark.slow
PRICE = {"input": 1.0, "output": 4.0}
SCHEMA_3 = (
    *(f"ALTER TABLE {name} DROP COLUMN digest" for name in ("responses", "failures", "attempts")),
    "ALTER TABLE responses DROP COLUMN masked",
    "ALTER TABLE responses DROP COLUMN origin",
    "DROP TABLE set_aside",
    "UPDATE scrollwork_about SET value = '3' WHERE name = 'schema'",
)


@pytest.fixture(scope="module")
def vendor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vendors]:
    with vendors(tmp_path_factory.mktemp("vendors")) as served:
        yield served


@pytest.fixture
def start(vendor: Vendors) -> int:
    """How many requests came before this test."""
    return len(vendor.requests())


@pytest.fixture
def work(scrollwork: Scrollwork, vendor: Vendors, start: int) -> Scrollwork:
    """A home with paid answers to two inputs of qmsum."""
    made = hosted(scrollwork, table("gpt", vendor.url, price=PRICE))
    made.run("--task", "qmsum", "--limit", "1", *of_model(made), model="gpt")
    return made


def more(work: Scrollwork, *arguments: str, status: int = 0) -> str:
    """Ask for all inputs of qmsum; what was said on standard error."""
    done = work(
        *arguments, "run", "zeroscrolls", "--sample", "--task", "qmsum", "--engine", "inline", "--model", "gpt",
        *of_model(work), status=status,
    )  # fmt: skip
    return done.err


@pytest.mark.parametrize("damage", ["gone", "0 bytes", "all but one of others", "another"])
def test_answer_that_a_snapshot_holds_is_paid_again(
    work: Scrollwork, vendor: Vendors, start: int, tmp_path: Path, damage: str
) -> None:
    store = work.home / "responses.db"
    asked, before = len(vendor.requests()), rows(work.home, "SELECT request_key, text, cost_nano_usd FROM responses")
    assert before
    arguments: tuple[str, ...] = ()
    if damage == "gone":
        store.unlink()
    elif damage == "0 bytes":
        store.write_bytes(b"")
    elif damage == "all but one of others":
        with closing(sqlite3.connect(store)) as database, database:
            database.execute("DELETE FROM responses")
            row = (*("f" * 64, "openai", "gpt", "x", "complete", 1, 0, 1, "g", 0.1, 1, 1.0, 0, 0, 0, 0), "asked", "")
            names = (
                "request_key, provider, model, text, finish_reason, input_tokens, cached_tokens, output_tokens, "
                "reported_model, latency_s, attempts, created, cost_nano_usd, cache_write_tokens, reasoning_tokens, "
                "masked, origin, digest"
            )
            database.execute(f"INSERT INTO responses ({names}) VALUES ({', '.join('?' * 18)})", row)
    else:
        arguments = ("--store", f"sqlite:///{tmp_path / 'new.db'}")
    said = more(work, *arguments, status=1)
    assert "scrollwork store repair" in said
    assert "--home" in said
    assert len(vendor.requests()) == asked, "nothing is asked before it is told"
    checked = work(*arguments, "verify", status=1)
    assert "store repair" in checked.out
    repaired = work(*arguments, "store", "repair", "--json").document
    assert (repaired["ok"], repaired["refilled"]) == (True, len(before))
    more(work, *arguments)
    assert len(vendor.requests()) > asked, "what is new is asked"
    assert twice(vendor.requests()[start:]) == {}
    work(*arguments, "verify")
    if not arguments:
        now = rows(work.home, "SELECT request_key, text, cost_nano_usd FROM responses")
        assert set(before) <= set(now)


@pytest.mark.parametrize("damage", ["a byte", "no manifest"])
def test_lost_store_and_a_damaged_snapshot_are_paid_again(
    work: Scrollwork, vendor: Vendors, start: int, damage: str
) -> None:
    """The last copy is refused by name, not deleted; each row with its own digest is put back."""
    asked, before = len(vendor.requests()), rows(work.home, "SELECT request_key, text, cost_nano_usd FROM responses")
    for path in work.home.glob("responses.db*"):
        path.unlink()
    (part,) = (work.home / "artifacts" / "generate").glob("*/*/responses-*.parquet")
    if damage == "a byte":
        data = bytearray(part.read_bytes())
        data[0] ^= 1  # of the file's magic: every row can be read
        part.write_bytes(data)
        assert str(part.parent) in work("store", "check", status=1).out
    else:
        (part.parent / "manifest.json").unlink()
    whole = part.read_bytes()
    for _ in range(2):
        assert "store repair" in more(work, status=1)
        assert (len(vendor.requests()), part.read_bytes()) == (asked, whole)
    repaired = work("store", "repair", "--json").document
    assert (repaired["ok"], repaired["refilled"]) == (True, len(before))
    assert str(part.parent) in repaired["damaged"][0]
    work.run("--task", "qmsum", "--limit", "1", *of_model(work), model="gpt")
    assert len(vendor.requests()) == asked, "the snapshot is built again from the store"
    more(work)
    assert len(vendor.requests()) > asked, "what is new is asked"
    assert twice(vendor.requests()[start:]) == {}
    assert set(before) <= set(rows(work.home, "SELECT request_key, text, cost_nano_usd FROM responses"))
    work("verify")


def test_damaged_answer_is_scored_or_asked_again(work: Scrollwork, vendor: Vendors, start: int) -> None:
    """An edited answer, costs of 0: told by both commands with key and model, refused by a run, mended."""
    asked, before = len(vendor.requests()), files_of(work.home)
    with closing(sqlite3.connect(work.home / "responses.db")) as database, database:
        database.execute("UPDATE responses SET text = 'edited', cost_nano_usd = 0")
        database.execute("UPDATE attempts SET cost_nano_usd = 0")
        (key,) = database.execute("SELECT min(request_key) FROM responses").fetchone()
    for command in (("verify",), ("store", "check")):
        done = work(*command, status=1)
        assert f"answer {key} of gpt: its row does not say what was stored in it (digest)" in done.out
        assert f"attempt {key} of gpt: its row does not say" in done.out
        assert "text, cost_nano_usd 0 (" in done.out
    assert "store repair" in more(work, status=1)
    work("store", "repair")
    assert before.items() <= files_of(work.home).items()
    more(work)
    assert len(vendor.requests()) > asked
    assert twice(vendor.requests()[start:]) == {}
    work("verify")


def test_store_of_an_older_schema_is_paid_again(work: Scrollwork, vendor: Vendors) -> None:
    """A store as da944ef left it: brought up when the next run opens it, and nothing is asked."""
    before = rows(work.home, "SELECT request_key, text, cost_nano_usd FROM responses ORDER BY request_key")
    with closing(sqlite3.connect(work.home / "responses.db")) as database, database:
        for statement in SCHEMA_3:
            database.execute(statement)
    asked = len(vendor.requests())
    other = work.with_(home=work.home.parent / "moved")
    other.home.mkdir()
    shutil.copy(work.home / "responses.db", other.home / "responses.db")
    other.run("--task", "qmsum", "--limit", "1", *of_model(work), model="gpt")
    assert len(vendor.requests()) == asked
    assert rows(other.home, "SELECT request_key, text, cost_nano_usd FROM responses ORDER BY request_key") == before
    other("verify")
    other("store", "check")


def test_free_answers_make_a_run_refuse(finished: Scrollwork) -> None:
    """A deleted store of baselines is told by `verify`; a run answers what it needs."""
    (finished.home / "responses.db").unlink()
    assert "store repair" in finished("verify", status=1).out
    finished.run("--task", "qmsum", "--task", "musique")
    finished("store", "repair")
    finished("verify")


def test_store_of_a_troubled_run_is_called_damaged(scrollwork: Scrollwork, vendor: Vendors) -> None:
    """Every try is written down, whatever came between."""
    made = hosted(scrollwork, table("gpt", vendor.url, price=PRICE))
    vendor.set(plan={"share": 0.5, "seed": 5, "kinds": ["429-ms", "empty", "500", "cut"], "most": 2})
    try:
        made.run("--task", "qmsum", "--task", "squality", *of_model(made), model="gpt", status=None)
    finally:
        vendor.set(plan={})
    assert rows(made.home, "SELECT max(attempts) FROM responses")[0][0] > 1
    assert made("store", "check", "--json").document["ok"]
    assert made("verify").status == 0
