"""Facts on hosted models: from the tables of models and the vendors' files, and from the vendors themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Ask, CallProblem, Segment
from scrollwork.models.engine.prices import Price, UnknownPrice, price_of
from scrollwork.models.hosted.model import decoding
from scrollwork.models.hosted.tables import BadTable, key_name_of, key_of
from scrollwork.models.registry import HOSTED, settings
from scrollwork.models.vendors.families import Family, families, family_of, vendor_of, vendors
from scrollwork.suites.model_tables import in_its_place, model_end
from scrollwork.suites.suite_files import load_models

if TYPE_CHECKING:
    from scrollwork.models.hosted.listing import Listed

SHOWN_TOKENS = 100  # token limit of the example request whose parameters are shown
RATES = ("input", "cached", "cache_write", "output")


def known_models(models_file: str | None = None, today: date | None = None) -> list[dict[str, Any]]:
    """Return a row for each model that has a table, or that only its vendor's file names; sorted by vendor.

    model: as --model takes it. price: [{from, above, input, cached, cache_write, output}] in USD per million tokens.
    Each price holds from a day on, and for prompts of more than `above` tokens; [] if unknown. ends: the first day on
    which the model no longer answers. sent: the parameters of a request for an answer of SHOWN_TOKENS tokens. today:
    None for the present day. Raises UnknownModel.
    """
    today = today or date.today()
    rows, named = [], set[tuple[str, str]]()
    tables = load_models(models_file)
    for model, table in tables.items():
        if table.get("provider") not in HOSTED:
            continue
        checked = settings(model, tables, given={} if "base_url" in table else _somewhere(table))
        named.add((str(table["provider"]), str(table["id"])))
        rows.append(_row(model, checked, today, of_table=True))
    for family in families():
        ids = {family.id, *family.get("aliases", ())}
        if not any((family.provider, one) in named for one in ids):
            name = f"{family.vendor}:{family.id}"
            rows.append(_row(name, settings(name, {}), today, of_table=False))
    return sorted(rows, key=lambda row: (row["vendor"] or "~", row["ends"] is not None, row["model"]))


def _somewhere(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return an address for a table that leaves it to the command line; nothing is sent there."""
    return {"base_url": "http://127.0.0.1:9/v1"} if table["provider"] == "compatible" else {}


def _row(model: str, table: Mapping[str, Any], today: date, *, of_table: bool) -> dict[str, Any]:
    known = family_of(table)
    facts = known.family if known is not None else Family("", "", "", "")
    vendor = vendors()[facts.vendor] if facts.vendor else None
    ends, successor = model_end(table, known)
    price = _price(model, table)
    return {
        "model": model,
        "id": table["id"],
        "vendor": vendor.title if vendor else None,
        "provider": table["provider"],
        "family": facts.id or None,
        "table": of_table,
        "released": facts.get("released"),
        "ends": ends.isoformat() if ends else None,
        "days_left": (ends - today).days if ends else None,
        "successor": successor or None,
        "context": table.get("context") or facts.get("context"),
        "max_input": facts.get("max_input"),
        "max_output": table.get("max_output") or facts.get("max_output"),
        "price": _tiers(price) if price is not None else [],
        "service": dict(facts.get("service", {})),
        "peak": facts.get("peak"),
        "cache": dict(facts.get("cache", {})),
        "sent": _sent(table),
        "sources": [vendor.sources[name] for name in facts.get("source", ())] if vendor else [],
    }


def _price(model: str, table: Mapping[str, Any]) -> Price | None:
    try:
        return price_of(model, table)
    except UnknownPrice:
        return None


def _tiers(price: Price) -> list[dict[str, Any]]:
    found = []
    for day, rates in price.listed:
        found.append({"from": day or None, "above": 0, **_usd(rates)})
        for above, factors in price.long:
            found.append({"from": day or None, "above": above, **_usd(rates.times(factors))})
    return found


def _usd(rates: Any) -> dict[str, float]:
    return {name: float(getattr(rates, name) / Decimal(1000)) for name in RATES}


def _sent(table: Mapping[str, Any]) -> dict[str, Any]:
    ask = Ask("task", "example", (Segment("query", "?"),), "", 0, SHOWN_TOKENS)
    if table["provider"] == "compatible":
        table = {**table, "parameters": {"max_tokens": "max_tokens", **table.get("parameters", {})}}
    return decoding(ask, table)


