"""The tasks of a request as other tools run them: their prompts, and how their answers are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.exchange.prompted import Prompted, prompts_of_chain
from scrollwork.pipeline.errors import UsageError
from scrollwork.preprocessing.prompts.from_examples import Profile
from scrollwork.records.prompt import FULL
from scrollwork.scoring.task_scorer import SCORE, TaskScorer
from scrollwork.suites.outside_systems import EXPORTED
from scrollwork.suites.parts import Part
from scrollwork.suites.replies import reply_parameters
from scrollwork.suites.suite_files import TaskConfig

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain


@dataclass(frozen=True)
class BuiltTask:
    """A task, split and arm. name: in the other tool, also a Python name. prompted: its shards or runs, in order."""

    name: str
    config: TaskConfig
    suite: str
    split: str
    arm: str
    prompted: tuple[Prompted, ...]
    scorer: TaskScorer
    max_new_tokens: int
    temperature: float

    @property
    def data(self) -> str:
        """Path of its Parquet file in the exported folder."""
        return f"data/{self.name}.parquet"

    @property
    def profile(self) -> str:
        """Name of all that is of one model in its prompts, "plain" for none."""
        return self.prompted[0].node.label("profile")

    @property
    def group(self) -> str:
        """Name of the suite's tasks of this split and arm together."""
        return tool_name(self.suite, self.split, *([] if self.arm == FULL else [self.arm]))


def built_tasks(chain: Chain) -> tuple[list[BuiltTask], list[str]]:
    """(tasks of a request, failed stages in words). Missing prompts are built.

    Raises UsageError for tasks that judging models score, for names that would be the same, and as
    `prompts_of_chain`, which also raises StageFailed.
    """
    request, config = chain.request, chain.request.config
    found, lacking = prompts_of_chain(chain)
    grouped: dict[tuple[str, str, str], list[Prompted]] = {}
    for one in found:
        grouped.setdefault((one.node.label("task"), one.node.label("split"), one.node.label("arm")), []).append(one)
    tasks: dict[str, BuiltTask] = {}
    for (name, split, arm), some in grouped.items():
        task = next(one for one in request.chosen_tasks() if one.name == name)
        tool = tool_name(request.suite, name, split, *([] if arm == FULL else [arm]))
        if tool in tasks:
            raise UsageError(f"tasks {tasks[tool].config.name} and {name} would both be {tool}: export them one by one")
        tasks[tool] = BuiltTask(
            name=tool,
            config=task,
            suite=request.suite,
            split=split,
            arm=arm,
            prompted=tuple(some),
            scorer=scorer_of(task, reading_of(chain, task, some)),
            max_new_tokens=config.new_tokens(task, request.prompts),
            temperature=config.temperature,
        )
    return list(tasks.values()), lacking


def tool_name(*words: str) -> str:
    """Return the name of a task or group in other tools: letters, digits and "_", so that it is a Python name too."""
    return "_".join([EXPORTED, *words]).replace("-", "_")


def reading_of(chain: Chain, task: TaskConfig, some: Sequence[Prompted]) -> Mapping[str, Any]:
    """Return how answers are read out of replies to these prompts: parameters of the stage that would score them."""
    first, request = some[0].node, chain.request
    for aggregated in chain.scored if request.models else ():
        for prompts, scores in zip(aggregated.each("prompts"), aggregated.each("scores"), strict=True):
            if prompts.name == first.name:
                return scores.params
    return reply_parameters(Part(request, task, first.label("split"), Profile(prompts=request.prompts or "")))


def scorer_of(task: TaskConfig, reading: Mapping[str, Any]) -> TaskScorer:
    """Return the scorer of a task. reading: of `reading_of`. Raises UsageError if models judge its answers."""
    from scrollwork.scoring.registry import metric

    if task.judges:
        raise UsageError(
            f"{task.name} is scored by judging models in this request, which no other tool runs: leave out the options "
            "that name them, and it is scored without"
        )
    own = metric(task.metric)
    if SCORE in own.COMPONENTS:
        raise UsageError(
            f"{task.name}: metric {task.metric} has a component {SCORE!r}, the name of a task's value there"
        )
    named = {name: str(reading[name]) for name in ("tag", "cue", "empty") if reading.get(name)}
    return TaskScorer(task.metric, own.VERSION, **named)
