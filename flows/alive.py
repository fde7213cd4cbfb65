"""Signs of life of a flow run, by which a Prefect server sees that its process is gone (docs/alerts.md).

Prefect has heartbeats of its own, where a deployment sets a variable. A deployment without it would be one whose killed
runs keep their slot, so each run of ours that a deployment began tells by itself.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any

from prefect.context import FlowRunContext
from prefect.events import emit_event

from scrollwork.flows.server.recovery import ALIVE

EVERY_S = 30.0  # the automation "scrollwork: heartbeat lost" waits for three of them


def giving_signs(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: let a flow's function give signs of life while it runs."""

    @functools.wraps(function)
    def alive(**parameters: Any) -> Any:
        with signs_of_life(), hangup_as_sigterm():
            return function(**parameters)

    return alive


@contextmanager
def hangup_as_sigterm() -> Iterator[None]:
    """Let SIGHUP do what SIGTERM does, where it would kill the process: store the answers in flight first."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def signs_of_life() -> Iterator[None]:
    """Tell at once, and every EVERY_S seconds from a thread of its own, that this flow run lives; only of a run that a
    deployment began, for nobody waits for the slot of another one."""
    context = FlowRunContext.get()
    run = context.flow_run if context is not None else None
    if run is None or run.deployment_id is None:
        yield
        return
    resource = {"prefect.resource.id": f"prefect.flow-run.{run.id}", "prefect.resource.name": run.name}
    ended = threading.Event()

    def tell() -> None:
        while True:
            with suppress(Exception):  # whatever Prefect's events may raise: the next sign counts
                emit_event(ALIVE, resource)
            if ended.wait(EVERY_S):
                return

    thread = threading.Thread(target=copy_context().run, args=(tell,), name="scrollwork-alive", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()  # no sign comes after the run's last state
