"""Every kind of faulty reply that the simulated vendors know, in five ways of asking: no answer of a spoilt reply, none
lost, none paid twice by choice, and the vendors' own bill is never above what is counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.faults import AFTER, BEFORE, KINDS, LINES, WIRE
from scrollwork.rehearsal.server import Rehearsal
from tests.conftest import Done, Scrollwork
from tests.survival.hosted import everything_written, rows

KEY = "kqz-0123456789-no-shape-of-any-vendor"
TABLES = """
[chat]
provider = "openai"
id = "gpt-6-luna"
vendor = "openai"
base_url = "{openai}"
server = "simulated"
{more}
[responses]
provider = "openai"
id = "gpt-6-luna"
vendor = "openai"
endpoint = "responses"
base_url = "{openai}"
server = "simulated"
{more}
[messages]
provider = "anthropic"
id = "claude-sonnet-5-5"
vendor = "anthropic"
base_url = "{anthropic}"
server = "simulated"
{more}
"""
MORE = "concurrency = 4\ntimeout_s = 2\nretry = {{ attempts = 8, seconds = 60.0, longest_wait_s = 0.5 }}"
WAYS = [("chat", "standard"), ("responses", "standard"), ("messages", "standard"), ("chat", "batch"), ("messages", "batch")]
TASKS = ("qmsum", "squality", "qasper", "narrative_qa", "quality")
ANSWERS = 81  # of these tasks of the bundled sample

# No further call can succeed: the run ends, and what it did not ask is missing.
STOPS = (
    *("enforced_spend_limit", "own_limit_400", "workspace_limit_400", "low_balance_400", "wrong_key_401"),
    *("no_credits_402", "no_model_404", "insufficient_quota", "day_limit_429"),
)
# The answer is whole and stands; of the first ones nobody knows what they cost.
UNTOLD = (
    *("no_usage", "empty_usage", "usage_is_list", "negative_usage", "zero_usage", "huge_usage", "endless_usage"),
    *("usage_as_text", "usage_in_fractions", "cached_above_input", "thoughts_above_output", "repeated_usage"),
)
WHOLE = (*UNTOLD, "no_details", "other_model", "blank_lines", "wrong_type")
SAID = {"refusal": "refused", "content_filter": "filtered"}  # an answer, whose finish reason says so
STANDS = (*WHOLE, *SAID, "half_a_surrogate")


def stands(kind: str, model: str) -> bool:
    """Whether a reply with this fault is an answer. Chat without a finish reason is: some servers never send one."""
    return kind in STANDS or (kind == "null_end" and model == "chat")


class Way:
    """A model asked in one way, at vendors of its own."""

    def __init__(self, scrollwork: Scrollwork, vendors: Rehearsal, folder: Path, model: str, way: str) -> None:
        self.vendors, self.world, self.model, self.way = vendors, vendors.world, model, way
        self.vendor = "anthropic" if model == "messages" else "openai"
        self.began = len(self.world.ledger.lines())
        folder.mkdir(parents=True, exist_ok=True)
        tables = folder / "models.toml"
        tables.write_text(TABLES.format(more=MORE.format(), openai=vendors.url("openai"), anthropic=vendors.url("anthropic")))
        env = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
        self.work = scrollwork.with_(home=folder / "home", env=env)
        self.command = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--model", model, "--models", str(tables))
        self.command += ("--way", way, "--json", "--quiet")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The faults that this way can meet."""
        return LINES if self.way == "batch" else KINDS

    @property
    def home(self) -> Path:
        return self.work.home

    def turn(self, kinds: Iterable[str]) -> None:
        """The faults of the next requests."""
        self.world.turn_knobs({"faults": {self.vendor: list(kinds)}})

    def bill(self) -> Decimal:
        return self.world.ledger.total()

    def run(self, *more: str, tasks: tuple[str, ...] = TASKS) -> Done:
        """The command: no traceback, no key, and it counts at least what the vendor bills for it."""
        before = self.bill()
        done = self.work(*self.command, *(word for task in tasks for word in ("--task", task)), *more, status=None)
        assert "Traceback" not in done.out + done.err, done.err[-4000:]
        assert KEY not in done.out + done.err
        assert done.status in (0, 1), done.err[-4000:]
        spent = done.document["spent"]
        assert Decimal(str(spent["amount"])) * 10**9 >= self.bill() - before, (spent, self.bill() - before)
        assert spent["cost_unknown_calls"] == 0
        tried = rows(self.home, "SELECT count(*) FROM attempts WHERE cost_nano_usd > 0")
        assert tried[0][0] >= len(self.world.ledger.lines()) - self.began, "a paid reply that counts for nothing"
        return done

    def answers(self) -> dict[str, tuple[str, str]]:
        """(text, finish reason) by request key."""
        found = rows(self.home, "SELECT request_key, text, finish_reason FROM responses")
        return {key: (text, finish) for key, text, finish in found}

    def failures(self) -> dict[str, str]:
        return dict(rows(self.home, "SELECT request_key, message FROM failures"))


