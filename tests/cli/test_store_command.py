"""`scrollwork store` and what `status` says of the store: answers, failures, tries and money, without harm."""

import json

import pytest

from scrollwork.cli.commands.status import of_errors
from scrollwork.storage.answers.store import ResponseStore
from tests.conftest import files_of
from tests.storage.postgres import PASSWORD, serve
from tests.storage.store_kit import answer, attempt, batch, failure, key

HOSTILE = "\x1b[2J\x1b]0;owned\x07 overloaded\nanswers: 999 of 1 models\u202e \ud800"


@pytest.fixture
def filled(call):
    """A home with answers, failures and money."""
    store = ResponseStore(call.home / "responses.db")
    store.add(
        [answer(1, model="gpt", cost_nano_usd=1_500_000), answer(2, cost_nano_usd=0)],
        [failure(3, message="first"), failure(4, "terminal", HOSTILE)],
        [
            attempt(1, "transient", cost_nano_usd=0),
            attempt(1, tried=2, input_tokens=1000, cached_tokens=400, output_tokens=20, cost_nano_usd=1_500_000),
            attempt(3, "transient", status=None),
        ],
    )
    store.claim([key(3)], "somebody", 60)
    store.intend(batch(1), [key(5)], "somebody")
    store.close()
    return call


def test_status_hides_failures_tries_or_money(filled):
    status, out, err = filled("status")
    assert (status, err) == (0, "")
    for line in (
        "answers: 2 of 2 models",
        "failures: 2 of 1 model",
        "  gpt: 1 transient, HTTP 529, the last one: first",
        "attempts: 3",
        "  gpt: 1 answered, 2 transient",
        "being asked now: 1",
        "batches: 1 intent",
        "spent: $0.0015 and 1 calls of unknown cost",
        "  gpt: $0.0015 and 1 calls of unknown cost, 3 calls, 1,000 input tokens (400 cached), 20 output tokens",
    ):
        assert line in out.splitlines(), out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert sum(line.startswith("answers:") for line in out.splitlines()) == 1, "a message makes no line of its own"


def test_status_as_json_hides_money(filled):
    _, out, _ = filled("status", "--json")
    found = json.loads(out)
    assert found["answers"] == {"gpt": 1, "naive:seed=0": 1}
    assert found["failures"] == {"gpt": 2}
    spent = {"currency": "USD", "amount": 0.0015, "unknown_calls": 1, "assumed_calls": 0, "assumed": 0.0}
    assert found["spent"] == spent
    assert found["spent_by_model"]["gpt"]["calls"] == 3
    assert found["attempts"] == {"gpt": {"answered": 1, "transient": 2}}
    assert {one["kind"]: one["message"] for one in found["failure_kinds"]} == {
        "transient": "first",
        "terminal": HOSTILE,
    }


def test_status_makes_a_store(call):
    status, out, _ = call("status")
    assert status == 0
    assert "spent: $0.0000" in out
    assert not call.home.exists()


def test_answers_do_not_move_between_homes(filled, tmp_path):
    file = tmp_path / "answers.parquet"
    status, out, _ = filled("store", "export", "--out", str(file), "--json")
    assert (status, json.loads(out)["answers"], json.loads(out)["attempts"]) == (0, 2, 2)
    other = filled.at(tmp_path / "other")
    status, out, _ = other("store", "import", str(file), "--json")
    assert (status, json.loads(out)) == (0, {"file": str(file), "new": 2, "equal": 0, "different": 0, "attempts": 2})
    status, out, _ = other("store", "import", str(file))
    assert (status, out) == (0, f"{file}: 0 new answers, 2 were here already, equal\n")
    status, out, _ = other("store", "check", "--json")
    counted = {"rows": 4, "answers": 2, "failures": 0, "attempts": 2, "no_room": []}
    assert (status, json.loads(out)) == (0, {"ok": True, "broken": [], "refilled": 0, **counted})


def test_backup_over_a_damaged_part_is_called_well(filled, tmp_path):
    folder, other = tmp_path / "backup", filled.at(tmp_path / "other")
    assert filled("store", "backup", "--out", str(folder))[0] == 0
    (part,) = folder.glob("*.parquet")
    part.write_bytes(part.read_bytes()[:-9])
    status, out, _ = filled("store", "backup", "--out", str(folder))
    assert (status, f"damaged: {part}" in out, "2 new answers; it holds 2" in out) == (1, True, True)
    status, _, err = other("store", "restore", str(folder))
    assert (status, str(part) in err, "--intact" in err) == (1, True, True)
    status, out, err = other("store", "restore", str(folder), "--intact")
    assert (status, "2 new answers" in out, f"left out: {part}" in err) == (0, True, True)


def test_store_command_makes_a_home_for_nothing(call, tmp_path):
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    for arguments, ended, said in (
        (("export", "--out", "a.parquet"), 2, "no answers are stored"),
        (("check",), 2, "no answers are stored"),
        (("import",), 2, "store import FILE"),
        (("import", "torn.parquet"), 1, "torn.parquet"),
        (("import", "none.parquet"), 1, "none.parquet"),
        (("burn",), 2, "invalid choice"),
    ):
        status, _, err = call("store", *arguments)
        assert (status, said in err) == (ended, True), err
    assert not call.home.exists()


def test_broken_store_is_called_whole(filled):
    store = ResponseStore(filled.home / "responses.db")
    store.database.write(lambda connection: connection.exec_driver_sql("UPDATE responses SET finish_reason = 'odd'"))
    store.close()
    status, out, _ = filled("store", "check")
    assert status == 1
    assert "broken: 2 rows of responses with a finish_reason that is not known" in out


@pytest.mark.slow
def test_scores_depend_on_the_database_or_its_password_is_written_down(scrollwork, tmp_path):
    """The whole chain with its answers in PostgreSQL: the same artifacts to the byte."""
    scrollwork.run("--task", "qmsum")
    running = serve()
    server = next(running)
    try:
        other = scrollwork.with_(home=tmp_path / "other")
        store = ("--store", server.url(server.database()))
        done = other.run("--task", "qmsum", *store)
        again = other.run("--task", "qmsum", *store)
        status = other("status", "--json", *store).document
        failed = other("status", "--store", store[1] + "_not_there", status=1)
    finally:
        running.close()
    assert files_of(other.home) == files_of(scrollwork.home)
    assert not (other.home / "responses.db").exists()
    assert status["answers"] == {"naive:seed=0": 9}
    assert "does not exist" in failed.err
    for text in (done.err, again.err, failed.err, json.dumps(status)):
        assert PASSWORD not in text
    for path in other.home.rglob("*"):
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path


def test_stages_that_one_error_ended_take_a_line_each() -> None:
    assert of_errors({"score a": "stopped", "score b": "stopped", "curate": "no file"}) == [
        "score a and 1 more: stopped",
        "curate: no file",
    ]
