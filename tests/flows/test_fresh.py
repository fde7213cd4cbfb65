"""A model asked anew: a vendor's change is seen, what is stored is not paid again, and no run mixes two epochs."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scrollwork as sw
from scrollwork.flows.epochs import Epochs
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.session import Locations, Session
from scrollwork.records.response import Response
from scrollwork.storage.epochs import Register
from scrollwork.storage.home import Home
from tests.conftest import Scrollwork
from tests.survival.hosted import Vendors, answered, hosted, of_model, rows, table, twice, vendors

TASK = ("--task", "space_digest")
INPUTS = 6  # of that task in the sample
DAY_S = 86_400


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


@pytest.fixture
def work(scrollwork: Scrollwork, served: Vendors) -> Scrollwork:
    return hosted(scrollwork, table("m", served.url))


class Asked:
    """How many requests came since the last look."""

    def __init__(self, served: Vendors) -> None:
        self._served, self._before = served, len(served.requests())

    def now(self) -> list[dict[str, Any]]:
        """Return the new requests."""
        found = self._served.requests()[self._before :]
        self._before += len(found)
        return found


def run(work: Scrollwork, *arguments: str, **options: Any) -> Any:
    return work.run(*TASK, *of_model(work), *arguments, model="m", **options)


def texts(work: Scrollwork) -> set[str]:
    """First words of the answers that the last run read."""
    home = Home.at(str(work.home))
    keys = {name: key for name, key in home.runs()[-1]["keys"].items() if name.startswith("generate/")}
    assert len(keys) == 1
    ((name, key),) = keys.items()
    stage, _, slot = name.partition("/")
    pointer = Session(Locations(home.url, "")).pointer(stage, slot, key)
    assert pointer is not None
    snapshot = home.artifacts.find(stage, slot, pointer["artifact"])
    assert snapshot is not None
    return {row.text.split()[0] for row in snapshot.rows("responses", Response)}


def register(work: Scrollwork, kind: str) -> list[dict[str, Any]]:
    """The files of the register: opened or complete."""
    return [json.loads(path.read_text()) for path in sorted((work.home / "epochs").glob(f"*.{kind}.json"))]


def date_back(home: Path, days: float, where: str = "1") -> None:
    """Make answers of the store older."""
    with sqlite3.connect(home / "responses.db", timeout=30) as store:
        store.execute(f"UPDATE responses SET created = created - ? WHERE {where}", (days * DAY_S,))


@pytest.mark.slow
def test_change_of_a_vendor_is_never_seen_or_seen_unasked(work: Scrollwork, served: Vendors) -> None:
    asked = Asked(served)
    run(work)
    assert len(asked.now()) == INPUTS
    first = answered(work.home)
    served.set(edition="second")
    run(work)
    assert asked.now() == []
    assert "second" not in texts(work)

    planned = work.plan(*TASK, *of_model(work), "--fresh", "run", model="m")["generate space_digest"]
    assert planned["state"] == "missing"
    assert planned["why"] == "a new epoch"
    assert not (work.home / "epochs").exists(), "planning opened an epoch"

    done = run(work, "--fresh", "run")
    new = asked.now()
    assert len(new) == INPUTS
    assert twice(new) == {}
    assert texts(work) == {"second"}
    (opened,), (complete,) = register(work, "opened"), register(work, "complete")
    assert opened["epoch"] == complete["epoch"]
    assert opened["epoch"] in Path(str(work.home / "reports" / "zeroscrolls.html")).read_text()
    assert first < answered(work.home)
    assert done.status == 0

    served.set(edition="third")
    run(work)
    assert asked.now() == []
    assert texts(work) == {"second"}, "a plain run does not read the newest epoch"
    run(work, "--limit", "3")
    assert asked.now() == []
    assert texts(work) == {"second"}, "fewer inputs are of the epoch too"
    run(work, "--fresh", "run")
    assert len(asked.now()) == INPUTS, "the next epoch asked nothing"
    assert texts(work) == {"third"}
    assert len(register(work, "complete")) == 2
    work("verify")


@pytest.mark.slow
def test_killed_epoch_is_begun_anew(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path, latency_s=0.3) as served:
        work = hosted(scrollwork, table("m", served.url, concurrency=2))
        process = work.start(
            "run", "zeroscrolls", "--engine", "inline", "--sample", "--model", "m", *TASK, *of_model(work), "--fresh",
            "run",
        )  # fmt: skip
        while len(answered(work.home)) < 2:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        stored = answered(work.home)
        assert 2 <= len(stored) < INPUTS
        assert register(work, "complete") == []
        time.sleep(0.5)
        asked = Asked(served)
        run(work, "--fresh", "run")
        assert len(asked.now()) == INPUTS - len(stored)
        assert len(register(work, "opened")) == len(register(work, "complete")) == 1
        assert len(answered(work.home)) == INPUTS


@pytest.mark.slow
def test_two_at_once_pay_twice(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path, latency_s=0.3) as served:
        work = hosted(scrollwork, table("m", served.url, concurrency=2))
        command = ("run", "zeroscrolls", "--engine", "inline", "--sample", "--model", "m", *TASK, *of_model(work))
        both = [work.start(*command, "--fresh", "run") for _ in range(2)]
        ended = [process.communicate(timeout=120) for process in both]
        assert [process.returncode for process in both] == [0, 0], ended
        assert len(register(work, "opened")) == len(register(work, "complete")) == 1
        assert len(served.requests()) == INPUTS


@pytest.mark.slow
def test_epoch_cut_by_the_budget_is_read_or_left(scrollwork: Scrollwork, served: Vendors) -> None:
    price = {"input": 1.0, "output": 10.0}
    work = hosted(scrollwork, table("m", served.url, price=price, concurrency=1))
    run(work)
    asked = Asked(served)
    served.set(edition="second")
    run(work, "--fresh", "run", "--budget", "0.02", status=None)
    part = len(asked.now())
    assert 0 < part < INPUTS
    assert register(work, "complete") == []
    run(work)
    assert asked.now() == []
    assert "second" not in texts(work), "an epoch that is not complete is read"
    run(work, "--fresh", "run")
    assert len(asked.now()) == INPUTS - part
    assert len(register(work, "opened")) == len(register(work, "complete")) == 1
    assert texts(work) == {"second"}


@pytest.mark.slow
def test_epoch_of_fewer_inputs_is_mixed_with_the_others(work: Scrollwork, served: Vendors) -> None:
    run(work)
    asked = Asked(served)
    served.set(edition="second")
    run(work, "--fresh", "run", "--limit", "3")
    assert len(asked.now()) == 3
    assert texts(work) == {"second"}
    done = run(work)
    assert asked.now() == []
    assert "second" not in texts(work)
    assert "m: answers of no epoch are read; the newer epoch of" in done.err
    run(work, "--limit", "3")
    assert asked.now() == []
    assert texts(work) == {"second"}


def test_days_ask_what_is_younger_or_leave_what_is_older(work: Scrollwork, served: Vendors) -> None:
    run(work)
    served.set(edition="second")
    asked = Asked(served)
    run(work, "--fresh", "7")
    assert asked.now() == [], "answers of today are asked again"
    assert "second" not in texts(work)
    date_back(work.home, 8, f"request_key IN {tuple(sorted(answered(work.home))[:2])}")
    run(work, "--fresh", "7")
    assert asked.now() == [], "the complete epoch of today is not read"
    (work.home / "epochs").rename(work.home / "epochs-before")
    run(work, "--fresh", "7")
    assert len(asked.now()) == 2
    assert texts(work) > {"second"}, "younger answers do not stand"
    run(work)
    run(work, "--fresh", "7")
    assert asked.now() == []
    assert texts(work) > {"second"}
    work("store", "check")
    work("verify")
    run(work, "--fresh", "run")
    assert len(asked.now()) == INPUTS
    assert texts(work) == {"second"}


def test_answers_of_the_second_in_which_an_epoch_opens_are_asked_again(tmp_path: Path) -> None:
    """A command that came within a second of the one before paid for all of its answers once more."""
    epoch = Register(str(tmp_path)).open("m", "scope", {}, now=1_000.7, since=400)
    reuse = Epochs({"m": epoch}).parameters("m")["reuse"]
    assert reuse["since"] <= 1_000.2 <= reuse["until"]


@pytest.mark.slow
@pytest.mark.parametrize("days", ["20000", "99999"])  # 1972, and before times begin
def test_an_age_from_before_computers_cannot_be_asked(work: Scrollwork, served: Vendors, days: str) -> None:
    run(work)
    asked = Asked(served)
    run(work, "--fresh", days)
    run(work, "--fresh", days)
    assert asked.now() == []


@pytest.mark.parametrize("complete", [False, True])
def test_an_epoch_of_another_release_has_no_end_of_what_stands_in_it(tmp_path: Path, complete: bool) -> None:
    register = Register(str(tmp_path))
    epoch = register.open("m", "scope", {}, now=1_000.7, since=400)
    if complete:
        register.close(epoch, {}, "run")
    for path in (tmp_path / "epochs").iterdir():
        told = json.loads(path.read_text())
        assert told.pop("until") == epoch.until
        path.write_text(json.dumps(told))
    (found,) = register.every("m")
    assert found.until == epoch.opened + 1


@pytest.mark.slow
def test_table_says_nothing_or_the_flag_does_not_win(scrollwork: Scrollwork, served: Vendors) -> None:
    work = hosted(scrollwork, table("m", served.url, fresh="run"))
    run(work)
    asked = Asked(served)
    run(work, "--fresh", "never")
    assert asked.now() == []
    run(work)
    assert len(asked.now()) == INPUTS
    (work.home.parent / "own.toml").write_text(table("m", served.url, fresh=0))
    done = run(work, status=2)
    assert "m: fresh must be never, run, or a number of whole days" in done.err.replace("'m'", "m")
    assert asked.now() == []


@pytest.mark.parametrize("value", ["0", "-1", "always", "1.5", "RUN", "007", "1e3", "100000"])
def test_wrong_value_is_taken(work: Scrollwork, value: str) -> None:
    done = run(work, f"--fresh={value}", status=2)
    assert f"--fresh '{value}': write never, run, or a number of whole days" in done.err
    assert not (work.home / "epochs").exists()


def test_nothing_to_ask_anew_is_passed_over(scrollwork: Scrollwork) -> None:
    done = scrollwork.run(*TASK, "--fresh", "run", status=2)
    assert "--fresh run is for hosted and local models, and none was named" in done.err


@pytest.mark.slow
def test_damaged_register_is_read(work: Scrollwork, served: Vendors) -> None:
    run(work, "--fresh", "run")
    (path,) = (work.home / "epochs").glob("*.complete.json")
    whole = json.loads(path.read_text())
    for change in ({"epoch": "../../x"}, {"opened": "now"}, {"covers": [1]}, {"model": "other"}, {"since": True}):
        path.write_text(json.dumps({**whole, **change}))
        done = run(work, status=1)
        assert f"{path}: field '{next(iter(change))}' is missing or wrong" in done.err
    path.write_text("{")
    assert f"{path}: is no epoch" in run(work, status=1).err


def test_estimate_counts_what_is_stored_as_paid(work: Scrollwork, served: Vendors) -> None:
    run(work)
    count = len(served.requests())
    arguments = ("estimate", "zeroscrolls", "--sample", "--model", "m", *TASK, *of_model(work), "--json")
    (plain,) = work(*arguments).document
    (fresh,) = work(*arguments, "--fresh", "run").document
    (days,) = work(*arguments, "--fresh", "7").document
    assert [one["to_ask"] for one in (plain, fresh, days)] == [0, INPUTS, 0]
    assert len(served.requests()) == count
    assert rows(work.home, "SELECT count(*) FROM responses") == [(INPUTS,)]


@pytest.mark.slow
def test_upgrade_falls_back_to_older_answers_or_pays_again(work: Scrollwork, served: Vendors, tree: Path) -> None:
    run(work)
    served.set(edition="second")
    run(work, "--fresh", "run")
    asked = Asked(served)
    work = work.with_(root=tree)
    with (tree / "tasks" / "generate" / "run.py").open("a") as module:
        module.write("\n\nUNRELATED = 1\n")
    assert work.states(*TASK, *of_model(work), model="m")["generate space_digest"] == "stale"
    run(work)
    assert asked.now() == []
    assert texts(work) == {"second"}


@pytest.mark.slow
def test_batch_of_an_epoch_is_paid_twice_or_taken_for_another(work: Scrollwork, served: Vendors) -> None:
    run(work)
    asked = Asked(served)
    served.set(edition="second", batch={"looks": 10**6})
    run(work, "--fresh", "run", "--batch", "--batch-wait", "1", status=1)
    run(work)
    assert "second" not in texts(work)
    assert register(work, "complete") == []
    served.set(batch={})
    run(work, "--fresh", "run", "--batch")
    assert asked.now() == [], "what waits in a batch was asked online"
    assert texts(work) == {"second"}
    assert rows(work.home, "SELECT count(*) FROM batches") == [(1,)]
    assert len(register(work, "opened")) == len(register(work, "complete")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("seam", "--runs", "2", "--instances", "2", "--task", "multi_news"),
        ("dolce", "--task", "leval_quality", "--limit", "2"),
    ],
)
def test_draws_or_windows_are_asked_otherwise_in_an_epoch(
    work: Scrollwork, served: Vendors, command: tuple[str, ...]
) -> None:
    whole = ("run", *command, "--sample", "--engine", "inline", "--model", "m", *of_model(work))
    asked = Asked(served)
    work(*whole)
    first = sorted(row["digest"] for row in asked.now())
    assert len(first) > 2
    served.set(edition="second")
    work(*whole, "--fresh", "run")
    assert sorted(row["digest"] for row in asked.now()) == first
    work(*whole)
    assert asked.now() == []
    assert len(register(work, "complete")) == 1
    assert rows(work.home, "SELECT count(*) FROM responses") == [(2 * len(first),)]


@pytest.mark.slow
def test_library_hides_the_epoch(work: Scrollwork, served: Vendors, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in work.env.items():
        monkeypatch.setenv(name, value)
    options: dict[str, Any] = {
        "home": work.home, "sample": True, "tasks": "space_digest", "models": ["m", "lead"],
        "models_file": work.home.parent / "own.toml",
    }  # fmt: skip
    sw.run("zeroscrolls", **options)
    served.set(edition="second")
    planned = sw.plan("zeroscrolls", fresh="run", **options).filter(stage="generate")
    assert dict(planned.select("model", "state").iter_rows()) == {"m": "missing", "lead": "reused"}
    sw.run("zeroscrolls", fresh="run", **options)
    asked = Asked(served)
    assert set(sw.plan("zeroscrolls", fresh=7, **options)["state"]) == {"reused"}
    sw.run("zeroscrolls", fresh=7, **options)
    assert asked.now() == []
    (complete,) = register(work, "complete")
    answers = sw.open(work.home).answers().collect()
    assert set(answers.select("model", "epoch").iter_rows()) == {("m (chat)", complete["epoch"]), ("lead", "")}
    assert {text.split()[0] for text in answers.filter(model="m (chat)")["text"]} == {"second"}
    assert sw.open(work.home).runs().collect()["epochs"].to_list() == [[], [complete["epoch"]], [complete["epoch"]]]
    shown = work("status").out
    assert f"epoch {complete['epoch']} of m: complete" in shown
    assert shown.count(f"(epoch {complete['epoch']})") == 2
    with pytest.raises(UsageError, match="fresh"):
        sw.run("zeroscrolls", fresh=0, **options)
