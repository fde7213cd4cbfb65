"""Each input is asked once, with its whole context: ZeroSCROLLS and SCROLLS. The other designs build on it."""

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
    """A design without options of its own."""


class Fixed:
    """Implements pipeline/design.py; big tasks come in shards by document. Stages are imported where they are declared:
    the command line loads every design for its options."""

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
        """The same."""
        return dict(common), dict(own)

    def check(self, request: Request) -> None:
        """Nothing to refuse."""

    def command_words(self, request: Request) -> list[str]:
        """None."""
        return []

    def shards(self, request: Request, task: TaskConfig) -> int:
        """As the suite file says of the task."""
        return task.shards

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """Its number of how many."""
        return (("shard", f"{shard + 1}-of-{task.shards}"),) if task.shards > 1 else ()

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """None: there is one sample."""
        return ()

    def sample(self, chain: Chain, part: Part) -> Node:
        """Chosen once, by the seed."""
        from scrollwork.tasks.sample import run as sample

        return sample.declare(part, chain.curate(part))

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """The one that there is."""
        return [chain.sample(part)]

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """Nothing: the benchmark's examples are what is counted."""
        return None

    def prompts(self, part: Part) -> Sequence[int] | None:
        """The prompts of a shard's documents."""
        return [part.shard, part.task.shards] if part.task.shards > 1 else None

    def further(self, chain: Chain, aggregated: Node) -> list[Node]:
        """None."""
        return []

    def together(self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]) -> list[Node]:
        """None."""
        return []

    def finish_partial(self, chain: Chain, finished: Sequence[Finished], engine: Engine) -> list[Finished]:
        """As they did."""
        return list(finished)

    def units(self, task: TaskConfig) -> Any:
        """Contexts are shown whole."""
        return None

    def reply_parameters(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """Nothing of its own."""
        return {}

    def column(self, task: TaskConfig, asked: bool) -> Mapping[str, Any] | None:
        """Each task has a column, also one that nobody asked for."""
        return {}

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """Nothing of its own."""
        return {}

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """An id says it."""

    def caution(self, request: Request) -> str:
        """Nothing: each input is asked once."""
        return ""

    def remarks(self, request: Request, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
        """Nothing of its own."""
        return []

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """Nothing of its own."""
        return {}


DESIGN: Design = Fixed()
