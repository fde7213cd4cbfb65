"""From a name on the command line to a model: config/models.toml, the user's own file, or PROVIDER:ID on the spot."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any, cast

from models.base import Model

PROVIDERS = {"baselines": "models.baselines", "extractive": "models.extractive"}
UPPER_BOUNDS = ("extractive",)  # providers that may be shown references


class UnknownModel(ValueError):
    """No such model; the message lists what there is."""


def module_of(provider: str) -> str:
    """Dotted module of a provider."""
    return PROVIDERS[provider]


def settings(spec: str, tables: Mapping[str, Mapping[str, Any]], suite: str = "") -> dict[str, Any]:
    """The table of `spec` for a suite, with what stands behind its colon ("naive:seed=7"). Raises UnknownModel."""
    name, _, rest = spec.partition(":")
    table = table_for(name, tables, suite)
    if table.get("provider") not in PROVIDERS:
        raise UnknownModel(
            f"model {name!r}: provider {table.get('provider')!r} is none of {', '.join(sorted(PROVIDERS))}"
        )
    if table.get("reads_references") and table["provider"] not in UPPER_BOUNDS:
        raise UnknownModel(f"model {name!r}: reads_references is for {', '.join(UPPER_BOUNDS)} only")
    fitted = any("fit" in rule for rule in table.get("rules", {}).values())
    for option in filter(None, rest.split(",")):
        key, _, value = option.partition("=")
        if key == "seed" and re.fullmatch(r"[0-9]+", value):
            table[key] = int(value)
        elif key == "fit_split" and fitted and re.fullmatch(r"\w+", value):
            table[key] = value
        else:
            others = f" or {name}:fit_split=validation" if fitted else ""
            raise UnknownModel(f"{spec!r}: {option!r} is no option of {name!r}; write {name}:seed=7{others}")
    return table


def table_for(name: str, tables: Mapping[str, Mapping[str, Any]], suite: str) -> dict[str, Any]:
    """A model's table: what `on.SUITE` says put over it, and rules of the model `rest` where it has none itself."""
    if name not in tables:
        raise UnknownModel(f"no model is named {name!r}; there are: {', '.join(sorted(tables))}")
    table = dict(tables[name])
    own = dict(table.pop("on", {}).get(suite, {}))
    rules = {**table.get("rules", {}), **own.get("rules", {})}
    table |= own
    other = table.pop("rest", "")
    if other:
        if "rest" in tables.get(other, {}):
            raise UnknownModel(f"model {name!r}: rest = {other!r}, which takes rules from a third model")
        rules = {**table_for(other, tables, suite).get("rules", {}), **rules}
    return {**table, "rules": rules} if rules else table


def make(spec: str, table: Mapping[str, Any], revision: str) -> Model:
    """The model of a resolved table. revision: digest of the provider's source, for answers that depend on our code."""
    table = dict(table)
    module = importlib.import_module(PROVIDERS[table.pop("provider")])
    return cast(Model, module.make(spec, table, revision))
