"""Ask hosted models in batches, between the stages: submit missing requests, wait, and store the answers.

The stages that follow find the answers in the store. Batches that still wait when the time is up remain at the
provider, and the next run collects them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack

from scrollwork.models.base import Call
from scrollwork.models.engine.retry import retry_policy
from scrollwork.models.engine.usage_bounds import Bounds
from scrollwork.models.hosted.batch_steps import BatchSteps
from scrollwork.models.hosted.model import Hosted
from scrollwork.models.hosted.tables import BadTable
from scrollwork.models.registry import BATCHES, client_module, make
from scrollwork.models.vendors.marks import batch_group
from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.calling import CallSettings, stop_of, stops_heeded
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.planner import Planner
from scrollwork.pipeline.session import Locations, Session
from scrollwork.tasks.generate.batch_probe import first_calls, is_new, probe
from scrollwork.tasks.generate.model_batches import ModelBatches
from scrollwork.tasks.generate.pending import Calls

log = logging.getLogger("scrollwork")
FIRST_LOOK_S, LONGEST_LOOK_S = 1.0, 60.0  # between two looks; each wait is 1.5 times the one before


class WantedCalls:
    """The calls of one model's generate stages. own: the model's batches."""

    def __init__(self, calls: Sequence[Calls], own: ModelBatches) -> None:
        self._calls, self._own = calls, own
        self._begun = False

    def bounds(self, keys: Collection[str]) -> dict[str, Bounds]:
        """Return the bounds of these requests' tokens, by key, as far as their prompts are known.

        A request may have a cache breakpoint for a prefix that it shares with a request of another batch, or with one
        that the budget left out, so its neighbours are also taken into account.
        """
        self._begun = True
        for stage in self._calls:
            stage.render_rest()
        beside = (call for stage in self._calls for some in stage.with_neighbours(keys) for call in some)
        return {call.key: self._own.bounds(call) for call in self._own.with_prefixes(beside, 2) if call.key in keys}

    def batches(self, keys: Collection[str]) -> Iterator[list[Call]]:
        """Yield all calls the first time, later those with these keys, or all again if there are no keys."""
        if not self._begun:
            self._begun = True
            for calls in self._calls:
                yield from calls.batches()
            return
        for calls in self._calls:
            calls.render_rest()
            own = {one.key for one in calls.asked}
            if mine := own.intersection(keys) if keys else own:
                yield from calls.batches(mine)


def collect_batches(nodes: Sequence[Node], locations: Locations) -> None:
    """Collect open batches that have ended. With --batch also submit the missing requests of these stages and wait.

    Raises UsageError, StorageError.
    """
    calling = locations.calling
    assert calling is not None, "hosted models are asked with the settings of their run"
    session = Session(locations)
    if not calling.batch and not (session.home.has_store and session.store.open_batches()):
        return
    with ExitStack() as stack:
        all_batches = []
        for model in calling.tables:
            own_batches = open_model_batches(model, calling, session, stack)
            if own_batches is not None:
                own = [
                    node
                    for node in nodes
                    if node.label("model") == model and (calling.batch or inputs_exist(node, session))
                ]
                calls = [calls_of(node, session, calling) for node in own]
                wanted = WantedCalls(calls, own_batches)
                own_batches.bounds_of_requests = wanted.bounds
                if calling.batch and not stop_of(calling).level and is_new(model, calls, session.store):
                    first = first_calls(calls_of(node, session, calling) for node in own)
                    own_batches.stopped = probe(model, calling, session.store, first)
                all_batches.append((own_batches, wanted))
        wake, stop = threading.Event(), stop_of(calling)
        stop.tell(wake.set)
        stack.callback(stop.forget, wake.set)
        with stops_heeded():
            watch(all_batches, calling, wake)


def open_model_batches(model: str, calling: CallSettings, session: Session, stack: ExitStack) -> ModelBatches | None:
    """Return a model's batches, which `stack` will close; None if its provider has no batches, or none need a look.

    Raises UsageError for a bad table with --batch.
    """
    table = calling.tables[model]
    if table["provider"] not in BATCHES:
        return None
    if not calling.batch and not any(one.model == model for one in session.store.open_batches()):
        return None
    module = client_module(table["provider"], BATCHES)
    try:
        policy = retry_policy(table.get("retry", {}))
        steps = BatchSteps(lambda: module.make(model, table), policy, stop_of(calling), wait_s=calling.batch_wait_s)
    except BadTable as error:
        if calling.batch:
            raise UsageError(str(error)) from error
        log.warning("batches of %s are not looked at: %s", model, error)
        return None
    stack.callback(steps.close)
    own_batches = ModelBatches(model, calling, session, steps)
    stack.enter_context(own_batches.at_work())
    return own_batches


def watch(
    all_batches: Sequence[tuple[ModelBatches, WantedCalls]], calling: CallSettings, wake: threading.Event
) -> None:
    """Look up and submit batches until none is left, the time is up, or the run is stopped. wake: ends a pause."""
    began, pause, stop = time.monotonic(), FIRST_LOOK_S, stop_of(calling)
    for own_batches, _ in all_batches:
        own_batches.all_calls_seen = not calling.batch
    while True:
        ended = [own_batches.look() for own_batches, _ in all_batches]
        for own_batches, wanted in all_batches:
            if own_batches.ready and calling.batch and not stop.level:
                keys, own_batches.todo = own_batches.todo if own_batches.all_calls_seen else set(), set()
                own_batches.submit(wanted.batches(keys))
        over = calling.batch_wait_s is not None and time.monotonic() - began >= calling.batch_wait_s
        if not calling.batch or over or stop.level or not any(own_batches.waits for own_batches, _ in all_batches):
            break
        pause = FIRST_LOOK_S if any(ended) else min(1.5 * pause, LONGEST_LOOK_S)
        left = pause if calling.batch_wait_s is None else calling.batch_wait_s - (time.monotonic() - began)
        wake.wait(max(0.0, min(pause, left)))
    for own_batches, _ in all_batches:
        if own_batches.stopped:
            log.warning(
                "%s: %s. What is stored stands; the same command asks the rest", own_batches.model, own_batches.stopped
            )


def inputs_exist(node: Node, session: Session) -> bool:
    """Return whether all inputs of a stage exist."""
    planner = Planner(session)
    return all(planner.status(needed).state == "reused" for needed in node.needs)


def calls_of(node: Node, session: Session, calling: CallSettings) -> Calls:
    """Make the calls of a generate stage whose inputs exist."""
    name = node.params["model"]
    model = make(name, {**calling.tables[name], **node.params["settings"]}, "")
    assert isinstance(model, Hosted)
    inputs = InputArtifacts.of(node, lambda needed: ensure(needed, session, again=False).artifact)
    return Calls(node, model, inputs, session.store, by_prefix=batch_group(calling.tables[name]) > 0)


def unanswered_nodes(nodes: Sequence[Node], locations: Locations, failed: Collection[str]) -> list[Node]:
    """List the incomplete generate stages of hosted models whose inputs did not fail."""
    calling = locations.calling
    tables = calling.tables if calling is not None else {}
    planner = Planner(Session(locations))
    return [
        node
        for node in nodes
        if node.asks
        and node.params["model"] in tables
        and not any(needed.name in failed for needed in node.needs)
        and planner.status(node).state != "reused"
    ]
