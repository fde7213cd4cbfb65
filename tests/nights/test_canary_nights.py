"""Nights with a canary, against a vendor: quiet ones ask 1 %, and what changes asks the full set on the same night."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.analysis.nights.rule import STANDARD
from scrollwork.readings.nights.register import Nights
from tests.conftest import Scrollwork
from tests.nights.hotels import BAD, GOOD, ready, rows
from tests.survival.hosted import UNDER_WAY_S, Vendors, answered, of_model, twice, vendors
from tests.survival.hosted import rows as store_rows

WEEKLY = ("--full-every", "7")
LEAST = 5  # inputs of a task
HOTELS = 60


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Vendors]:
    with vendors(tmp_path) as running:
        yield running


@pytest.fixture
def work(scrollwork: Scrollwork, served: Vendors) -> Scrollwork:
    return ready(scrollwork, served, hotels=HOTELS)


def words(work: Scrollwork, *more: str) -> tuple[str, ...]:
    raw = ("--raw", str(work.home.parent / "raw"), "--task", "space_digest")
    return ("nights", "run", "zeroscrolls", *raw, "--model", "m", *of_model(work), *WEEKLY, *more)


def night(work: Scrollwork, *more: str, status: int | None = 0) -> dict[str, Any]:
    found: dict[str, Any] = work(*words(work, "--json", *more), status=status).document
    return found


def asked(served: Vendors) -> int:
    """Answers that were paid."""
    return sum(row["status"] == 200 for row in served.requests() if "status" in row)


def aged(work: Scrollwork, row: dict[str, Any], day: str) -> None:
    """Put a stored night on another day."""
    path = work.home / "nights" / f"{row['digest']}.night.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "name": f"{day}{row['name'][10:]}"}))


def begun(work: Scrollwork) -> int:
    """Nights that began and have not ended."""
    (settings,) = {row["settings"] for row in rows(work.home)}
    return len(Nights(str(work.home)).begun(settings))


@pytest.mark.slow
def test_quiet_nights_ask_more_than_one_percent(scrollwork: Scrollwork, served: Vendors) -> None:
    work = ready(scrollwork, served, hotels=500)
    first = night(work)
    assert (first["kind"], first["causes"]) == ("full", ["first"])
    assert asked(served) == 500
    page = (work.home / "reports" / "zeroscrolls.html").read_bytes()
    counts = []
    for _ in range(3):
        quiet = night(work)
        assert (quiet["kind"], quiet["causes"], quiet["why"], quiet["failed"]) == ("canary", [], "", False)
        assert quiet["models"][0]["reference"] == first["name"]
        assert quiet["sentence"] == "The canary of 5 inputs shows no change."
        counts.append(asked(served))
    assert counts == [505, 510, 515], "a quiet night does not ask 1 %"
    assert set(twice(served.requests()).values()) == {4}, "the canary is not the same on each night"
    spent = [row["models"][0]["cost_usd"] for row in work("nights", "--json").document["nights"]]
    assert all(0.008 < one / spent[0] < 0.012 for one in spent[1:]), spent
    assert (work.home / "reports" / "zeroscrolls.html").read_bytes() == page, "a canary replaced the page"
    assert work("run", *words(work)[2:-2]).out
    assert asked(served) == 515, "a plain run does not read the full set that was asked"
    assert begun(work) == 0


def test_a_silent_change_asks_no_full_set_or_pays_the_canary_twice(work: Scrollwork, served: Vendors) -> None:
    served.set(version="g-1")
    first = night(work)
    for _ in range(2):
        assert night(work)["kind"] == "canary"
    before = asked(served)
    served.set(edition=BAD)  # other answers, under the same name
    changed = night(work, status=1)
    assert (changed["kind"], changed["causes"]) == ("full", ["answers"])
    assert "m: 100 % of its answers are others than in " + first["name"] in changed["why"]
    assert asked(served) - before == HOTELS, "the canary is paid twice"
    assert changed["sentence"].startswith("space_digest fell by ")
    assert len(rows(work.home)) == 4
    assert begun(work) == 0
    shown = work("nights", "show", changed["name"]).out
    assert "the full set was asked: m: 100 % of its answers" in shown
    # the change is known: the next nights are quiet, and compared with the night that saw it
    after = [night(work), night(work)]
    assert [one["kind"] for one in after] == ["canary", "canary"]
    assert after[0]["models"][0]["reference"] == changed["name"]
    assert asked(served) - before == HOTELS + 2 * LEAST
    assert "is a canary" in work("nights", "accept", after[0]["name"], status=2).err


@pytest.mark.slow
@pytest.mark.parametrize(("what", "cause"), [("version", "version"), ("fingerprint", "fingerprint")])
def test_a_change_that_is_only_reported_asks_no_full_set(
    work: Scrollwork, served: Vendors, what: str, cause: str
) -> None:
    served.set(**{what: "fp_\u202e1"})  # text of others
    first = night(work)
    assert night(work)["kind"] == "canary"
    before = asked(served)
    served.set(**{what: "fp_2"})
    changed = night(work)
    assert (changed["kind"], changed["causes"]) == ("full", [cause])
    assert changed["why"] == f"m: the reported {what} is fp_2, in {first['name']} it was fp_\\u202e1"
    assert asked(served) - before == HOTELS
    assert night(work)["kind"] == "canary"


@pytest.mark.slow
def test_other_weights_on_an_own_server_ask_no_full_set(scrollwork: Scrollwork, served: Vendors) -> None:
    work = ready(scrollwork, served, hotels=HOTELS, provider="compatible", context=100_000)
    served.set(root="/models/one", ahead_s=5.0)
    first = night(work)
    assert first["models"][0]["served"] == ["root /models/one"]
    served.set(ahead_s=5.0)  # the list tells another time
    assert night(work)["kind"] == "canary"
    before = asked(served)
    served.set(root="/models/two")
    changed = night(work)
    assert (changed["kind"], changed["causes"]) == ("full", ["weights"])
    assert changed["why"] == f"m: its server lists root /models/two, in {first['name']} it listed root /models/one"
    assert asked(served) - before == HOTELS
    assert night(work)["kind"] == "canary"
    served.set(root="")  # nothing is listed any more: not known is no change
    assert night(work)["kind"] == "canary"


@pytest.mark.slow
def test_the_full_set_is_never_due(work: Scrollwork, served: Vendors) -> None:
    first = night(work)
    today = time.time()
    aged(work, first, time.strftime("%Y-%m-%d", time.gmtime(today - 6 * 86_400)))
    assert night(work)["kind"] == "canary"
    aged(work, first, day := time.strftime("%Y-%m-%d", time.gmtime(today - 7 * 86_400)))
    before = asked(served)
    due = night(work)
    assert (due["kind"], due["causes"]) == ("full", ["schedule"])
    assert due["why"] == f"the last night with the full set, {day}{first['name'][10:]}, is 7 days ago"
    assert asked(served) - before == HOTELS
    assert due["models"][0]["reference"] == f"{day}{first['name'][10:]}"
    assert night(work)["kind"] == "canary"


@pytest.mark.slow
def test_a_night_killed_between_canary_and_full_set_begins_anew(work: Scrollwork, served: Vendors) -> None:
    """As the home is after such a kill: the canary's epoch is complete, and no row and no full set stand."""
    night(work)
    served.set(version="g-1")
    before = asked(served)
    whole = night(work)
    assert whole["causes"] == ["version"]
    nights, epochs = work.home / "nights", work.home / "epochs"
    (nights / f"{whole['digest']}.night.json").unlink()
    for path in nights.glob("*.full.json"):
        if "version" in path.read_text():
            stem = path.name.removesuffix(".full.json")
            path.unlink()
            (nights / f"{stem}.ended.json").unlink()
    name = whole["models"][0]["epoch"]
    of_night = [path for path in epochs.iterdir() if name in path.read_text()]
    assert len(of_night) == 4, "canary and full set are not asked under one name"
    scopes = {path.name.split("-")[1] for path in of_night}
    full = next(one for one in scopes if any(one in path.name and "-0002" in path.name for path in of_night))
    for path in of_night:
        if path.name.split("-")[1] == full:
            path.unlink()
    again = night(work)
    assert asked(served) - before == HOTELS, "what was paid is paid again"
    assert (again["name"], again["causes"], again["why"]) == (whole["name"], whole["causes"], whole["why"])
    assert begun(work) == 0
    assert night(work)["kind"] == "canary"


