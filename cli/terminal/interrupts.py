"""Ctrl-C while hosted models are asked: once, send no more and wait for what is paid; twice, stop now. SIGTERM (`kill`,
`timeout`, schedulers of clusters) is as one Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from scrollwork.cli.terminal.common import say
from scrollwork.pipeline.calling import BY_SIGTERM, STOP, STOPPING


@contextmanager
def interrupts() -> Iterator[None]:
    """Let an interrupt or SIGTERM stop the engines of calls, where some run; else they do what they did. Raises
    KeyboardInterrupt at the end of a body that was stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not STOP.heard:
            signal.default_int_handler(number, frame)
        STOP.set("stopped by Ctrl-C")
        if STOP.level == 1:
            say(f"stopping: {STOPPING}; Ctrl-C again to stop now")

    def terminated(number: int, frame: FrameType | None) -> None:
        if STOP.heard and not STOP.level:
            STOP.set(BY_SIGTERM)
            say(f"stopping: {STOPPING}")
        elif not STOP.level:  # a second one does not end the wait
            signal.signal(number, last)
            os.kill(os.getpid(), number)

    before, last = signal.signal(signal.SIGINT, interrupted), signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    except BaseException as error:
        if STOP.level and not isinstance(error, Exception):  # Prefect's own of a flow that got SIGTERM
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, last)
    if STOP.level:
        raise KeyboardInterrupt
