"""Run the nodes of a plan from this process, without Prefect. prefect.py does the same through Prefect."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from graphlib import TopologicalSorter
from heapq import heappop, heappush
from math import inf

from scrollwork.pipeline import progress
from scrollwork.pipeline.build import Built, ensure
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.engines.error_text import error_text
from scrollwork.pipeline.engines.processes import Done, Workers, process_outcome
from scrollwork.pipeline.errors import Interrupted
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.session import Session
from scrollwork.storage.in_use import at_work

log = logging.getLogger("scrollwork")


@dataclass(frozen=True)
class Finished:
    """How a node ended.

    how: "reused", "built", "failed" or "skipped" (a node that it needs failed). error: the error of a failed node; of a
    skipped node, the error of the input that failed; else "".
    """

    node: Node
    how: str
    error: str = ""


Engine = Callable[[Plan], list[Finished]]


def run_inline(plan: Plan, processes: Workers | None = None) -> list[Finished]:
    """Build the nodes of a plan and return how each ended, in the order of the plan.

    This process builds them one by one. If `processes` is given, worker processes also build nodes, several at once, as
    soon as `processes.due`. If a node fails, the nodes that need it are skipped; all other nodes are still built.

    Raises StorageError if the home's folder is missing and cannot be made: each stage would fail for it.
    """
    with at_work(plan.locations.home, busy=False):  # exports and estimates build, too, and no run is around them
        return build_all(plan, processes)


def build_all(plan: Plan, processes: Workers | None) -> list[Finished]:
    """Do what `run_inline` says."""
    order = Order(plan, processes.movable if processes is not None else lambda node: False)
    session, made = Session(plan.locations), dict[str, Built]()
    if not session.home.folder.exists():
        session.home.make()
    begun: dict[Future[Done], Node] = {}
    while order.open:
        while processes is not None and processes.due and len(begun) < processes.count and order.movable:
            node = order.movable.pop()
            begun[start_in_process(node, plan, processes)] = node
        if (here := order.next(both=processes is None or not processes.due)) is not None:
            order.end(here, *how_ended(partial(build_here, here, session, made)))
        elif begun:
            wait(begun, return_when=FIRST_COMPLETED)
        for future in [one for one in begun if one.done()]:
            node = begun.pop(future)
            plan.locations.pointers.clear()  # its process may have written one
            order.end(node, *how_ended(partial(stood_elsewhere, node, future)))
    return order.finished()


class Ready:
    """Nodes that can be built now, sorted by their place in the plan."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, Node]] = []

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def place(self) -> float:
        """The place in the plan of the first node; infinity if there is no node."""
        return self._heap[0][0] if self._heap else inf

    def add(self, place: int, node: Node) -> None:
        """Add a node. No two nodes may have the same place."""
        heappush(self._heap, (place, node))

    def pop(self) -> Node:
        """Remove and return the first node. Raises IndexError if there is no node."""
        return heappop(self._heap)[1]


class Order:
    """Knows which nodes of a plan can be built now, and how the finished nodes ended.

    The nodes that can be built now are divided in two: `movable` holds those that a worker process may build, `fixed`
    the others.
    """

    def __init__(self, plan: Plan, movable: Callable[[Node], bool]) -> None:
        self._nodes, self._is_movable = plan.nodes, movable
        self._place = {node.name: place for place, node in enumerate(plan.nodes)}
        inside = [[one.name for one in node.needs if one.name in self._place] for node in plan.nodes]
        self._sorter = TopologicalSorter(dict(zip(self._place, inside, strict=True)))
        self._sorter.prepare()
        self.movable, self.fixed = Ready(), Ready()
        self._ended: dict[str, Finished] = {}
        self._look()

    @property
    def open(self) -> bool:
        """True as long as some nodes have not ended."""
        return self._sorter.is_active()

    def next(self, both: bool) -> Node | None:
        """Remove the first node that can be built now, and return it; return None if there is none.

        both: choose from all these nodes; if False, only from those that must be built in this process.
        """
        first = self.movable if both and self.movable.place < self.fixed.place else self.fixed
        return first.pop() if first else None

    def end(self, node: Node, how: str, error: str = "") -> None:
        """Record how a node ended. Nodes that waited for it can now be built, or are skipped if it failed."""
        self._ended[node.name] = Finished(node, how, error)
        self._sorter.done(node.name)
        self._look()

    def finished(self) -> list[Finished]:
        """Return how all nodes ended, in the order of the plan. Raises KeyError if a node has not ended."""
        return [self._ended[node.name] for node in self._nodes]

    def _look(self) -> None:
        while names := self._sorter.get_ready():
            for name in names:
                node = self._nodes[self._place[name]]
                before = (self._ended[one.name].error for one in node.needs if one.name in self._ended)
                if error := next(filter(None, before), ""):
                    self._ended[name] = Finished(node, "skipped", error)
                    self._sorter.done(name)
                else:
                    (self.movable if self._is_movable(node) else self.fixed).add(self._place[name], node)