@pytest.mark.slow
@pytest.mark.parametrize("answers", [2, 20])
def test_a_killed_night_pays_again_or_forgets_why(scrollwork: Scrollwork, tmp_path: Path, answers: int) -> None:
    """It is killed in the canary, or in the full set."""
    with vendors(tmp_path, latency_s=0.2) as served:
        work = ready(scrollwork, served, hotels=HOTELS, concurrency=1 if answers < LEAST else 4)
        night(work)
        served.set(fingerprint="fp_2")
        stood, before = len(answered(work.home)), asked(served)
        process = work.start(*words(work, "--json"))
        while len(answered(work.home)) < stood + answers:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        killed = time.time()
        process.communicate()
        time.sleep(0.6)
        kept, sent = len(answered(work.home)) - stood, len(served.requests())
        under_way = sum(row.get("ended", killed) > killed - UNDER_WAY_S for row in served.requests())
        assert len(rows(work.home)) == 1
        row = night(work)
        assert row["causes"] == ["fingerprint"]
        assert len(served.requests()) - sent == HOTELS - kept
        assert asked(served) - before <= HOTELS + under_way
        assert len(rows(work.home)) == 2
        assert begun(work) == 0
        assert night(work)["kind"] == "canary"


@pytest.mark.slow
def test_two_commands_at_once_leave_two_rows_or_pay_twice(scrollwork: Scrollwork, tmp_path: Path) -> None:
    with vendors(tmp_path, latency_s=0.2) as served:
        work = ready(scrollwork, served, hotels=HOTELS, concurrency=4)
        night(work)
        for kind, cost in (("canary", LEAST), ("full", HOTELS)):
            before, stood = asked(served), len(rows(work.home))
            if kind == "full":
                served.set(fingerprint="fp_2")
            both = [work.start(*words(work, "--json")) for _ in range(2)]
            ended = [process.communicate(timeout=280) for process in both]
            assert [process.returncode for process in both] == [0, 0], ended
            assert {json.loads(out)["kind"] for out, _ in ended} == {kind}
            assert asked(served) - before == cost
            assert len(rows(work.home)) == stood + 1


