"""Every kind of faulty reply that the simulated vendors know, in each way of asking: no answer of a spoilt reply, none
lost, none asked again that stands, and no reply that the vendors bill is left uncounted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.faulty.faults import AFTER, BEFORE, KINDS, LINES, WIRE
from scrollwork.rehearsal.server import Rehearsal
from tests.conftest import Done, Scrollwork
from tests.survival.hosted import everything_written, rows

KEY = "kqz-0123456789-no-shape-of-any-vendor"
MODELS = {
    "chat": "gpt-6-luna",
    "responses": "gpt-6-sol",
    "messages": "claude-sonnet-5-5",
    "gemini": "gemini-3.8-flash",
}
VENDORS = {"messages": "anthropic", "gemini": "gemini"}
WAYS = {"standard": ("chat", "responses", "messages"), "batch": ("chat", "messages")}
TASKS = ("qmsum", "squality", "qasper", "narrative_qa", "quality")
ANSWERS = 81  # of a model to these tasks of the bundled sample
FEW = ("qasper",)
HALF = "\x1ad83d"  # a lone surrogate as the store has it

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
SAID = ("refusal", "content_filter")  # an answer, whose finish reason says so


# Of each sort some: what Gemini's endpoint and flex have of their own, and what any reply can come to.
SAMPLE = (
    *("gemini_503", "capacity_498", "rate_limit_429", "nothing_429", "overloaded_503", "error_in_200", "html_200"),
    *("insufficient_quota", "closed", "no_room", "refusal", "null_end", "no_usage", "thoughts_above_output"),
    *("text_is_number", "truncated", "broken_off", "other_model", "policy_400", "unknown_end"),
)


def stands(kind: str, model: str) -> bool:
    """Whether a reply with this fault is an answer. Chat without a finish reason is: some servers never send one."""
    return kind in (*WHOLE, *SAID, "half_a_surrogate") or (kind == "null_end" and model in ("chat", "gemini"))


class Asked:
    """Models that are asked in one way, with a home of their own, at vendors that keep a bill."""

    def __init__(
        self,
        scrollwork: Scrollwork,
        vendors: Rehearsal,
        folder: Path,
        way: str,
        models: Sequence[str],
        kinds: Sequence[str] = KINDS,
    ) -> None:
        self.world, self.models = vendors.world, models
        self.kinds = tuple(kind for kind in kinds if way != "batch" or kind in LINES)
        folder.mkdir()
        tables = folder / "models.toml"
        tables.write_text("".join(table(name, vendors) for name in MODELS))
        env = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
        self.work = scrollwork.with_(home=folder / "home", env=env)
        self.home = self.work.home
        self.command = ("run", "zeroscrolls", "--sample", "--engine", "inline", "--models", str(tables), "--way", way)
        self.command += ("--json", "--quiet", *(word for name in models for word in ("--model", name)))
        self.began = {name: len(self.paid(name)) for name in models}

    def turn(self, faults: Mapping[str, Iterable[str]]) -> None:
        """The faults of each model's next requests."""
        self.world.turn_knobs({"faults": {place(name): list(kinds) for name, kinds in faults.items()}})

    def paid(self, model: str) -> list[Decimal]:
        """What the vendor bills for each of its replies."""
        return [line.nano for line in self.world.ledger.lines() if line.model == MODELS[model]]

    def met(self, model: str) -> Counter[str]:
        """The faults so far."""
        return self.world.met.get(place(model), Counter())

    def run(self, *more: str, tasks: Sequence[str] = TASKS) -> Done:
        """The command: no traceback, no key, and no reply that is billed counts for nothing, or all for too little."""
        done = self.work(*self.command, *(word for task in tasks for word in ("--task", task)), *more, status=None)
        assert "Traceback" not in done.out + done.err, done.err[-4000:]
        assert KEY not in done.out + done.err
        assert done.status in (0, 1), done.err[-4000:]
        assert done.document["spent"]["cost_unknown_calls"] == 0
        for name in self.models:
            paid = self.paid(name)[self.began[name] :]
            question = f"SELECT cost_nano_usd FROM attempts WHERE model = '{name}' AND cost_nano_usd > 0"
            counted = [cost for (cost,) in rows(self.home, question)] if self.home.exists() else []
            assert len(counted) >= len(paid), f"{name}: replies that are billed count for nothing"
            assert sum(counted) >= sum(paid), name
        return done

    def answers(self, model: str) -> dict[str, tuple[str, str]]:
        """(text, finish reason) by request key."""
        question = f"SELECT request_key, text, finish_reason FROM responses WHERE model = '{model}'"
        return {key: (text, finish) for key, text, finish in rows(self.home, question)}

    def failures(self, model: str) -> dict[str, str]:
        """Messages by request key."""
        return dict(rows(self.home, f"SELECT request_key, message FROM failures WHERE model = '{model}'"))


def place(model: str) -> str:
    """The model in the knob of faults."""
    return f"{VENDORS.get(model, 'openai')}/{MODELS[model]}"


def table(model: str, vendors: Rehearsal) -> str:
    """The model's table as TOML; its patience is short."""
    vendor = place(model).partition("/")[0]
    endpoint = f'endpoint = "{model}"\n' if model == "responses" else ""
    endpoint += 'key_env = "OPENAI_API_KEY"\n' if vendor == "gemini" else ""
    provider = "compatible" if vendor == "gemini" else vendor
    return (
        f'[{model}]\nprovider = "{provider}"\nid = "{MODELS[model]}"\nvendor = "{vendor}"\nserver = "simulated"\n'
        f'base_url = "{vendors.url(vendor)}"\n{endpoint}concurrency = 4\ntimeout_s = 2\n'
        "retry = { attempts = 8, seconds = 60.0, longest_wait_s = 0.5 }\n"
    )


