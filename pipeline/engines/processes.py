"""Build stages in worker processes, several at once. A worker receives the names of a node and of its plan's file.

The processes are made by loky: unlike those of the standard library, they do not import the program that started them
again (Prefect, pytest, a notebook). They start only after a run has taken WAIT_S: a short run would take longer with
them, because they must import everything first. If a stage must stay in the main process, its module sets
`ONE_PROCESS`. These are the stages that call hosted models, which share limits and a budget, and those that use local
checkpoints, which are loaded once.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, Self

from scrollwork.pipeline import loaded_code, progress
from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.engines.error_text import error_text
from scrollwork.pipeline.errors import FailedElsewhere, Interrupted, UsageError
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.plan_files import plan_file, plan_of
from scrollwork.pipeline.session import Locations, Session

MOST = 4  # most processes by default: each holds its own copy of the libraries, about 150 MB
WAIT_S = 20.0  # work in the main process before workers start: they make the bundled sample a tenth slower
Done = tuple[str, bool, str, str]  # content key, whether it was reused, error message and traceback ("" without one)

log = logging.getLogger("scrollwork")


def worker_count() -> int:
    """Return the default number of worker processes.

    It is the value of SCROLLWORK_WORKERS; without it, the number of cores that this process may use, at most MOST.
    Raises UsageError if SCROLLWORK_WORKERS is not a whole number of 1 or more.
    """
    if given := os.environ.get("SCROLLWORK_WORKERS"):
        if not given.isdecimal() or not int(given):
            raise UsageError(f"SCROLLWORK_WORKERS must be a whole number of 1 or more, not {given!r}")
        return int(given)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST, usable)


class Workers(Protocol):
    """What builds nodes in place of this process: processes of this machine, or workers of a cluster (dask.py)."""

    @property
    def count(self) -> int:
        """How many nodes they build at the same time."""

    @property
    def due(self) -> bool:
        """Whether they are to be used by now."""

    def movable(self, node: Node) -> bool:
        """Whether they may build the node. Imports the module of its stage."""

    def submit(self, node: Node, plan: Plan, file: str = "") -> Future[Done]:
        """Let them build a node of a plan. Pass the returned future to `process_outcome`.

        file: name of the plan's file (plan_files.py); if "", the plan is written to a file, once. Raises
        FailedElsewhere after the run has ended.
        """


def can_move(node: Node) -> bool:
    """Whether another process than the main one may build a node. Imports the module of its stage."""
    return not getattr(importlib.import_module(node.body), "ONE_PROCESS", False)


class Processes:
    """The worker processes of one run. They start when the first node is submitted, and end with the `with` block.

    count: number of processes, by default (also for 0) `worker_count()`; with 1, no worker is used and all stages run
    in the main process. wait_s: seconds after which the processes are due, by default WAIT_S.
    """

    def __init__(self, count: int | None = None, wait_s: float | None = None) -> None:
        self.count = count or worker_count()
        self._due = time.monotonic() + (WAIT_S if wait_s is None else wait_s)
        self._executor: Any = None
        self._told: Any = None  # the queue through which workers send progress and warnings
        self._files: dict[int, tuple[Plan, str]] = {}
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with self._lock:
            self._closed, executor = True, self._executor
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=error is not None)
            # In a thread: `put` may wait for ever, as a worker that was killed while it wrote keeps the lock.
            threading.Thread(target=self._told.put, args=(None,), name="scrollwork-told-end", daemon=True).start()
        self._stack.close()

    @property
    def due(self) -> bool:
        """True if there are several processes and the run has taken long enough to use them."""
        return self.count > 1 and time.monotonic() >= self._due

    def movable(self, node: Node) -> bool:
        """Return whether a worker process may build the node. Imports the module of its stage."""
        return self.count > 1 and can_move(node)

    def submit(self, node: Node, plan: Plan, file: str = "") -> Future[Done]:
        """Let a worker process build a node of a plan; see `Workers`."""
        with self._lock:
            if self._closed:
                raise FailedElsewhere("the run has ended")
            if self._executor is None:
                self._start()
            if not file and id(plan) not in self._files:
                self._files[id(plan)] = plan, self._stack.enter_context(plan_file(plan))
            file = file or self._files[id(plan)][1]
            try:
                with _safe_path():  # the first call starts the processes
                    future: Future[Done] = self._executor.submit(
                        build_by_name, node.name, file, replace(plan.locations, calling=None)
                    )
            except BrokenProcessPool as error:
                future = Future()
                future.set_exception(error)
        return future

    def _start(self) -> None:
        from loky.backend import get_context
        from loky.process_executor import ProcessPoolExecutor

        with _safe_path():
            self._told = get_context("loky").SimpleQueue()
            begin = os.getpid(), loaded_code.noted_at_first(), self._told, gc.get_threshold()
            self._executor = ProcessPoolExecutor(self.count, initializer=_begin, initargs=begin)
        threading.Thread(target=_listen, args=(self._told,), name="scrollwork-told", daemon=True).start()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep new processes from importing modules of the working directory, such as a user's random.py."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def process_outcome(future: Future[Done]) -> tuple[str, bool]:
    """Wait for a worker's result and return (content key, whether the artifact was reused).

    Raises FailedElsewhere with the stage's error, or if the worker process died; Interrupted if it died after Ctrl-C.
    """
    try:
        content, reused, error, trace = future.result()
    except BrokenProcessPool:
        if STOP.level:
            raise Interrupted(STOP.reason) from None
        raise FailedElsewhere(
            "a process that builds stages was killed, by hand or because memory ran out (--workers 1 takes least); "
            "what was finished stands, and the same command goes on"
        ) from None
    if error:
        failed = FailedElsewhere(error)
        failed.add_note(trace)
        raise failed
    return content, reused


def _listen(told: Any) -> None:
    """Pass on progress and warnings of the workers until None is put into the queue."""
    while (one := told.get()) is not None:
        pass_on(one)


def pass_on(one: Sequence[Any]) -> None:
    """Pass on what a worker told (`Teller`). It never raises: no worker waits for a listener's error."""
    what, *rest = one
    with suppress(Exception):
        progress.tell(*rest) if what == "moved" else log.log(*rest)


