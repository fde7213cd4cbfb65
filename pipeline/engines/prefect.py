"""Run stages as Prefect tasks. No other module of pipeline/ imports Prefect.

Prefect schedules the stages and shows their states; our storage remembers the results. If the artifact of a task
exists, the task ends at once in the state `Reused`. So a retry of a flow run, a second run and a nightly run all do
only what is missing.
"""

from __future__ import annotations

import contextvars
import logging
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_progress_artifact, update_progress_artifact
from prefect.cache_policies import NO_CACHE
from prefect.context import FlowRunContext
from prefect.exceptions import TerminationSignal
from prefect.futures import PrefectFuture
from prefect.settings import PREFECT_API_REQUEST_TIMEOUT, PREFECT_CLIENT_MAX_RETRIES, temporary_settings
from prefect.states import Completed
from prefect.task_runners import ThreadPoolTaskRunner

from scrollwork.pipeline import progress
from scrollwork.pipeline.calling import BY_SIGTERM, STOP, STOPPING
from scrollwork.pipeline.engines.error_text import error_text
from scrollwork.pipeline.engines.inline import Finished, build_told, built_elsewhere, start_in_process
from scrollwork.pipeline.engines.processes import Workers, worker_count
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.plan_files import plan_file, plan_of
from scrollwork.pipeline.session import Locations, Session
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.reporting.page.text import markdown_text

TOLD_EVERY_S = 30.0
SHOWN_EVERY_S = 10.0  # between two states of a progress artifact
KEY_CHARS = 100  # of an artifact's key
ANSWER_S = 10.0  # how long Prefect may take for one, and a stage for its last one
ENDING_S = 10.0  # for stages that run when a process is to end
AT_LEAST = 2  # stages that run at the same time, even on one core: some only wait for a vendor
_asking: set[str] = set()  # titles of the stages that ask models now
_processes: dict[str, Workers] = {}  # worker processes of the plans that this process runs, by the plan's file


def side_by_side(count: int | None = None) -> Any:
    """Return the task runner of the flows: `count` threads, each of which runs one stage at a time.

    By default there are as many threads as worker processes (`worker_count`), at least AT_LEAST. A thread hands a stage
    that needs a CPU to a worker process (processes.py). Prefect's own process pool is not used: it takes ten seconds to
    start, and it cannot keep stages in one process that must share it.
    """
    runner: Any = ThreadPoolTaskRunner(max_workers=count or max(AT_LEAST, worker_count()))
    runner.logger.addFilter(is_told)
    return runner


def is_told(record: logging.LogRecord) -> bool:
    """Return whether a message of Prefect's task runner is for the log: not that tasks with as many tags as there are
    threads may lock each other, which it writes for each stage. Only tasks that start others can, and no stage does."""
    return "This may lead to dead-locks" not in record.getMessage()


def run_stage(name: str, file: str, locations: Locations) -> Any:
    """Build the node `name` of the plan in `file`, as a Prefect task.

    Returns the content key of the artifact; if the artifact existed already, the state `Reused` with that key.
    locations: without `calling`, which is read from the file. Raises the stage's errors, FailedElsewhere, Interrupted,
    and UsageError if a model's key is missing.
    """
    logger = get_run_logger()
    plan = plan_of(file, locations)
    node, calling = plan.by_name[name], plan.locations.calling
    own = logging.getLogger("scrollwork")
    handler = _Forward(logger)
    own.addHandler(handler)
    shown = ProgressShown(node.title, logger.warning)
    told = ProgressLog(node.title, logger.info, shown) if node.asks else nullcontext()
    try:
        if node.asks and calling is not None:
            model = node.label("model")
            provide_secrets({model: calling.tables.get(model, {})})
            _asking.add(node.title)
        processes = _processes.get(file)
        with told:
            if processes is not None and processes.due and processes.movable(node):
                content, reused = built_elsewhere(node, start_in_process(node, plan, processes, file))
            else:
                built = build_told(node, Session(plan.locations))
                content, reused = built.content, built.reused
    finally:
        _asking.discard(node.title)
        own.removeHandler(handler)
    if reused:
        return Completed(name="Reused", message=f"artifact {content[:12]} stands", data=content)
    logger.info("%s: built %s", node.title, content[:12])
    return content


