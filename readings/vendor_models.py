"""What is known of hosted models: from the tables of models and the vendors' files, and from the vendors themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from scrollwork.models.base import Ask, CallProblem, Segment
from scrollwork.models.engine.prices import Price, UnknownPrice, price_of
from scrollwork.models.hosted.model import decoding
from scrollwork.models.hosted.tables import BadTable, key_name_of, key_of
from scrollwork.models.registry import HOSTED, UnknownModel, settings
from scrollwork.models.vendors.families import TABLES, Family, families, family_of, vendor_of, vendors
from scrollwork.models.vendors.keys import FACTS
from scrollwork.readings.model_warnings import in_its_place, model_end
from scrollwork.suites.model_tables import from_file
from scrollwork.suites.suite_files import load_models

if TYPE_CHECKING:
    from scrollwork.models.hosted.listing import ListedModel

SHOWN_TOKENS = 100  # of a task, for which it is shown what is sent
MOST_AT_ONCE = 16  # vendors that are asked at once
OWN = "its table"  # where a fact of a model is from that its own table states
OWN_KEYS = {"context": "context", "max_output": "max_output", "price": "price", "retired": "ends"}  # such facts, by key
RATES = ("input", "cached", "cache_write", "output")


def known_models(models_file: str | None = None, today: date | None = None) -> list[dict[str, Any]]:
    """A row for each model that is named by a table, or by its vendor's file alone; by vendor.

    model: as --model takes it. price: [{from, above, input, cached, cache_write, output}] in USD per million tokens, by
    the first day and by the tokens of a prompt above which they hold; [] where none is known. ends: the first day
    without an answer. keeps: until when the vendor promises answers. concurrency: requests at once that it allows.
    sent: the parameters of a request for an answer of SHOWN_TOKENS tokens. sources: {fact: [where it is from, with the
    date]}, facts by their keys in the vendor's file. Raises UnknownModel.
    """
    today = today or date.today()
    rows, named = [], set[tuple[str, str]]()
    tables = load_models(models_file)
    for model, table in tables.items():
        if table.get("provider") not in HOSTED:
            continue
        checked = _checked(model, tables, models_file, {} if "base_url" in table else _somewhere(table))
        named.add((str(table["provider"]), str(table["id"])))
        rows.append(_row(model, checked, today, table))
    for family in families():
        ids = {family.id, *family.get("aliases", ())}
        if not any((family.provider, one) in named for one in ids):
            name = f"{family.vendor}:{family.id}"
            rows.append(_row(name, settings(name, {}), today, None))
    return sorted(rows, key=lambda row: (row["vendor"] or "~", row["ends"] is not None, row["model"]))


def _checked(
    model: str, tables: Mapping[str, Any], models_file: str | None, given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a model's table, checked. Raises UnknownModel, which names the file if the table is in `models_file`."""
    try:
        return settings(model, tables, given=given)
    except UnknownModel as error:
        if not from_file(model, models_file):
            raise
        raise UnknownModel(f"--models {models_file}: {error}") from error


def _somewhere(table: Mapping[str, Any]) -> dict[str, Any]:
    """An address for a table that leaves it to the command line: nothing is sent there."""
    return {"base_url": "http://127.0.0.1:9/v1"} if table["provider"] == "compatible" else {}


def _row(model: str, table: Mapping[str, Any], today: date, own: Mapping[str, Any] | None) -> dict[str, Any]:
    """A row of `known_models`. table: checked; own: the model's table as it is written, None if it has none."""
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
        "table": own is not None,
        "released": facts.get("released"),
        "ends": ends.isoformat() if ends else None,
        "days_left": (ends - today).days if ends else None,
        "keeps": facts.get("keeps"),
        "successor": successor or None,
        "context": table.get("context") or facts.get("context"),
        "max_input": facts.get("max_input"),
        "max_output": table.get("max_output") or facts.get("max_output"),
        "price": _tiers(price) if price is not None else [],
        "service": dict(facts.get("service", {})),
        "peak": facts.get("peak"),
        "concurrency": facts.get("concurrency"),
        "cache": dict(facts.get("cache", {})),
        "sent": _sent(table),
        "sources": _sources(own or {}, facts),
    }


