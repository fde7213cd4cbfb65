"""What a model's first replies show that is not as its vendor's data say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrollwork.models.base import Ask, Usage
from scrollwork.models.vendors.families import cache_minimum, family_of, vendor_of
from scrollwork.models.vendors.tiers import shares_of

NEAR = (0.7, 1.4)  # of what was reckoned: as far as estimates by characters are off for English


@dataclass(frozen=True)
class Seen:
    """A first reply. ask: as it was sent. served_by: the model that the reply names. tier: that it counts for, "" for
    standard."""

    ask: Ask
    usage: Usage
    served_by: str
    tier: str = ""


def differences(table: Mapping[str, Any], first: Seen, second: Seen | None = None) -> Iterator[str]:
    """Each difference, in words. table: of the model, checked. second: where it shares a prefix with the first, its
    cached tokens are held against what the family's cache should have given."""
    known = family_of(table)
    facts: Mapping[str, Any] = known.family.facts if known is not None else {}
    asked = str(table.get("id", ""))
    if not same_model(table, asked, first.served_by):
        yield f"{asked} was asked for, and the reply names {first.served_by}"
    wanted = str(table.get("service", ""))
    if first.tier and first.tier != wanted:
        share = shares_of(facts).get(first.tier)
        yield f"it is served by the tier {first.tier}" + (
            f", at {float(share):g} times the standard price" if share else ""
        )
    counted, reckoned = first.usage.input_tokens, first.ask.likely_tokens
    if counted is None or first.usage.output_tokens is None:
        yield "replies do not say how many tokens they took, so each counts for what was set aside for it"
    elif not NEAR[0] <= counted / max(1, reckoned) <= NEAR[1]:
        yield f"the vendor counts {counted:,} tokens of a prompt reckoned at {reckoned:,}: estimates are so far off"
    thoughts = first.usage.reasoning_tokens or 0
    if thoughts and not table.get("reasoning_tokens"):
        yield f"it thinks ({thoughts:,} tokens), and its table gives no room for that"
    if second is not None and not second.usage.cached_tokens and (shared := cacheable(table, facts, first, second)):
        yield (
            f"nothing of the second prompt came from the cache, though {shared:,} tokens of it are those of the first: "
            f"what an estimate says of caches may not hold"
        )


def same_model(table: Mapping[str, Any], asked: str, served: str) -> bool:
    """Whether a reply names the model that was asked for: as it is, with a date or a vendor's prefix, by an alias."""
    if not served or asked in served or served in asked:
        return True
    vendor = vendor_of(table)
    return (
        vendor is not None
        and vendor.family(served).family is vendor.family(asked).family
        and bool(vendor.family(served).family.id)
    )


def cacheable(table: Mapping[str, Any], facts: Mapping[str, Any], first: Seen, second: Seen) -> int:
    """Tokens that the second prompt should have found in the cache; 0 for none, or where nobody promises it."""
    if not second.ask.follows or not second.ask.prefix or second.ask.prefix != first.ask.prefix:
        return 0
    promised = facts.get("cache", {}).get("rule", "none") != "none"
    shared = second.ask.shared_tokens
    return shared if promised and shared >= 1.2 * cache_minimum(table) else 0
