"""Estimate the requests and costs of each strategy of observing windows, without building prompts (--strategies).

It needs only the units of the contexts and the frames of prompts, so a full enumeration is counted in seconds. It
ignores stored answers, counts equal prompts separately, and does not cut prompts to the model's context window;
`estimate --strategy S` builds the prompts of one strategy and takes all that into account.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from scrollwork.models.base import CHARACTERS, Usage, split_after_documents
from scrollwork.models.engine.prices import Price
from scrollwork.models.registry import BATCHES, HOSTED
from scrollwork.models.vendors.fill import most_output
from scrollwork.models.vendors.marks import expects_hits, least_ordered_prefix
from scrollwork.pipeline.calling import known_price
from scrollwork.pipeline.errors import StageFailed
from scrollwork.pipeline.plan import Node, topological
from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.windows.observations import Observed
from scrollwork.preprocessing.windows.spans import Strategy, lengths, strategy, window_starts
from scrollwork.preprocessing.windows.units import units
from scrollwork.readings.answer_lengths import AnswerLengths, answer_lengths, text_tokens
from scrollwork.readings.estimate import Costs, Estimate, built_inputs
from scrollwork.records.example import Example
from scrollwork.records.prompt import CLOSED_BOOK, Part, part_text
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.sample.windows import Parameters

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

COMPARED = ("all", "take:5", "take:25", "sample:0.2", "take-ip", "sample-ip", "long", "short", "wide")


@dataclass(frozen=True)
class Frame:
    """A problem's prompt without its window. closed: characters of the closed-book prompt.

    around, before: characters of the other prompts outside the window, and of these before the window's end. expected,
    most: likely and highest number of tokens of an answer, including `guessed` and `thoughts` reasoning tokens.
    """

    problem: str
    lengths: tuple[int, ...]
    closed: int
    around: int
    before: int
    expected: int
    most: int
    guessed: int
    thoughts: int


class Tally:
    """Tokens of a strategy's windows by price tier, which depends on the length of a prompt.

    sums: shape [number of SUMS, number of tiers]. borders: tokens of a prompt above which the next tier holds, rising.
    """

    SUMS = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "output_tokens_most")

    def __init__(self, borders: Sequence[int] = ()) -> None:
        self.borders = borders
        self.sums = np.zeros((len(self.SUMS), len(borders) + 1), dtype=np.int64)

    def add(self, name: str, tokens: Any, amounts: Any) -> None:
        """Add amounts to one of SUMS, each in the tier of its prompt. tokens: of the prompts; both have shape [n]."""
        tiers = np.searchsorted(self.borders, tokens, side="left")
        np.add.at(self.sums[self.SUMS.index(name)], tiers, amounts)

    def by_tier(self) -> Iterator[tuple[int, dict[str, int]]]:
        """Yield (fewest tokens of a prompt in the tier, its sums by name)."""
        for lower, sums in zip((0, *(above + 1 for above in self.borders)), self.sums.T.tolist(), strict=True):
            yield lower, dict(zip(self.SUMS, sums, strict=True))


@dataclass
class Counted:
    """A strategy, the estimate for all of its windows, and the same tokens by price tier."""

    strategy: Strategy
    row: Estimate
    tally: Tally


def strategy_costs(chain: Chain) -> tuple[list[dict[str, Any]], list[str]]:
    """Return (rows, failures). There is a row for each strategy, task and model: {strategy, windows, problems,
    per_problem}, and the fields of an Estimate with its price (None if unknown)."""
    asked = chain.request.of_design.strategy
    compared = dict.fromkeys((*COMPARED, *([asked] if asked else [])))
    session, tables = chain.session, chain.resolved.calling.tables
    rows, failed = [], []
    for node in (one for one in topological(chain.scored) if one.asks):
        table = tables[node.label("model")]
        try:
            curated = built_inputs(node.input("sample"), session)["curated"]
        except StageFailed as error:
            failed.append(str(error))
            continue
        listed = known_price(node.label("model"), table) if table["provider"] in HOSTED else None
        borders = [above for above, _ in listed.long] if listed is not None else []
        lengths = answer_lengths(node.label("model"), table, session)
        problems, found = costs(node, curated, compared, table, borders, lengths)
        for name, one in found.items():
            row = one.row
            each = row.requests / problems if problems else 0.0
            told = {"strategy": name, "windows": row.requests, "problems": problems, "per_problem": each}
            usd = price(one.tally, listed, table) if listed is not None else None
            rows.append({**told, **asdict(row), "price": usd})
    order = list(compared)
    return sorted(rows, key=lambda row: order.index(row["strategy"])), list(dict.fromkeys(failed))


def costs(
    node: Node,
    curated: Artifact,
    compared: Iterable[str],
    table: Mapping[str, Any],
    borders: Sequence[int],
    lengths: AnswerLengths,
) -> tuple[int, dict[str, Counted]]:
    """Return (number of problems, the counts of each strategy by name). borders: of the price tiers (`Tally`)."""
    task, split, model, arm = (node.label(name) for name in ("task", "split", "model", "arm"))
    found = {
        name: Counted(strategy(name), Estimate(task, split, model, arm, counted=False), Tally(borders))
        for name in compared
    }
    parameters = Parameters(**node.input("sample").params)
    how = parameters.how
    minimum = least_ordered_prefix(table) if expects_hits(table) else sys.maxsize
    text_of = curated.texts()
    problems = 0
    for document_ids, group in groupby(parameters.chosen(curated), key=lambda one: one.document_ids):
        text = text_of(document_ids[0])
        spans = np.array(units(text, how.spec), dtype=np.int64).reshape(-1, 2)
        frames = [frame_of(example, node, how, text_of, table, lengths) for example in group]
        problems += len(frames)
        for one in found.values():
            one.row.outputs_measured = lengths.answers(frames[0].most)
            add(one, frames, spans, len(text), parameters.seed, minimum, how.full)
    return problems, found


def price(tally: Tally, listed: Price, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the costs of a strategy's windows in USD, each prompt at the price tier of its length."""
    total, batch = Costs(batches=table["provider"] in BATCHES), listed.in_batch()
    for length, sums in tally.by_tier():
        here, there = listed.rates(length), batch.rates(length)
        tokens, output, most = sums["input_tokens"], sums["output_tokens"], sums["output_tokens_most"]
        total.online += here.of(Usage(tokens, sums["cached_tokens"], sums["cache_write_tokens"], output))
        total.online_most += here.most(tokens, most)
        total.batch += there.of(Usage(tokens, 0, 0, output))
        total.batch_most += there.of(Usage(tokens, 0, 0, most))
    return total.usd()