@pytest.mark.slow
def test_a_budget_that_ends_in_the_canary_stores_a_night(work: Scrollwork, served: Vendors) -> None:
    first = night(work)
    before = asked(served)
    part = night(work, "--budget", "0.001", status=1)
    assert part["night"] is None
    assert asked(served) - before < LEAST
    assert len(rows(work.home)) == 1
    served.set(version="g-1")
    mixed = night(work)
    assert mixed["causes"] == ["version"], "the answers of after the change are not seen"
    assert asked(served) - before == HOTELS
    assert mixed["models"][0]["reference"] == first["name"]


@pytest.mark.slow
def test_answers_that_a_canary_lacks_pass_as_no_change(work: Scrollwork, served: Vendors) -> None:
    night(work)
    served.set(plan={"script": ["400", "", "", "", ""]})
    row = night(work)
    assert (row["kind"], row["causes"]) == ("full", ["answers"])
    assert "1 of its 5 inputs cannot be compared" in row["why"]
    assert 1 - STANDARD.coverage < 1 / LEAST


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--fresh", "7"), "--fresh 7 asks what is older: give one of the two"),
        (("--retry-failed",), "write --fresh never with it"),
    ],
)
def test_a_canary_is_asked_where_something_else_says_when(
    work: Scrollwork, served: Vendors, more: tuple[str, ...], told: str
) -> None:
    assert told in work(*words(work, *more), status=2).err
    assert asked(served) == 0


@pytest.mark.slow
def test_fresh_in_a_table_is_passed_over_or_other_models_have_a_canary(work: Scrollwork, served: Vendors) -> None:
    file = work.home.parent / "own.toml"
    file.write_text(file.read_text() + "fresh = 7\n")
    assert "the table of m has fresh = 7: take it out, or write --fresh run" in work(*words(work), status=2).err
    assert night(work, "--fresh", "run")["kind"] == "full"
    assert night(work, "--fresh", "run", "--model", "lead")["kind"] == "canary"
    assert [one["model"] for one in rows(work.home)[0]["models"]] == ["m"]
    plain = ("nights", "run", "zeroscrolls", "--sample", "--task", "squality", "--model", "lead", *WEEKLY)
    assert "for hosted and local models, and none was named" in work(*plain, status=2).err
    for suite, design in (("seam", "runs"), ("dolce", "windows")):
        err = work("nights", "run", suite, "--sample", "--model", "m", *of_model(work), *WEEKLY, status=2).err
        assert f'{suite} has design "{design}", so its nights ask the full set: leave out --full-every' in err


