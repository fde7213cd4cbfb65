"""Steps with a provider's batches. Each step returns when it is done, and is repeated if that is safe.

An event loop in a separate thread does the work, so that it does not matter what runs in the caller's thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import math
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine
from dataclasses import dataclass
from random import Random
from typing import Any, BinaryIO, TypeVar

from scrollwork.models.base import CallProblem
from scrollwork.models.engine.retry import Policy
from scrollwork.models.engine.stopping import Stop
from scrollwork.models.hosted.batches import BadLine, BatchState, Interface, Page, may_exist

T = TypeVar("T")
LOOK_S = 0.2  # seconds between two checks for a stop
CLOSING_S = 5.0
AROUND_S = 3600.0  # seconds before and after a creation in which its batch is searched


class Unconfirmed(Exception):
    """It is not known whether a batch was created; `find` can tell."""


@dataclass(frozen=True)
class ListedBatch:
    """What the provider's list says about a batch that we may have created.

    batch: the batch, None if it was not found. open: ids of others that may turn out to be it when they end.
    """

    batch: BatchState | None = None
    open: tuple[str, ...] = ()


class BatchSteps:
    """One model's batches at its provider. Methods raise CallProblem; a second stop cancels the step that runs.

    wait_s: seconds from now on after which no look or download is repeated, None for no such limit.
    """

    def __init__(
        self,
        make: Callable[[], Interface],
        policy: Policy,
        stop: Stop,
        rng: Random | None = None,
        wait_s: float | None = None,
    ) -> None:
        self._policy, self._stop, self._rng = policy, stop, rng or Random()
        self._until = math.inf if wait_s is None else time.monotonic() + wait_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="scrollwork-batches", daemon=True)
        self._thread.start()
        try:
            self.interface = self._do(self._made(make))
        except BaseException:
            self._end()
            raise

    async def _made(self, make: Callable[[], Interface]) -> Interface:
        return make()

    def close(self) -> None:
        """Close connections and end the thread."""
        try:
            asyncio.run_coroutine_threadsafe(self.interface.close(), self._loop).result(CLOSING_S)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            pass
        finally:
            self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSING_S)
        if not self._thread.is_alive():
            self._loop.close()

    # ---- steps

    def submit(self, file: BinaryIO, name: str, digest: str, sending: Callable[[], None]) -> BatchState:
        """Upload the file and create a batch from it. sending: called before every attempt to create it.

        An attempt that the provider refuses is repeated by the policy. An attempt that may have created a batch is
        never repeated: it raises Unconfirmed.
        """
        return self._do(self._submit(file, name, digest, sending))

    def look(self, batch_id: str) -> BatchState:
        """Return the state of a batch."""
        return self._do(self._repeat(lambda: self._look(batch_id), self._until))

    def download(self, path: str, into: BinaryIO) -> None:
        """Write results to a file, whose former content is removed."""
        self._do(self._repeat(lambda: self._afresh(path, into), self._until))

    def find(self, name: str, since: float, keys: Collection[str], known: Collection[str]) -> ListedBatch:
        """Search the provider's list for a batch whose creation was sent at `since` (unix seconds).

        keys: of its requests. It is found by its name if the provider keeps our names. Else it is searched among
        batches without a name that were created within an hour of that time, have as many requests, and are not in
        `known` (ids of other batches): the one whose results contain one of these keys. As long as one of them has not
        ended, the answer is not certain.
        """
        return self._do(self._find(name, since, keys, known))

    # ---- in the loop

    async def _submit(self, file: BinaryIO, name: str, digest: str, sending: Callable[[], None]) -> BatchState:
        uploaded = await self._repeat(lambda: self.interface.upload(file))

        async def create() -> BatchState:
            sending()
            try:
                made = await self.interface.create(uploaded, file, name, digest)
            except CallProblem as problem:
                if may_exist(problem):
                    raise Unconfirmed(problem.message) from None
                raise
            if made.name not in ("", name):
                raise Unconfirmed("the reply tells of another batch")
            return made

        return await self._repeat(create)

    async def _look(self, batch_id: str) -> BatchState:
        seen = await self.interface.look(batch_id)
        if seen.batch_id != batch_id:
            raise CallProblem("transient", f"the reply tells of batch {seen.batch_id}, not of {batch_id}")
        return seen

    async def _afresh(self, path: str, into: BinaryIO) -> None:
        into.seek(0)
        into.truncate()
        await self.interface.download(path, into)

    async def _find(self, name: str, since: float, keys: Collection[str], known: Collection[str]) -> ListedBatch:
        after, waiting, begun = "", [], {""}
        while True:
            page = await self._page(after)
            ahead = page.now - time.time()
            for batch in page.batches:
                if batch.name:
                    if batch.name == name:
                        return ListedBatch(batch)
                elif batch.batch_id not in known and may_be_batch(batch, since + ahead, len(keys)):
                    if batch.state == "waiting":
                        waiting.append(batch.batch_id)
                    elif await self._holds(batch, keys):
                        return ListedBatch(batch)
            after = page.after
            oldest = page.batches[-1].created if page.batches else None
            if not after or (oldest is not None and oldest < since + ahead - AROUND_S):
                return ListedBatch(open=tuple(waiting))
            if after in begun:
                raise CallProblem("transient", "a list of batches that goes round in circles")
            begun.add(after)

    async def _page(self, after: str) -> Page:
        return await self._repeat(lambda: self.interface.page(after))

    async def _holds(self, batch: BatchState, keys: Collection[str]) -> bool:
        """Return whether the results belong to these requests. Keys are digests, so one match is enough."""
        import tempfile

        for path in batch.results:
            with tempfile.TemporaryFile() as file:
                await self._repeat(lambda path=path, file=file: self._afresh(path, file))  # type: ignore[misc]
                file.seek(0)
                for data in file:
                    try:
                        return self.interface.line(data).key in keys
                    except BadLine:
                        continue
        return False

    async def _repeat(self, attempt: Callable[[], Awaitable[T]], until: float = math.inf) -> T:
        """Repeat an attempt by the policy until it succeeds. until: of the monotonic clock, after which it is not
        repeated. Raises CallProblem."""
        began, tries = time.monotonic(), 0
        while True:
            try:
                return await attempt()
            except CallProblem as problem:
                tries += 1
                wait = None
                if problem.kind == "transient" and not self._stop.level:
                    spent = time.monotonic() - began
                    wait = self._policy.wait(tries, spent, problem.retry_after_s, self._rng)
                if wait is None or time.monotonic() + wait > until:
                    raise
            again = time.monotonic() + wait
            while (left := again - time.monotonic()) > 0 and not self._stop.level:
                await asyncio.sleep(min(left, LOOK_S))

    def _do(self, step: Coroutine[Any, Any, T]) -> T:
        """Wait for a step in the caller's thread, and return its result."""
        future = asyncio.run_coroutine_threadsafe(step, self._loop)
        while True:
            try:
                return future.result(LOOK_S)
            except concurrent.futures.CancelledError:
                raise CallProblem("transient", "stopped") from None
            except TimeoutError:
                if future.done():
                    raise
                if self._stop.level == 2:
                    future.cancel()


def may_be_batch(batch: BatchState, since: float, requests: int) -> bool:
    """Return whether a batch without a name may be the one that was sent at `since`, by the provider's clock.

    requests: its number of requests. Creation times up to an hour before or after count, as our own clock may have been
    corrected since. A time or number that the provider does not tell excludes no batch.
    """
    then = batch.created is None or abs(batch.created - since) <= AROUND_S
    return batch.state != "gone" and batch.requests in (None, requests) and then
