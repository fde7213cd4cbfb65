"""Families of vendors' models (config/vendors/*.toml), found by model id: parameters, prices, how the cache works."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrollwork.models.base import CHARACTERS
from scrollwork.models.table_keys import BadValue, Choice, Place, Table, unknown_key
from scrollwork.models.vendors.keys import EFFORTS, ENDPOINTS, FACTS, FAMILY, HEAD, NAME, lifetime_s

FOLDER = Path(__file__).resolve().parents[2] / "config" / "vendors"
# How a suffix of a variant begins, such as that of a date; a number of one to three digits is a later version.
VARIANT = re.compile(r"[-@:/](?![0-9]{1,3}(?![0-9]))")
TUNED = "ft:"  # begins the id of a fine-tuned model
LARGEST = ("max_input", "max_output")  # are no larger than the context
# Characters of English, spaces included, that our tokenizers without a vocabulary count as one token. In the documents
# of the four suites, words have 4.8 to 6.5 characters; words and punctuation marks, 4.4 to 5.1.
ESTIMATED = {"words": 6.5, "estimate": 5.0}
MAKERS = {"google": "gemini", "x-ai": "xai"}  # names of vendors as others write them that pass their models on
TABLES = ("effort", "thinking", "cache", "room", "endpoints", "source")  # a more specific one replaces single keys


class BadVendor(ValueError):
    """A vendor's file holds something impossible; the message names file, table and key."""


@dataclass(frozen=True)
class Family:
    """What is known about a model of a vendor.

    facts: by key as in the vendor's file (models/vendors/keys.py), with those of the group and of the vendor's
    [default]. A key that is missing is unknown.
    """

    id: str
    vendor: str
    provider: str
    address: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def get(self, key: str, otherwise: Any = None) -> Any:
        """Return a fact, `otherwise` if it is unknown. key: with dots for keys of tables, such as `effort.off`."""
        found: Any = self.facts
        for name in key.split("."):
            if not isinstance(found, Mapping) or name not in found:
                return otherwise
            found = found[name]
        return found


@dataclass(frozen=True)
class Vendor:
    """A vendor's file. by_id: its families by id and by alias. default: facts of ids that belong to no family."""

    name: str
    title: str
    provider: str
    address: str
    key_env: str
    sources: Mapping[str, str]
    default: Family
    by_id: Mapping[str, Family]

    @property
    def client(self) -> dict[str, str]:
        """Return the keys of a model's table that say how to reach the vendor.

        They are its own provider, or another provider with the vendor's address, its name in request keys (server), and
        the environment variable that holds its API key.
        """
        if self.name == self.provider:
            return {"provider": self.provider}
        address = {"base_url": self.address, "server": self.name}
        return {"provider": self.provider, **address, "key_env": self.key_env}

    def family(self, model_id: str) -> KnownFamily:
        """Return what is known about a model id: its own family, else the longest family name that the id begins with.

        If there is none, it is the vendor's defaults. Nothing is assumed about later versions: `claude-opus-5` says
        nothing about `claude-opus-5-7`, nor `gpt-5` about `gpt-5.9`. A fine-tuned model ("ft:gpt-4o-mini:...") is of
        the family that it was tuned from, but its price is not known.
        """
        if model_id in self.by_id:
            return KnownFamily(self.by_id[model_id], True)
        base = model_id.removeprefix(TUNED)
        begins = [name for name in self.by_id if base.startswith(name) and VARIANT.match(base, len(name))]
        found = self.by_id[max(begins, key=len)] if begins else self.default
        if base != model_id:
            found = replace(found, facts={key: value for key, value in found.facts.items() if key != "price"})
        return KnownFamily(found, False)


@dataclass(frozen=True)
class KnownFamily:
    """A family, found for a model id. exact: it has this id or alias; else it is the one that fits best."""

    family: Family
    exact: bool


@cache
def vendors() -> Mapping[str, Vendor]:
    """Return all vendors, by the name of their file. Raises BadVendor."""
    found = {path.stem: read(path) for path in sorted(FOLDER.glob("*.toml"))}
    for name, one in found.items():
        makers = one.default.get("passes", ())
        if unknown := [maker for maker in makers if MAKERS.get(maker, maker) not in found]:
            known = ", ".join(sorted({*found, *MAKERS}))
            raise BadVendor(f"{name}.toml: [default]: passes {unknown[0]!r} is none of {known}")
        host = urlsplit(one.address).hostname
        if same := [other for other in found if other < name and urlsplit(found[other].address).hostname == host]:
            raise BadVendor(f"{name}.toml: address {one.address} is on the host of {same[0]}.toml")
    return found


def vendor_at(provider: str, address: str = "") -> Vendor | None:
    """Return the vendor at an address, by its host; if there is no address, the first vendor of the provider.

    None for an unknown server, and for the provider "compatible" without an address.
    """
    host = urlsplit(address).hostname if address else None
    for one in vendors().values():
        if host == urlsplit(one.address).hostname or (host is None and one.provider == provider != "compatible"):
            return one
    return None


