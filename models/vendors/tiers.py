"""Tiers of service: which are requested, which of those that replies name are believed, and what they cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from scrollwork.models.base import CallProblem
from scrollwork.models.vendors.families import family_of

STANDARD, FLEX = "standard", "flex"
FIELD = "service_tier"  # of a request's body; not part of the request key, as a tier changes the price, not the answer
DEARER = {"fast": "fast", "priority": "fast", "ultrafast": "ultrafast"}  # by the name in replies, the key of the family
FLEX_REFUSALS = 3  # of one call, after which it is sent at the standard tier
FLEX_TIMEOUT_S = 900.0  # timeout: a reply may take this long
NOT_TAKEN = re.compile(
    r"service_tier|service tier|\bflex\b.{0,40}\bnot (available|supported)|unsupported.{0,40}\bflex\b", re.I
)
REFUSED_STATUSES = (429, 498, 503)  # used by OpenAI, Groq and Gemini


def has_flex(table: Mapping[str, Any]) -> bool:
    """Return whether the model of a table is known to have the tier flex."""
    known = family_of(table)
    return known is not None and known.family.get("service.flex") is not None


def with_flex(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hosted model's table that requests flex.

    It gets enough time for replies and retries, unless it sets these times itself.
    """
    retry = {"seconds": FLEX_REFUSALS * FLEX_TIMEOUT_S, **table.get("retry", {})}
    return {"timeout_s": FLEX_TIMEOUT_S, **table, "service": FLEX, "retry": retry}


def shares_of(facts: Mapping[str, Any]) -> dict[str, Decimal]:
    """Return the price of each tier as a share of the standard price, by the name that replies use; without batches.

    facts: of a family.
    """
    service = facts.get("service", {})
    found = {FLEX: Decimal(str(service[FLEX]))} if FLEX in service else {}
    return found | {name: Decimal(str(service[key])) for name, key in DEARER.items() if key in service}


def served_tier(asked: str, said: str | None) -> str:
    """Return the tier that a reply is charged for, "" for standard. asked: the requested tier.

    said: the tier in the reply. A tier cheaper than standard counts only if it was requested. A dearer one counts
    whenever the vendor names it, as an account can be set to it.
    """
    return said if said and (said in DEARER or said == asked == FLEX) else ""


def flex_refused(problem: CallProblem) -> bool:
    """Return whether a request for flex was rejected for lack of capacity, not for a limit of the account.

    Nothing needs to slow down after such a rejection.
    """
    return problem.status in REFUSED_STATUSES and problem.kind == "transient" and not problem.paced


def tier_refused(problem: CallProblem) -> bool:
    """Return whether the vendor does not offer the tier for this model.

    The status must fit too, as a message may quote the prompt.
    """
    return problem.status in (400, 422) and bool(NOT_TAKEN.search(problem.message))