@dataclass
class Checked:
    """The reply of a vendor, or of the user's own server, about its models. models: how many it has.

    problem: why there is no reply, "" if there is one. differences: lines on facts that differ from those known here.
    """

    address: str
    models: int = 0
    problem: str = ""
    differences: list[str] = field(default_factory=list)


def check_models(models_file: str | None = None) -> list[Checked]:
    """Ask every address for which there is a key (or that needs none) for its models, and compare them with the facts
    known here. Raises UnknownModel."""
    from scrollwork.models.hosted.listing import list_models  # brings aiohttp, an extra

    found = []
    for address, (name, table, ids) in _places(models_file).items():
        one = Checked(address)
        found.append(one)
        try:
            there = list_models(name, table)
        except (CallProblem, BadTable) as error:
            one.problem = str(error)
            continue
        one.models = len(there)
        vendor = vendor_of(table)
        for model_id in sorted(ids):
            known = family_of({**table, "id": model_id})
            facts = known.family if known is not None and vendor is not None else None
            one.differences += [f"{model_id}: {line}" for line in differences(facts, there.get(model_id))]
    return found


def _places(models_file: str | None) -> dict[str, tuple[str, dict[str, Any], set[str]]]:
    """Return (a model's name, its table, all model ids) by address, if there is a key for it or it needs none."""
    found: dict[str, tuple[str, dict[str, Any], set[str]]] = {}
    for name, table in _reachable(models_file):
        place = found.setdefault(str(table["base_url"]), (name, table, set()))
        place[2].add(str(table["id"]))
    return found


def _reachable(models_file: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    tables = load_models(models_file)
    candidates: list[tuple[str, dict[str, Any]]] = []
    for name, table in tables.items():
        if table.get("provider") in HOSTED and (table["provider"] != "compatible" or "base_url" in table):
            candidates.append((name, settings(name, tables)))
    names = (f"{family.vendor}:{family.id}" for family in families())
    candidates += ((name, settings(name, {})) for name in names)
    for name, table in candidates:
        try:
            key_of(name, table["provider"], table)
        except BadTable:
            continue
        if key_name_of(table["provider"], table) or vendor_of(table) is None:
            yield name, table


def differences(facts: Family | None, said: Listed | None) -> list[str]:
    """Return a line for each point in which a vendor's facts on a model differ from those known here.

    facts: None if none are known. said: None if the vendor does not list the model.
    """
    if said is None:
        return ["not among its models"] if facts is None or not _over(facts) else []
    lines = []
    if said.state == "retired":
        lines.append("retired")
    if facts is None:
        return lines
    ends = facts.get("ends")
    if said.ends and said.ends != ends:
        lines.append(f"ends on {said.ends}, here {ends or 'no day is known'}")
    elif ends and said.ends is None and said.state in (None, "active"):
        lines.append(f"no end is named, here {ends}")
    largest = facts.get("max_input") or facts.get("context")
    if said.max_input and largest and said.max_input != largest:
        lines.append(f"takes {said.max_input:,} tokens of input, here {largest:,}")
    most = facts.get("max_output")
    if said.max_output and most and said.max_output != most:
        lines.append(f"gives {said.max_output:,} tokens of output, here {most:,}")
    off = facts.get("thinking.off")
    if said.thinking is not None and off and said.thinking.get(off) is False:
        lines.append(f"does not take thinking {off!r}, which is sent to stop thoughts")
    if said.thinking is not None and off is None and facts.get("thinking"):
        stops = [name for name in ("disabled", "between_tools") if said.thinking.get(name)]
        lines += [f"can stop thinking by {stops[0]!r}, here it cannot"] if stops else []
    if said.effort is not None:
        known = set(facts.get("effort.values", ()))
        lines += [
            f"effort {name!r} is taken, here not" for name, taken in said.effort.items() if taken and name not in known
        ]
        lines += [f"effort {name!r} is not taken" for name, taken in said.effort.items() if not taken and name in known]
    return lines


def _over(facts: Family) -> bool:
    ends = facts.get("ends")
    return bool(ends) and date.fromisoformat(ends) <= date.today()


def ending_soon(rows: Iterable[Mapping[str, Any]], days: int) -> list[str]:
    """Return a line for each model that ends within so many days and has not ended yet."""
    lines = []
    for row in rows:
        if row["days_left"] is not None and 0 < row["days_left"] <= days:
            instead = in_its_place(row["successor"])
            lines.append(f"{row['model']} ends on {row['ends']}, in {row['days_left']} days{instead}")
    return lines