def vendor_of(table: Mapping[str, Any]) -> Vendor | None:
    """Return the vendor of a model's table: the one that it names (if behind a gateway), else as in `vendor_at`."""
    if named := table.get("vendor"):
        return vendors().get(named)
    return vendor_at(str(table.get("provider", "")), str(table.get("base_url", "")))


def family_of(table: Mapping[str, Any]) -> KnownFamily | None:
    """Return what is known about the model of a table, by its vendor's file, with the table's own `family` over it.

    None if the vendor is unknown and the table has no `family`.
    """
    vendor, own = vendor_of(table), table.get("family")
    known = None if vendor is None else vendor.family(str(table.get("id", "")))
    if not own:
        return known
    if known is None:
        known = KnownFamily(Family(str(table.get("id", "")), "", str(table.get("provider", "")), ""), True)
    return KnownFamily(with_own(known.family, own), known.exact)


def with_own(family: Family, own: Mapping[str, Any]) -> Family:
    """Return the family with the facts of a user's table in place of its own. Facts that are wholly the table's have no
    source.

    Where only a smaller context is given, input and output are no larger.
    """
    if (context := own.get("context")) is not None:
        own = {**{name: min(context, family.facts[name]) for name in LARGEST if name in family.facts}, **own}
    source = {
        fact: names for fact, names in family.facts.get("source", {}).items() if fact in TABLES or fact not in own
    }
    return replace(family, facts={**overlay(family.facts, own), "source": source})


def upstream_of(table: Mapping[str, Any]) -> Family | None:
    """Return the family of a model that its vendor passes on from another vendor, such as "anthropic/claude-opus-5.5".

    None for other models, and if the family is unknown. Versions have dots there, even if the model's own vendor writes
    hyphens. A `family` of the table replaces facts here too.
    """
    vendor = vendor_of(table)
    maker, _, model = str(table.get("id", "")).partition("/")
    if vendor is None or not model or maker not in vendor.default.get("passes", ()):
        return None
    source = vendors().get(MAKERS.get(maker, maker))
    found = [source.family(one).family for one in (model, model.replace(".", "-"))] if source is not None else []
    own = table.get("family", {})
    return next((with_own(one, own) if own else one for one in found if one.id), None)


def characters_per_token(table: Mapping[str, Any]) -> float:
    """Return the characters of English in a token of a table's model, CHARACTERS if unknown."""
    known = family_of(table)
    return float(known.family.get("characters_per_token", CHARACTERS)) if known is not None else CHARACTERS


def family_context(table: Mapping[str, Any], tokenizer: str) -> int:
    """Return the tokens that a prompt and its answer may have together, by the model's family; 0 if unknown.

    That is the family's context, or its largest input if that is less. tokenizer: that counts the prompt, see
    `counted_context`.
    """
    known = family_of(table)
    if known is None:
        return 0
    family = upstream_of(table) or known.family
    context = family.get("context", 0)
    return counted_context(min(context, family.get("max_input", context)), table, tokenizer)


def counted_context(tokens: int, table: Mapping[str, Any], tokenizer: str) -> int:
    """Return how many tokens of `tokenizer` fit into `tokens` of a table's model.

    A tokenizer that only estimates may count fewer tokens than the model, so this can be less than `tokens`.
    """
    own = characters_per_token(table)
    return int(tokens * min(1.0, own / ESTIMATED.get(tokenizer, own)))


