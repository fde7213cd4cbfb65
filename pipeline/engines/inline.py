"""Running nodes in order, in this process, without Prefect. prefect.py does the same through Prefect."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from scrollwork.models.hosted.tables import BadTable
from scrollwork.pipeline import progress
from scrollwork.pipeline.build import Built, ensure
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.errors import BadRecord, CodeChanged, Interrupted, UsageError
from scrollwork.pipeline.extras import install_line
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.session import Workshop
from scrollwork.preprocessing.raw.errors import RawError, sayable
from scrollwork.storage.errors import StorageError

log = logging.getLogger("scrollwork")
MESSAGE = 4000  # characters of an error that are kept and shown


@dataclass(frozen=True)
class Finished:
    """How a node ended: reused, built, failed (error says why) or skipped (an input failed)."""

    node: Node
    how: str
    error: str = ""


Engine = Callable[[Plan], list[Finished]]


def run_inline(plan: Plan) -> list[Finished]:
    """One node after another. A failure skips what needs it; everything else goes on."""
    shop = Workshop(plan.locations)
    finished: dict[str, Finished] = {}
    made: dict[str, Built] = {}
    for node in plan.nodes:
        broken = [needed for needed in node.needs if needed.name in finished and finished[needed.name].error]
        if broken:
            finished[node.name] = Finished(node, "skipped", finished[broken[0].name].error)
            continue
        try:
            built = made[node.name] = build_told(node, shop, made)
            finished[node.name] = Finished(node, "reused" if built.reused else "built")
        except Exception as error:
            log.debug("%s failed", node.title, exc_info=True)
            finished[node.name] = Finished(node, "failed", said(error))
    return list(finished.values())


def run_strictly(engine: Engine, plan: Plan) -> list[Finished]:
    """With --strict: what can meet malformed records first, one after another; nothing else after the first that fails.

    So no model is asked before all input is known to be sound, and which record is named depends on no race.
    """
    finished: list[Finished] = []
    for node in (node for node in plan.nodes if node.strict):
        finished += engine(plan.only([node]))
        if finished[-1].error:
            done = {one.node.name for one in finished}
            rest = [node for node in plan.nodes if node.name not in done]
            return [*finished, *(Finished(node, "skipped", finished[-1].error) for node in rest)]
    return [*finished, *engine(plan.only(node for node in plan.nodes if not node.strict))]


def build_told(node: Node, shop: Workshop, made: dict[str, Built] | None = None) -> Built:
    """Build a node and tell its progress. made: as `ensure` takes it. Raises Interrupted once a person has stopped the
    process."""
    if STOP.level:
        raise Interrupted(STOP.reason)
    progress.started(node.title)
    try:
        built = ensure(node, shop, made=made)
    except BaseException:
        progress.ended(node.title, "failed")
        raise
    progress.ended(node.title, "reused" if built.reused else "built")
    return built


def said(error: BaseException) -> str:
    """An error for the person who meets it: expected ones as they are, others with their kind."""
    expected = (RawError, StorageError, BadRecord, CodeChanged, UsageError, BadTable)
    text = install_line(error) or str(error) or "no message"
    return sayable(
        text if isinstance(error, expected) or install_line(error) else f"{type(error).__name__}: {text}", MESSAGE
    )
