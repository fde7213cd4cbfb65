"""Ctrl-C while hosted models are asked: once, send no more and wait for what is paid; twice, cancel it; a third time,
stop at once. SIGTERM (`kill`, `timeout`, schedulers of clusters) and SIGHUP (a closed terminal) are as one Ctrl-C."""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from scrollwork.pipeline.calling import STOP, STOPPING


def leave_terminal() -> None:
    """Write no more to a terminal, which is gone: each write would be an error."""
    for stream in (1, 2):
        with suppress(OSError):  # a closed one
            if stat.S_ISCHR(os.fstat(stream).st_mode):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def tell(line: str) -> None:
    """Write a line on standard error past its buffer: a handler may come in the middle of a write to that, which then
    refuses another one, and the error would end the run with its answers in flight."""
    with suppress(OSError):  # nobody reads any more
        os.write(2, f"{line}\n".encode())


@contextmanager
def interrupts() -> Iterator[None]:
    """Let an interrupt, SIGTERM or SIGHUP stop the engines of calls, where some run; else they do what they did. Raises
    KeyboardInterrupt at the end of a body that was stopped. SIGHUP stays ignored under `nohup`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupted(number: int, frame: FrameType | None) -> None:
        if not STOP.heard or STOP.level == 2:
            signal.default_int_handler(number, frame)
        STOP.set("stopped by Ctrl-C")
        if STOP.level == 1:
            tell(f"stopping: {STOPPING}; Ctrl-C again to stop now")
        else:
            tell("stopping now: answers in flight are lost")

    def terminated(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            leave_terminal()
        if STOP.heard and not STOP.level:
            STOP.set(f"stopped by {signal.Signals(number).name}")
            tell(f"stopping: {STOPPING}; Ctrl-C to stop now")
        elif not STOP.level:  # a second one does not end the wait
            signal.signal(number, before[number])
            os.kill(os.getpid(), number)

    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, interrupted)}
    for one in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(one) is not signal.SIG_IGN:
            before[one] = signal.signal(one, terminated)
    try:
        yield
    except BaseException as error:
        if STOP.level and not isinstance(error, Exception):  # Prefect's own of a flow that got SIGTERM
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if STOP.level:
        raise KeyboardInterrupt