def _sources(own: Mapping[str, Any], facts: Family) -> dict[str, list[str]]:
    """Return where each fact is from, by its key in the vendor's file, with the date; "its table" for what the model's
    own table says."""
    named = facts.get("source", {})
    texts = vendors()[facts.vendor].sources if facts.vendor else {}
    said = {*own.get("family", {}), *(fact for key, fact in OWN_KEYS.items() if key in own)}
    return {
        fact: [OWN] * (fact in said)
        + [texts[name] for name in named.get(fact, ()) if fact not in said or fact in TABLES]
        for fact in FACTS
        if fact in said or fact in facts.facts
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
class VendorCheck:
    """What a vendor, or a server of one's own, says of its models. problem: why nothing; differences: a line each."""

    address: str
    models: int = 0
    problem: str = ""
    differences: list[str] = field(default_factory=list)


def check_models(models_file: str | None = None) -> list[VendorCheck]:
    """Ask every address whose key is at hand which models it has, and say what is known otherwise here. Raises
    UnknownModel."""
    from scrollwork.models.hosted.listing import list_models  # brings aiohttp, an extra

    def checked(address: str, tables: Mapping[str, Mapping[str, Any]]) -> VendorCheck:
        one = VendorCheck(address)
        try:
            there = list_models(*next(iter(tables.items())))
        except (CallProblem, BadTable) as error:
            one.problem = str(error)
            return one
        one.models = len(there)
        lines = [
            f"{table['id']}: {line}"
            for table in sorted(tables.values(), key=lambda table: str(table["id"]))
            for line in differences(table, there.get(str(table["id"])))
        ]
        one.differences = list(dict.fromkeys(lines))  # two tables may be of one model
        return one

    places = _places(models_file)
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:  # a server that does not answer holds up none of the others
        return list(pool.map(checked, (address for address, _, _ in places), places.values()))


def missing_keys(models_file: str | None = None) -> list[str]:
    """Return the environment variables that would hold the keys of vendors that cannot be asked, by name. Raises
    UnknownModel."""
    return sorted({key for _, _, key in _tables(models_file) if key is not None})


def _places(models_file: str | None) -> dict[tuple[str, str, str], dict[str, dict[str, Any]]]:
    """Return the tables by name, for each address, client and key; of models whose key is at hand or not needed."""
    found: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for name, table in _reachable(models_file):
        place = str(table["base_url"]), str(table["provider"]), key_name_of(table["provider"], table)
        found.setdefault(place, {})[name] = table
    return found


def _reachable(models_file: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, table, missing in _tables(models_file):
        if missing is None and (key_name_of(table["provider"], table) or vendor_of(table) is None):
            yield name, table


def _tables(models_file: str | None) -> Iterator[tuple[str, dict[str, Any], str | None]]:
    """Yield (name, table, the name of its key if that is not at hand) of each model at a known address."""
    tables = load_models(models_file)
    candidates: list[tuple[str, dict[str, Any]]] = []
    for name, table in tables.items():
        if table.get("provider") in HOSTED and (table["provider"] != "compatible" or "base_url" in table):
            candidates.append((name, _checked(name, tables, models_file)))
    names = (f"{family.vendor}:{family.id}" for family in families())
    candidates += ((name, settings(name, {})) for name in names)
    for name, table in candidates:
        try:
            key_of(name, table["provider"], table)
        except BadTable:
            yield name, table, key_name_of(table["provider"], table)
        else:
            yield name, table, None


def differences(table: Mapping[str, Any], said: ListedModel | None) -> list[str]:
    """Return what a vendor says of a table's model otherwise than is known here, a line each. said: None if the model
    is not in its list."""
    known = family_of(table)
    day, _ = model_end(table, known)
    if said is None:
        return [] if day and day <= date.today() else ["not among its models"]
    ends = day.isoformat() if day else None
    lines = ["retired"] if said.state == "retired" else []
    if said.ends and said.ends != ends:
        lines.append(f"ends on {said.ends}, here {ends or 'no day is known'}")
    elif said.unread and not said.ends:
        lines.append(f"its end is no date: {said.unread!r}, here {ends or 'no day is known'}")
    elif ends and said.ends is None and said.state in (None, "active"):
        lines.append(f"no end is named, here {ends}")
    if said.max_input and (own := table.get("context", 0)) > said.max_input:
        lines.append(
            f"takes {said.max_input:,} tokens, and context is {own:,} in its table: longer prompts are refused"
        )
    return lines + (family_differences(known.family, said) if known is not None else [])


def family_differences(facts: Family, said: ListedModel) -> list[str]:
    """Return what a vendor says of a model otherwise than its file here, but for its end."""
    lines = []
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


def ending_soon(rows: Iterable[Mapping[str, Any]], days: int) -> list[str]:
    """A line for each model that ends within so many days and has not ended."""
    lines = []
    for row in rows:
        if row["days_left"] is not None and 0 < row["days_left"] <= days:
            instead = in_its_place(row["successor"])
            lines.append(f"{row['model']} ends on {row['ends']}, in {row['days_left']} days{instead}")
    return lines
