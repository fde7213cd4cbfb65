"""What a vendor's family adds to a model's table: parameters and room for reasoning, and whether temperature is sent.

Whatever the table itself says is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.vendors.families import Family, family_of, upstream_of

MIN_OUTPUT = "min_output"  # key of a table: the fewest new tokens that its endpoint accepts
FORMER = "former"  # key of a table: the values that its family replaced, None for keys that it added
REFUSED_SINCE = "2026-10-21"  # Anthropic's interface version that refuses a temperature for every model
CHAT_FIELD, RESPONSES_FIELD = "reasoning_effort", "reasoning.effort"


def with_family(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checked table of a hosted model with what its family adds, and the replaced values under FORMER.

    Reasoning is turned off if possible, as the papers' models had none; else it gets the lowest effort, and room in
    addition to the task's own tokens. If the table says something about reasoning (`reasoning_tokens`, or the parameter
    in `extra`), that is kept, and the room of its effort is added if it gives none.
    """
    known = family_of(table)
    if known is None or table.get("endpoint") == "completions":
        return dict(table)
    family = known.family
    added: dict[str, Any] = {}
    upstream = upstream_of(table)
    extra, room = (
        reasoning_parameters(family, table) if upstream is None else passed_on_reasoning(family, upstream, table)
    )
    if extra != table.get("extra", {}):
        added["extra"] = extra
    if room is not None:
        added["reasoning_tokens"] = room
    if "max_output" not in table and (most := family.get("max_output")):
        added["max_output"] = most
    stated = "temperature" in table and not family.id  # of a model that nobody knows the table's word goes
    if (
        "temperature" not in table.get("parameters", {})
        and not stated
        and refuses_temperature(family, {**table, "extra": extra})
    ):
        added["parameters"] = {**table.get("parameters", {}), "temperature": False}
    if takes_temperature(family, table):
        added["parameters"] = {**table.get("parameters", {}), "temperature": True}
    named = table["provider"] != "compatible" or "max_tokens" in table.get("parameters", {})
    if not named and "limit_name" in family.facts:
        parameters = added.get("parameters", table.get("parameters", {}))
        added["parameters"] = {**parameters, "max_tokens": family.facts["limit_name"]}
    least = family.get(f"endpoints.{table['endpoint']}.min_output", 1)
    if least > 1:
        added[MIN_OUTPUT] = least
    if not added:
        return dict(table)
    return {**table, **added, FORMER: {key: table.get(key) for key in added}}


def beyond_answer(table: Mapping[str, Any]) -> int:
    """Return the most new tokens that a call may have in addition to its answer's.

    That is room for reasoning, or what is missing to the fewest new tokens that its endpoint accepts.
    """
    return max(int(table.get("reasoning_tokens", 0)), int(table.get(MIN_OUTPUT, 1)) - 1)


def most_output(max_new_tokens: int, table: Mapping[str, Any]) -> int:
    """Return the new tokens that a call may have, for its answer and for reasoning.

    They are limited by what the model can give, but are never fewer than its endpoint accepts.
    """
    room = max_new_tokens + int(table.get("reasoning_tokens", 0))
    return max(int(table.get(MIN_OUTPUT, 1)), min(room, int(table.get("max_output", room))))


