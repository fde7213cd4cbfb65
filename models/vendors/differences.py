"""What a model's first replies show that differs from the data about its vendor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Ask, Usage
from scrollwork.models.vendors.families import family_of, vendor_of
from scrollwork.models.vendors.marks import cache_minimum
from scrollwork.models.vendors.tiers import shares_of

NEAR = (0.7, 1.4)  # token counts are as expected within these factors, as estimates by characters are for English
FEW = 100  # tokens that a vendor may add to a prompt
DATED = re.compile(r"[-@:](\d{4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|latest|preview.*)")


@dataclass(frozen=True)
class FirstReply:
    """One of a model's first replies. ask: as it was sent. served_by: the model that the reply names.

    tier: that the reply is charged for, "" for standard. doubted: the reply reports usage, but it is not believed.
    """

    ask: Ask
    usage: Usage
    served_by: str
    tier: str = ""
    doubted: bool = False


def differences(
    table: Mapping[str, Any], last: FirstReply, before: FirstReply | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (kind, message) for each difference that the last reply shows.

    table: of the model, checked. before: the reply before the last one, if there is one. If both prompts share a
    prefix, the cached tokens are compared with what the family's cache should have given.
    """
    known = family_of(table)
    facts: Mapping[str, Any] = known.family.facts if known is not None else {}
    asked = str(table.get("id", ""))
    if not same_model(table, asked, last.served_by):
        yield "model", f"{asked} was asked for, and the reply names {last.served_by}"
    wanted = str(table.get("service", ""))
    if last.tier and last.tier != wanted:
        share = shares_of(facts).get(last.tier)
        cost = f", at {float(share):g} times the standard price" if share else ""
        yield "tier", f"it is served by the tier {last.tier}{cost}"
    counted, reckoned = last.usage.input_tokens, last.ask.likely_tokens
    if counted is None or last.usage.output_tokens is None:
        if not last.doubted:  # doubts about usage are reported where they arise
            yield "usage", "replies do not say how many tokens they took, so each counts for what was set aside for it"
    elif abs(counted - reckoned) > FEW and not NEAR[0] <= counted / max(1, reckoned) <= NEAR[1]:
        yield (
            "tokens",
            f"the vendor counts {counted:,} tokens of a prompt reckoned at {reckoned:,}: estimates are so far off",
        )
    thoughts = last.usage.reasoning_tokens or 0
    if thoughts and not table.get("reasoning_tokens"):
        yield "thoughts", f"it thinks ({thoughts:,} tokens), and its table gives no room for that"
    shared = expected_cached_tokens(table, facts, before, last) if before is not None else 0
    if shared and not last.usage.cached_tokens:
        yield (
            "cache",
            f"nothing of the second prompt came from the cache, though {shared:,} tokens of it are those of the first: "
            "what an estimate says of caches may not hold",
        )


def same_model(table: Mapping[str, Any], asked: str, served: str) -> bool:
    """Return whether a reply names the model that was requested, or no model at all.

    The names may differ by a date, by a gateway's prefix, or by an alias of the family.
    """
    here, there = asked.rpartition("/")[2], served.rpartition("/")[2]
    if not served or here == there or (there.startswith(here) and DATED.fullmatch(there, len(here))):
        return True
    if here.startswith(there) and DATED.fullmatch(here, len(there)):
        return True
    vendor = vendor_of(table)
    if vendor is None:
        return False
    one, other = vendor.family(here), vendor.family(there)
    return one.exact and other.exact and one.family is other.family


def expected_cached_tokens(
    table: Mapping[str, Any], facts: Mapping[str, Any], first: FirstReply, second: FirstReply
) -> int:
    """Return the tokens of the second prompt that should have been in the cache, 0 for none.

    It is 0 if the family has no cache, and for a prefix of less than 1.2 times the cache's minimum.
    """
    if not second.ask.follows or not second.ask.prefix_digest or second.ask.prefix_digest != first.ask.prefix_digest:
        return 0
    promised = facts.get("cache", {}).get("rule", "none") != "none"
    shared = second.ask.shared_tokens
    return shared if promised and shared >= 1.2 * cache_minimum(table) else 0
