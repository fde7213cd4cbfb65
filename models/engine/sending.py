"""How an engine sends: what it is told, and what it does where a tier of service has no room."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from scrollwork.models.base import CallProblem
from scrollwork.models.engine.document_order import CACHE_S, Item
from scrollwork.models.engine.retry import Policy
from scrollwork.models.vendors.tiers import FLEX_REFUSALS


@dataclass(frozen=True)
class Sending:
    """Settings of an engine. warmup_s: followers go without their leader's answer after so long. name: of the model.
    cache_s: as of `Order`. most_output: new tokens that the model gives at most, 0 where nobody knows. service: the
    tier that is asked for, "" for none."""

    policy: Policy = field(default_factory=Policy)
    timeout_s: float = 600.0
    warmup_s: float = 60.0
    name: str = "a model"
    cache_s: float = CACHE_S
    most_output: int = 0
    service: str = ""


def after_refusal(item: Item, problem: CallProblem, policy: Policy, rng: Random) -> float | None:
    """Seconds until a call is asked again for a tier that had no room for it; None: it goes to the standard tier now,
    after FLEX_REFUSALS of them or where it would wait too long."""
    item.refused += 1
    wait = policy.wait(item.refused, item.spent_s, problem.retry_after_s, rng)
    if wait is None or item.refused >= FLEX_REFUSALS:
        item.call = replace(item.call, service="")
        return None
    return wait
