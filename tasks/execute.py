"""Stages as Prefect tasks. The only module of this room that knows Prefect.

Prefect shows and schedules; storage remembers. A task whose artifact stands returns at once in the state `Reused`, so a
retried flow run, a second call and a nightly run all do only what is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.states import Completed
from prefect.task_runners import ThreadPoolTaskRunner

from tasks.calling import calling_of
from tasks.engine import Finished, build_told, said
from tasks.graph import Node
from tasks.request import Request
from tasks.workshop import Locations, Workshop

SIDE_BY_SIDE = 2  # stages at once: they share one interpreter, so more would only wait for each other


def side_by_side() -> Any:
    """The task runner of the flows: a few threads of this process."""
    return ThreadPoolTaskRunner(max_workers=SIDE_BY_SIDE)


def run_stage(node: Node, locations: Locations) -> Any:
    """Build one node. Returns its content key, as the state `Reused` where the artifact stood already."""
    logger = get_run_logger()
    own = logging.getLogger("scrollwork")
    handler = _Forward(logger)
    own.addHandler(handler)
    provide_secrets(node, locations)
    try:
        built = build_told(node, Workshop(locations))
    finally:
        own.removeHandler(handler)
    if built.reused:
        return Completed(name="Reused", message=f"artifact {built.content[:12]} stands", data=built.content)
    logger.info("%s: built %s", node.title, built.content[:12])
    return built.content


def provide_secrets(node: Node, locations: Locations) -> None:
    """Read the key of a hosted model from the Prefect Secret block that its table names (`key_secret`)."""
    table = locations.calling.tables.get(node.label("model"), {}) if locations.calling else {}
    if node.stage == "generate":
        provide_secret_of(table)


def provide_secrets_for_batches(request: Request) -> None:
    """The same for what is asked between the stages, in the flow itself. A block that cannot be read is told of where
    the key is missing."""
    for table in calling_of(request).tables.values():
        with suppress(ValueError):
            provide_secret_of(table)


def provide_secret_of(table: Mapping[str, Any]) -> None:
    """Raises ValueError where there is no such block."""
    if block := table.get("key_secret"):
        from prefect.blocks.system import Secret

        from models.tables import provide_secret

        provide_secret(block, cast(Secret[str], Secret.load(block)).get())


class _Forward(logging.Handler):
    """Shows the house's warnings in the log of the task run."""

    def __init__(self, logger: Any) -> None:
        super().__init__(logging.WARNING)
        self._logger = logger

    def emit(self, record: logging.LogRecord) -> None:
        self._logger.log(record.levelno, record.getMessage())


def run_prefect(nodes: Sequence[Node], locations: Locations) -> list[Finished]:
    """Every node as a task of the running flow; those that do not wait for another run side by side."""
    futures: dict[str, PrefectFuture[Any]] = {}
    for node in nodes:
        before = [futures[needed.name] for _, needed in node.inputs if needed.name in futures]
        futures[node.name] = stage_task(node).submit(node, locations, wait_for=before)
    finished: dict[str, Finished] = {}
    for node in nodes:
        finished[node.name] = how_ended(node, futures[node.name], finished)
    return list(finished.values())


def stage_task(node: Node) -> Any:
    """The Prefect task of a node, named and tagged for the UI."""
    tags = [value for name, value in node.labels if name in ("suite", "task", "model")]
    named = task(name=node.stage, task_run_name=node.title, tags=tags, persist_result=False, cache_policy=NO_CACHE)
    return named(run_stage)


def how_ended(node: Node, future: PrefectFuture[Any], before: dict[str, Finished]) -> Finished:
    """How a task run ended, with the error of the stage that failed first."""
    future.wait()
    state = future.state
    if state.is_completed():
        return Finished(node, "reused" if state.name == "Reused" else "built")
    broken = [before[needed.name] for _, needed in node.inputs if needed.name in before and before[needed.name].error]
    if broken:
        return Finished(node, "skipped", broken[0].error)
    try:
        future.result()
    except BaseException as error:
        return Finished(node, "failed", said(error))
    return Finished(node, "failed", f"ended in state {state.name}")


def show_leaderboard(suite: str, markdown: str) -> None:
    """The leaderboard as a markdown artifact of the flow run."""
    create_markdown_artifact(
        markdown, key=f"leaderboard-{suite}".replace("_", "-"), description=f"Leaderboard of {suite}"
    )
