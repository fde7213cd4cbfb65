"""Find a model by its name on the command line: in config/models.toml, in the user's file, or as PROVIDER:ID."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from scrollwork.models.base import Model
from scrollwork.models.baselines import baseline_tables
from scrollwork.models.baselines.baseline_tables import REST
from scrollwork.models.baselines.mentions import HEAD
from scrollwork.models.hosted.tables import BadTable, check_keys, checked_table
from scrollwork.models.local import local_tables
from scrollwork.models.table_keys import nearest_known
from scrollwork.models.vendors.families import vendors
from scrollwork.models.vendors.keys import ENDPOINTS

HOSTED = {name: f"scrollwork.models.hosted.{name}" for name in ENDPOINTS}  # cost money, or are at least remote
# providers that accept requests in batches
BATCHES = {name: f"scrollwork.models.hosted.{name}_batches" for name in ("anthropic", "openai")}
# the extra that brings a client's libraries
EXTRAS = {"anthropic": "anthropic", "openai": "openai", "compatible": "openai"}
SDKS = {"anthropic": "anthropic", "openai": "openai"}  # what clients import when they ask
LOCAL = {"transformers": "scrollwork.models.local.model"}  # checkpoints that run in this process
CALLED = {**HOSTED, **LOCAL}  # costly or slow: calls are claimed, answers committed as they come
PROVIDERS = {
    "baselines": "scrollwork.models.baselines.naive",
    "extractive": "scrollwork.models.extractive.by_rule",
    "planted": "scrollwork.models.baselines.planted",
    **CALLED,
}
BY_HEADS = "scrollwork.models.baselines.heads"  # in place of naive, for rules that need the extra seam
FUNCTIONS = "scrollwork.models.functions"  # the provider of functions of the user's own process
FUNCTION_PREFIX = "function:"
FUNCTION = re.compile(r"function:([^~\"@:]{1,80})@([\w.+-]{1,40})")  # such a model in a request: its name, its revision
FOR_LOCAL = ("context", "tokenizer")  # values of the command line that local models use
UPPER_BOUNDS = ("extractive",)  # providers that may see references
TABLES = {
    "baselines": baseline_tables.BY_CHANCE,
    "extractive": baseline_tables.RULED,
    "planted": baseline_tables.SHARES,
}
REST_RULES = "rules.rest"  # key of a resolved table: rules for tasks that no suite of ours has
SHARES = {"planted": ("noise", "right", "wrong")}  # options from 0 to 1; the last two are shares of the first


class UnknownModel(ValueError):
    """There is no such model, or its table is invalid; the message says what there is."""


def module_of(provider: str) -> str:
    """Return the dotted name of a provider's module; a provider from outside is named by its module."""
    return provider if is_outside(provider) else PROVIDERS[provider]


def module_of_table(table: Mapping[str, Any]) -> str:
    """Return the dotted name of the module that answers for a resolved table."""
    provider = str(table["provider"])
    rules = [*table.get("rules", {}).values(), *table.get(REST_RULES, {}).values()]
    return BY_HEADS if provider == "baselines" and any(map(_by_heads, rules)) else module_of(provider)


def _by_heads(rule: Mapping[str, Any]) -> bool:
    return rule.get("clusters") == HEAD or any(map(_by_heads, rule.get("any_of", ())))


def client_module(provider: str, modules: Mapping[str, str]) -> Any:
    """Import and return a hosted provider's module. modules: HOSTED or BATCHES.

    Raises ModuleNotFoundError if one of its libraries is absent; the message names the provider's extra.
    """
    with naming_extra(provider):
        return importlib.import_module(modules[provider])


def need_sdk(provider: str) -> None:
    """Raise ModuleNotFoundError if the vendor's SDK is absent, which clients import when they ask; the message names
    the provider's extra."""
    with naming_extra(provider):
        if provider in SDKS:
            importlib.import_module(SDKS[provider])


@contextmanager
def naming_extra(provider: str) -> Iterator[None]:
    """Let an error that a library is absent name a hosted provider's extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not error.name or error.name.startswith(__name__.partition(".")[0]):
            raise
        library = error.name.partition(".")[0]
        line = f"{library} is not installed: pip install 'scrollwork[{EXTRAS[provider]}]'"
        raise ModuleNotFoundError(line, name=error.name) from error


def is_outside(provider: object) -> bool:
    """Return whether a provider is a module from outside this package, `package.module`."""
    return isinstance(provider, str) and "." in provider


def is_function(model: str) -> bool:
    """Return whether a model's name in a request is the spec of a function."""
    return model.startswith(FUNCTION_PREFIX)


