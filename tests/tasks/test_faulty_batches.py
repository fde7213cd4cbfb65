"""Every fault of a batch elsewhere than in its lines, of both simulated vendors: at the upload, the creation, a look, in
the list, at the results; met once, and for a whole run. No answer is lost, none is paid twice, a later run goes on."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.faulty.batches import LIFE, STEPS
from scrollwork.rehearsal.server import Rehearsal
from scrollwork.rehearsal.world import World
from scrollwork.tasks.generate import model_batches
from tests.models.hosted_kit import ANTHROPIC_KEY, OPENAI_KEY, one_vendor, table_of, vendor
from tests.servers.vendor import Vendor
from tests.survival.hosted import rows
from tests.tasks.test_batching import PRICE, Office, hasty
from tests.tasks.test_faulty_lines import SPECS

__all__ = ["hasty", "one_vendor", "vendor"]
CASES = [(name, step) for name in SPECS for step in STEPS if (name, step) != ("anthropic", "upload")]
COUNT = 4
FOR_EVER = 300  # requests: more than a run sends
# A list that lacks the batch for as long as it is looked for: it is given up, and the run says so.
LEFT_OUT = {("openai", "list_empty"), ("anthropic", "list_empty"), ("anthropic", "counts_too_large")}
LEFT_OUT |= {(name, "done_other_json") for name in SPECS}  # an empty list
SILENT = ("goes_back", *LIFE)  # good replies, as far as one can see


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rehearsal]:
    monkeypatch.setattr(model_batches, "SETTLE_S", 0.1)
    with Rehearsal(Clock()) as served:
        yield served


def office_of(name: str, vendor: Vendor, home: Path, running: Rehearsal) -> Office:
    office = Office(name, vendor, home)
    office.spec = SPECS[name]
    own = {"vendor": name, "base_url": running.url(name), "price": PRICE, "timeout_s": 0.15}
    office.table = table_of(office.spec, own, "")
    return office


def wrong(office: Office, running: Rehearsal, step: str, kind: str, times: int, said: pytest.LogCaptureFixture) -> str:
    """What went wrong in a run that meets the fault, and one that goes on after it; "" for nothing."""
    faults: dict[str, Any] = {f"{office.name}/{step}": [kind] * times}
    if step == "list":
        faults[f"{office.name}/create"] = ["done_closed"]  # nothing else looks for a batch
    running.world = world = World(Clock(), batch_s=0, faults=faults)
    said.clear()
    calls = office.calls(COUNT)
    keys = [call.key for call in calls]
    first = office.run(calls, batch_wait_s=0.35)
    for _ in range(9):
        if world.met.get(f"{office.name}/{step}"):
            break
        first = office.run(calls, batch_wait_s=0.35)  # on a busy machine it came to no look
    else:
        return "the fault is not met"
    partly, failed = office.texts(calls), office.store.failures(keys)
    if failed and kind not in LIFE:
        return f"a request is to blame: {next(iter(failed.values())).message}"
    if len(partly) < COUNT and kind not in SILENT and not (first.stopped or said.text):
        return "not a word"
    if (OPENAI_KEY in said.text + first.stopped) or ANTHROPIC_KEY in said.text + first.stopped:
        return "the key is told"
    world.turn_knobs({"faults": {}})
    office.run(calls, "run-2", batch_wait_s=20)
    if len(office.texts(calls)) != COUNT or not office.texts(calls).items() >= partly.items():
        return f"{len(office.texts(calls))} answers, {len(partly)} before; {said.text[-300:]}"
    given_up = step == "list" and (office.name, kind) in LEFT_OUT and "is given up: it never came about" in said.text
    if len(world.ledger.lines()) != COUNT and not given_up:
        return f"{len(world.ledger.lines())} are paid, in {len(world.batches)} batches; {said.text[-300:]}"
    gave = "SELECT request_key FROM attempts WHERE outcome = 'answered'"
    if sorted(key for (key,) in rows(office.home, gave)) != sorted(keys):
        return "an answer has no attempt, or two"
    if office.store.open_batches():
        return "a batch is open"
    return ""


# What once lost or doubled an answer, and of the others some.
TELLING = {
    "upload": ("done_html", "hung"),
    "create": ("done_closed", "other_id", "no_id"),
    "look": ("other_id", "results_not_named", "unknown_status"),
    "list": ("no_times", "no_metadata", "counts_as_text", "list_of_null", "more_for_ever"),
    "results": ("results_empty", "results_halved", "results_all_foreign", "done_html"),
}


def sample(name: str, step: str) -> tuple[str, ...]:
    others = sorted(set(STEPS[step]) - set(TELLING[step]))
    return *TELLING[step], random.Random(f"{name} {step}").choice(others)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("name", "step", "kinds"),
    [
        *((name, step, sample(name, step)) for name, step in CASES),
        *(pytest.param(name, step, STEPS[step], marks=pytest.mark.soak) for name, step in CASES),
    ],
    ids=lambda one: one if isinstance(one, str) else f"{len(one)}",
)
def test_fault_of_a_step_loses_an_answer_or_pays_one_twice(
    name: str, step: str, kinds: tuple[str, ...], vendor: Vendor, tmp_path: Path, running: Rehearsal, caplog: Any
) -> None:
    caplog.set_level(logging.WARNING)
    found = {}
    for kind in kinds:
        for times in (1, FOR_EVER) if kinds == STEPS[step] else (FOR_EVER,):
            office = office_of(name, vendor, tmp_path / f"{kind}-{times}", running)
            if what := wrong(office, running, step, kind, times, caplog):
                found[kind, times] = what
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize(("limit", "seconds"), [("PATIENCE_S", 0.1), ("LATE_S", 0.0)])
def test_answers_that_never_come_are_waited_for_without_end_or_are_free(
    name: str, limit: str, seconds: float, vendor: Vendor, tmp_path: Path, running: Rehearsal, monkeypatch: Any
) -> None:
    monkeypatch.setattr(model_batches, limit, seconds)
    office = office_of(name, vendor, tmp_path, running)
    running.world = world = World(Clock(), batch_s=0, faults={f"{name}/results": ["results_halved"] * FOR_EVER})
    calls = office.calls(COUNT)
    office.run(calls, batch_wait_s=20)
    assert len(world.ledger.lines()) == 4 + 2 + 1, "three batches, each of what the one before had no answer to"
    assert len(office.texts(calls)) == 2 + 1
    spent = office.store.spent("run-1")[office.spec]
    assert (spent.calls, spent.cost_assumed_calls) == (7, 2 + 1 + 1)
    assert spent.cost_nano_usd >= world.ledger.total()
    world.turn_knobs({"faults": {}})
    office.run(calls, "run-2")
    assert len(office.texts(calls)) == COUNT == len(world.ledger.lines()) - 4