class ProgressLog:
    """While its block runs, log the progress of a stage that asks a model: answered, failed, spent.

    It logs every `every_s` seconds and at the end of the block. It logs nothing before the stage has reported any
    progress. say: writes one line to the log. show: takes the progress every `shown_every_s` seconds and at the end,
    in a thread of its own, which the end of the block waits for ANSWER_S at most.
    """

    def __init__(
        self,
        title: str,
        say: Callable[[str], None],
        show: Callable[[progress.Standing], None] | None = None,
        every_s: float = TOLD_EVERY_S,
        shown_every_s: float = SHOWN_EVERY_S,
    ) -> None:
        self._title, self._say = title, say
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._go_on, name="scrollwork-told", args=(every_s,), daemon=True)]
        if show is not None:
            there = contextvars.copy_context()  # an artifact belongs to the task run of this context
            arguments = (self._show, show, shown_every_s)
            self._threads.append(
                threading.Thread(target=there.run, name="scrollwork-shown", args=arguments, daemon=True)
            )

    def __enter__(self) -> None:
        progress.watch(self._title)
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(ANSWER_S)
        self._tell()
        progress.unwatch(self._title)

    def _go_on(self, every_s: float) -> None:
        while not self._over.wait(every_s):
            self._tell()

    def _show(self, show: Callable[[progress.Standing], None], every_s: float) -> None:
        last, over = None, False
        while not over:
            over = self._over.wait(every_s)
            if (standing := progress.standing(self._title)) not in (None, last):
                assert standing is not None
                show(standing)
                last = standing

    def _tell(self) -> None:
        if (standing := progress.standing(self._title)) is not None:
            self._say(f"{self._title}: {standing}")


class ProgressShown:
    """Shows the progress of a stage as a Prefect artifact of the task run: made at first, then updated.

    Prefect may be away or slow: that is warned of once, and the stage goes on. warn: writes one line to the log.
    """

    def __init__(self, title: str, warn: Callable[[str], None]) -> None:
        self._title, self._warn = title, warn
        self._artifact: UUID | None = None
        self._warned = False

    def __call__(self, standing: progress.Standing) -> None:
        """Show a state."""
        percent = round(100 * standing.done / standing.total, 1) if standing.total > 0 else 0.0
        told = f"{markdown_text(self._title)}: {markdown_text(str(standing))}"
        try:
            with temporary_settings({PREFECT_API_REQUEST_TIMEOUT: ANSWER_S, PREFECT_CLIENT_MAX_RETRIES: 0}):
                if self._artifact is None:
                    key = re.sub(r"[^a-z0-9]+", "-", self._title.lower()).strip("-")[:KEY_CHARS]
                    self._artifact = cast(UUID, create_progress_artifact(percent, key or None, told))
                else:
                    update_progress_artifact(self._artifact, percent, description=told)
        except Exception as error:  # whatever Prefect says
            if not self._warned:
                self._warn(f"{self._title}: its progress is not shown: {type(error).__name__}: {printable(str(error))}")
            self._warned = True