def script(kinds: Iterable[str], seed: str) -> list[str]:
    """Faults in a random order, a good reply after each two."""
    order = sorted(kinds)
    random.Random(seed).shuffle(order)
    return [one for number, kind in enumerate(order, 1) for one in ([kind, ""] if number % 2 == 0 else [kind])]


def coverage(done: Done, model: str) -> Counter[str]:
    """Inputs of all tasks that are answered, missing, failed, expected."""
    found: Counter[str] = Counter()
    for row in done.document["tasks"]:
        if row["model"] == model:
            found.update({name: row["coverage"][name] for name in ("answered", "missing", "failed", "expected")})
    return found


def others(found: Mapping[str, tuple[str, str]], good: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Answers that are none of an undisturbed run. What a fault left of them says so: the model refused, the vendor's
    filter cut it, or half a character stands behind it."""
    differ = {key: one for key, one in found.items() if one != good[key]}
    for key, (text, finish) in differ.items():
        assert finish in ("refused", "filtered") or (text == good[key][0] + HALF and finish == good[key][1])
    assert len(differ) <= len(SAID) + 1
    return differ


@pytest.fixture
def vendors() -> Iterator[Rehearsal]:
    with Rehearsal(Clock(), batch_s=0.2) as running:
        yield running


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("way", "models", "kinds"),
    [
        *((way, models, KINDS) for way, models in WAYS.items()),
        ("flex", ("gemini",), SAMPLE),
        pytest.param("standard", ("gemini",), KINDS, marks=pytest.mark.soak),  # as chat, and the sample above
        pytest.param("flex", ("chat", "responses", "gemini"), KINDS, marks=pytest.mark.soak),
    ],
    ids=lambda one: one if isinstance(one, str) else "-".join(one) if len(one) < 5 else str(len(one)),
)
def test_faulty_reply_is_stored_as_an_answer_or_paid_and_not_counted(
    scrollwork: Scrollwork,
    vendors: Rehearsal,
    tmp_path: Path,
    way: str,
    models: tuple[str, ...],
    kinds: tuple[str, ...],
) -> None:
    alone = Asked(scrollwork, vendors, tmp_path / "alone", "standard", models)  # no way is part of a request key
    alone.run()
    good = {name: alone.answers(name) for name in models}
    asked = Asked(scrollwork, vendors, tmp_path / "faults", way, models, kinds)
    stops = [kind for kind in STOPS if kind in kinds]
    for ends in [stops] if way == "batch" else [[kind] for kind in stops]:
        asked.turn(dict.fromkeys(models, ends))
        done = asked.run(tasks=FEW)
        for name in models:
            assert coverage(done, name)["missing"] >= len(ends), f"{name} was asked on after {ends}"
            assert asked.failures(name) == {}, f"a request is to blame for {ends}"
    asked.turn({name: script(set(asked.kinds) - set(STOPS), f"{name} {way}") for name in models})
    for _ in range(6):  # what speaks of the endpoint at the end of a stage (302, 403, a page) ends a run too
        done = asked.run()
        if all(len(asked.met(name)) == len(asked.kinds) for name in models):
            break
    answered = {name: asked.answers(name) for name in models}
    paid = {name: len(asked.paid(name)) for name in models}
    differ = {name: others(answered[name], good[name]) for name in models}
    for name in models:
        assert asked.met(name) == Counter(asked.kinds), "each kind must come once"
        found, failed = coverage(done, name), asked.failures(name)
        assert not answered[name].keys() & failed.keys()
        assert found["answered"] == len(answered[name]) < ANSWERS
        assert found["answered"] + found["missing"] + found["failed"] == found["expected"] == ANSWERS
        useless = [kind for kind in (*AFTER, *WIRE) if kind in asked.kinds and not stands(kind, name)]
        assert paid[name] - ANSWERS == len(answered[name]) + len(useless), "an answer is paid twice, or lost"

    asked.turn({})
    done = asked.run("--retry-failed")
    for name in models:
        assert coverage(done, name)["answered"] == len(good[name]) == ANSWERS
        assert len(asked.paid(name)) - paid[name] == ANSWERS - len(answered[name]), "more is asked than is missing"
        assert asked.failures(name) == {}
        assert others(asked.answers(name), good[name]) == differ[name]
        unsure = f"SELECT count(*) FROM responses WHERE model = '{name}' AND input_tokens IS NULL AND cost_nano_usd > 0"
        untold = [kind for kind in UNTOLD if kind in asked.kinds]
        assert rows(asked.home, unsure)[0][0] >= len(untold), "a usage that cannot be is believed"
    assert asked.run("--retry-failed").document["spent"]["calls"] == 0
    assert KEY.encode() not in everything_written(asked.home)
    asked.work("store", "check")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("way", "budget"), [("standard", "0.15"), ("batch", "0.1")])
def test_replies_that_are_paid_and_of_no_use_pass_the_budget(
    scrollwork: Scrollwork, vendors: Rehearsal, tmp_path: Path, way: str, budget: str
) -> None:
    models = WAYS[way]
    asked = Asked(scrollwork, vendors, tmp_path / "faults", way, models)
    spoilt = [kind for kind in (*AFTER, *WIRE) if kind in asked.kinds and kind not in (*BEFORE, "stalled")]
    asked.turn({name: script(spoilt, name) for name in models})
    done = asked.run("--budget", budget, tasks=("qmsum", "squality"))
    assert done.status == 1
    assert "the budget of" in done.err, "it must be too small for all"
    assert 0 < asked.world.ledger.total() <= Decimal(budget) * 10**9
    assert sum(asked.met(name).total() for name in models) >= 10
