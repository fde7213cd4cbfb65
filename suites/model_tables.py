"""What is known of the models of a request: their tables, and how a run calls them. Declarations only."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from scrollwork.models import registry
from scrollwork.models.engine.prices import UnknownPrice, price_of
from scrollwork.models.hosted import tables
from scrollwork.models.hosted.tables import BadTable, key_of
from scrollwork.models.local import local_tables
from scrollwork.models.registry import BATCHES, CALLED, HOSTED, LOCAL, REST_RULES, UnknownModel, needs_address, settings
from scrollwork.models.registry import is_outside as of_another_package
from scrollwork.models.table_keys import FRESH, BadValue, Place
from scrollwork.models.vendors.families import counted_context, family_context
from scrollwork.models.vendors.tiers import FLEX, has_flex, with_flex
from scrollwork.pipeline.entry_points import METRICS, PROVIDERS, entry
from scrollwork.pipeline.errors import UsageError
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.planner import Status
from scrollwork.pipeline.session import CallSettings
from scrollwork.preprocessing.prompts.truncation import POLICIES
from scrollwork.preprocessing.tokens.tokenizer import is_estimate
from scrollwork.storage.home import Home
from scrollwork.suites.outside_systems import PROVIDER, is_outside, table_of
from scrollwork.suites.parts import Part
from scrollwork.suites.plugins import resolve_name
from scrollwork.suites.request import NOTHING_COUNTED, Request
from scrollwork.suites.served_contexts import may_list_context, needs_context, served_context
from scrollwork.suites.suite_files import Suite, load_models, own_models
from scrollwork.suites.tokenizers import adopt_tokenizer

MINUTE_S = 60.0


def calling_of(request: Request, tables: Mapping[str, Mapping[str, Any]]) -> CallSettings:
    """Return how a request's hosted and local models are called. tables: as of `tables_of`. Raises UsageError: a budget
    needs prices."""
    called = {model: table for model, table in tables.items() if table["provider"] in CALLED}
    if request.budget:
        for model, table in called.items():
            try:
                price_of(model, table)
            except UnknownPrice as error:
                raise UsageError(f"--budget: {error}") from error
        refuse_others(tables, "--budget", "counted")
    if request.time_limit is not None:
        refuse_others(tables, "--time-limit", "stopped")
    if request.in_batches:
        need_batches(called, "--batch" if request.batch else f"--way {request.way}")
    return CallSettings(
        run=request.run,
        budget_usd=request.budget or "",
        retry_failed=request.retry_failed,
        batch=request.in_batches,
        batch_wait_s=request.batch_wait,
        time_limit_s=request.time_limit * MINUTE_S if request.time_limit is not None else None,
        tables=called,
        judges=request.judges,
    )


def refuse_others(tables: Mapping[str, Mapping[str, Any]], option: str, done: str) -> None:
    """Raises UsageError where a model is a function or of another package, whose calls an option does not reach.

    done: what is not done with them here.
    """
    for model, table in tables.items():
        if table["provider"] == registry.FUNCTIONS:
            raise UsageError(
                f"{option}: model {registry.function_name(model)!r} is a function, whose calls are not {done} here; "
                f"run it by itself without {option}"
            )
        if of_another_package(table["provider"]):
            raise UsageError(
                f"{option}: model {model!r} answers through {table['provider']}, whose calls are not {done} here; run "
                f"it by itself without {option}, or, if its vendor speaks OpenAI's protocol, with provider = "
                '"compatible"'
            )


def need_batches(called: Mapping[str, Mapping[str, Any]], asked: str) -> None:
    """Raises UsageError where a hosted model's provider takes no batches, or no model is hosted at all. asked: the
    option that asks for batches."""
    takers = " and ".join(sorted(BATCHES))
    for model, table in called.items():
        if table["provider"] not in BATCHES:
            raise UsageError(
                f"{asked}: model {model!r} is called through {table['provider']}, which takes no batches; those of "
                f"{takers} do. Run it by itself without {asked}"
            )
    if not called:
        raise UsageError(f"{asked} is for models of {takers}; none was named")


def tables_of(request: Request) -> dict[str, dict[str, Any]]:
    """Return what is known of each model of a request, by its name: its table, with the command line's values and a
    local checkpoint's facts over it.

    Raises UnknownModel, UsageError.
    """
    known = load_models(request.models_file)
    if request.base_url and not any(needs_address(model, known) for model in request.models):
        raise UsageError(
            "--base-url is for compatible:ID, or a model of that provider whose table has no base_url; none was named, "
            "and what other models are asked goes elsewhere"
        )
    found = {}
    for model in request.models:
        if is_outside(model):
            found[model] = table_of(model, Home(request.home, request.store), request.config.tasks)
            continue
        if registry.is_function(model):
            try:
                found[model] = registry.function_table(model)
            except ValueError as error:
                raise UsageError(str(error)) from error
            continue
        spot = {"base_url": request.base_url} if request.base_url and needs_address(model, known) else {}
        try:
            suite, given = request.config.published, {**request.given, **spot}
            table = table_of_model(model, with_outside(model, known), suite, given)
            check_fresh(model, table)
            found[model] = filled_table(model, table_for_suite(table, request.config), request)
        except (UnknownModel, UsageError) as error:
            if not from_file(model, request.models_file):
                raise
            raise type(error)(f"--models {request.models_file}: {error}") from error
    if request.way is not None:
        found = by_way(request.way, found)
    home = Home(request.home, request.store)
    cuts = any("context" in table or may_list_context(table, home) for table in found.values())
    if request.tokenizer and not (request.max_input_tokens or cuts):
        raise UsageError(f"{NOTHING_COUNTED}: give both, or a model whose table has a context")
    return found


def by_way(way: str, tables: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tables with the tier of service that --way asks for: flex for each model that has it, else standard. Raises
    UsageError where flex was asked for by name, and no model has it."""
    wanted = {name for name, table in tables.items() if table["provider"] in HOSTED and has_flex(table)}
    if way == FLEX and not wanted:
        raise UsageError(
            "--way flex: no model of this call is known to have that tier (`estimate --ways` lists what each has)"
        )
    if way not in (FLEX, "cheapest"):
        wanted = set()
    return {
        name: with_flex(table) if name in wanted else {key: value for key, value in table.items() if key != "service"}
        for name, table in tables.items()
    }


