"""The ways in which a run can ask its hosted models, and what each costs: by tier of service, with the cache or not."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Usage
from scrollwork.models.engine.prices import NANO, ONE, Price, exact_number, round_up
from scrollwork.models.registry import BATCHES, HOSTED
from scrollwork.models.vendors.families import cache_least, family_of
from scrollwork.models.vendors.marks import batch_group
from scrollwork.models.vendors.tiers import FLEX, STANDARD
from scrollwork.pipeline.calling import known_price
from scrollwork.readings.estimate import Estimate, asked_of
from scrollwork.readings.prefix_bound import MARKED, PrefixTree

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

log = logging.getLogger("scrollwork")
BATCH = "batch"
BATCH_S = 24 * 3600  # within which a vendor ends a batch


@dataclass
class Sums:
    """Of all that one model would be asked, in nano-dollars at the standard tier. cached: with the cache, as `run` uses
    it; uncached: without; batched: with what a batch's cache gives back at the least. writing: of cached, for what is
    written to the cache. output: of each. thoughts: tokens; measured: as in an Estimate, of all tasks."""

    requests: int = 0
    tokens: int = 0
    cached: int = 0
    uncached: int = 0
    batched: int = 0
    writing: Decimal = Decimal(0)
    output: int = 0
    thoughts: int = 0
    measured: bool = False

    def add(self, price: Price, usage: Usage, batched: Usage) -> None:
        """Count a call. usage, batched: as a provider would report it online, and in a batch."""
        tokens, made = usage.input_tokens or 0, usage.output_tokens or 0
        self.requests += 1
        self.tokens += tokens
        self.cached += price.of(usage)
        self.uncached += price.of(Usage(tokens, 0, 0, made))
        self.batched += price.of(batched)
        self.writing += (usage.cache_write_tokens or 0) * price.rates(tokens).cache_write
        self.output += round_up(price.rates(tokens).output * made)


def ways(chain: Chain) -> tuple[list[dict[str, Any]], list[str]]:
    """(a row a way, what failed). A row: {model, way, cache, lifetime, requests, input_tokens, thought_tokens,
    thoughts_measured, usd, output_usd, bound_usd, ratio, seconds, at_most, runs, best}.

    way: standard, flex or batch. cache, lifetime: whether prefixes come from the vendor's cache, and for how long they
    are kept there, "" where the vendor says no time. usd: of all that is still to be asked, answers as long as the
    references, with thought_tokens of thoughts each (thoughts_measured: on answers of the home, not guessed);
    output_usd: of it, for output. bound_usd: what no order and no marks can go below at this tier (PrefixTree); ratio:
    usd by it. seconds: how long it takes, None where nobody knows (at_most: or sooner). runs: whether `run --way` asks
    so (for the shortest lifetime); best: the cheapest of these, of several the first. A model without a price has no
    rows.
    """
    sums: dict[str, Sums] = {}
    trees: dict[str, PrefixTree] = {}
    prices: dict[str, Price] = {}
    failed: dict[str, None] = {}
    tables = chain.resolved.calling.tables
    counts: dict[tuple[str, str, str, str], Estimate] = {}
    for counted, calls in asked_of(chain, counts, failed):
        model = counted.model
        price = known_price(model, tables[model])
        if price is None:
            continue
        prices[model] = price
        total = sums.setdefault(model, Sums())
        tree = trees.setdefault(model, PrefixTree(rule_of(tables[model]), cache_least(tables[model])))
        for one in calls:
            total.add(price, one.usage, one.batched)
            tokens = one.usage.input_tokens or 0
            tree.add(one.ask.segments, tokens, price.rates(tokens))
    rows: list[dict[str, Any]] = []
    for model, total in sums.items():
        own = [row for row in counts.values() if row.model == model and row.to_ask]
        total.thoughts = sum(row.thought_tokens for row in own)
        total.measured = all(row.thoughts_measured for row in own)
        rows += ways_of(model, tables[model], prices[model], total, trees[model].least())
    return rows, list(failed)


def rule_of(table: Mapping[str, Any]) -> str:
    """The rule of the cache of a table's model, "" where nothing is known."""
    known = family_of(table)
    return str(known.family.get("cache.rule", "")) if known is not None else ""


