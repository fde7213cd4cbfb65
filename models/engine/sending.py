"""An engine's settings for sending, and what it does when a service tier has no capacity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from scrollwork.models.base import CallProblem
from scrollwork.models.engine.document_order import CACHE_S, Item
from scrollwork.models.engine.retry import Policy
from scrollwork.models.vendors.tiers import FLEX_REFUSALS


@dataclass(frozen=True)
class Sending:
    """Settings of an engine. warmup_s: after so long, followers no longer wait for their leader's answer.

    name: of the model. cache_s: as in `Order`. most_output: new tokens that the model can give at most, 0 if unknown.
    service: the requested service tier, "" for none.
    """

    policy: Policy = field(default_factory=Policy)
    timeout_s: float = 600.0
    warmup_s: float = 60.0
    name: str = "a model"
    cache_s: float = CACHE_S
    most_output: int = 0
    service: str = ""


def after_refusal(item: Item, problem: CallProblem, policy: Policy, rng: Random) -> float | None:
    """Return the seconds until a call that its service tier refused for lack of capacity is retried there.

    None: it goes to the standard tier now, after FLEX_REFUSALS refusals or if it would wait too long. Counts the
    refusal in `item.refused`.
    """
    item.refused += 1
    wait = policy.wait(item.refused, item.spent_s, problem.retry_after_s, rng)
    if wait is None or item.refused >= FLEX_REFUSALS:
        item.call = replace(item.call, service="")
        return None
    return wait
