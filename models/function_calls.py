"""Call a user's function for many prompts: in threads of its own, with a time limit for each call.

A call that hangs cannot be ended, so its thread is left behind (it ends with the process) and another takes its place.
Coroutines of all functions run in one event loop, in a thread of its own: a notebook's loop is never used, and a client
that is opened in the first call still works in the last.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import LONGEST_MESSAGE, Answer, Call, CallFailed

OURS = (__file__, inspect.getfile(Future))  # files whose lines say nothing of the user's code
Function = Callable[[str], object]  # gives a text, or what gives one when it is awaited
LONGEST_ANSWER = 10_000_000  # characters; a text beyond this is a mistake, and each is held in memory
GRACE_S = 1.0  # for the event loop to show that it lives, after a coroutine has run out of time


@dataclass
class Asked:
    """A call in flight. began: as time.monotonic() says."""

    call: Call
    worker: Worker
    began: float


def results(
    function: Function, reported: str, calls: Iterable[Call], *, timeout_s: float, concurrency: int
) -> Iterator[Answer | CallFailed]:
    """Yield a result for each call, in the order in which they come; the next call is taken when there is room.

    reported: the name of the model that answers carry. timeout_s: seconds for one answer. concurrency: calls at once.
    Abandoning the iterator leaves calls in flight behind.
    """
    idle: list[Worker] = []
    open_calls: dict[Future[object], Asked] = {}
    try:
        for call in calls:
            while len(open_calls) >= concurrency:
                yield from ended(open_calls, idle, timeout_s, reported)
            worker = idle.pop() if idle else Worker(function)
            open_calls[worker.ask(call.ask.prompt)] = Asked(call, worker, time.monotonic())
        while open_calls:
            yield from ended(open_calls, idle, timeout_s, reported)
    finally:
        for worker in (*idle, *(one.worker for one in open_calls.values())):
            worker.leave()


def ended(
    open_calls: dict[Future[object], Asked], idle: list[Worker], timeout_s: float, reported: str
) -> list[Answer | CallFailed]:
    """Wait until at least one call ended or ran out of time. Take those out of `open_calls`; return their results."""
    oldest = min(one.began for one in open_calls.values())
    done, _ = wait(open_calls, max(0.0, oldest + timeout_s - time.monotonic()), FIRST_COMPLETED)
    now = time.monotonic()
    found: list[Answer | CallFailed] = []
    for future, one in [*open_calls.items()]:
        if future in done:
            del open_calls[future]
            idle.append(one.worker)
            found.append(result_of(future, one, now - one.began, reported))
        elif now - one.began >= timeout_s:
            del open_calls[future]
            one.worker.abandon()
            found.append(failure(one.call, f"the function gave no answer within {timeout_s:g} s"))
    return found


def result_of(future: Future[object], one: Asked, seconds: float, reported: str) -> Answer | CallFailed:
    """Return the answer of a call that ended, or why what the function gave is none."""
    error = future.exception()
    if error is not None:
        return failure(one.call, described(error))
    given = future.result()
    if not isinstance(given, str):
        return failure(one.call, f"the function gave {kind_of(given)}, not a text (str)")
    text = str.__str__(given)  # of a subclass, the characters themselves
    if len(text) > LONGEST_ANSWER:
        return failure(one.call, f"the function gave {len(text):,} characters, more than {LONGEST_ANSWER:,}")
    return Answer(one.call.key, text, "complete", reported, latency_s=seconds)


def kind_of(given: object) -> str:
    """Name the type of what a function gave."""
    return "None" if given is None else f"a {type(given).__name__}"


def described(error: BaseException) -> str:
    """Describe an error of the user's code, whose own text may be anything, or fail."""
    try:
        text = str(error)
    except BaseException:  # of the user's class
        text = "its message cannot be read"
    name, where = type(error).__name__, place_of(error)
    return f"the function raised {name}{where}: {text}" if text else f"the function raised {name}{where}"


def place_of(error: BaseException) -> str:
    """Return the line of the user's code at which an error was raised, as "" or " (FILE, line N)"."""
    # The last frame may be deep in a package that the function calls; the first that is not ours is the user's.
    frames = traceback.extract_tb(error.__traceback__)
    own = next((frame for frame in frames if frame.filename not in OURS), None)
    if own is None or not own.lineno:
        return ""
    file = "cell" if "ipykernel_" in own.filename else os.path.basename(own.filename)
    return f" ({file}, line {own.lineno})"


def failure(call: Call, message: str) -> CallFailed:
    """Return a failure that the next run asks again: the function may have been mended."""
    plain = message[:LONGEST_MESSAGE].encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
    return CallFailed(call.key, "transient", plain)


class Worker:
    """A thread that asks the function, one prompt after another, until `leave` or `abandon`."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._prompts: queue.SimpleQueue[tuple[str, Future[object]] | None] = queue.SimpleQueue()
        self._coroutine: Future[Any] | None = None  # what the thread waits for
        threading.Thread(target=self._work, name="scrollwork function", daemon=True).start()

    def ask(self, prompt: str) -> Future[object]:
        """Ask for the answer to a prompt. The future gives whatever the function gives or raises."""
        future: Future[object] = Future()
        self._prompts.put((prompt, future))
        return future

    def leave(self) -> None:
        """End the thread once its call has ended."""
        self._prompts.put(None)

    def abandon(self) -> None:
        """Cancel a call that hangs, if it is a coroutine. The thread ends if its call ever does."""
        self.leave()
        if self._coroutine is not None:
            self._coroutine.cancel()
            leave_blocked_loop()

    def _work(self) -> None:
        while (one := self._prompts.get()) is not None:
            prompt, future = one
            try:
                future.set_result(self._given(prompt))
            except BaseException as error:  # also SystemExit: the user's code ends its own call alone
                future.set_exception(error)

    def _given(self, prompt: str) -> object:
        found = self._function(prompt)
        if not inspect.isawaitable(found):
            return found
        self._coroutine = asyncio.run_coroutine_threadsafe(awaited(found), loop())
        try:
            return self._coroutine.result()
        finally:
            self._coroutine = None


async def awaited(found: Any) -> object:
    """Wait for anything that can be awaited. SystemExit and its like become RuntimeError: they would end the loop."""
    try:
        return await found
    except (SystemExit, KeyboardInterrupt) as error:
        raise RuntimeError(described(error)) from error


_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def loop() -> asyncio.AbstractEventLoop:
    """Return the event loop in which functions' coroutines run; start it in its thread if there is none."""
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="scrollwork coroutines", daemon=True).start()
        return _loop


def leave_blocked_loop() -> None:
    """Use another loop from now on if the present one does not move: a coroutine blocks it without awaiting."""
    global _loop
    with _lock:
        if _loop is None:
            return
        moved = threading.Event()
        _loop.call_soon_threadsafe(moved.set)
        if not moved.wait(GRACE_S):
            _loop = None
