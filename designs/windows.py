"""Problems are observed through windows of their contexts, to say where the evidence lies: Dolce.

Tasks that stand in two suites take the smaller thresholds of both for their categories (the Dolce paper, section 3.3).
L-Eval and LongBench both have Qasper, NarrativeQA, MultiNews, GovReport and QMSum. Thresholds depend on the largest
context of a task, so the fit of one needs the windows that were chosen of the other, its twin: its stage `sample`, of
which nothing is asked. A twin whose raw files are not here, or which fails, is left out, and the task has thresholds of
its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scrollwork.designs.fixed import Fixed
from scrollwork.pipeline.errors import UsageError
from scrollwork.records.prompt import CLOSED_BOOK
from scrollwork.suites.options import option

if TYPE_CHECKING:
    from scrollwork.flows.chains import Chain
    from scrollwork.pipeline.design import Design, Engine
    from scrollwork.pipeline.engines.inline import Finished
    from scrollwork.pipeline.plan import Node
    from scrollwork.suites.parts import Part
    from scrollwork.suites.request import Request
    from scrollwork.suites.suite_files import Suite, TaskConfig


GROUP = "windows of contexts (dolce)"


@dataclass(frozen=True)
class Options:
    """Which windows of contexts are observed."""

    strategy: str | None = option(
        None,
        "which windows are observed: all, take:N, sample:R, take-ip[:N], sample-ip[:R], short, long or wide; several "
        "joined by + (default: all)",
        group=GROUP,
        metavar="S",
    )
    units: str | None = option(
        None,
        "contexts in other units than the task's own, of those that it has (`dolce units`), e.g. o for a passage each",
        group=GROUP,
        metavar="SPEC",
    )


class Windows(Fixed):
    """An input is one window of a problem's context."""

    options = Options
    group = GROUP
    does = "observe windows of its contexts"
    modules = {  # noqa: RUF012
        "dataset": "scrollwork.exchange.windows.problems",
        "export observations": "scrollwork.exchange.windows.observations",
        "estimate --strategies": "scrollwork.readings.windows.strategies",
        "report: stage after each score": "scrollwork.tasks.complexity.run",
        "run": "scrollwork.cli.dolce.tables",
        "run --json": "scrollwork.readings.windows.complexity_json",
    }
    curate = "scrollwork.tasks.curate.windows"
    prompt = "scrollwork.tasks.prompt.windows"
    score = "scrollwork.tasks.score.windows"
    sections = (*Fixed.sections, "scrollwork.tasks.report.windows")

    def check(self, request: Request) -> None:
        """Raise UsageError for an unknown strategy or unknown units, and for a closed book beside windows."""
        own: Options = request.of_design
        if CLOSED_BOOK in request.arms:
            raise UsageError(f"--arm {CLOSED_BOOK}: windows of length 0 are the closed book of {request.suite}")
        if own.units:
            try:
                for task in request.chosen_tasks():
                    task.observed(own.units)
            except ValueError as error:
                raise UsageError(f"--units: {error}; name tasks that have it: --task T") from None
        if own.strategy:
            from scrollwork.preprocessing.windows.spans import strategy

            try:
                strategy(own.strategy)
            except ValueError as error:
                raise UsageError(f"--strategy: {error}") from None

    def sample(self, chain: Chain, part: Part) -> Node:
        """Return the node that selects the strategy's windows of the chosen problems' contexts."""
        from scrollwork.tasks.sample import windows

        own: Options = part.request.of_design
        return windows.declare(part, chain.curate(part), own.strategy or "all", own.units or "")

    def after_each_score(self, chain: Chain, aggregated: Node) -> list[Node]:
        """Return the node that fits lambda, k and category to an aggregate's problems; it also reads the task's twins
        whose raw files are here."""
        from scrollwork.tasks.complexity import run as complexity

        request, split = chain.request, aggregated.label("split")
        others = twins_of(request.config, request.config.tasks[aggregated.label("task")])
        chosen = [chain.sample(part) for one in others if (part := twin_part(request, one, split)) is not None]
        here = [node for node in chosen if chain.at_first.status(node).problem is None]
        return [complexity.declare(aggregated, here)]

    def finish_partial(self, chain: Chain, finished: Sequence[Finished], engine: Engine) -> list[Finished]:
        """Build again, without the twin, fits that were skipped for a failed twin alone. A twin that was not asked for
        and failed is no failure of the request."""
        ended = {one.node.name: one for one in finished}
        failed = {name for name, one in ended.items() if one.error}
        alone = []
        for one in finished:
            broken = {node.name for node in one.node.each("twin") if node.name in failed}
            own = [(name, tuple(node for node in nodes if node.name not in broken)) for name, nodes in one.node.inputs]
            if broken and not any(node.name in failed for _, nodes in own for node in nodes):
                alone.append(replace(one.node, inputs=tuple((name, nodes) for name, nodes in own if nodes)))
        ended |= {one.node.name: one for one in (engine(chain.only(alone)) if alone else ())}
        twins = {node.label("task") for one in finished for node in one.node.each("twin")}
        unasked = twins.difference(task.name for task in chain.request.chosen_tasks())
        return [one for one in ended.values() if not one.error or one.node.label("task") not in unasked]

    def units(self, task: TaskConfig) -> Any:
        """Return the units of the task's own granularity."""
        return task.windows["units"]

    def reply_parameters(self, task: TaskConfig, texts: Mapping[str, Any]) -> Mapping[str, Any]:
        """extractor: how an answer is read. unknown: what says that a window tells nothing."""
        return {name: task.windows[name] for name in ("extractor", "unknown") if name in task.windows}

    def column(self, task: TaskConfig, asked: bool) -> Mapping[str, Any] | None:
        """Return the units of the task's contexts; None for a task that was not asked for, as there are forty-four."""
        return {"units": task.windows["units"]} if asked else None

    def refuse_ids(self, suite: Suite, what: str, runs: bool = False) -> None:
        """Raise UsageError: an example id does not say which window an answer belongs to."""
        raise UsageError(
            f"{what}: inputs of {suite.name} are asked on many windows of their contexts, and the format names an "
            f"input by its id alone; export observations writes a row a window"
        )

    def caution(self, request: Request) -> str:
        """Warn where no strategy is given: all windows are asked."""
        if request.of_design.strategy:
            return ""
        return (
            "no --strategy: every window of every context is asked, thousands a problem; `estimate` tells what that "
            "costs, --budget stops it there, --strategy take:20 asks a twentieth"
        )

    def remarks(self, request: Request, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
        """Return a line for each task whose twin in another suite is not here: its thresholds may be too large."""
        alone = dict.fromkeys(row["task"] for row in tables.get("mixtures", ()) if not row["twins"])
        others = {name: twins_of(request.config, request.config.tasks[name]) for name in alone}
        return [
            f"{name}: thresholds of its own contexts alone; the paper takes the smaller ones of it and of "
            f"{', '.join(one.name for one in twins)}, of which there are no problems here"
            for name, twins in others.items()
            if twins
        ]

    def page(self, suite: Suite) -> Mapping[str, Any]:
        """Say that problems are observed through windows."""
        return {"observed": True}


def twins_of(suite: Suite, task: TaskConfig) -> list[TaskConfig]:
    """Return the tasks of the same name in other suites of the paper."""
    name, own = task.paper.get("task"), task.paper.get("suite")
    others = [one for one in suite.tasks.values() if one.paper.get("task") == name]
    return [one for one in others if one.paper["suite"] != own] if name else []


def twin_part(request: Request, twin: TaskConfig, split: str) -> Part | None:
    """Return the part that the sample of a twin is declared for, as the request chooses it; None where it has no such
    split. A twin that was not asked for has its own units, and its malformed records end nothing."""
    if split not in twin.splits:
        return None
    from scrollwork.suites.parts import Part

    if twin in request.chosen_tasks():
        return Part(request, twin, split)
    own = replace(request.of_design, units=None)
    return Part(replace(request, of_design=own, strict=False), twin, split)


DESIGN: Design = Windows()