def provide_secrets(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Read the keys of hosted models from the Prefect Secret blocks that their tables name (`key_secret`).

    tables: by model name; a table without `key_secret` is passed over. Raises UsageError, which names the model and the
    block, if Prefect has no such block.
    """
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
    """Passes scrollwork's warnings and errors on to the log of the Prefect task run."""

    def __init__(self, logger: Any) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        self._logger.log(record.levelno, record.getMessage())


@contextmanager
def forwarded(name: str) -> Iterator[None]:
    """While the block runs, pass the warnings of a logger on to the log of the flow run. name: of the logger."""
    own, handler = logging.getLogger(name), _Forward(get_run_logger())
    own.addHandler(handler)
    try:
        yield
    finally:
        own.removeHandler(handler)


def log_warnings(texts: Iterable[str]) -> None:
    """Write sentences into the log of the flow run."""
    logger = get_run_logger()
    for text in texts:
        logger.warning("%s", text)


def run_prefect(plan: Plan, processes: Workers | None = None) -> list[Finished]:
    """Run each node as a task of the current flow, and return how each ended, in the order of the plan.

    Nodes that do not need each other run at the same time; as soon as `processes` are due, worker processes build them.
    """
    futures: dict[str, PrefectFuture[Any]] = {}
    finished: dict[str, Finished] = {}
    locations = replace(plan.locations, calling=None)
    with plan_file(plan) as file, at_hand(file, processes), answers_awaited():
        for node in plan.nodes:
            before = [futures[needed.name] for needed in node.needs if needed.name in futures]
            futures[node.name] = stage_task(node).submit(node.name, file, locations, wait_for=before)
        for node in plan.nodes:
            finished[node.name] = how_ended(node, futures[node.name], finished)
    return list(finished.values())


@contextmanager
def answers_awaited() -> Iterator[None]:
    """When SIGTERM ends the block, send no more, as after Ctrl-C, and let the stages that ask models store the answers
    in flight first. `scrollwork down` sends it, a cancellation in Prefect's UI, `docker stop` and schedulers of
    clusters, most of which kill some seconds later. Another SIGTERM changes nothing.

    Prefect then waits for the stages that run. In the process of a deployed run they have ENDING_S: what they have
    written so far is nothing, or stands."""
    try:
        yield
    except TerminationSignal:
        usual = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        over = 0.0  # when the stages that ask must have stored what came
        if STOP.heard:
            logging.getLogger("scrollwork").warning("SIGTERM: %s", STOPPING)
            over = float("inf")
        if not STOP.level:  # a second time would cancel what is in flight
            STOP.set(BY_SIGTERM)
        try:
            while _asking and time.monotonic() < over:
                time.sleep(0.1)
                if not STOP.heard:
                    over = min(over, time.monotonic() + ANSWER_S)
        finally:
            signal.signal(signal.SIGTERM, usual)
            context = FlowRunContext.get()
            if context is not None and context.flow_run is not None and context.flow_run.deployment_id is not None:
                end = threading.Timer(ENDING_S, os._exit, [128 + signal.SIGTERM])
                end.daemon = True
                end.start()
        raise


@contextmanager
def at_hand(file: str, processes: Workers | None) -> Iterator[None]:
    """While the block runs, let the tasks of the plan in `file` find these worker processes."""
    if processes is not None:
        _processes[file] = processes
    try:
        yield
    finally:
        _processes.pop(file, None)


def stage_task(node: Node) -> Any:
    """Return the Prefect task of a node, with the name and the tags that Prefect's UI shows."""
    tags = [value for name, value in node.labels if name in ("suite", "task", "model")]
    named = task(name=node.stage, task_run_name=node.title, tags=tags, persist_result=False, cache_policy=NO_CACHE)
    return named(run_stage)


def how_ended(node: Node, future: PrefectFuture[Any], before: dict[str, Finished]) -> Finished:
    """Wait for a task run and return how its node ended.

    before: how earlier nodes ended, by name. A skipped node has the error of its first input that failed or was
    skipped.
    """
    future.wait()
    state = future.state
    if state.is_completed():
        return Finished(node, "reused" if state.name == "Reused" else "built")
    broken = [before[needed.name] for needed in node.needs if needed.name in before and before[needed.name].error]
    if broken:
        return Finished(node, "skipped", broken[0].error)
    try:
        future.result()
    except TerminationSignal:  # of this process, not of the stage
        raise
    except BaseException as error:
        return Finished(node, "failed", error_text(error))
    return Finished(node, "failed", f"ended in state {state.name}")


def show_leaderboard(suite: str, markdown: str) -> None:
    """Add the leaderboard, a Markdown text, to the flow run as a Prefect artifact."""
    create_markdown_artifact(
        markdown, key=f"leaderboard-{suite}".lower().replace("_", "-"), description=f"Leaderboard of {suite}"
    )
