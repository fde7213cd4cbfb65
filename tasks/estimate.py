"""What a run would ask and cost: requests, tokens and price by task, after what the store holds.

Prompts are built (they cost nothing and a run reuses them); nothing is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from models.base import Ask, Call, Usage
from models.budget import NANO, UnknownPrice, price_of
from models.hosted import Hosted
from models.registry import HOSTED, make
from preprocessing.tokens import make as tokenizer_of
from records.example import Example
from storage.artifacts import Artifact
from tasks.calling import calling_of
from tasks.calls import Calls
from tasks.chain import locations_of
from tasks.engine import run_inline
from tasks.errors import StageFailed
from tasks.graph import Node, Planner, topological
from tasks.request import Request
from tasks.stages import run_nodes
from tasks.workshop import Workshop

CACHE_MINIMUM = 1024  # tokens of a prefix below which no provider caches
IN_FRONT = ("query_header", "query", "response_header")  # what stands behind the prefix that prompts share


@dataclass
class Estimate:
    """Of one task and model. stored: requests that are answered already; ended: that failed for good (--retry-failed
    asks them again); the rest is of what would be asked.

    cached_tokens: input that a prefix cache should give back, when the prompts of a document follow each other.
    output_tokens: by the length of the references; output_tokens_most: if every answer goes to its limit. counted:
    whether input was counted by a tokenizer of a model, or estimated.
    """

    task: str
    split: str
    model: str
    arm: str
    requests: int = 0
    stored: int = 0
    ended: int = 0
    to_ask: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    output_tokens_most: int = 0
    counted: bool = True

    def usage(self, output: int, cached: bool = True) -> Usage:
        """As if a provider had reported it."""
        return Usage(self.input_tokens, self.cached_tokens if cached else 0, None, output)


def estimates(request: Request) -> list[dict[str, Any]]:
    """A row a task and model: an Estimate and `price`: {currency, online, online_most, batch, batch_most} or None.

    *_most: nothing from the cache, every answer at its limit. Raises StageFailed when prompts cannot be built.
    """
    rows: dict[tuple[str, str, str, str], Estimate] = {}
    shop = Workshop(locations_of(request))
    tables = calling_of(request).tables
    nodes = [node for node in topological(run_nodes(request)) if node.stage == "generate"]
    for node in nodes:
        table = tables.get(node.label("model"))
        if table is None or table["provider"] not in HOSTED:  # costs nothing
            continue
        name = node.label("task"), node.label("split"), node.label("model"), node.label("arm")
        row = rows.setdefault(name, Estimate(*name))
        hosted = make(node.label("model"), table, "")
        assert isinstance(hosted, Hosted)
        add(row, node, hosted, table, built(node, request, shop), shop)
    return [{**asdict(row), "price": price(row, tables[row.model])} for row in rows.values()]


def built(node: Node, request: Request, shop: Workshop) -> dict[str, Artifact]:
    """The inputs of a node. Raises StageFailed."""
    needed = topological([inner for _, inner in node.inputs])
    for one in run_inline(needed, locations_of(request)):
        if one.error:
            raise StageFailed(f"{one.node.title}: {one.error}")
    planner = Planner(shop)
    found = {name: planner.status(inner).artifact for name, inner in node.inputs}
    return {name: artifact for name, artifact in found.items() if artifact is not None}


def add(
    row: Estimate, node: Node, model: Hosted, table: Mapping[str, Any], inputs: Mapping[str, Artifact], shop: Workshop
) -> None:
    """Count the calls of one node."""
    guess = tokenizer_of("estimate")
    expected = {
        example.example_id: max((guess.count(text) for text in example.references), default=0)
        for example in inputs["sample"].rows("examples", Example)
    }
    thoughts = int(table.get("reasoning_tokens", 0))
    prefixes: set[str] = set()
    for call in missing(row, Calls(node, model, inputs).batches(), shop):
        ask = call.ask
        row.counted = row.counted and bool(ask.tokens)
        tokens = ask.tokens or guess.count(ask.prompt)
        most = ask.max_new_tokens + thoughts
        row.to_ask += 1
        row.input_tokens += tokens
        row.output_tokens += min(expected[ask.example_id], ask.max_new_tokens)
        row.output_tokens_most += most
        if ask.prefix in prefixes:
            row.cached_tokens += shared(ask, tokens, int(table.get("cache_minimum", CACHE_MINIMUM)))
        elif ask.prefix:
            prefixes.add(ask.prefix)


def missing(row: Estimate, batches: Iterator[list[Call]], shop: Workshop) -> Iterator[Call]:
    """The calls that a run would make; equal ones once."""
    seen: set[str] = set()
    for batch in batches:
        keys = list({call.key: None for call in batch if call.key not in seen})
        seen.update(keys)
        stored = shop.store.answers(keys) if shop.home.has_store else {}
        failed = shop.store.failures(keys) if shop.home.has_store else {}
        ended = {key for key, one in failed.items() if one.kind == "terminal" and key not in stored}
        calling = shop.locations.calling
        if calling is not None and calling.retry_failed:
            ended = set()
        row.requests += len(keys)
        row.stored += len(stored)
        row.ended += len(ended)
        todo = {call.key: call for call in batch if call.key in keys}
        yield from (call for key, call in todo.items() if key not in stored and key not in ended)


def shared(ask: Ask, tokens: int, minimum: int) -> int:
    """Tokens of a prompt's prefix, by its share of the characters; 0 where it is too short to be cached."""
    chars = 0
    for segment in ask.segments:
        if segment.role in IN_FRONT:
            break
        chars += len(segment.text)
    prefix = tokens * chars // max(1, len(ask.prompt))
    return prefix if prefix >= minimum else 0


def price(row: Estimate, table: Mapping[str, Any]) -> dict[str, Any] | None:
    """USD, None where the table has no price."""
    try:
        known = price_of(row.model, table)
    except UnknownPrice:
        return None
    likely = known.of(row.usage(row.output_tokens))
    most = known.most(row.input_tokens, row.output_tokens_most)
    plain = known.of(row.usage(row.output_tokens, cached=False))  # batches are not asked in order
    return {
        "currency": "USD",
        "online": likely / NANO,
        "online_most": most / NANO,
        "batch": float(Decimal(plain) * known.batch / NANO),
        "batch_most": float(Decimal(most) * known.batch / NANO),
    }
