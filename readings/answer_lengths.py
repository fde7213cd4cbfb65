"""Estimate the output of a call: measured on the answers of a home, else guessed from references and effort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import CHARACTERS
from scrollwork.models.registry import HOSTED
from scrollwork.models.vendors.families import characters_per_token
from scrollwork.models.vendors.fill import likely_thoughts, most_output
from scrollwork.pipeline.engines.inline import run_inline
from scrollwork.pipeline.plan import Node, Plan, topological
from scrollwork.pipeline.planner import Planner
from scrollwork.pipeline.session import Session
from scrollwork.records.example import Example

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain

ENOUGH = 10  # fewest answers whose mean is better than a guess


class AnswerLengths:
    """The output tokens of a model's calls, and the reasoning among them.

    found: (number of answers, sum of their reasoning tokens, sum of their output tokens) by the request's limit of new
    tokens. A limit identifies task and effort: it is the task's token limit plus the room for reasoning, which depends
    on the effort. Tasks with one limit share a mean.
    """

    def __init__(self, table: Mapping[str, Any], found: Mapping[int, tuple[int, int, int]]) -> None:
        self._guess, self._found = likely_thoughts(table), found

    def answers(self, limit: int) -> int:
        """Return how many answers an estimate for this limit is measured on, 0 for a guess."""
        answers, _, _ = self._found.get(limit, (0, 0, 0))
        return answers if answers >= ENOUGH else 0

    def thoughts(self, limit: int) -> int:
        """Return the reasoning tokens of a call with this limit: the mean of `answers`, rounded, or a guess."""
        answers = self.answers(limit)
        if not (self._guess and answers):
            return self._guess
        return min(round(self._found[limit][1] / answers), limit)

    def output(self, limit: int, text_tokens: int) -> int:
        """Return the output tokens of a call with this limit, reasoning among them: the mean of `answers`, rounded.

        Without enough of them it is the expected text, of `text_tokens`, and the guessed reasoning.
        """
        if answers := self.answers(limit):
            return min(round(self._found[limit][2] / answers), limit)
        return min(text_tokens + self.thoughts(limit), limit)


def answer_lengths(model: str, table: Mapping[str, Any], session: Session) -> AnswerLengths:
    """Read the lengths of a model's answers from a home. Raises StorageError."""
    return AnswerLengths(table, session.store.output_tokens(model, CHARACTERS) if session.home.has_store else {})


def text_tokens(example: Example, limit: int, table: Mapping[str, Any]) -> int:
    """Return the tokens of an answer as long as the longest reference, `limit` at most; `limit` without references."""
    each = characters_per_token(table)
    longest = max((int(len(text) / each) + 1 for text in example.references), default=0)
    return min(longest or limit, limit)


def reference_lengths(chain: Chain) -> dict[str, dict[int, int]]:
    """Return by hosted model, and by the limit of new tokens of its requests, the mean tokens of answers as long as the
    references, at least 1. Builds what is missing of the samples; one that fails is left out."""
    session, tables = chain.session, chain.resolved.calling.tables
    asking = [
        node
        for node in topological(chain.scored)
        if node.asks and tables.get(node.label("model"), {}).get("provider") in HOSTED
    ]
    run_inline(Plan.of([node.input("sample") for node in asking], session.locations))
    planner, found = Planner(session), dict[str, dict[int, list[int]]]()
    samples: dict[str, list[Node]] = {}
    for node in asking:
        samples.setdefault(node.input("sample").name, []).append(node)
    for nodes in samples.values():  # models share samples
        sample = planner.status(nodes[0].input("sample")).artifact
        examples = list(sample.rows("examples", Example)) if sample is not None else []
        for node in nodes:
            model, limit = node.label("model"), int(node.input("prompts").params["max_new_tokens"])
            lengths = found.setdefault(model, {}).setdefault(most_output(limit, tables[model]), [])
            lengths += [text_tokens(one, limit, tables[model]) for one in examples]
    return {
        model: {limit: max(1, round(sum(one) / len(one))) for limit, one in by_limit.items() if one}
        for model, by_limit in found.items()
    }