class Teller(logging.Handler):
    """In a worker: sends progress and warnings to the process that started the worker. send: takes one, a tuple."""

    EVERY_S = 0.2  # the shortest time between two progress messages

    def __init__(self, send: Callable[[tuple[Any, ...]], object]) -> None:
        super().__init__(logging.WARNING)
        self._send, self._last = send, 0.0

    def emit(self, record: logging.LogRecord) -> None:
        self._send(("warning", record.levelno, record.getMessage()))

    def said(self, text: str) -> None: ...
    def started(self, title: str) -> None: ...
    def ended(self, title: str, how: str) -> None: ...

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        """Send progress, at most once in EVERY_S seconds."""
        now = time.monotonic()
        if now - self._last > self.EVERY_S:
            self._last = now
            self._send(("moved", title, done, total, steady))


def _begin(parent: int, noted: Any, told: Any, collect: tuple[int, int, int]) -> None:
    """Set up a new worker process.

    It compares its code with the file stamps of the process that started it (noted), sets the same thresholds for
    garbage collection (collect), sends progress and warnings to the queue `told`, and ends when that process (parent,
    its id) has ended.
    """
    if os.getppid() != parent:
        os._exit(1)
    gc.set_threshold(*collect)
    loaded_code.take_over(noted)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all processes of a terminal: it ends a worker at once
    teller = Teller(told.put)
    progress.listen(teller)
    log.addHandler(teller)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=look, name="scrollwork-parent", daemon=True).start()


def build_by_name(name: str, file: str, locations: Locations) -> Done:
    """In a worker: build one node of the plan in a file. Errors are returned as text: not all can be pickled."""
    try:
        plan = plan_of(file, locations)
        built = ensure(plan.by_name[name], Session(plan.locations))
    except Exception as error:
        return "", False, error_text(error), traceback.format_exc()
    return built.content, built.reused, "", ""