def function_table(spec: str) -> dict[str, Any]:
    """Return the table of a function's spec: the name it is shown under and its revision. Raises ValueError."""
    parts = FUNCTION.fullmatch(spec)
    if parts is None:
        raise ValueError(
            f"model {spec!r}: write {FUNCTION_PREFIX}NAME@REVISION, as sw.model(function, name=, revision=) does"
        )
    return {"provider": FUNCTIONS, "shown": parts[1], "revision": parts[2]}


def function_name(spec: str) -> str:
    """Return the name of a function's spec, under which its rows are shown."""
    return spec.removeprefix(FUNCTION_PREFIX).rpartition("@")[0]


def settings(
    spec: str, tables: Mapping[str, Mapping[str, Any]], suite: str = "", given: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the table of `spec` for a suite, with the options after its colon ("naive:seed=7"). Raises UnknownModel.

    given: values of the command line for hosted and local models, which replace those of their tables (base_url).
    """
    name, _, rest = spec.partition(":")
    if name in {**CALLED, **vendors()} and name not in tables:
        return checked_settings(spec, table_of_id(spec, tables, suite), given)
    table = table_of_name(name, tables, suite, rest)
    if is_outside(table.get("provider")):
        if rest and rest != table.get("id"):
            raise UnknownModel(f"{spec!r}: {name!r} has no options; what differs is a table of its own (--models FILE)")
        return table
    if table.get("provider") not in PROVIDERS:
        what = f"provider {table['provider']!r} is none of" if "provider" in table else "provider is missing, one of"
        raise UnknownModel(f"model {name!r}: {what} {', '.join(sorted(PROVIDERS))}")
    if table["provider"] in CALLED:
        if rest:
            raise UnknownModel(f"{spec!r}: {name!r} has no options; what differs is a table of its own (--models FILE)")
        return checked_settings(spec, table, given)
    try:
        if table["provider"] in TABLES:
            check_keys(name, tables[name], TABLES[table["provider"]])
    except BadTable as error:
        raise UnknownModel(str(error)) from None
    if table.get("reads_references") and table["provider"] not in UPPER_BOUNDS:
        raise UnknownModel(f"model {name!r}: reads_references is for {', '.join(UPPER_BOUNDS)} only")
    keys = [option.partition("=")[0] for option in filter(None, rest.split(","))]
    if twice := next((key for key in keys if keys.count(key) > 1), ""):
        raise UnknownModel(f"{spec!r}: option {twice!r} is given twice")
    if table["provider"] in SHARES:
        return with_shares(spec, table)
    by_chance = "seed" in TABLES.get(table["provider"], {})
    fitted = any("fit" in rule for rule in table.get("rules", {}).values())
    ways = [*([f"{name}:seed=7"] if by_chance else []), *([f"{name}:fit_split=validation"] if fitted else [])]
    for option in filter(None, rest.split(",")):
        key, _, value = option.partition("=")
        if by_chance and key == "seed" and re.fullmatch(r"[0-9]+", value):
            table[key] = int(value)
        elif key == "fit_split" and fitted and re.fullmatch(r"\w+", value):
            table[key] = value
        else:
            advice = f"; write {' or '.join(ways)}" if ways else ", which has none"
            raise UnknownModel(f"{spec!r}: {option!r} is no option of {name!r}{advice}")
    return table


def with_shares(spec: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return the table of a model whose options are shares, with the command line's values. Raises UnknownModel."""
    name, _, rest = spec.partition(":")
    known = SHARES[table["provider"]]
    for option in filter(None, rest.split(",")):
        key, _, value = option.partition("=")
        if key not in known or not re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,6})?", value):
            others = ", ".join(f"{one}=0.1" for one in known)
            raise UnknownModel(f"{spec!r}: {option!r} is no option of {name!r}; there are: {others}")
        table[key] = float(value)
    for key in known:
        found = table.get(key)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
            raise UnknownModel(f"{spec!r}: {key} must be a number from 0 to 1, not {found!r}")
    if sum(float(table[key]) for key in known[1:]) > 1 + 1e-9:
        raise UnknownModel(f"{spec!r}: {' and '.join(known[1:])} must be at most 1 together")
    return table