def how_ended(work: Callable[[], bool]) -> tuple[str, str]:
    """Call `work` and return (how its node ended, the error message or "").

    work: builds the node and returns whether its artifact was reused. An exception makes the node "failed".
    """
    try:
        return "reused" if work() else "built", ""
    except Exception as error:
        log.debug("a stage failed", exc_info=True)
        return "failed", error_text(error)


def build_here(node: Node, session: Session, made: dict[str, Built]) -> bool:
    """Build a node in this process, add the result to `made`, and return whether the artifact was reused."""
    built = made[node.name] = build_told(node, session, made)
    return built.reused


def start_in_process(node: Node, plan: Plan, processes: Workers, file: str = "") -> Future[Done]:
    """Report that a node begins, and let a worker process build it.

    file: name of the plan's file; if "", `processes` writes one. After Ctrl-C no process is asked; the returned future
    raises Interrupted.
    """
    progress.started(node.title)
    if not STOP.level:
        return processes.submit(node, plan, file)
    stopped: Future[Done] = Future()
    stopped.set_exception(Interrupted(STOP.reason))
    return stopped


def stood_elsewhere(node: Node, future: Future[Done]) -> bool:
    """Wait for a node that a worker process builds; return whether it was reused (see `built_elsewhere`)."""
    return built_elsewhere(node, future)[1]


def built_elsewhere(node: Node, future: Future[Done]) -> tuple[str, bool]:
    """Wait for a node that a worker process builds, and report how it ended.

    Returns (content key, whether the artifact was reused). Raises FailedElsewhere if the stage failed or its process
    died, Interrupted after Ctrl-C.
    """
    try:
        content, reused = process_outcome(future)
    except BaseException as error:
        progress.ended(node.title, "stopped" if stopped_by(error) else "failed")
        raise
    progress.ended(node.title, "reused" if reused else "built")
    return content, reused


def stopped_by(error: BaseException) -> bool:
    """Return whether a stage ended because the user stopped the run: no failure of its own."""
    return isinstance(error, (Interrupted, KeyboardInterrupt))


def run_strictly(engine: Engine, plan: Plan) -> list[Finished]:
    """Run a plan with --strict: first the nodes that read raw records, one by one. Stop at the first that fails.

    If one fails, all remaining nodes of the plan are skipped. So no model is asked before all input is known to be
    valid, and the record that the error names does not depend on timing.
    """
    finished: list[Finished] = []
    for node in (node for node in plan.nodes if node.strict):
        finished += engine(plan.only([node]))
        if finished[-1].error:
            done = {one.node.name for one in finished}
            rest = [node for node in plan.nodes if node.name not in done]
            return [*finished, *(Finished(node, "skipped", finished[-1].error) for node in rest)]
    return [*finished, *engine(plan.only(node for node in plan.nodes if not node.strict))]


def build_told(node: Node, session: Session, made: dict[str, Built] | None = None) -> Built:
    """Build a node in this process, and report its beginning and its end.

    made: see `ensure`. Raises Interrupted after Ctrl-C, and every error of the stage.
    """
    if STOP.level:
        raise Interrupted(STOP.reason)
    progress.started(node.title)
    try:
        built = ensure(node, session, made=made)
    except BaseException as error:
        progress.ended(node.title, "stopped" if stopped_by(error) else "failed")
        raise
    progress.ended(node.title, "reused" if built.reused else "built")
    return built
