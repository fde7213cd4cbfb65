"""What a vendor's family adds to a model's table that is silent: how thoughts are stopped or get room, and whether a
temperature may be sent. What the table says itself stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.models.vendors.families import Family, family_of, upstream_of

MIN_OUTPUT = "min_output"  # of a table: fewest new tokens that its endpoint takes
FORMER = "former"  # of a table: what stood in place of what its family added; None where nothing did
CHAT_FIELD, RESPONSES_FIELD = "reasoning_effort", "reasoning.effort"


def with_family(table: Mapping[str, Any]) -> dict[str, Any]:
    """The checked table of a hosted model with what its family adds, and what stood there before under FORMER.

    Thoughts are stopped where that is possible, for the papers' models had none; else they get the least effort and
    room beyond the task's own tokens. A table that says something of thoughts (`reasoning_tokens`, or the parameter in
    `extra`) keeps its way, and gets the room of its effort where it gives none.
    """
    known = family_of(table)
    if known is None or table.get("endpoint") == "completions":
        return dict(table)
    family = known.family
    added: dict[str, Any] = {}
    upstream = upstream_of(table)
    extra, room = thoughts(family, table) if upstream is None else passed_thoughts(family, upstream, table)
    if extra != table.get("extra", {}):
        added["extra"] = extra
    if room is not None:
        added["reasoning_tokens"] = room
    if "max_output" not in table and (most := family.get("max_output")):
        added["max_output"] = most
    if "temperature" not in table.get("parameters", {}) and refuses_temperature(family, {**table, "extra": extra}):
        added["parameters"] = {**table.get("parameters", {}), "temperature": False}
    least = family.get(f"endpoints.{table['endpoint']}.min_output", 1)
    if least > 1:
        added[MIN_OUTPUT] = least
    if not added:
        return dict(table)
    return {**table, **added, FORMER: {key: table.get(key) for key in added}}


def beyond_answer(table: Mapping[str, Any]) -> int:
    """New tokens at most that a call may have beyond those of its answer: room for thoughts, or what makes up the
    fewest that its endpoint takes."""
    return max(int(table.get("reasoning_tokens", 0)), int(table.get(MIN_OUTPUT, 1)) - 1)


def most_output(max_new_tokens: int, table: Mapping[str, Any]) -> int:
    """New tokens that a call may have: of its answer and of thoughts, up to what the model gives, and not fewer than
    its endpoint takes."""
    room = max_new_tokens + int(table.get("reasoning_tokens", 0))
    return max(int(table.get(MIN_OUTPUT, 1)), min(room, int(table.get("max_output", room))))


def without_family(table: Mapping[str, Any]) -> dict[str, Any] | None:
    """The table as it was before `with_family`; None where nothing was added."""
    if FORMER not in table:
        return None
    former = table[FORMER]
    kept = {key: value for key, value in table.items() if key not in (*former, FORMER)}
    return {**kept, **{key: value for key, value in former.items() if value is not None}}


def thoughts(family: Family, table: Mapping[str, Any]) -> tuple[dict[str, Any], int | None]:
    """(`extra` with the parameter that stops or lessens thoughts, room for them to be added or None)."""
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


def passed_thoughts(family: Family, upstream: Family, table: Mapping[str, Any]) -> tuple[dict[str, Any], int | None]:
    """As `thoughts`, of a model that is passed on. The parameter is that of whoever passes it on, the least effort and
    its room are those of the model's own vendor."""
    extra, name = dict(table.get("extra", {})), family.get("effort.field")
    if "reasoning_tokens" in table or name is None or value_at(extra, name) is not None or not can_think(upstream):
        return extra, None
    if "off" in upstream.get("thinking", {}) or "off" in upstream.get("effort", {}):
        return with_value(extra, name, "none"), None
    least = next(iter(upstream.get("effort.values", ())), None)
    return (extra if least is None else with_value(extra, name, least)), room_of(upstream, least)


LIKELY_THOUGHTS = {"minimal": 100, "low": 500, "medium": 2_000, "high": 6_000, "xhigh": 12_000, "max": 30_000}


def likely_thoughts(table: Mapping[str, Any]) -> int:
    """Tokens that a call of a table's model may think, a guess by its effort; 0 where it has no room for thoughts."""
    room = int(table.get("reasoning_tokens", 0))
    known = family_of(table)
    effort = known.family.get("effort", {}) if known is not None else {}
    chosen = value_at(table.get("extra", {}), with_endpoint(effort["field"], table)) if "field" in effort else None
    usual = "low" if effort.get("values") else "medium"  # a vendor without efforts lets its models think as they like
    return min(room, LIKELY_THOUGHTS.get(str(chosen or effort.get("default", usual)), LIKELY_THOUGHTS[usual]))


def can_think(family: Family) -> bool:
    """Whether a model of the family may think at all, as far as is known."""
    return bool(family.get("thinking")) or bool(family.get("effort.values")) or "default" in family.get("room", {})


def off_value(family: Family, name: str, table: Mapping[str, Any]) -> Any:
    """The value of a parameter that stops thoughts, None where there is none."""
    effort = family.get("effort", {})
    if "field" in effort and with_endpoint(effort["field"], table) == name:
        return effort.get("off")
    return family.get("thinking.off")


def room_of(family: Family, effort: Any) -> int | None:
    """Tokens for thoughts of an effort, of the usual one for None; the most that is known where the effort is not."""
    room = family.get("room", {})
    name = effort if isinstance(effort, str) else family.get("effort.default", "default")
    found = room.get(name, max(room.values(), default=0))
    return int(found) or None


def refuses_temperature(family: Family, table: Mapping[str, Any]) -> bool:
    """Whether a request with this table's `extra` may not hold a temperature."""
    sampling, effort = family.get("sampling"), family.get("effort", {})
    if sampling != "effort_off":
        return bool(sampling == "never")
    sent = value_at(table.get("extra", {}), with_endpoint(effort["field"], table))
    return bool((effort.get("default") if sent is None else sent) != effort["off"])


def with_endpoint(field: str, table: Mapping[str, Any]) -> str:
    """A parameter's name as the table's endpoint has it: OpenAI's responses nest the effort."""
    return RESPONSES_FIELD if field == CHAT_FIELD and table.get("endpoint") == "responses" else field


def value_at(table: Mapping[str, Any], name: str) -> Any:
    """The value under a dotted name, None where there is none."""
    found: Any = table
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found


def with_value(table: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The table with a value under a dotted name."""
    first, _, rest = name.partition(".")
    return {**table, first: with_value(table.get(first, {}), rest, value) if rest else value}
