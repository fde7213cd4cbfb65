"""Ctrl-C while hosted models are asked: once, send no more and wait for what is paid; twice, stop now."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from scrollwork.cli.terminal.common import say
from scrollwork.pipeline.calling import STOP


@contextmanager
def interrupts() -> Iterator[None]:
    """Let an interrupt stop the engines of calls, where some run; else it is Python's own. Raises KeyboardInterrupt at
    the end of a body that was stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not STOP.heard:
            signal.default_int_handler(number, frame)
        STOP.set("stopped by Ctrl-C")
        if STOP.level == 1:
            say("stopping: no more is sent, answers in flight are waited for and stored; Ctrl-C again to stop now")

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if STOP.level:
        raise KeyboardInterrupt
