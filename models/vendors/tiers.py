"""Tiers of service: which are asked for, which of those that replies name are believed, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from scrollwork.models.base import CallProblem
from scrollwork.models.vendors.families import family_of

STANDARD, FLEX = "standard", "flex"
FIELD = "service_tier"  # of a request's body; no part of the request key: a tier changes the price, not the answer
DEARER = ("fast", "priority")  # one tier under two names: replies call it priority
FLEX_REFUSALS = 3  # of a call, after which it is asked at the standard tier
FLEX_TIMEOUT_S = 900.0  # a reply may take so long
NOT_TAKEN = re.compile(
    r"service_tier|service tier|\bflex\b.{0,40}\bnot (available|supported)|unsupported.{0,40}\bflex\b", re.I
)
REFUSED_STATUSES = (429, 498, 503)  # OpenAI, Groq, Gemini


def has_flex(table: Mapping[str, Any]) -> bool:
    """Whether a table's model is known to have the tier flex."""
    known = family_of(table)
    return known is not None and known.family.get("service.flex") is not None


def with_flex(table: Mapping[str, Any]) -> dict[str, Any]:
    """A hosted model's table that asks for flex, with time enough for replies and tries where it does not say."""
    retry = {"seconds": FLEX_REFUSALS * FLEX_TIMEOUT_S, **table.get("retry", {})}
    return {"timeout_s": FLEX_TIMEOUT_S, **table, "service": FLEX, "retry": retry}


def shares_of(facts: Mapping[str, Any]) -> dict[str, Decimal]:
    """What tiers cost by the standard price, by the name that a reply gives them; batches apart. facts: of a family."""
    service = facts.get("service", {})
    found = {FLEX: Decimal(str(service[FLEX]))} if FLEX in service else {}
    return found | {name: Decimal(str(service["fast"])) for name in DEARER if "fast" in service}


def served_tier(asked: str, said: str | None) -> str:
    """The tier that a reply counts for, "" for standard. A cheaper one than standard counts only where it was asked
    for, a dearer one wherever the vendor says so: an account can be set to it."""
    return said if said and (said in DEARER or said == asked == FLEX) else ""


def flex_refused(problem: CallProblem) -> bool:
    """Whether a request for flex was turned away for want of room, and not for a limit of the account: nobody need slow
    down for it."""
    return problem.status in REFUSED_STATUSES and problem.kind == "transient" and not problem.paced


def tier_refused(problem: CallProblem) -> bool:
    """Whether the vendor does not take the tier for this model. A message may quote the prompt, so a word is not
    enough."""
    return problem.status in (400, 422) and bool(NOT_TAKEN.search(problem.message))
