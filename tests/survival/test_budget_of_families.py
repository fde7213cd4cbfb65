"""A budget against the simulated vendors' own bill, for every family that has a price, below and above its tiers."""

from __future__ import annotations

import importlib
import itertools
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from scrollwork.models.base import Answer, Ask, Call, Segment
from scrollwork.models.engine.budget import Budget, Meter
from scrollwork.models.engine.prices import Price, UnknownPrice, dollars, price_of
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.hosted import anthropic, openai
from scrollwork.models.hosted.batch_steps import BatchSteps
from scrollwork.models.hosted.model import Hosted
from scrollwork.models.registry import BATCHES, make, settings
from scrollwork.models.vendors.fill import beyond_answer
from scrollwork.models.vendors.marks import cache_minimum
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from scrollwork.models.vendors.tiers import has_flex, with_flex
from scrollwork.pipeline.calling import known_price
from scrollwork.rehearsal.bills import price_of as charged
from scrollwork.rehearsal.clock import Clock
from scrollwork.rehearsal.families import FAMILIES
from scrollwork.rehearsal.faulty import faults
from scrollwork.rehearsal.prices import Family
from scrollwork.rehearsal.server import Rehearsal
from scrollwork.rehearsal.tokens import thoughts
from scrollwork.tasks.generate.batch_files import BatchBudget

KEY = "sk-0123456789abcdefghij"
TODAY = Clock().moment().date().isoformat()
PRICED = [one for one in FAMILIES if Decimal(one.prices[0].output) and (one.ends is None or one.ends > TODAY)]
EFFORT = {"openai": "reasoning_effort", "anthropic": "output_config", "openrouter": "reasoning"}
NEW = 40  # tokens of an answer
WORD = {"words": "tok ", "chinese": "長", "digits": "7391", "letters": "xq"}


@dataclass(frozen=True)
class Case:
    """How a family is asked. share: of what all would cost that the budget is. lie: of its usage, or "truncated": so
    many replies are paid and of no use (often). ratio: bytes a token, 4 of English, 1 of what is denser than anybody
    reckons. long: with documents on both sides of each tier."""

    at_once: int
    share: float
    thinks: bool = False
    way: str = "standard"
    lie: str = ""
    often: float = 1
    text: str = "words"
    ratio: float = 4
    long: bool = True


CASES = (
    Case(1, 0.6),
    Case(16, 0.5),
    Case(16, 0.6, thinks=True),
    Case(1, 0.5, way="flex", thinks=True, long=False),
    Case(16, 0.9, way="flex"),
    Case(16, 0.6, lie="few_tokens", thinks=True),
    Case(1, 0.5, lie="no_usage"),
    Case(16, 0.5, thinks=True, lie="no_usage"),
    Case(1, 0.5, lie="no_usage", text="digits", ratio=1),
    Case(16, 0.6, lie="truncated", often=0.6),
    Case(1, 0.5, text="chinese", ratio=1),
    Case(16, 0.5, text="chinese", ratio=1, thinks=True),
    Case(1, 0.6, text="digits", ratio=1),
    Case(16, 0.6, text="letters", ratio=1),
)
BATCHES_OF = (
    Case(1, 0.5, way="batch"),
    Case(1, 0.5, way="batch", thinks=True, long=False),
    Case(1, 0.5, way="batch", text="chinese", ratio=2),
    Case(1, 0.5, way="batch", text="digits", ratio=1),
)


KEYS = [f"BUDGET_KEY_{number}" for number in range(len(CASES) + len(BATCHES_OF))]


def few_tokens(body: dict[str, Any]) -> None:
    """A tenth of what is charged, in each field."""

    def tenth(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: tenth(one) for name, one in value.items()}
        return value // 10 if isinstance(value, int) else value

    body["usage"] = tenth(body["usage"])