def without_family(table: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the table as it was before `with_family`; None if nothing was added."""
    if FORMER not in table:
        return None
    former = table[FORMER]
    kept = {key: value for key, value in table.items() if key not in (*former, FORMER)}
    return {**kept, **{key: value for key, value in former.items() if value is not None}}


def reasoning_parameters(family: Family, table: Mapping[str, Any]) -> tuple[dict[str, Any], int | None]:
    """Return (`extra` with the parameter that turns reasoning off or to its lowest effort, room to add or None).

    The room is in tokens.
    """
    extra = dict(table.get("extra", {}))
    thinking, effort = family.get("thinking", {}), family.get("effort", {})
    fields = [with_endpoint(one["field"], table) for one in (thinking, effort) if "field" in one]
    own = [name for name in fields if value_at(extra, name) is not None]
    if "reasoning_tokens" in table:
        return extra, None
    if own or not can_think(family):
        chosen = value_at(extra, own[0]) if own else None
        return extra, room_of(family, chosen) if own and chosen != off_value(family, own[0], table) else None
    if "off" in thinking:
        return (with_value(extra, fields[0], thinking["off"]) if thinking["off"] else extra), None
    if "off" in effort:
        name = with_endpoint(effort["field"], table)
        return (extra if effort.get("default") == effort["off"] else with_value(extra, name, effort["off"])), None
    if not effort.get("values"):
        return extra, room_of(family, None)
    least = effort["values"][0]
    return with_value(extra, with_endpoint(effort["field"], table), least), room_of(family, least)


def passed_on_reasoning(
    family: Family, upstream: Family, table: Mapping[str, Any]
) -> tuple[dict[str, Any], int | None]:
    """Return the same as `reasoning_parameters`, for a model that its vendor passes on from another vendor.

    The name of the parameter comes from the vendor that passes it on (family), the lowest effort and its room from the
    model's own vendor (upstream).
    """
    extra, name = dict(table.get("extra", {})), family.get("effort.field")
    if "reasoning_tokens" in table or name is None or value_at(extra, name) is not None or not can_think(upstream):
        return extra, None
    if "off" in upstream.get("thinking", {}) or "off" in upstream.get("effort", {}):
        return with_value(extra, name, "none"), None
    least = next(iter(upstream.get("effort.values", ())), None)
    return (extra if least is None else with_value(extra, name, least)), room_of(upstream, least)


# Reasoning tokens of a call by effort (fact sheet vendors.md, section 8), and the room from which an effort is assumed.
LIKELY_THOUGHTS = {"minimal": 100, "low": 300, "medium": 1_500, "high": 6_000, "xhigh": 12_000, "max": 30_000}
ASSUMED = {25_000: "high", 16_000: "medium", 0: "low"}


def likely_thoughts(table: Mapping[str, Any]) -> int:
    """Return the reasoning tokens of a call of a table's model, guessed from its effort.

    If the effort is not known, it is what the table's room is enough for. 0 if the table has no room for reasoning.
    """
    room = int(table.get("reasoning_tokens", 0))
    known = family_of(table)
    effort = known.family.get("effort", {}) if known is not None else {}
    chosen = value_at(table.get("extra", {}), with_endpoint(effort["field"], table)) if "field" in effort else None
    assumed = next(name for least, name in ASSUMED.items() if room >= least)
    return min(room, LIKELY_THOUGHTS.get(str(chosen or effort.get("default", assumed)), LIKELY_THOUGHTS[assumed]))


def can_think(family: Family) -> bool:
    """Return whether a model of the family is known to be able to reason."""
    return bool(family.get("thinking")) or bool(family.get("effort.values")) or "default" in family.get("room", {})


def off_value(family: Family, name: str, table: Mapping[str, Any]) -> Any:
    """Return the value of the parameter `name` that turns reasoning off, None if there is none."""
    effort = family.get("effort", {})
    if "field" in effort and with_endpoint(effort["field"], table) == name:
        return effort.get("off")
    return family.get("thinking.off")


def room_of(family: Family, effort: Any) -> int | None:
    """Return the tokens of room for an effort, None if none are known. effort: None for the usual one.

    If the effort is unknown, it is the most that is known for any effort.
    """
    room = family.get("room", {})
    name = effort if isinstance(effort, str) else family.get("effort.default", "default")
    found = room.get(name, max(room.values(), default=0))
    return int(found) or None


def refuses_temperature(family: Family, table: Mapping[str, Any]) -> bool:
    """Return whether a request with this table's `extra` must not contain a temperature."""
    sampling, effort = family.get("sampling"), family.get("effort", {})
    if sampling != "effort_off":
        return bool(sampling == "never")
    sent = value_at(table.get("extra", {}), with_endpoint(effort["field"], table))
    return bool((effort.get("default") if sent is None else sent) != effort["off"])


def takes_temperature(family: Family, table: Mapping[str, Any]) -> bool:
    """Return whether a temperature goes to the endpoint messages, which gets none otherwise.

    It does if the table asks by a version of the interface that accepts one, for such a family; or if its own `family`
    says that the model always takes one.
    """
    if "temperature" in table.get("parameters", {}) or table.get("endpoint") != "messages":
        return False
    old = str(table.get("version", REFUSED_SINCE)) < REFUSED_SINCE
    return family.get("sampling") == "always" or (family.get("sampling") == "version" and old)


def with_endpoint(field: str, table: Mapping[str, Any]) -> str:
    """Return a parameter's name at the table's endpoint: OpenAI's responses endpoint nests the effort."""
    return RESPONSES_FIELD if field == CHAT_FIELD and table.get("endpoint") == "responses" else field


def value_at(table: Mapping[str, Any], name: str) -> Any:
    """Return the value under a dotted name, None if there is none."""
    found: Any = table
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def with_value(table: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return the table with a value under a dotted name."""
    first, _, rest = name.partition(".")
    return {**table, first: with_value(table.get(first, {}), rest, value) if rest else value}
