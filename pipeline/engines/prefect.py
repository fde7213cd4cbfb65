"""Stages as Prefect tasks. The only module of this room that knows Prefect.

Prefect shows and schedules; storage remembers. A task whose artifact exists returns at once in the state `Reused`, so a
retried flow run, a second call and a nightly run all do only what is missing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, cast

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.states import Completed
from prefect.task_runners import ThreadPoolTaskRunner

from scrollwork.pipeline import progress
from scrollwork.pipeline.engines.error_text import error_text
from scrollwork.pipeline.engines.inline import Finished, build_told, built_elsewhere, start_in_process
from scrollwork.pipeline.engines.processes import Processes, worker_count
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.plan_files import plan_file, plan_of
from scrollwork.pipeline.session import Locations, Session

TOLD_EVERY_S = 30.0
AT_LEAST = 2  # stages at once even on one core: some only wait for a vendor
_processes: dict[str, Processes] = {}  # of the plans that this process runs, by their files


def side_by_side(count: int | None = None) -> Any:
    """The task runner of the flows: `count` threads, by default one a core, each running one stage.

    A thread hands stages that take CPU to worker processes (processes.py). Prefect's own process pool takes ten seconds
    to start, and cannot keep stages in one process that must share it."""
    return ThreadPoolTaskRunner(max_workers=count or max(AT_LEAST, worker_count()))


def run_stage(name: str, file: str, locations: Locations) -> Any:
    """Build node `name` of the plan in `file`. Returns its content key, or the state `Reused` if the artifact existed.
    locations: without `calling`, which is in the file."""
    logger = get_run_logger()
    plan = plan_of(file, locations)
    node, calling = plan.by_name[name], plan.locations.calling
    own = logging.getLogger("scrollwork")
    handler = _Forward(logger)
    own.addHandler(handler)
    told = ProgressLog(node.title, logger.info) if node.asks else nullcontext()
    try:
        if node.asks and calling is not None:
            model = node.label("model")
            provide_secrets({model: calling.tables.get(model, {})})
        processes = _processes.get(file)
        with told:
            if processes is not None and processes.due and processes.movable(node):
                content, reused = built_elsewhere(node, start_in_process(node, plan, processes, file))
            else:
                built = build_told(node, Session(plan.locations))
                content, reused = built.content, built.reused
    finally:
        own.removeHandler(handler)
    if reused:
        return Completed(name="Reused", message=f"artifact {content[:12]} stands", data=content)
    logger.info("%s: built %s", node.title, content[:12])
    return content


class ProgressLog:
    """Log the progress of a stage that asks a model, every 30 seconds and at its end: answered, failed, spent. Logs
    nothing if nothing was asked."""

    def __init__(self, title: str, say: Callable[[str], None], every_s: float = TOLD_EVERY_S) -> None:
        self._title, self._say, self._every_s = title, say, every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name="scrollwork-told", daemon=True)

    def __enter__(self) -> None:
        progress.watch(self._title)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._tell()
        progress.unwatch(self._title)

    def _go_on(self) -> None:
        while not self._over.wait(self._every_s):
            self._tell()

    def _tell(self) -> None:
        if (standing := progress.standing(self._title)) is not None:
            self._say(f"{self._title}: {standing}")


def provide_secrets(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Read the keys of hosted models from the Prefect Secret blocks that their tables name (`key_secret`). Raises
    UsageError, naming model and block, where there is none."""
    for model, table in tables.items():
        if block := table.get("key_secret"):
            from prefect.blocks.system import Secret

            from scrollwork.models.hosted.tables import provide_secret

            try:
                secret = cast(Secret[str], Secret.load(block))
            except ValueError as error:
                raise UsageError(
                    f"model {model!r}: no key; Prefect has no Secret block {block!r}: make it in the UI, or in Python "
                    f"with Secret(value=...).save({block!r})"
                ) from error
            provide_secret(block, secret.get())


class _Forward(logging.Handler):
    """Shows scrollwork's warnings in the log of the task run."""

    def __init__(self, logger: Any) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        self._logger.log(record.levelno, record.getMessage())


def run_prefect(plan: Plan, processes: Processes | None = None) -> list[Finished]:
    """Run every node as a task of the running flow. Nodes that do not wait for each other run at the same time, in
    `processes` once these are due."""
    futures: dict[str, PrefectFuture[Any]] = {}
    finished: dict[str, Finished] = {}
    locations = replace(plan.locations, calling=None)
    with plan_file(plan) as file, at_hand(file, processes):
        for node in plan.nodes:
            before = [futures[needed.name] for needed in node.needs if needed.name in futures]
            futures[node.name] = stage_task(node).submit(node.name, file, locations, wait_for=before)
        for node in plan.nodes:
            finished[node.name] = how_ended(node, futures[node.name], finished)
    return list(finished.values())


@contextmanager
def at_hand(file: str, processes: Processes | None) -> Iterator[None]:
    """Let the tasks of the plan in `file` find these worker processes."""
    if processes is not None:
        _processes[file] = processes
    try:
        yield
    finally:
        _processes.pop(file, None)


def stage_task(node: Node) -> Any:
    """The Prefect task of a node, named and tagged for the UI."""
    tags = [value for name, value in node.labels if name in ("suite", "task", "model")]
    named = task(name=node.stage, task_run_name=node.title, tags=tags, persist_result=False, cache_policy=NO_CACHE)
    return named(run_stage)


def how_ended(node: Node, future: PrefectFuture[Any], before: dict[str, Finished]) -> Finished:
    """How a task run ended. before: nodes that ended earlier; a skipped node has the error of the input that failed."""
    future.wait()
    state = future.state
    if state.is_completed():
        return Finished(node, "reused" if state.name == "Reused" else "built")
    broken = [before[needed.name] for needed in node.needs if needed.name in before and before[needed.name].error]
    if broken:
        return Finished(node, "skipped", broken[0].error)
    try:
        future.result()
    except BaseException as error:
        return Finished(node, "failed", error_text(error))
    return Finished(node, "failed", f"ended in state {state.name}")


def show_leaderboard(suite: str, markdown: str) -> None:
    """Add the leaderboard to the flow run as a Markdown artifact."""
    create_markdown_artifact(
        markdown, key=f"leaderboard-{suite}".lower().replace("_", "-"), description=f"Leaderboard of {suite}"
    )
