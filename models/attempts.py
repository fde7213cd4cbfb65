"""Rows of attempts and answers, from what a client gave back."""

from __future__ import annotations

from dataclasses import dataclass

from models.base import Answer, Attempt, Outcome, Reply, Usage
from models.grouping import Item


@dataclass(frozen=True)
class Trip:
    """One attempt: began and ended on the loop's clock, started on the wall's; tokens reserved at the limiter."""

    item: Item
    reserved: int
    began: float
    started: float
    ended: float

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began

    def attempt(
        self, outcome: Outcome, status: int | None = None, message: str = "", usage: Usage | None = None
    ) -> Attempt:
        """The row of the attempt."""
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
        )

    def answer(self, reply: Reply) -> Answer:
        """The answer of the call."""
        usage = reply.usage
        return Answer(
            key=self.item.call.key,
            text=reply.text,
            finish_reason=reply.finish_reason,
            reported_model=reply.reported_model,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
            latency_s=self.seconds,
            attempts=self.item.attempts,
            cache_write_tokens=usage.cache_write_tokens,
            reasoning_tokens=usage.reasoning_tokens,
        )