def ways_of(model: str, table: Mapping[str, Any], price: Price, total: Sums, bound: int) -> list[dict[str, Any]]:
    """The rows of one model. bound: of its input, nano-dollars."""
    known = family_of(table)
    lifetimes: Mapping[str, Any] = known.family.get("cache.write", {}) if known is not None else {}
    rule, shortest = rule_of(table), exact_number(next(iter(lifetimes.values()), 1))
    paced = [60 * total.requests / table["rpm"]] if table.get("rpm") else []
    paced += [60 * total.tokens / table["tpm"]] if table.get("tpm") else []
    thoughts = {
        "thought_tokens": round(total.thoughts / max(1, total.requests)),
        "thoughts_measured": total.measured,
    }
    counts = {"requests": total.requests, "input_tokens": total.tokens, **thoughts}
    online = {"seconds": max(paced, default=None), "at_most": False}
    found = []
    for way, share in {STANDARD: ONE, **{name: one for name, one in price.services.items() if name == FLEX}}.items():
        row = {"model": model, "way": way, "cache": False, "lifetime": "", **counts}
        caches = rule not in ("", "none")
        found.append({**row, **row_dollars(total.uncached, total.output, bound, share), **online, "runs": not caches})
        kept = list(lifetimes) if rule in MARKED else [next(iter(lifetimes), "")]
        for number, lifetime in enumerate(kept if caches else []):
            more = total.writing * (exact_number(lifetimes[lifetime]) / shortest - 1) if rule in MARKED else 0
            cached = {**row, "cache": True, "lifetime": lifetime}
            found.append(
                {
                    **cached,
                    **row_dollars(total.cached + more, total.output, bound, share),
                    **online,
                    "runs": number == 0,
                }
            )
    if price.batch != ONE and table["provider"] in BATCHES:
        row = {"model": model, "way": BATCH, "cache": False, "lifetime": "", **counts}
        later, marks = {"seconds": float(BATCH_S), "at_most": True}, batch_group(table) > 0
        found.append(
            {**row, **row_dollars(total.uncached, total.output, bound, price.batch), **later, "runs": not marks}
        )
        if marks:
            cached = {**row, "cache": True, "lifetime": next(iter(lifetimes))}
            found.append(
                {**cached, **row_dollars(total.batched, total.output, bound, price.batch), **later, "runs": True}
            )
    cheapest = min((row for row in found if row["runs"]), key=lambda row: row["usd"])
    return [{**row, "best": row is cheapest} for row in found]


def row_dollars(nano: Decimal | int, output: int, bound: int, share: Decimal) -> dict[str, Any]:
    """The dollars of a row. nano, output, bound: of all, of output, and of input at least, at the standard price.
    share: of it that is to be paid."""
    least = bound + output
    return {
        "usd": float(share * nano / NANO),
        "output_usd": float(share * output / NANO),
        "bound_usd": float(share * least / NANO),
        "ratio": float(Decimal(nano) / least) if least else None,
    }


def with_cheapest_way(chain: Chain) -> Chain:
    """The chain with the cheapest way chosen.

    Batches are of a whole run: they are chosen where every hosted model takes them, and all together are cheaper so;
    else each model that has flex is asked by it, and the others at the standard tier. Prompts are built for it; what
    could not be reckoned with (prompts that fail, a model without a price) is told.
    """
    rows, left_out = ways(chain)
    tables = chain.resolved.calling.tables
    hosted = {name for name, table in tables.items() if table["provider"] in HOSTED}
    left_out += [
        f"{name}: its price is not known" for name in sorted(hosted) if known_price(name, tables[name]) is None
    ]
    for what in left_out:
        log.warning("the cheapest way is chosen without %s", what)
    models = {row["model"] for row in rows}
    by_batch = [row for row in rows if row["way"] == BATCH and row["runs"]]
    others = sum(
        min(row["usd"] for row in rows if row["model"] == model and row["runs"] and row["way"] != BATCH)
        for model in models
    )
    if models and {row["model"] for row in by_batch} == hosted and sum(row["usd"] for row in by_batch) < others:
        return chain.other(replace(chain.request, way=BATCH))
    has_flex = any(row["way"] == FLEX for row in rows)
    return chain.other(replace(chain.request, way=FLEX if has_flex else STANDARD))
