"""Estimate what a run would send and cost: requests, tokens and price by task, without what the store already holds.

Prompts are built (they cost nothing and a run reuses them); nothing is sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import tee
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from scrollwork.models.base import CHARACTERS, Ask, Call, Usage
from scrollwork.models.engine.prices import NANO, Price
from scrollwork.models.hosted.model import Hosted, split_wrapper
from scrollwork.models.registry import BATCHES, HOSTED, make
from scrollwork.models.vendors.fill import most_output
from scrollwork.models.vendors.marks import batch_group, batch_hits, cache_marks, expects_hits, least_ordered_prefix
from scrollwork.models.vendors.shared_prefixes import with_shared_prefixes
from scrollwork.pipeline.calling import known_price
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.errors import StageFailed
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node, Plan, topological
from scrollwork.pipeline.planner import Planner
from scrollwork.pipeline.session import Session
from scrollwork.readings.answer_lengths import AnswerLengths, answer_lengths
from scrollwork.readings.implicit_cache import ImplicitCache
from scrollwork.records.example import Example
from scrollwork.storage.answers.rows import ANSWERED
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.generate.pending import Calls
from scrollwork.tasks.generate.stored_answers import is_to_be_asked

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


@dataclass
class Estimate:
    """The estimate for one task and model.

    prompts: all of them. requests: equal prompts once. stored: requests with an answer. in_batches: requests that wait
    in batches, which are as good as paid. ended: requests that failed for good (--retry-failed sends them again).
    to_ask: the other requests, which a run would send; the token counts are of these.

    cached_tokens: input read from a prefix cache, as the prompts of a document follow one another. cache_write_tokens:
    input that the first of them writes to it, at a higher price with some vendors. output_tokens: by the mean of
    outputs_measured answers in the home, thought_tokens of reasoning among them (readings/answer_lengths.py); if that
    is 0, by the length of the references, or the token limit without any, and a guess of reasoning. output_tokens_most:
    if every answer reaches its limit, including thoughts_most, the tokens allowed for reasoning. counted: input was
    counted by a model's tokenizer, not estimated. truncated: prompts whose documents were cut. document_chars:
    characters of all prompts' documents, of which dropped_chars were cut off.
    """

    task: str
    split: str
    model: str
    arm: str
    prompts: int = 0
    requests: int = 0
    stored: int = 0
    in_batches: int = 0
    ended: int = 0
    to_ask: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    output_tokens_most: int = 0
    thought_tokens: int = 0
    outputs_measured: int = 0
    thoughts_most: int = 0
    counted: bool = True
    truncated: int = 0
    document_chars: int = 0
    dropped_chars: int = 0


@dataclass
class Costs:
    """The cost of the requests to send, in nano-dollars. It is summed call by call, as the price depends on the length.

    *_most: with nothing from the cache, and every answer at its limit. batches: whether the provider takes batches.
    """

    batches: bool
    online: int = 0
    online_most: int = 0
    batch: int = 0
    batch_most: int = 0

    def add(self, price: Price, batch: Price, one: Priced) -> None:
        """Add a call. batch: the price in a batch."""
        usage, batched, output_most = one.usage, one.batched, one.most
        tokens = usage.input_tokens or 0
        self.online += price.of(usage)
        self.online_most += price.most(tokens, output_most)
        self.batch += batch.of(batched)
        shared = (batched.cached_tokens or 0) + (batched.cache_write_tokens or 0)
        self.batch_most += batch.of(Usage(tokens, 0, shared, output_most))

    def usd(self) -> dict[str, Any]:
        """Return the costs in US dollars; those of batches are None if the provider takes none."""
        online = {"online": self.online / NANO, "online_most": self.online_most / NANO}
        batch = (self.batch / NANO, self.batch_most / NANO) if self.batches else (None, None)
        return {"currency": "USD", **online, **dict(zip(("batch", "batch_most"), batch, strict=True))}


class Priced(NamedTuple):
    """A call that would be made. usage, batched: what a provider would report online, and in a batch. most: its limit
    of output tokens."""

    ask: Ask
    usage: Usage
    most: int
    batched: Usage


def estimates(chain: Chain) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """Return (rows of hosted models, rows of other models, failures that left no row).

    There is a row for each task and model. Rows of hosted models have the fields of Estimate, and `price`: {currency,
    online, online_most, batch, batch_most}, None if unknown. Those of other models have no price; they are there only
    if the model's profile cuts prompts. *_most: nothing from the cache, every answer at its limit. batch*: None if the
    provider takes no batches.
    """
    free: dict[tuple[str, str, str, str], Estimate] = {}
    rows: dict[tuple[str, str, str, str], Estimate] = {}
    costs: dict[tuple[str, str, str, str], Costs] = {}
    failed: dict[str, None] = {}
    session, tables = chain.session, chain.resolved.calling.tables
    for node in topological(chain.scored):
        hosted = tables.get(node.label("model"), {}).get("provider") in HOSTED
        if not node.asks or hosted or node.label("profile") == "plain":  # the plain profile cuts nothing
            continue
        name = node.label("task"), node.label("split"), node.label("model"), node.label("arm")
        try:
            inputs = built_inputs(node, session)
        except StageFailed as error:
            failed[str(error)] = None
            continue
        row = free.setdefault(name, Estimate(*name))
        row.prompts += count_losses(row, inputs["prompts"], 1)
    for row, calls in asked_of(chain, rows, failed):
        table = tables[row.model]
        listed = known_price(row.model, table)
        if listed is None:
            deque(calls, maxlen=0)  # the row is filled as the calls are taken
            continue
        price, batch = listed.at(table.get("service", "")), listed.in_batch()
        cost = costs.setdefault((row.task, row.split, row.model, row.arm), Costs(table["provider"] in BATCHES))
        for one in calls:
            cost.add(price, batch, one)
    priced = [{**asdict(row), "price": costs[name].usd() if name in costs else None} for name, row in rows.items()]
    return priced, [asdict(row) for row in free.values()], list(failed)


def asked_of(
    chain: Chain, rows: dict[tuple[str, str, str, str], Estimate], failed: dict[str, None]
) -> Iterator[tuple[Estimate, Iterator[Priced]]]:
    """Yield (its row, its calls) for each stage that asks a hosted model. Take the calls before the next pair.

    rows: by task, split, model and arm; new rows are added, and filled as calls are taken. failed: errors are added.
    """
    session, tables = chain.session, chain.resolved.calling.tables
    found = {name: ImplicitCache(table) for name, table in tables.items()}
    lengths = {name: answer_lengths(name, tables[name], session) for name in tables}
    for node in topological(chain.scored):
        name = node.label("task"), node.label("split"), node.label("model"), node.label("arm")
        table = tables.get(name[2], {})
        if not node.asks or table.get("provider") not in HOSTED:
            continue
        try:
            inputs = built_inputs(node, session)
        except StageFailed as error:
            failed[str(error)] = None
            continue
        row = rows.setdefault(name, Estimate(*name))
        hosted = make(row.model, table, "")
        assert isinstance(hosted, Hosted)
        yield row, add(row, node, hosted, table, inputs, session, found[row.model], lengths[row.model])


def built_inputs(node: Node, session: Session) -> InputArtifacts:
    """Build and return the inputs of a node. Raises StageFailed."""
    for one in run_inline(Plan.of(node.needs, session.locations)):
        if one.error:
            raise StageFailed(f"{one.node.title}: {one.error}")
    planner = Planner(session)
    return InputArtifacts.of(node, lambda one: cast(Artifact, planner.status(one).artifact))


def add(
    row: Estimate,
    node: Node,
    model: Hosted,
    table: Mapping[str, Any],
    inputs: InputArtifacts,
    session: Session,
    again: ImplicitCache,
    lengths: AnswerLengths,
) -> Iterator[Priced]:
    """Yield each call of one node, and add it and the truncation of the node's prompts to `row`."""
    count_losses(row, inputs["prompts"], len(model.members))
    expected = {
        example.example_id: max((len(text) // CHARACTERS + 1 for text in example.references), default=0)
        for example in inputs["sample"].rows("examples", Example)
    }
    held: set[str] = set()  # digests of the prefixes that earlier calls wrote to the cache
    store = session.store if session.home.has_store else None
    calls = missing_calls(row, Calls(node, model, inputs, store, by_prefix=True).batches(), session)
    sent = (replace(call, ask=as_sent(call.ask, model)) for call in calls)
    online, batched = tee(sent)
    batches, expects = in_batch(batched, table), expects_hits(table)
    for ask in (call.ask for call in with_shared_prefixes(online, least_ordered_prefix(table), cache_marks(table))):
        row.counted = row.counted and bool(ask.tokens)
        tokens = ask.likely_tokens
        most = most_output(ask.max_new_tokens, table)
        row.to_ask += 1
        row.input_tokens += tokens
        thought = lengths.thoughts(most)
        likely = lengths.output(most, min(expected[ask.example_id] or most, ask.max_new_tokens))
        row.output_tokens += likely
        row.output_tokens_most += most
        row.thought_tokens += thought
        row.outputs_measured = lengths.answers(most)
        row.thoughts_most += max(0, most - ask.max_new_tokens)
        marked = [prefix for prefix in ask.shared_prefixes if prefix.marked]
        cached = max((ask.share_of(prefix.characters) for prefix in marked if prefix.digest in held), default=0)
        written = max(0, ask.shared_tokens - cached)
        held.update(prefix.digest for prefix in marked)
        if again.applies:
            cached = again.tokens(ask, tokens)
            written = max(0, written - cached)
        elif not expects:
            cached = written = 0
        row.cached_tokens += cached
        row.cache_write_tokens += written
        read, put = next(batches)
        yield Priced(ask, Usage(tokens, cached, written, likely), most, Usage(tokens, read, put, likely))


def in_batch(calls: Iterable[Call], table: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the tokens of each call that a batch reads from the cache, and those that it writes.

    The share of cache hits is the lowest that the vendor states.
    """
    group, hits = batch_group(table), batch_hits(table)
    if not group:
        yield from ((0, 0) for _ in calls)
        return
    for call in with_shared_prefixes(calls, least_ordered_prefix(table), cache_marks(table), group):
        shared = call.ask.shared_tokens
        read = int(hits * shared) if call.ask.follows else 0
        yield read, shared - read


def as_sent(ask: Ask, model: Hosted) -> Ask:
    """Return the ask without text that is not sent: Claude's wrappers become the turns of a conversation."""
    own = split_wrapper(ask.segments)[0] if model.provider == "anthropic" else ask.segments
    if len(own) == len(ask.segments):
        return ask
    kept = sum(len(segment.text) for segment in own)
    return replace(ask, segments=own, tokens=ask.share_of(kept) if ask.tokens else 0)


def count_losses(row: Estimate, prompts: Artifact, times: int) -> int:
    """Add what prompts lost by truncation to `row`, `times` times, and return the number of prompts."""
    many = 0
    for prompt in prompts.columns("prompts", ["truncated", "kept_chars", "dropped_chars"]):
        many += 1
        row.truncated += prompt["truncated"] * times
        row.document_chars += (prompt["kept_chars"] + prompt["dropped_chars"]) * times
        row.dropped_chars += prompt["dropped_chars"] * times
    return many


def missing_calls(row: Estimate, batches: Iterator[list[Call]], session: Session) -> Iterator[Call]:
    """Yield the calls that a run would make, equal ones once, and add the numbers of prompts and requests to `row`."""
    seen: set[str] = set()
    calling = session.locations.calling
    retry_failed = calling is not None and calling.retry_failed
    for batch in batches:
        row.prompts += len(batch)
        keys = list({call.key: None for call in batch if call.key not in seen})
        seen.update(keys)
        states = session.store.states(keys) if session.home.has_store else {}
        todo = {key for key in keys if is_to_be_asked(states.get(key), retry_failed)}
        stored = sum(states.get(key) == ANSWERED for key in keys)
        row.requests += len(keys)
        row.stored += stored
        row.ended += len(keys) - len(todo) - stored
        waiting = set(session.store.in_batches(list(todo))) if todo and session.home.has_store else set()
        row.in_batches += len(waiting)
        todo -= waiting
        yield from ({call.key: call for call in batch if call.key in todo}).values()
