"""One attempt at a call: sending it, and the rows that come of what the client gave back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from scrollwork.models.base import Answer, Attempt, Call, CallFailed, CallProblem, Client, Outcome, Reply, Usage
from scrollwork.models.engine.document_order import Item
from scrollwork.models.engine.limits import Ended, Limiter
from scrollwork.models.engine.retry import maybe_charged
from scrollwork.models.engine.usage_bounds import output_allowed

ROOM, FACTOR = 25_000, 4  # tokens for thoughts of a call that had no room, and how much more than before at least


async def send_once(client: Client, call: Call, timeout_s: float) -> Reply | CallProblem | Exception | None:
    """Send a request once and return its reply, or why there is none: a problem, a fault of ours, None if cancelled."""
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
    """Tokens that a call may count for in the limits of its vendor."""
    ask, tokens = call.ask, call.ask.likely_tokens
    if ask.follows and not limiter.counts_cached:
        tokens -= ask.shared_tokens
    return limiter.expected(tokens, ask.max_new_tokens, call.room or output_allowed(call.payload.get("body", {})))


def with_more_room(call: Call, problem: CallProblem, most: int) -> Call | None:
    """The call with more room for thoughts, where it had none and was not asked so before; None where that cannot help.
    most: new tokens that the model gives, 0 where nobody knows."""
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
    """One attempt: began and ended on the loop's clock, started on the wall's; tokens reserved at the limiter. number:
    of the request among those of the run."""

    item: Item
    reserved: int
    began: float
    started: float
    ended: float
    number: int = 0

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began

    def attempt(
        self,
        outcome: Outcome,
        status: int | None = None,
        message: str = "",
        usage: Usage | None = None,
        service: str = "",
    ) -> Attempt:
        """The row of the attempt. message: of one that was answered why its usage is not believed. service: as of
        `Attempt`."""
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
        """What limiter and budget learn from an attempt that failed."""
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
        """The answer of the call."""
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
        """The end of a call that is not tried again. sent: requests of the run that have gone."""
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