def frame_of(
    example: Example,
    node: Node,
    how: Observed,
    text_of: Callable[[str], str],
    table: Mapping[str, Any],
    lengths: AnswerLengths,
) -> Frame:
    """Make a problem's frame from its closed-book prompt and its prompt with the whole context."""
    told = node.input("prompts").params
    made = Template(**told["template"]), Profile(told["profile"]["variant"], prompts=told["profile"]["prompts"])
    more = {"arm": told["arm"], "max_new_tokens": told["max_new_tokens"], "chat_sentence": told["chat_sentence"]}
    (whole,) = prompts([example], *made, text_of, **more)
    (closed,) = prompts([example], *made, text_of, **{**more, "arm": CLOSED_BOOK})
    outside = [part for part in whole.parts if part.role != "document"]
    before = [part for part in split_after_documents(whole.parts)[0] if part.role != "document"]
    most = most_output(whole.max_new_tokens, table)
    guessed = lengths.thoughts(most)
    return Frame(
        example.example_id,
        tuple(how.lengths_of(example.facts)),
        closed=count_characters(closed.parts, text_of),
        around=count_characters(outside, text_of),
        before=count_characters(before, text_of),
        expected=lengths.output(most, text_tokens(example, whole.max_new_tokens, table)),
        most=most,
        guessed=guessed,
        thoughts=max(0, most - whole.max_new_tokens),
    )


