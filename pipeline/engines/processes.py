"""Stages in worker processes, several at once on as many cores. Each gets the names of a node and of its plan's file.

The processes are loky's: unlike those of the standard library they do not import the program that started them again
(Prefect, pytest, a notebook). They are started once a run has taken a while: a short one would wait for their imports
longer than it takes. What must stay in the main process says so in its module (`ONE_PROCESS`): calls of hosted models,
which share limits and a budget, and local checkpoints, which are loaded once.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from scrollwork.pipeline import loaded_code, progress
from scrollwork.pipeline.build import ensure
from scrollwork.pipeline.calling import STOP
from scrollwork.pipeline.engines.error_text import error_text
from scrollwork.pipeline.errors import FailedElsewhere, Interrupted, UsageError
from scrollwork.pipeline.plan import Node, Plan
from scrollwork.pipeline.plan_files import filed, plan_of
from scrollwork.pipeline.session import Locations, Session

MOST = 4  # processes where nobody says how many: each holds its own libraries, some 150 MB
WAIT_S = 20.0  # of work in the main process before others are started: the bundled sample is a tenth slower with them
Done = tuple[str, bool, str, str]  # content key, whether it stood already; or what the stage failed with, its traceback

log = logging.getLogger("scrollwork")


def cores() -> int:
    """How many processes may run at once where nobody says it: SCROLLWORK_WORKERS, else the cores that this process may
    use, at most MOST. Raises UsageError."""
    if given := os.environ.get("SCROLLWORK_WORKERS"):
        if not given.isdecimal() or not int(given):
            raise UsageError(f"SCROLLWORK_WORKERS must be a whole number of 1 or more, not {given!r}")
        return int(given)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MOST, usable)


class Processes:
    """Worker processes of a run. count: how many, None for `cores`; with one all stays in this process. wait_s: seconds
    until they are started, WAIT_S by default."""

    def __init__(self, count: int | None = None, wait_s: float | None = None) -> None:
        self.count = count or cores()
        self._due = time.monotonic() + (WAIT_S if wait_s is None else wait_s)
        self._executor: Any = None
        self._told: Any = None  # a queue: what workers tell of their stages
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
            # Not from here: a worker that was killed while it told something holds the queue's lock for good.
            threading.Thread(target=self._told.put, args=(None,), name="scrollwork-told-end", daemon=True).start()
        self._stack.close()

    @property
    def due(self) -> bool:
        """Whether the run has taken long enough for them."""
        return self.count > 1 and time.monotonic() >= self._due

    def movable(self, node: Node) -> bool:
        """Whether a node may be built in another process."""
        return self.count > 1 and not getattr(importlib.import_module(node.body), "ONE_PROCESS", False)

    def submit(self, node: Node, plan: Plan, file: str = "") -> Future[Done]:
        """Begin to build a node of a plan. file: where the plan lies (plan_files.py), "" for nowhere yet. `outcome`
        takes what comes of it."""
        with self._lock:
            if self._closed:
                raise FailedElsewhere("the run has ended")
            if self._executor is None:
                self._start()
            if not file and id(plan) not in self._files:
                self._files[id(plan)] = plan, self._stack.enter_context(filed(plan))
            file = file or self._files[id(plan)][1]
            try:
                with _safe_path():  # the first call starts the processes
                    future: Future[Done] = self._executor.submit(
                        _build, node.name, file, replace(plan.locations, calling=None)
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
            begin = os.getpid(), loaded_code.noted_at_first(), self._told
            self._executor = ProcessPoolExecutor(self.count, initializer=_begin, initargs=begin)
        threading.Thread(target=_listen, args=(self._told,), name="scrollwork-told", daemon=True).start()


@contextmanager
def _safe_path() -> Iterator[None]:
    """Start processes that import nothing from the working directory: a random.py there may be anybody's."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def outcome(future: Future[Done]) -> tuple[str, bool]:
    """(content key of what was built, whether it stood already). Raises FailedElsewhere with what the stage says, or
    that its process died, and Interrupted where a person stopped them."""
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
    """Pass on what workers tell, until they end."""
    while (one := told.get()) is not None:
        what, *rest = one
        with suppress(Exception):  # of who shows it; the pipe must not fill
            progress.tell(*rest) if what == "moved" else log.log(*rest)


class _Teller(logging.Handler):
    """In a worker: tells the process that started it how far stages are, and warnings."""

    EVERY_S = 0.2  # of one stage

    def __init__(self, told: Any) -> None:
        super().__init__(logging.WARNING)
        self._told, self._last = told, 0.0

    def emit(self, record: logging.LogRecord) -> None:
        self._told.put(("warning", record.levelno, record.getMessage()))

    def said(self, text: str) -> None: ...
    def started(self, title: str) -> None: ...
    def ended(self, title: str, how: str) -> None: ...

    def moved(self, title: str, done: int, total: int, steady: bool) -> None:
        """Tell it, not too often."""
        now = time.monotonic()
        if now - self._last > self.EVERY_S:
            self._last = now
            self._told.put(("moved", title, done, total, steady))


def _begin(parent: int, noted: Any, told: Any) -> None:
    """In a new worker: its code is that of the process that started it, and it ends with that process."""
    if os.getppid() != parent:
        os._exit(1)
    loaded_code.take_over(noted)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all processes of a terminal
    teller = _Teller(told)
    progress.listen(teller)
    log.addHandler(teller)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=look, name="scrollwork-parent", daemon=True).start()


def _build(name: str, file: str, locations: Locations) -> Done:
    """In a worker: build one node of the plan in a file. Errors go back as text: not all can be sent."""
    try:
        plan = plan_of(file, locations)
        built = ensure(plan.by_name[name], Session(plan.locations))
    except Exception as error:
        return "", False, error_text(error), traceback.format_exc()
    return built.content, built.reused, "", ""
