"""From a name on the command line to a model: config/models.toml, the user's own file, or PROVIDER:ID on the spot."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any, cast

from models.base import Model

PROVIDERS = {"baselines": "models.baselines"}


class UnknownModel(ValueError):
    """No such model; the message lists what there is."""


def module_of(provider: str) -> str:
    """Dotted module of a provider."""
    return PROVIDERS[provider]


def settings(spec: str, tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The table of `spec`, with what stands behind its colon ("naive:seed=7"). Raises UnknownModel."""
    name, _, rest = spec.partition(":")
    if name not in tables:
        raise UnknownModel(f"no model is named {name!r}; there are: {', '.join(sorted(tables))}")
    table = dict(tables[name])
    if table.get("provider") not in PROVIDERS:
        raise UnknownModel(
            f"model {name!r}: provider {table.get('provider')!r} is none of {', '.join(sorted(PROVIDERS))}"
        )
    for option in filter(None, rest.split(",")):
        match = re.fullmatch(r"(\w+)=(\d+)", option)
        if match is None or match[1] not in ("seed",):
            raise UnknownModel(f"{spec!r}: {option!r} is no option of {name!r}; write {name}:seed=7")
        table[match[1]] = int(match[2])
    return table


def make(spec: str, table: Mapping[str, Any], revision: str) -> Model:
    """The model of a resolved table. revision: digest of the provider's source, for answers that depend on our code."""
    table = dict(table)
    module = importlib.import_module(PROVIDERS[table.pop("provider")])
    return cast(Model, module.make(spec, table, revision))