def with_outside(model: str, known: Mapping[str, dict[str, Any]]) -> Mapping[str, dict[str, Any]]:
    """Return the tables. Where the provider of `model` comes from a package, its table names the provider's module;
    PROVIDER:ID without a table gets one. Raises UsageError."""
    name, _, model_id = model.partition(":")
    provider = known[name].get("provider") if name in known else name
    if not isinstance(provider, str) or provider in registry.PROVIDERS:
        return known
    if name in known:
        module = resolve_name(PROVIDERS, provider, registry.PROVIDERS, f"model {name!r}")
        return {**known, name: {**known[name], "provider": module}}
    if (all(part.isidentifier() for part in name.split(".")) and "." in name) or entry(PROVIDERS, name) is not None:
        return {**known, name: {"provider": resolve_name(PROVIDERS, name, (), f"--model {model}"), "id": model_id}}
    return known


def table_for_suite(table: dict[str, Any], suite: Suite) -> dict[str, Any]:
    """Return a model's table as it applies to a suite.

    In a user's suite, tasks that it takes over from a bundled one keep their rules; others are answered by the table's
    REST_RULES, by metric or kind, where it has any.
    """
    plain = {name: held for name, held in table.items() if name != REST_RULES}
    rules, rest = table.get("rules", {}), table.get(REST_RULES, {})
    suites, tasks = table.get("suites", [suite.name]), table.get("tasks", list(suite.tasks))
    if suite.ours or not (rest or suite.extends in suites):
        return plain
    known = tasks if suite.name in suites else [task for task in suite.official if suite.extends in suites]
    known = [task for task in known if task in tasks and (task in rules or not rules)]
    found = {task: rules[task] for task in known if rules}
    if suite.name not in suites or "tasks" not in table:
        for task in suite.tasks.values():
            if task.name not in known and (rule := by_metric(rest, task.metric) or rest.get(task.kind)):
                found[task.name] = rule
    free = {name: held for name, held in plain.items() if name != "suites"}
    return {
        **free,
        "tasks": [*known, *(task for task in found if task not in known)],
        **({"rules": found} if found else {}),
    }


def by_metric(rest: Mapping[str, Any], metric: str) -> Any:
    """Return the default rule for a metric; a package's metric is named by its module or its entry point."""
    found = (rule for name, rule in rest.items() if (one := entry(METRICS, name)) and one.module == metric)
    return rest.get(metric) or next(found, None)


def filled_table(model: str, table: dict[str, Any], request: Request) -> dict[str, Any]:
    """A model's table with what the suite and a local checkpoint say, its tokenizer in the home. Raises UsageError."""
    heat = request.config.temperature
    home = Home(request.home, request.store)
    if table.get("truncation", "none") not in POLICIES:
        raise UsageError(f"model {model!r}: truncation {table['truncation']!r} is none of {', '.join(POLICIES)}")
    if table["provider"] in HOSTED:
        table.setdefault("temperature", heat)
        try:
            table["tokenizer"] = adopt_tokenizer(table["tokenizer"], home)
        except UsageError as error:
            why = str(error).removeprefix("--tokenizer").lstrip(": ")
            raise UsageError(f"model {model!r}: tokenizer: {why}") from error
        if "context" not in table and (context := known_context(table, home)):
            table["context"] = context
    elif table["provider"] in LOCAL:
        from scrollwork.suites.checkpoints import with_checkpoint_facts

        table.setdefault("generation", {"do_sample": True, "temperature": heat} if heat else {})
        table = with_checkpoint_facts(model, table, home)
    return table