def read(path: Path) -> Vendor:
    """Read a vendor's file. Raises BadVendor."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadVendor(f"{path.name}: {error}") from error
    head = {name: value for name, value in given.items() if name in HEAD}
    own = {name: value for name, value in given.items() if name not in HEAD}
    try:
        Table(HEAD).check(Place(path.name), "", head)
        for name, table in own.items():
            if not isinstance(table, dict):
                raise BadValue(f"{path.name}: {unknown_key(name, sorted(HEAD))}")
            NAME.check(Place(path.name), "the name of a table", name)
            if slips := {name.rstrip("s"), f"{name}s"} & set(HEAD):
                raise BadValue(f"{path.name}: [{name}] is not the name of a family; did you mean {slips.pop()!r}?")
            Table(FAMILY).check(Place(path.name), name, table)
            if "passes" in table:
                raise BadValue(f"{path.name}: [{name}] passes is of the whole vendor: it belongs in [default]")
        shared = {"default": head.get("default", {}), **head.get("group", {})}
        used = {table.get("group") for table in own.values()}
        for name, table in shared.items():
            if "group" in table:
                raise BadValue(f"{path.name}: [{name}] group belongs in a family")
            if name not in used and name != "default":
                raise BadValue(f"{path.name}: [group.{name}] is the group of no family")
        for name, table in {**shared, **own}.items():
            for endpoint in table.get("endpoints", ()):
                at = Place(path.name, (name,))
                Choice(ENDPOINTS[head["provider"]]).check(at, f"of provider {head['provider']}, endpoint", endpoint)
    except BadValue as error:
        raise BadVendor(str(error)) from error
    try:
        _ = urlsplit(head["address"]).port
    except ValueError as error:
        raise BadVendor(f"{path.name}: address {head['address']!r}: {error}") from error
    default = head.get("default", {})
    check(f"{path.name}: [default]", default)  # an id of no family has only these facts
    check_sources(f"{path.name}: [default]", default, head["sources"])
    made = {name: _family(path.name, name, table, head) for name, table in own.items()}
    by_id = dict(made)
    for name, one in made.items():
        for alias in one.facts.get("aliases", ()):
            if alias in by_id:
                raise BadVendor(f"{path.name}: [{name}]: alias {alias!r} is there already")
            by_id[alias] = one
    where = (path.stem, str(head["provider"]), str(head["address"]))
    general = Family("", *where, facts=default)
    return Vendor(path.stem, head["vendor"], where[1], where[2], head["key_env"], head["sources"], general, by_id)


def _family(file: str, name: str, table: Mapping[str, Any], head: Mapping[str, Any]) -> Family:
    groups = head.get("group", {})
    group = table.get("group")
    if group is not None and group not in groups:
        raise BadVendor(f"{file}: [{name}]: group {unknown_key(group, sorted(groups)).removeprefix('unknown key ')}")
    facts = overlay(overlay(head.get("default", {}), groups.get(group, {})), table)
    check(f"{file}: [{name}]", facts)
    check_sources(f"{file}: [{name}]", facts, head["sources"])
    return Family(name, Path(file).stem, str(head["provider"]), str(head["address"]), facts)


def check_sources(where: str, facts: Mapping[str, Any], known: Mapping[str, str]) -> None:
    """Check that each fact has a source, and that the sources are named in [sources]. Raises BadVendor."""
    source = facts.get("source", {})
    if lacking := [one for names in source.values() for one in names if one not in known]:
        raise BadVendor(f"{where}: source {lacking[0]!r} is none of [sources]: {', '.join(sorted(known))}")
    if bare := [fact for fact in FACTS if fact in facts and not source.get(fact)]:
        raise BadVendor(f"{where}: {bare[0]} needs a source: source = {{ {bare[0]} = [...] }}, a name in [sources]")


def overlay(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return one table with another over it; the tables named in TABLES are merged key by key, as is each endpoint."""
    found = {**under, **over}
    for name in TABLES:
        if name in under and name in over:
            found[name] = {**under[name], **over[name]}
    if "endpoints" in over:
        known = under.get("endpoints", {})
        found["endpoints"] = {
            **known,
            **{name: {**known.get(name, {}), **one} for name, one in over["endpoints"].items()},
        }
    return found


def check(where: str, facts: Mapping[str, Any]) -> None:
    """Check facts whose kinds are right, but that may contradict each other. where: for messages. Raises BadVendor."""
    effort = facts.get("effort", {})
    values = list(effort.get("values", ()))
    if values != sorted(set(values), key=EFFORTS.index):
        raise BadVendor(f"{where}: effort.values must be in the order of {', '.join(EFFORTS)}, each once, not {values}")
    for name in ("effort", "thinking"):
        if facts.get(name) and "field" not in facts[name]:
            raise BadVendor(f"{where}: {name} needs {name}.field, the parameter of the request")
    for name in ("default", "off"):
        if name in effort and effort[name] not in effort.get("values", ()):
            raise BadVendor(f"{where}: effort.{name} {effort[name]!r} is none of its values")
    if facts.get("sampling") == "effort_off" and "off" not in effort:
        raise BadVendor(f'{where}: sampling = "effort_off" needs effort.off')
    if "released" in facts and "ends" in facts and facts["ends"] <= facts["released"]:
        raise BadVendor(f"{where}: ends before it is released")
    if "released" in facts and "keeps" in facts and facts["keeps"] <= facts["released"]:
        raise BadVendor(f"{where}: keeps to a day before it is released")
    if facts.get("cache") and "rule" not in facts["cache"]:
        raise BadVendor(f"{where}: cache needs cache.rule: without it nothing of the cache is used")
    for name in LARGEST:
        if facts.get(name, 0) > facts.get("context", facts.get(name, 0)):
            raise BadVendor(f"{where}: {name} is more than context")
    for endpoint, one in facts.get("endpoints", {}).items():
        if one.get("min_output", 1) > facts.get("max_output", one.get("min_output", 1)):
            raise BadVendor(f"{where}: endpoints.{endpoint}.min_output is more than max_output")
    lifetimes = list(facts.get("cache", {}).get("write", ()))
    seconds = [lifetime_s(one) for one in lifetimes]
    if seconds != sorted(set(seconds)):
        raise BadVendor(f"{where}: cache.write: lifetimes {lifetimes} must rise, the shortest first")


def families() -> list[Family]:
    """Return all families of all vendors, in the order of their files."""
    return [family for one in vendors().values() for name, family in one.by_id.items() if name == family.id]