@pytest.mark.slow
def test_a_night_that_only_reads_asks_a_canary(work: Scrollwork, served: Vendors) -> None:
    first = night(work)
    before = asked(served)
    again = night(work, "--fresh", "never")
    assert (again["name"], again["kind"]) == (first["name"], "full")
    assert asked(served) == before


@pytest.mark.slow
def test_the_plan_of_a_night_says_otherwise_or_begins_it(work: Scrollwork, served: Vendors) -> None:
    planned = ("nights", "plan", *words(work)[2:], "--json")
    first = work(*planned).document
    assert (first["kind"], first["causes"]) == ("full", ["first"])
    assert [(row["kind"], row["to_ask"]) for row in first["asks"]] == [("full", HOTELS)]
    assert not (work.home / "epochs").exists()
    assert not (work.home / "nights").exists()
    night(work)
    second = work(*planned).document
    assert (second["kind"], second["causes"]) == ("canary", [])
    assert [(row["kind"], row["to_ask"], row["requests"]) for row in second["asks"]] == [
        ("canary", LEAST, LEAST),
        ("full", HOTELS, HOTELS),
    ]
    assert second["asks"][0]["online"] < second["asks"][1]["online"] / 8
    assert "tonight the canary is asked" in work(*planned[:-1]).out
    assert asked(served) == HOTELS
    assert night(work, "--budget", "0.001", status=1)["night"] is None
    assert [row["to_ask"] for row in work(*planned).document["asks"]] == [
        HOTELS + LEAST - asked(served),
        2 * HOTELS - asked(served),
    ]


@pytest.mark.slow
def test_a_night_of_fewer_tasks_stands_for_the_full_set(work: Scrollwork, served: Vendors) -> None:
    """It has a line for the task that was not asked; and one epoch may be of two nights."""
    both = ("--task", "quality")
    assert night(work, *both)["causes"] == ["first"]
    alone = night(work)
    assert alone["kind"] == "canary"
    first = next(row for row in rows(work.home) if row["kind"] == "full")
    path = work.home / "nights" / f"{first['digest']}.night.json"
    row = json.loads(path.read_text())
    for task in row["models"][0]["tasks"]:
        if task["task"] == "quality":
            task |= {"metric": "", "answered": 0, "value": None, "low": None, "high": None}
    path.write_text(json.dumps(row))
    assert night(work)["kind"] == "canary"
    assert night(work, *both)["causes"] == ["first"], "a task that was never asked has a canary"


@pytest.mark.slow
def test_a_canary_in_batches_waits_for_ever_or_is_paid_twice(work: Scrollwork, served: Vendors) -> None:
    kinds, paid = [], []
    for edition in (GOOD, GOOD, BAD):
        served.set(edition=edition)
        done = night(work, "--batch", status=None)
        kinds.append((done["kind"], done["failed"]))
        paid.append(len(answered(work.home)))
    assert kinds == [("full", False), ("canary", False), ("full", True)]
    assert paid == [HOTELS, HOTELS + LEAST, 2 * HOTELS + LEAST]
    batched = sum(count for (count,) in store_rows(work.home, "SELECT count(*) FROM batches"))
    assert batched >= 3


@pytest.mark.slow
def test_a_change_on_the_night_after_a_full_one_is_no_change_or_a_model_that_samples_pays_every_night(
    work: Scrollwork, served: Vendors
) -> None:
    served.set(version="g-1")
    night(work)
    found = []
    for number in range(1, 5):
        served.set(wording=f"80%{' ' * number}")  # the same share in another text, on each night
        found.append(night(work))
    assert [(one["kind"], one["causes"]) for one in found] == [("full", ["texts"]), *[("canary", [])] * 3]
    assert "m: 100 % of its answers are others than in" in found[0]["why"]
    assert "no earlier night says how many usually are" in found[0]["why"]
    assert asked(served) == 2 * HOTELS + 3 * LEAST
