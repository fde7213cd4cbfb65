"""Warnings about the models of a run, before it asks anything: what may be refused, end, or cost more than expected."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from scrollwork.models.engine.prices import dollars, nano, price_of
from scrollwork.models.hosted.tables import BASE_URLS
from scrollwork.models.registry import HOSTED
from scrollwork.models.vendors.families import Family, KnownFamily, counted_context, family_of, upstream_of, vendors
from scrollwork.models.vendors.fill import most_output
from scrollwork.models.vendors.own_facts import unknown_effort
from scrollwork.models.vendors.tiers import FLEX
from scrollwork.pipeline.calling import known_price
from scrollwork.pipeline.design import design_of
from scrollwork.pipeline.session import CallSettings
from scrollwork.suites.request import Request

FEW_CALLS = 20  # that a budget should hold, lest it ends a run before much of it is spent
SOON_DAYS = 60  # within which a model's end is told with the days that are left


def run_warnings(request: Request, calling: CallSettings) -> list[str]:
    """Return all lines that are shown before a run asks anything, about its hosted models."""
    return [
        *vendor_warnings(calling),
        *context_warnings(request, calling),
        *unbounded_cost_warning(request, calling),
        *small_budget_warnings(request, calling),
        *told_ways(request, calling),
    ]


def context_warnings(request: Request, calling: CallSettings) -> list[str]:
    """Return a warning for each hosted model to which --context applies, if only an estimate counts its tokens."""
    if request.context is None or request.tokenizer:
        return []
    lines = []
    for model, table in calling.tables.items():
        fits = counted_context(request.context, table, table.get("tokenizer", "")) if table["provider"] in HOSTED else 0
        if 0 < fits < request.context:
            lines.append(
                f"{model}: prompts are cut to {request.context:,} tokens as {table['tokenizer']!r} counts them, which "
                f"may be more of the model's own: --context {fits} holds what fits, or give --tokenizer hf:FOLDER"
            )
    return lines


def vendor_warnings(calling: CallSettings, today: date | None = None) -> list[str]:
    """Return warnings about a run's hosted models, one line each: the vendor has retired the model, will retire it on
    an announced day, its id or its effort is unknown, or its price holds from a later day only.

    None for models that the user's own server runs. today: the current day, by this machine's clock unless given.
    """
    today = today or date.today()
    lines = []
    for model, table in calling.tables.items():
        known = family_of(table)
        if known is not None and not known.exact:
            lines.append(f"{model}: {taken_for(known, upstream_of(table))}")
        lines += [f"{model}: {line}" for line in (unknown_effort(table), later_price(model, table, today)) if line]
        day, successor = model_end(table, known)
        if not day:
            continue
        instead = in_its_place(successor)
        if today >= day:
            lines.append(f"{model}: its vendor has retired it on {day}; it will hardly answer{instead}")
        else:
            left = (day - today).days
            soon = f" (in {left} days)" if left <= SOON_DAYS else ""
            told = f"{model}: its vendor retires it on {day}{soon}; what is not answered by then never will be"
            lines.append(f"{told}{instead}")
    return lines


def model_end(table: Mapping[str, Any], known: KnownFamily | None) -> tuple[date | None, str]:
    """(the day on which the vendor retires a table's model, None where none is known; its named successor or "")."""
    own = table.get("retired", "")
    if known is None and table.get("base_url") != BASE_URLS.get(table["provider"]):
        return None, ""
    day = own or (known.family.get("ends", "") if known is not None else "")
    return (date.fromisoformat(day) if day else None), (known.family.get("successor", "") if known is not None else "")


def in_its_place(successor: str | None) -> str:
    """The end of a warning that names a model's successor; "" where there is none."""
    return f"; the vendor names {successor} in its place" if successor else ""


def later_price(model: str, table: Mapping[str, Any], today: date) -> str:
    """Return the warning about a model whose first known price holds from a later day; "" for others."""
    price = known_price(model, table) if table["provider"] in HOSTED else None
    first = price.listed[0][0] if price is not None else ""
    return f"its price is known from {first} on only; until then this price is taken" if first > f"{today}" else ""


def taken_for(known: KnownFamily, upstream: Family | None = None) -> str:
    """Return the warning about a model id that is in no known family. upstream: the family of a model that its vendor
    passes on from another, whose context and thoughts are those of this model."""
    family = known.family if known.family.id else upstream
    if family is not None:
        whose = f" of {vendors()[family.vendor].title}, passed on" if family is upstream else ""
        return f"this id is not known; it is taken for {family.id}{whose} (`scrollwork models` lists what is known)"
    return (
        "this id is not known, nor what it takes and costs: it is asked as its vendor's models usually are "
        "(`scrollwork models` lists what is known; your own table may say more)"
    )


def told_ways(request: Request, calling: CallSettings) -> list[str]:
    """Return the line that says how --way calls hosted models; nothing without --way or without hosted models."""
    hosted = {name: table for name, table in calling.tables.items() if table["provider"] in HOSTED}
    if request.way is None or not hosted:
        return []
    if calling.batch:
        return [f"way: {', '.join(hosted)} in batches"]
    flex = [name for name, table in hosted.items() if table.get("service") == FLEX]
    others = [name for name in hosted if name not in flex]
    parts = [f"{', '.join(flex)} by flex"] * bool(flex) + [f"{', '.join(others)} at the standard tier"] * bool(others)
    return [f"way: {'; '.join(parts)}"]


def unbounded_cost_warning(request: Request, calling: CallSettings) -> list[str]:
    """Return the design's warning about cost where hosted models are called without a budget."""
    hosted = any(table["provider"] in HOSTED for table in calling.tables.values())
    return [line for line in [design_of(request.config).caution(request)] if line and hosted and not request.budget]


def small_budget_warnings(request: Request, calling: CallSettings) -> list[str]:
    """Warnings about models of which --budget holds few calls at once: what a call may cost is set aside while it is
    under way, with all its room for thoughts, and a run ends where no call fits any more."""
    suite, lines = request.config, []
    longest = max((suite.new_tokens(task, request.prompts) for task in request.chosen_tasks()), default=0)
    for model, table in calling.tables.items() if request.budget else ():
        if table["provider"] not in HOSTED:
            continue
        price = price_of(model, table)
        most = (price.in_batch() if calling.batch else price).most(0, most_output(longest, table))
        if FEW_CALLS * most > nano(request.budget or 0):
            lines.append(
                f"{model}: an answer may cost up to {dollars(most)}, which is set aside while it is asked for; the run "
                f"ends when less than that is left of --budget {request.budget}"
            )
    return lines
