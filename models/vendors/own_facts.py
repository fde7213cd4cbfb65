"""What a user's table of a model may say in place of its vendor's file: its price, and facts of its family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.table_keys import NUMBER, TEXT, Key, Table
from scrollwork.models.vendors.families import BadVendor, check, family_of
from scrollwork.models.vendors.fill import value_at, with_endpoint
from scrollwork.models.vendors.keys import DAY, EFFORTS, RATES, TIERS, Rate, next_to_nothing

PRICE = Table(
    {
        "input": Key(NUMBER, "USD per million tokens."),
        "cached": Key(NUMBER, "USD per million tokens that the vendor's prefix cache held."),
        "output": Key(NUMBER, "USD per million tokens, thoughts among them."),
        "cache_write": Key(NUMBER, "USD per million tokens written to the prefix cache."),
        "batch": Key(NUMBER, "The share of it that a batch costs, such as 0.5."),
        "long": Key(TIERS, "Factors for long prompts, the shortest border first; [] for none."),
        "date": Key(DAY, "When the price was looked up."),
        "source": Key(TEXT, "Where."),
    }
)


def price_fault(price: Mapping[str, Any]) -> str:
    """Return what is wrong with a table's price, in words; "" if nothing is. An error here would give a wrong bill."""
    faults = [f"price.{key} is missing (USD per million tokens)" for key in ("input", "output") if key not in price]
    faults += [
        f"price.{key} must not be negative" for key, one in price.items() if isinstance(one, int | float) and one < 0
    ]
    leasts = {key: one.kind.least for key, one in RATES.items() if isinstance(one.kind, Rate)}
    faults += [
        f"price.{key} {fault}" for key, least in leasts.items() if (fault := next_to_nothing(price.get(key, 0), least))
    ]
    if price.get("batch", 1) > 1:
        faults.append(f"price.batch is the share that a batch costs, such as 0.5, not {price['batch']!r}")
    return faults[0] if price and faults else ""


def family_fault(table: Mapping[str, Any]) -> str:
    """Return what is wrong with a family's facts once a table's `family` has replaced some; "" if nothing is."""
    known = family_of(table) if "family" in table else None
    try:
        check("family", known.family.facts if known is not None else {})
    except BadVendor as error:
        return str(error)
    return ""


def unknown_effort(table: Mapping[str, Any]) -> str:
    """Return the warning about an effort in a table's `extra` that its family is not known to accept; "" for none."""
    known = family_of(table)
    effort = known.family.get("effort", {}) if known is not None else {}
    values = effort.get("values", ())
    name = with_endpoint(effort["field"], table) if "field" in effort else ""
    given = value_at(table.get("extra", {}), name) if name else None
    thinking = known.family.get("thinking", {}) if known is not None else {}
    up_to = thinking.get("off_up_to")
    stopped = up_to and value_at(table.get("extra", {}), thinking["field"]) == thinking.get("off")
    if given in EFFORTS and stopped and EFFORTS.index(given) > EFFORTS.index(up_to):
        return f"extra.{name} = {given!r} is not known to be taken with thoughts off; {up_to} is the highest that is"
    if given is None or not values or given in values:
        return ""
    return f"extra.{name} = {given!r} is not known to be taken; known are {', '.join(values)}"