def known_context(table: Mapping[str, Any], home: Home) -> int:
    """Return the context of a hosted model whose table has none: what its own server listed, or what its vendor's file
    says, as the table's tokenizer counts tokens; 0 if it is unknown."""
    return served_context(table, home) if needs_context(table) else family_context(table, table["tokenizer"])


def table_of_model(
    model: str, known: Mapping[str, dict[str, Any]], suite: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a model's table, checked, with the command line's values over it. Its own context is in tokens of its own
    tokenizer, of which one that is given may count fewer."""
    table = settings(model, known, suite, given)
    if table["provider"] in HOSTED and "tokenizer" in given and "context" in table and "context" not in given:
        own = settings(model, known, suite, {name: value for name, value in given.items() if name != "tokenizer"})
        if not is_estimate(own["tokenizer"]):
            table["context"] = counted_context(table["context"], table, given["tokenizer"])
    return table


def can_be_asked_anew(table: Mapping[str, Any]) -> bool:
    """Return whether a model may answer otherwise tomorrow: hosted models, checkpoints, and models of packages whose
    module says HOSTED = True."""
    return table["provider"] in CALLED or is_hosted_elsewhere(table["provider"])


def is_hosted_elsewhere(provider: str) -> bool:
    """Return whether a provider is a module of another package that says that it calls a hosted model. Raises
    UsageError if what it says is neither True nor False."""
    if not of_another_package(provider):
        return False
    says = getattr(importlib.import_module(provider), "HOSTED", False)
    if not isinstance(says, bool):
        raise UsageError(f"provider {provider}: HOSTED must be True or False, not {says!r}")
    return says


def check_fresh(model: str, table: Mapping[str, Any]) -> None:
    """Check `fresh` in the table of a model of another package. Raises UsageError."""
    if "fresh" not in table or not of_another_package(table["provider"]):
        return
    if not is_hosted_elsewhere(table["provider"]):
        raise UsageError(
            f"model {model!r}: fresh is for hosted models, and {table['provider']} does not say that it calls one: "
            "HOSTED = True in that module does"
        )
    try:
        FRESH.kind.check(Place(f"model {model!r}"), "fresh", table["fresh"])
    except BadValue as error:
        raise UsageError(str(error)) from None


def answer_relevant(part: Part) -> dict[str, Any]:
    """Return the part of a model's table that decides its answers to a task: no other task's rules, no price, limit or
    place."""
    table = dict(part.table or {})
    if "rules" in table:
        table["rules"] = {name: rule for name, rule in table["rules"].items() if name == part.task.name}
    if table["provider"] in HOSTED:
        return tables.answer_relevant(table)
    if of_another_package(table["provider"]):
        return {name: value for name, value in table.items() if name != "fresh"}
    return local_tables.answer_relevant(table) if table["provider"] in LOCAL else table


def decoded_otherwise(table: Mapping[str, Any], suite: Suite) -> str:
    """How a hosted or local model decodes where that is not the suite's way, "" where it is."""
    if table.get("provider") == PROVIDER:
        return f"ran elsewhere; its answers were read from {table['origin']}"
    if table.get("provider") not in CALLED:
        return ""
    if table.get("server") == tables.SIMULATED:
        return "simulated in a rehearsal: what it says means nothing"
    sent = tables.temperature(table) if table["provider"] in HOSTED else local_tables.temperature(table)
    if sent is None:
        return (
            f"the provider takes no temperature: {'greedy decoding' if not suite.temperature else 'it'} is unavailable"
        )
    return "" if sent == suite.temperature else f"decoded at temperature {sent:g}, the suite's is {suite.temperature:g}"


def from_file(model: str, own_file: str | None) -> bool:
    """Tell whether a model's table is in the user's own file: by its name, or by its id behind a provider's name."""
    name, _, model_id = model.partition(":")
    own = own_models(own_file)
    return name in own or (bool(model_id) and any(table.get("id") == model_id for table in own.values()))


def missing_keys(calling: CallSettings, statuses: Iterable[tuple[Node, Status]]) -> list[str]:
    """Say, for each hosted model that is to be asked and whose key is not there, which variable it is read from."""
    asked = {node.label("model") for node, status in statuses if node.asks and status.state != "reused"}
    lines = []
    for model, table in calling.tables.items():
        if model in asked and table["provider"] in HOSTED and "key_secret" not in table:
            try:
                key_of(model, table["provider"], table)
            except BadTable as error:
                lines.append(str(error))
    return lines
