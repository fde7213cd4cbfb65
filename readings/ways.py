"""The ways to ask hosted models (service tier, with or without the prefix cache, in batches), and what each costs."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Usage
from scrollwork.models.engine.prices import NANO, ONE, Price, exact_number, round_up
from scrollwork.models.registry import BATCHES, HOSTED
from scrollwork.models.vendors.families import family_of
from scrollwork.models.vendors.marks import batch_group, cache_least, usable_rule
from scrollwork.models.vendors.tiers import FLEX, STANDARD
from scrollwork.pipeline.calling import known_price
from scrollwork.readings.estimate import Estimate, asked_of
from scrollwork.readings.prefix_bound import MARKED, PrefixTree

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

log = logging.getLogger("scrollwork")
BATCH = "batch"
BATCH_S = 24 * 3600  # seconds within which a vendor ends a batch


@dataclass
class Sums:
    """Sums over all requests to one model. tokens: of input. Costs are in nano-dollars at the standard tier.

    cached: cost with the cache as `run` uses it. uncached: without a cache. batched: with the fewest hits of a batch's
    cache. writing: the part of `cached` for cache writes. output: the part of each for output. thoughts: reasoning
    tokens. measured: whether these were measured, as in an Estimate, for all tasks.
    """

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
        """Add a call. usage, batched: as a provider would report it online, and in a batch."""
        tokens, made = usage.input_tokens or 0, usage.output_tokens or 0
        self.requests += 1
        self.tokens += tokens
        self.cached += price.of(usage)
        self.uncached += price.of(Usage(tokens, 0, 0, made))
        self.batched += price.of(batched)
        self.writing += (usage.cache_write_tokens or 0) * price.rates(tokens).cache_write
        self.output += round_up(price.rates(tokens).output * made)


def ways(chain: Chain) -> tuple[list[dict[str, Any]], list[str]]:
    """Return (a row for each model and way, failures). A row: {model, way, cache, lifetime, requests, input_tokens,
    thought_tokens, outputs_measured, usd, output_usd, bound_usd, ratio, seconds, at_most, runs, best}.

    way: standard, flex or batch. cache: whether the vendor's prefix cache is used. lifetime: how long it keeps
    prefixes, "" if the vendor names no time. usd: cost of all requests that are still to be sent, with answers as long
    as the references and thought_tokens of reasoning each, or as answers of the home are (outputs_measured).
    output_usd: the part of it for output. bound_usd: the lower bound at this tier for any order and cache breakpoints
    (PrefixTree). ratio: usd / bound_usd, None for a bound of 0. seconds: duration, None if unknown; at_most: it may be
    shorter. runs: whether `run --way` does this (with the shortest lifetime). best: the first of the cheapest of these.
    A model without a price has no rows.
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
        tree = trees.setdefault(model, PrefixTree(usable_rule(tables[model]), cache_least(tables[model])))
        for one in calls:
            total.add(price, one.usage, one.batched)
            tokens = one.usage.input_tokens or 0
            tree.add(one.ask.segments, tokens, price.rates(tokens))
    rows: list[dict[str, Any]] = []
    for model, total in sums.items():
        own = [row for row in counts.values() if row.model == model and row.to_ask]
        total.thoughts = sum(row.thought_tokens for row in own)
        total.measured = all(row.outputs_measured for row in own)
        rows += ways_of(model, tables[model], prices[model], total, trees[model].least())
    return rows, list(failed)


def ways_of(model: str, table: Mapping[str, Any], price: Price, total: Sums, bound: int) -> list[dict[str, Any]]:
    """Return the rows of one model. bound: lower bound of its input cost, in nano-dollars."""
    known = family_of(table)
    lifetimes: Mapping[str, Any] = known.family.get("cache.write", {}) if known is not None else {}
    rule, shortest = usable_rule(table), exact_number(next(iter(lifetimes.values()), 1))
    paced = [60 * total.requests / table["rpm"]] if table.get("rpm") else []
    paced += [60 * total.tokens / table["tpm"]] if table.get("tpm") else []
    thoughts = {
        "thought_tokens": round(total.thoughts / max(1, total.requests)),
        "outputs_measured": total.measured,
    }
    counts = {"requests": total.requests, "input_tokens": total.tokens, **thoughts}
    online = {"seconds": max(paced, default=None), "at_most": False}
    found = []
    for way, share in {STANDARD: ONE, **{name: one for name, one in price.services.items() if name == FLEX}}.items():
        row = {"model": model, "way": way, "cache": False, "lifetime": "", **counts}
        caches = rule not in ("", "none")
        found.append({**row, **row_dollars(total.uncached, total.output, bound, share), **online, "runs": not caches})
        kept = list(lifetimes) if rule in MARKED and lifetimes else [next(iter(lifetimes), "")]
        for number, lifetime in enumerate(kept if caches else []):
            longer = exact_number(lifetimes.get(lifetime, 1)) / shortest - 1 if rule in MARKED else 0
            more = total.writing * longer
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
    """Return the costs of a row in dollars. nano, output, bound: cost of all, of output, and lower bound of input, in
    nano-dollars at the standard price. share: the fraction of that price that is paid."""
    least = bound + output
    return {
        "usd": float(share * nano / NANO),
        "output_usd": float(share * output / NANO),
        "bound_usd": float(share * least / NANO),
        "ratio": float(Decimal(nano) / least) if least else None,
    }


def with_cheapest_way(chain: Chain) -> Chain:
    """Return the chain with the cheapest way chosen. Prompts are built for that.

    A run uses batches for all models or none: they are chosen if every hosted model takes them and the total is lower.
    Otherwise each model that has a flex tier is asked there, the others at the standard tier. Log a warning for what
    could not be counted (prompts that fail, a model without a price).
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