def count_characters(parts: Iterable[Part], text_of: Callable[[str], str]) -> int:
    """Return the number of characters in parts of a prompt."""
    return sum(len(part_text(part, text_of)) for part in parts)


def add(counted: Counted, frames: Sequence[Frame], spans: Any, size: int, seed: int, minimum: int, full: bool) -> None:
    """Add the windows of a document's problems. spans: of its units, shape [C, 2]. size: its characters. minimum: the
    fewest tokens of a prefix that the cache keeps. full: whether whole contexts are shown too."""
    one, row, tally = counted.strategy, counted.row, counted.tally
    count = len(spans)
    takers: dict[int, Any] = {}  # by window length, the array that `from_cache` describes
    for frame in frames:
        for length in lengths(count, frame.lengths, full, one):
            places = max(1, count - length + 1) if length else 1
            firsts = window_starts(places, length, one, seed, row.task, frame.problem)
            if not length:
                tokens = np.full(1, frame.closed // CHARACTERS + 1)
            else:
                text = spans[length - 1 :, 1] - spans[: count - length + 1, 0] if length < count else np.array([size])
                tokens = (frame.around + text[firsts]) // CHARACTERS + 1
                taken = takers.setdefault(length, np.zeros((4, places), dtype=np.int64))
                prefix, chars = frame.before + text[firsts], frame.around + text[firsts]
                taken[0, firsts] += 1
                taken[1, firsts] = np.where(tokens * prefix // chars >= minimum, prefix, 0)
                taken[2, firsts], taken[3, firsts] = tokens, chars
            row.requests += len(firsts)
            row.input_tokens += int(tokens.sum())
            row.output_tokens += frame.expected * len(firsts)
            row.output_tokens_most += frame.most * len(firsts)
            row.thought_tokens += frame.guessed * len(firsts)
            row.thoughts_most += frame.thoughts * len(firsts)
            tally.add("input_tokens", tokens, tokens)
            tally.add("output_tokens", tokens, frame.expected)
            tally.add("output_tokens_most", tokens, frame.most)
    row.prompts = row.to_ask = row.requests
    from_cache(counted, takers, count, whole=count > 0 and int(spans[0, 0]) == 0)


def from_cache(counted: Counted, takers: Mapping[int, Any], count: int, *, whole: bool) -> None:
    """Add the tokens that are written to the cache and read from it.

    A window is written once if several problems take it or a longer window has the same start, and what a shorter one
    wrote is read. takers: by window length, an array of shape [4, starts]: how many problems take the window;
    characters to its end, 0 if too short for the cache; tokens and characters of the prompt. whole: whether the first
    unit starts the document; else the window of the whole context has a start of its own.
    """
    held, last = np.zeros((2, count + 1), dtype=np.int64)  # by start: characters in the cache, longest window taken
    places = {
        length: slice(0, taken.shape[1]) if length < count or whole else slice(count, None)
        for length, taken in sorted(takers.items())
    }
    for length, here in places.items():
        last[here] = np.where(takers[length][0] > 0, length, last[here])
    for length, here in places.items():
        problems, prefix, tokens, chars = takers[length]
        chars = np.maximum(chars, 1)
        before, read = tokens * prefix // chars, tokens * held[here] // chars
        written = (prefix > 0) & ((problems > 1) | (last[here] > length))
        for name, amounts in (
            ("cached_tokens", np.maximum(problems - 1, 0) * before + read),
            ("cache_write_tokens", np.where(written, before - read, 0)),
        ):
            setattr(counted.row, name, getattr(counted.row, name) + int(amounts.sum()))
            counted.tally.add(name, tokens, amounts)
        held[here] = np.where(written, prefix, held[here])