def checked_settings(spec: str, table: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Check the table of a hosted or local model and return it with the given values. Raises UnknownModel."""
    given = given or {}
    try:
        if table["provider"] in LOCAL:
            return local_tables.checked_table(spec, {**table, **{key: given[key] for key in FOR_LOCAL if key in given}})
        return checked_table(spec, {**table, **given})
    except BadTable as error:
        raise UnknownModel(str(error)) from None


def table_of_id(spec: str, tables: Mapping[str, Mapping[str, Any]], suite: str) -> dict[str, Any]:
    """Return the table of PROVIDER:ID or VENDOR:ID. Raises UnknownModel if the ID is missing.

    It is the table of the only model with this provider, address and id; if there are several, the one whose name is
    the id. Else it contains nothing but the provider, the id, and how to reach the vendor. `compatible:ID` never takes
    a table: another server with a model of the same id has other limits, and must not get its key.
    """
    provider, _, model_id = spec.partition(":")
    if not model_id:
        what = "FOLDER, a checkpoint on this machine" if provider in LOCAL else "ID, ID as the provider calls it"
        raise UnknownModel(f"{provider!r} is a provider, not a model: write {provider}:{what}")
    table = {**(vendors()[provider].client if provider in vendors() else {"provider": provider}), "id": model_id}
    decides = {key: table[key] for key in ("provider", "base_url", "id") if key in table}
    known = [name for name, one in tables.items() if decides.items() <= one.items()]
    if model_id in known:  # a user's own table with the same id must not hide the settings of this one
        known = [model_id]
    return (
        table_of_name(known[0], tables, suite) if len(known) == 1 and provider not in ("compatible", *LOCAL) else table
    )


def needs_address(spec: str, tables: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether a model runs on the user's own server, at an address that its table does not contain."""
    name = spec.partition(":")[0]
    table = tables.get(name, {"provider": name})
    return table.get("provider") == "compatible" and "base_url" not in table


def table_of_name(name: str, tables: Mapping[str, Mapping[str, Any]], suite: str, options: str = "") -> dict[str, Any]:
    """Return a model's table, with the values of `on.SUITE` over it. Raises UnknownModel.

    options: what is behind the name's colon, for the error. Rules that the table lacks are those of the model that
    `rest` names. Rules for tasks of no suite of ours are under REST_RULES.
    """
    if name not in tables:
        for vendor in vendors().values():
            if name in vendor.by_id:
                raise UnknownModel(
                    f"no table is named {name!r}, but {vendor.title} has such a model: write {vendor.name}:{name}"
                )
        raise UnknownModel(no_such_model(name, options, tables))
    table = dict(tables[name])
    for key in ("on", "rules"):
        if not isinstance(table.get(key, {}), Mapping):
            raise UnknownModel(f"model {name!r}: {key} must be a table, not {table[key]!r}")
    others = table.pop("on", {})
    if not isinstance(others.get(suite, {}), Mapping):
        raise UnknownModel(f"model {name!r}: on.{suite} must be a table, not {others[suite]!r}")
    own = dict(others.get(suite, {}))
    rules = merge_rules(table.get("rules", {}), own.get("rules", {}))
    table |= own
    other = table.pop("rest", "")
    if other:
        if "rest" in tables.get(other, {}):
            raise UnknownModel(f"model {name!r}: rest = {other!r}, which takes rules from a third model")
        theirs = table_of_name(other, tables, suite)
        rules = merge_rules({**theirs.get("rules", {}), REST: theirs.get(REST_RULES, {})}, rules)
    rest = rules.pop(REST, {})
    return {**table, **({"rules": rules} if rules else {}), **({REST_RULES: rest} if rest else {})}


def no_such_model(name: str, options: str, tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Say that no model has this name, which kinds of names there are, and the nearest of all names.

    options: what is behind the colon of the name: of `openia:gpt-5`, whose vendor is misspelt, "gpt-5".
    """
    kinds: dict[str, list[str]] = {"": [], "hosted": [], "checkpoints": []}
    for one, table in sorted(tables.items()):
        provider = table.get("provider")
        kinds["hosted" if provider in HOSTED else "checkpoints" if provider in LOCAL else ""].append(one)
    called = sorted({*CALLED, *vendors()})
    many = [f"{len(kinds[kind])} {kind} (as {kinds[kind][0]})" for kind in ("hosted", "checkpoints") if kinds[kind]]
    there = ", ".join([*kinds[""], *many, f"VENDOR:ID ({', '.join(called)})"])
    ids = [f"{vendor.name}:{one}" for vendor in vendors().values() for one in vendor.by_id]
    near = nearest_known(name, [*tables, *(called if options else ids)])  # what is before a colon is no id
    return f"no model is named {name!r}; there are: {there}; `scrollwork models` lists the hosted{near}"


def merge_rules(rules: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules with others over them: task by task, but those for unknown tasks (REST) metric by metric."""
    rest = {**rules.get(REST, {}), **over.get(REST, {})}
    return {**rules, **over, **({REST: rest} if rest else {})}


def make(spec: str, table: Mapping[str, Any], revision: str) -> Model:
    """Make the model of a resolved table. revision: digest of the provider's code, if answers depend on it.

    Raises TypeError if a module from outside does not return a model.
    """
    table = dict(table)
    name = module_of_table(table)
    provider = table.pop("provider")
    module = client_module(provider, HOSTED) if provider in HOSTED else importlib.import_module(name)
    model = module.make(spec, table, revision)
    if is_outside(provider):
        for one in ("name", "provider", "members", "payload", "answer"):
            if not hasattr(model, one):
                raise TypeError(f"{module.__name__}: make() gave a {type(model).__name__} that lacks {one}")
    return cast(Model, model)
