"""Run the nodes of a plan in order, in this process, without Prefect. prefect.py does the same through Prefect."""

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
from scrollwork.pipeline.engines.processes import Done, Processes, process_outcome
from scrollwork.pipeline.errors import Interrupted
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.session import Session

log = logging.getLogger("scrollwork")


@dataclass(frozen=True)
class Finished:
    """How a node ended: reused, built, failed (error says why) or skipped (an input failed)."""

    node: Node
    how: str
    error: str = ""


Engine = Callable[[Plan], list[Finished]]


def run_inline(plan: Plan, processes: Processes | None = None) -> list[Finished]:
    """Build the nodes one by one in this process, or several at once in `processes` once these are due. If a node
    fails, the nodes that need it are skipped; everything else goes on."""
    order = Order(plan, processes.movable if processes is not None else lambda node: False)
    session, made = Session(plan.locations), dict[str, Built]()
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
            order.end(node, *how_ended(partial(stood_elsewhere, node, future)))
    return order.finished()


class Ready:
    """Nodes that can be built now, in the order of the plan."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, Node]] = []

    def __bool__(self) -> bool:
        return bool(self._heap)

    @property
    def place(self) -> float:
        """Place in the plan of the first node; infinite where there is none."""
        return self._heap[0][0] if self._heap else inf

    def add(self, place: int, node: Node) -> None:
        """Add a node. Places are unique."""
        heappush(self._heap, (place, node))

    def pop(self) -> Node:
        """Remove and return the first node."""
        return heappop(self._heap)[1]


class Order:
    """Which nodes of a plan can be built now, and how the finished ones ended. movable: nodes that another process may
    build; fixed: the others."""

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
        """Whether some nodes have not ended."""
        return self._sorter.is_active()

    def next(self, both: bool) -> Node | None:
        """Remove and return the first ready node, None where there is none. both: also of those that a worker process
        can run; else only of those that must run here."""
        first = self.movable if both and self.movable.place < self.fixed.place else self.fixed
        return first.pop() if first else None

    def end(self, node: Node, how: str, error: str = "") -> None:
        """Note how a node ended. Nodes that waited for it become ready, or are skipped if it failed."""
        self._ended[node.name] = Finished(node, how, error)
        self._sorter.done(node.name)
        self._look()

    def finished(self) -> list[Finished]:
        """How all nodes ended, in the order of the plan."""
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
    """(how a node ended, its error). work: builds the node and returns whether it was reused."""
    try:
        return "reused" if work() else "built", ""
    except Exception as error:
        log.debug("a stage failed", exc_info=True)
        return "failed", error_text(error)


def build_here(node: Node, session: Session, made: dict[str, Built]) -> bool:
    """Build a node in this process; return whether it was reused."""
    built = made[node.name] = build_told(node, session, made)
    return built.reused


def start_in_process(node: Node, plan: Plan, processes: Processes, file: str = "") -> Future[Done]:
    """Begin to build a node in another process, and report its progress. file: name of the plan's file, "" for none."""
    progress.started(node.title)
    if not STOP.level:
        return processes.submit(node, plan, file)
    stopped: Future[Done] = Future()
    stopped.set_exception(Interrupted(STOP.reason))
    return stopped


def stood_elsewhere(node: Node, future: Future[Done]) -> bool:
    """Whether a node built in another process was reused; see `built_elsewhere`."""
    return built_elsewhere(node, future)[1]


def built_elsewhere(node: Node, future: Future[Done]) -> tuple[str, bool]:
    """Wait for a node that another process builds, and report its end. Returns (content key, whether it was reused).
    Raises FailedElsewhere, Interrupted."""
    try:
        content, reused = process_outcome(future)
    except BaseException:
        progress.ended(node.title, "failed")
        raise
    progress.ended(node.title, "reused" if reused else "built")
    return content, reused


def run_strictly(engine: Engine, plan: Plan) -> list[Finished]:
    """Run a plan with --strict: first the nodes that read raw records, one by one; stop at the first that fails.

    So no model is asked before all input is known to be valid, and which record is named does not depend on timing.
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
    """Build a node and report its progress. made: see `ensure`. Raises Interrupted after Ctrl-C."""
    if STOP.level:
        raise Interrupted(STOP.reason)
    progress.started(node.title)
    try:
        built = ensure(node, session, made=made)
    except BaseException:
        progress.ended(node.title, "failed")
        raise
    progress.ended(node.title, "reused" if built.reused else "built")
    return built
