"""The usual experiment: each input is asked once, with its whole context (ZeroSCROLLS, SCROLLS). The other designs
build on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.design import Design, Engine
    from scrollwork.pipeline.engines.inline import Finished
    from scrollwork.pipeline.plan import Labels, Node
    from scrollwork.suites.parts import Part
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import Suite, TaskConfig


@dataclass(frozen=True)
class NoOptions:
    """Options of a design that has none of its own."""


class Fixed:
    """Implements pipeline/design.py; large tasks are split into shards by document. Stages are imported where they are
    declared, because the command line loads every design for its options."""

    options: type = NoOptions
    group = does = ""
    modules: Mapping[str, str] = {}
    ranked = False
    curate = "scrollwork.tasks.curate.run"
    prompt = "scrollwork.tasks.prompt.run"
    score = "scrollwork.tasks.score.run"
    aggregate = "scrollwork.tasks.aggregate.run"
    sections: tuple[str, ...] = ()

    def complete_options(
        self, common: Mapping[str, Any], own: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the options as they are: none implies another."""
        return dict(common), dict(own)

    def check(self, request: Request) -> None:
        """Accept all: there is nothing to contradict."""

    def command_words(self, request: Request) -> list[str]:
        """Return none: there are no options to repeat."""
        return []

    def shards(self, request: Request, task: TaskConfig) -> int:
        """Return the number that the suite file states for the task."""
        return task.shards

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """Return the label "2-of-5" of a shard; none where there is one shard only."""
        return (("shard", f"{shard + 1}-of-{task.shards}"),) if task.shards > 1 else ()

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """Return none: all shards share one sample."""
        return ()

    def sample(self, chain: Chain, part: Part) -> Node:
        """Return the node that selects examples, once, by the seed; of a canary, a few of these."""
        from scrollwork.tasks.sample import run as sample

        sampled = sample.of_shares(sample.declare(part, chain.curate(part)))
        if not chain.request.canary:
            return sampled
        from scrollwork.tasks.sample import canary  # other runs do not load it

        return canary.declare(part, sampled)

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """Return the one sample."""
        return [chain.sample(part)]

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """Return None: the selected examples are the data set."""
        return None

    def prompts(self, part: Part) -> Sequence[int] | None:
        """Return which share of the documents has its prompts in this shard; None where there is one shard only."""
        return [part.shard, part.task.shards] if part.task.shards > 1 else None

    def after_each_score(self, chain: Chain, aggregated: Node) -> list[Node]:
        """Return none."""
        return []

    def after_all_scores(
        self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]
    ) -> list[Node]:
        """Return none."""
        return []

    def finish_partial(self, chain: Chain, finished: Sequence[Finished], engine: Engine) -> list[Finished]:
        """Return the nodes as they ended."""
        return list(finished)

    def units(self, task: TaskConfig) -> Any:
        """Return None: contexts are shown whole."""
        return None

    def reply_parameters(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return none."""
        return {}

    def column(self, task: TaskConfig, asked: bool) -> Mapping[str, Any] | None:
        """Return {}: each task has a column, also one that was not asked for."""
        return {}

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """Return {}."""
        return {}

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """Accept: an example id identifies an input."""

    def caution(self, request: Request) -> str:
        """Return "": each input is asked once."""
        return ""

    def remarks(self, request: Request, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
        """Return none."""
        return []

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """Return {}."""
        return {}


DESIGN: Design = Fixed()
