"""One attempt at a call: send the request, and make the rows that follow from the client's result."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, CallProblem, Client, Outcome, Reply, Usage
from scrollwork.models.engine.document_order import Item
from scrollwork.models.engine.limits import Ended, Limiter
from scrollwork.models.engine.retry import maybe_charged
from scrollwork.models.engine.usage_bounds import output_allowed

ROOM, FACTOR = 25_000, 4  # of a retry with more room for reasoning: tokens more, or times as many if that is more


async def send_once(client: Client, call: Call, timeout_s: float) -> Reply | CallProblem | Exception | None:
    """Send a request once and return its reply, or why there is none.

    That is a CallProblem, another exception (a fault of ours), or None if this task was cancelled.
    """
    task = asyncio.current_task()
    assert task is not None
    try:
        async with asyncio.timeout(timeout_s):
            return await client.send(call)
    except TimeoutError:
        return CallProblem("transient", f"no reply within {timeout_s:g} s")
    except asyncio.CancelledError:
        return None if task.cancelling() else CallProblem("transient", "the client gave up the request")
    except Exception as error:
        return error


def expected_tokens(call: Call, limiter: Limiter) -> int:
    """Return how many tokens a call may count for in its vendor's token limit."""
    ask, tokens = call.ask, call.ask.likely_tokens
    if ask.follows and not limiter.counts_cached:
        tokens -= ask.shared_tokens
    return limiter.expected(tokens, ask.max_new_tokens, call.room or output_allowed(call.payload.get("body", {})))


def with_more_room(call: Call, problem: CallProblem, most: int) -> Call | None:
    """Return the call with more room for reasoning tokens, None if that cannot help or was tried before.

    It helps only a call that reached its token limit before the first word. most: new tokens that the model can give, 0
    if unknown.
    """
    allowed = output_allowed(call.payload.get("body", {}))
    if not problem.no_room or call.room is not None or allowed is None:
        return None
    room = max(FACTOR * allowed, allowed + ROOM)
    room = min(room, most) if most else room
    if room <= allowed:
        return None
    return replace(call, room=room, ask=replace(call.ask, max_new_tokens=room))


@dataclass(frozen=True)
class Trip:
    """One attempt at a call. began, ended: on the event loop's clock; started: seconds since 1970.

    reserved: tokens at the limiter. number: of the request among those of the run.
    """

    item: Item
    reserved: int
    began: float
    started: float
    ended: float
    number: int = 0

    @property
    def seconds(self) -> float:
        """Return how long it took."""
        return self.ended - self.began

    def attempt(
        self,
        outcome: Outcome,
        status: int | None = None,
        message: str = "",
        usage: Usage | None = None,
        service: str = "",
    ) -> Attempt:
        """Return the row of the attempt. message: for an answered one, why its usage is not believed.

        service: as in `Attempt`.
        """
        item = self.item
        return Attempt(
            key=item.call.key,
            number=item.attempts,
            outcome=outcome,
            status=status,
            message=message,
            started=self.started,
            seconds=self.seconds,
            usage=usage or Usage(),
            room=item.call.room,
            follows=item.call.ask.follows,
            common_bytes=item.call.ask.common_bytes,
            service=service,
        )

    def failed(self, problem: CallProblem) -> Ended:
        """Return what limiter and budget learn from a failed attempt."""
        return Ended(
            self.began,
            self.reserved,
            slow_down=problem.slow_down,
            charged=maybe_charged(problem),
            usage=problem.paid,
            limits=problem.limits,
            retry_after_s=problem.retry_after_s,
        )

    def answer(self, reply: Reply) -> Answer:
        """Return the answer to the call."""
        return Answer(
            key=self.item.call.key,
            text=reply.text,
            finish_reason=reply.finish_reason,
            reported_model=reply.reported_model,
            usage=reply.usage,
            latency_s=self.seconds,
            attempts=self.item.attempts,
            masked=reply.masked,
            service_tier=reply.service_tier,
            fingerprint=reply.fingerprint,
            output_limit=self.item.call.room or output_allowed(self.item.call.payload.get("body", {})),
        )

    def given_up(self, problem: CallProblem, sent: int) -> CallFailed:
        """Return the failure of a call that is not retried. sent: number of requests that the run has sent."""
        return CallFailed(
            self.item.call.key,
            problem.kind,
            problem.message,
            problem.status,
            self.item.attempts,
            own=problem.own,
            foreign=problem.foreign,
            number=self.number,
            sent=sent,
        )