def table_of(one: Family, running: Rehearsal, case: Case) -> dict[str, Any]:
    """The checked table of a family, at the simulator."""
    own = one.vendor if one.vendor in ("openai", "anthropic") else "compatible"
    given: dict[str, Any] = {"provider": own, "id": one.id, "vendor": one.vendor, "base_url": running.url(one.vendor)}
    given |= {"retry": {"attempts": 1}} if case.lie else {}
    given |= {"concurrency": case.at_once, "concurrency_start": case.at_once}
    given["key_env"] = KEYS[(*CASES, *BATCHES_OF).index(case)]  # a limiter of its own
    if case.thinks and one.efforts:
        field = EFFORT.get(one.vendor, "reasoning_effort")
        given["extra"] = {field: "high" if field == "reasoning_effort" else {"effort": "high"}}
    if case.thinks and "disabled" in one.thinking:
        kind = {"type": "adaptive"} if "adaptive" in one.thinking else {"type": "enabled", "budget_tokens": 8_000}
        given["extra"] = {**given.get("extra", {}), "thinking": kind}
    table = settings("m", {"m": given})
    return with_flex(table) if case.way == "flex" else table


def text(case: Case, tokens: int, name: str) -> str:
    """A document of so many tokens, as the simulator counts them."""
    word = WORD[case.text]
    front = f"{name} "
    many = int(tokens * case.ratio - len(front)) // len(word.encode())
    return front + word * many


def calls(one: Family, model: Hosted, table: dict[str, Any], case: Case) -> tuple[list[Call], list[int]]:
    """(calls, tokens of each document): some short, one of which three ask, some just below and above each tier; in any
    order."""
    rng = random.Random(f"{one.id} {case}")
    groups = [(4_000, 3), *((tokens, 1) for tokens in range(900, 2_500, 200))]
    for tier in one.tiers if case.long else ():
        groups += [(tier.above - 400, 1), (tier.above + 300, 1), (tier.above + 600, 1), (tier.above + 900, 2)]
    rng.shuffle(groups)
    groups.sort(key=lambda group: group[0] > 1_300)  # so that some calls are certain to fit
    asked: list[Call] = []
    for number, (tokens, questions) in enumerate(groups):
        document = text(case, tokens - 20, f"{one.id} {number} {rng.random()}")
        for question in range(questions):
            parts = (Segment("document", document), Segment("query", f" Q{question}?"))
            ask = Ask("t", f"{number}-{question}", parts, "0" * 64, 1, NEW)
            key = f"{one.id} {number}-{question}".rjust(64, "0")[-64:]
            asked.append(Call(key, "m", model.payload(ask, "m"), ask))
    return list(with_shared_prefixes(asked, cache_minimum(table))), [tokens for tokens, _ in groups]


def budget_of(one: Family, sizes: list[int], case: Case, room: int) -> Budget:
    """A share of what the documents cost the vendor's way, each asked about once and none of it from a cache; and what
    must be at hand for the thoughts of the next call. room: tokens for these."""
    thinks = case.thinks and bool(one.efforts or one.thinking)
    output, moment = NEW + thinks * (thoughts("high", "") if one.efforts else thoughts("low", "")), Clock().moment()
    each = [charged(one, moment, case.way, {"input": tokens, "output": output}) for tokens in sizes]
    most = charged(one, moment, "standard", {"input": max(sizes), "output": room})
    left = most - charged(one, moment, "standard", {"input": max(sizes), "output": 0})
    return Budget(int(Decimal(case.share) * sum(each) + left))


def price_or_skip(one: Family, table: dict[str, Any]) -> Price:
    """The price of a family. What nobody knows the price of is not asked under a budget, which is as good."""
    if (price := known_price("m", table)) is not None:
        return price
    with pytest.raises(UnknownPrice, match="has no price, so what it costs cannot be bounded"):
        price_of("m", table)
    pytest.skip("without a price a budget is refused")


def fitting(budget: BatchBudget, asked: list[Call]) -> list[Call]:
    """The calls that go into a batch, up to the first for which nothing is left."""
    return list(itertools.takewhile(lambda call: budget.take(budget.most(call)), asked))


@pytest.fixture(scope="module")
def running() -> Iterator[Rehearsal]:
    with Rehearsal(batch_s=0) as vendors:
        yield vendors


