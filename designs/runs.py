"""Prompts are drawn anew in each of several runs, and models are ranked by the runs' scores: SEAM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrollwork.designs.fixed import Fixed
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.runs.blocks import cue_of
from scrollwork.suites.outside_systems import shown_name
from scrollwork.suites.parts import engine_of
from scrollwork.suites.suite_files import data_set_sizes
from scrollwork.suites.tokenizers import length_tokenizer
from scrollwork.tasks import sizes
from scrollwork.tasks.rank import run as rank
from scrollwork.tasks.rank.parameters import rank_parameters
from scrollwork.tasks.report.parameters import upper_bounds
from scrollwork.tasks.sample import runs

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.design import Design
    from scrollwork.pipeline.plan import Labels, Node
    from scrollwork.suites.parts import Part
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import Suite, TaskConfig


class Runs(Fixed):
    """A run is a shard with a sample of its own."""

    ranked = True
    prompt = "scrollwork.tasks.prompt.runs"
    aggregate = "scrollwork.tasks.aggregate.runs"
    sections = ("scrollwork.reporting.runs.section",)

    def shards(self, request: Request, task: TaskConfig) -> int:
        """As many as there are runs."""
        return request.run_count

    def shard_labels(self, request: Request, task: TaskConfig, shard: int) -> Labels:
        """The run's number, from 0."""
        return (("run", str(shard)),)

    def sample_labels(self, request: Request, shard: int) -> Labels:
        """The same."""
        return (("run", str(shard)),)

    def sample(self, chain: Chain, part: Part) -> Node:
        """What the run draws; under --draws official after all that the official stream draws before it."""
        before = [
            (task, [chain.curate(replace(part, task=task, split=split)) for split in task.splits])
            for task in runs.official_order(part)
        ]
        return runs.declare(part, chain.curate(part), before)

    def samples(self, chain: Chain, part: Part) -> list[Node]:
        """One a run."""
        return part.each_shard(chain.sample)

    def sizes(self, chain: Chain, part: Part) -> Node | None:
        """The data set whole, which table 1 of the paper counts."""
        return sizes.declare(part, chain.curate(part), length_tokenizer(part.request.tokenizer))

    def prompts(self, part: Part) -> Sequence[int] | None:
        """All of the run's sample."""
        return None

    def reading(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """cue: a prompt's last words, which a reply may repeat."""
        return {"cue": cue_of(texts["block"]["text"])} if "block" in texts else {}

    def together(self, chain: Chain, scored: Sequence[Node], failures: Sequence[Mapping[str, str]]) -> list[Node]:
        """Models ranked by the scores of their runs."""
        request = chain.request
        if not scored:
            return []
        lengths = length_tokenizer(request.tokenizer)
        parameters = rank_parameters(request.config, failures, upper_bounds(scored), lengths)
        return [rank.declare(parameters, [shown_name(model) for model in request.models], scored, engine_of(lengths))]

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """That models are ranked; what upstream calls the test split of a task, where it is another."""
        splits = {name: task.splits.get("test", "test") for name, task in suite.tasks.items()}
        return {"ranked": True, "upstream": {name: split for name, split in splits.items() if split != "test"}}

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """An id does not say of which run an answer is."""
        if not runs:
            raise UsageError(
                f"{what}: inputs of {suite.name} are asked anew in each run, and the format names an input by its id "
                f"alone; mean and spread over all runs are in the report"
            )

    def overview(self, suite: str, task: str) -> Mapping[str, Any]:
        """What the paper counts of the data set that is drawn from."""
        return {"data_set": data_set_sizes(suite, task)}


DESIGN: Design = Runs()