def script(kinds: Iterable[str], seed: str) -> list[str]:
    """Faults in a random order, a good reply after each two."""
    order = sorted(kinds)
    random.Random(seed).shuffle(order)
    return [one for number, kind in enumerate(order, 1) for one in ([kind, ""] if number % 2 == 0 else [kind])]


def coverage(done: Done) -> Counter[str]:
    """Answered, missing and failed of all tasks."""
    found: Counter[str] = Counter()
    for row in done.document["tasks"]:
        found.update({name: row["coverage"][name] for name in ("answered", "missing", "failed", "expected")})
    return found


@pytest.fixture
def vendors() -> Iterator[Rehearsal]:
    with Rehearsal(Clock(), batch_s=0.2) as running:
        yield running


UNDISTURBED: dict[str, dict[str, tuple[str, str]]] = {}  # by model


def undisturbed(scrollwork: Scrollwork, vendors: Rehearsal, folder: Path, model: str) -> dict[str, tuple[str, str]]:
    """The answers of a run without faults, by request key: no way of asking is part of that."""
    if model not in UNDISTURBED:
        whole = Way(scrollwork, vendors, folder, model, "standard")
        assert coverage(whole.run())["answered"] == ANSWERS == len(vendors.world.ledger.lines())
        UNDISTURBED[model] = whole.answers()
    return UNDISTURBED[model]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("model", "way"), WAYS)
def test_faulty_reply_is_stored_as_an_answer_or_paid_and_not_counted(
    scrollwork: Scrollwork, vendors: Rehearsal, tmp_path: Path, model: str, way: str
) -> None:
    good = undisturbed(scrollwork, vendors, tmp_path / "alone", model)
    lines = len(vendors.world.ledger.lines())
    asked = Way(scrollwork, vendors, tmp_path / "faults", model, way)
    for kinds in [STOPS] if way == "batch" else [[kind] for kind in STOPS]:  # each ends a run: nothing is failed for it
        asked.turn(kinds)
        done = asked.run(tasks=("qasper",))
        assert done.status == 1
        assert asked.failures() == {}, kinds
        assert coverage(done)["missing"] >= len(kinds)
    met = vendors.world.met
    asked.turn(script(set(asked.kinds) - set(STOPS), f"{model} {way}"))
    for _ in range(6):  # what speaks of the endpoint at the end of a stage (302, 403, a page) ends a run too
        found = coverage(asked.run())
        if len(met) == len(asked.kinds):
            break
    assert found["answered"] + found["missing"] + found["failed"] == ANSWERS
    assert set(met) == set(asked.kinds), "each kind must come"
    assert set(met.values()) == {1}

    answered, failed = asked.answers(), asked.failures()
    assert not answered.keys() & failed.keys()
    assert found["answered"] == len(answered)
    assert found["failed"] == len(failed)
    others = {key: one for key, one in answered.items() if one != good[key]}
    check_others(others, good)
    spoilt = [kind for kind in met if kind not in BEFORE and not stands(kind, model)]
    assert len(vendors.world.ledger.lines()) - lines == len(answered) + len(spoilt)

    asked.turn([])
    before = len(vendors.world.ledger.lines())
    done = asked.run("--retry-failed")
    assert coverage(done)["answered"] == ANSWERS
    assert len(vendors.world.ledger.lines()) - before == ANSWERS - len(answered), "no more is asked than is missing"
    assert asked.failures() == {}
    assert {key: one for key, one in asked.answers().items() if one != good[key]} == others
    assert asked.run("--retry-failed").document["spent"]["calls"] == 0
    assert KEY.encode() not in everything_written(asked.home)
    asked.work("store", "check")


def check_others(others: dict[str, tuple[str, str]], good: dict[str, tuple[str, str]]) -> None:
    """Answers that are none of the undisturbed run: what a fault left of them says so."""
    finishes = Counter(finish for _, finish in others.values())
    assert finishes["refused"] + finishes["filtered"] == 2
    for key, (text, finish) in others.items():
        assert text.strip() or finish in ("refused", "filtered")
        assert finish in ("refused", "filtered") or text.startswith(good[key][0]), text
    assert len(others) == 3


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("model", "way"), WAYS)
def test_faulty_replies_pass_the_budget(
    scrollwork: Scrollwork, vendors: Rehearsal, tmp_path: Path, model: str, way: str
) -> None:
    """Paid and of no use, or without a word of what they cost: the bill stays below the budget."""
    asked = Way(scrollwork, vendors, tmp_path / "faults", model, way)
    kinds = [kind for kind in (*AFTER, *WIRE) if kind in asked.kinds and kind != "stalled"]
    asked.turn(kinds)
    budget = Decimal("0.004") if asked.vendor == "openai" else Decimal("0.1")
    done = asked.run("--budget", str(budget))
    assert done.status == 1, "the budget must be too small for all"
    assert 0 < asked.bill() <= budget * 10**9
    assert vendors.world.met.total() > 5
