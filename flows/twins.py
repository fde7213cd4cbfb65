"""Tasks that stand in two suites: both take the smaller thresholds of their categories (the Dolce paper, section 3.3).

L-Eval and LongBench both have Qasper, NarrativeQA, MultiNews, GovReport and QMSum. Thresholds depend on the largest
context of a task, so the fit of one needs the windows that were chosen of the other: its stage `sample`, of which
nothing is asked. A twin whose raw files are not here, or which fails, is left out, and the task has thresholds of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scrollwork.pipeline.engines.inline import Engine, Finished
from scrollwork.pipeline.plan import Plan
from scrollwork.suites.parts import Part
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import Suite, TaskConfig


def twins_of(suite: Suite, task: TaskConfig) -> list[TaskConfig]:
    """The tasks of the same name in other suites of the paper, where its contexts are observed."""
    name, own = task.paper.get("task"), task.paper.get("suite")
    others = [one for one in suite.tasks.values() if one.windows and one.paper.get("task") == name]
    return [one for one in others if one.paper["suite"] != own] if task.windows and name else []


def twin_part(request: Request, twin: TaskConfig, split: str) -> Part | None:
    """What the sample of a twin is of, as the request chooses it; None where it has no such split. One that was not
    asked for has its own units, and its malformed records end nothing."""
    if split not in twin.splits:
        return None
    asked = twin in request.chosen_tasks()
    return Part(request if asked else replace(request, units="", strict=False), twin, split)


def without_failed_twins(request: Request, finished: Sequence[Finished], engine: Engine, plan: Plan) -> list[Finished]:
    """How stages ended, fits that were skipped for a twin alone made without it. A twin that was not asked for and
    failed is no failure of the request."""
    ended = {one.node.name: one for one in finished}
    failed = {name for name, one in ended.items() if one.error}
    alone = []
    for one in finished:
        broken = {node.name for node in one.node.each("twin") if node.name in failed}
        own = [(name, tuple(node for node in nodes if node.name not in broken)) for name, nodes in one.node.inputs]
        if broken and not any(node.name in failed for _, nodes in own for node in nodes):
            alone.append(replace(one.node, inputs=tuple((name, nodes) for name, nodes in own if nodes)))
    ended |= {one.node.name: one for one in (engine(plan.only(alone)) if alone else ())}
    twins = {node.label("task") for one in finished for node in one.node.each("twin")}
    unasked = twins.difference(task.name for task in request.chosen_tasks())
    return [one for one in ended.values() if not one.error or one.node.label("task") not in unasked]