def made_once(module: Any) -> Callable[[str, Mapping[str, Any]], Any]:
    """A vendor's SDK, which is asked for its headers alone and takes long to make."""
    original: Callable[[str, Mapping[str, Any]], Any] = module.sdk
    held: dict[tuple[str, str], Any] = {}

    def sdk(key: str, table: Mapping[str, Any]) -> Any:
        place = table["base_url"], table.get("version", "")
        if place not in held:
            held[place] = original(key, table)
        return held[place]

    return sdk


SDKS = {module: made_once(module) for module in (openai, anthropic)}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, sdk in SDKS.items():
        monkeypatch.setattr(module, "sdk", sdk)
    for name in KEYS:
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setitem(faults.AFTER, "few_tokens", few_tokens)


@pytest.mark.slow
@pytest.mark.parametrize("one", PRICED, ids=lambda one: one.id)
def test_budget_of_a_family_is_passed(one: Family, running: Rehearsal) -> None:
    """By more than the dearest call, on the vendor's own bill; or a run that ended for it does not say so."""
    for case in CASES:
        running.world.turn_knobs({"ratio": {one.vendor: case.ratio}})
        running.world.knobs["faults"] = {"*": {case.lie: case.often}} if case.lie else {}
        table = table_of(one, running, case)
        price = price_or_skip(one, table)
        if case.way == "flex" and not (has_flex(table) and one.vendor in ("openai", "gemini")):
            continue
        model, before = make("m", table, ""), len(running.world.ledger.lines())
        assert isinstance(model, Hosted)
        asked, sizes = calls(one, model, table, case)
        budget = budget_of(one, sizes, case, beyond_answer(table))
        with model.run(asked, gate=Meter(budget, price, beyond_answer(table))) as run:
            answers = [result for result in run if isinstance(result, Answer)]
            stopped = run.stopped
        lines = running.world.ledger.lines()[before:]
        billed, dearest = sum(line.nano for line in lines), max((line.nano for line in lines), default=Decimal(0))
        told = f"{case}: billed {billed}, budget {budget.limit}, dearest {dearest}, {len(lines)} of {len(asked)} asked"
        assert billed <= budget.limit + dearest, told
        assert lines, told
        assert len(answers) < len(asked), f"{told}: {stopped}"
        assert f"the budget of {dollars(budget.limit)} would be passed" in stopped, told
        assert budget.reserved == 0, told


@pytest.mark.slow
@pytest.mark.parametrize("one", [one for one in PRICED if one.vendor in BATCHES], ids=lambda one: one.id)
def test_budget_of_a_family_is_passed_in_a_batch(one: Family, running: Rehearsal) -> None:
    """All that fits goes into one batch, and nothing of it can be held back later."""
    for case in BATCHES_OF:
        running.world.turn_knobs({"ratio": {one.vendor: case.ratio}, "faults": {}})
        table = table_of(one, running, case)
        price = price_or_skip(one, table)
        model, before = make("m", table, ""), len(running.world.ledger.lines())
        assert isinstance(model, Hosted)
        asked, sizes = calls(one, model, table, case)
        budget = budget_of(one, sizes, case, 3 * beyond_answer(table))
        at_hand = BatchBudget(budget, price.in_batch(), beyond_answer(table))
        fit = fitting(at_hand, asked)
        assert 0 < len(fit) < len(asked), f"{case}: {at_hand.reason}"
        assert f"the budget of {dollars(budget.limit)} would be passed" in at_hand.reason
        module = importlib.import_module(BATCHES[one.vendor])
        with closing(BatchSteps(partial(module.make, "m", table), Policy(), Stop())) as steps:
            with tempfile.TemporaryFile() as file:
                made = steps.interface
                file.write(made.opening + made.between.join(made.entry(call) for call in fit) + made.closing)
                batch = steps.submit(file, "n" * 64, "d" * 64, lambda: None)
            assert steps.look(batch.batch_id).state == "ended"
        lines = running.world.ledger.lines()[before:]
        billed, dearest = sum(line.nano for line in lines), max(line.nano for line in lines)
        assert len(lines) == len(fit)
        told = f"{case}: billed {billed}, budget {budget.limit}, dearest {dearest}, {len(fit)} of {len(asked)} asked"
        assert billed <= budget.limit + dearest, told
