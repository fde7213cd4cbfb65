"""From keywords to a chain: options by their names, models that are functions, the home."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.flows.chains import Chain
from scrollwork.library.functions import FunctionOfUser
from scrollwork.library.places import place_of
from scrollwork.models.table_keys import nearest_known
from scrollwork.pipeline.engines.workers import ENGINES, with_engine
from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.options import BUILD, Option, every_option
from scrollwork.suites.request import Request

if TYPE_CHECKING:
    from scrollwork.home import Home

PLACES = ("home", "store")  # keywords of every caller beside the options
RUNNING = ("engine", "progress")  # those of `run` and `build`


def chain_of(
    caller: str, suite: str | Path, home: str | Path | Home | None, store: str, given: Mapping[str, Any]
) -> Chain:
    """Return the chain of a call. caller: name of the library's function. suite: its name, or its file. given: options
    by name. Raises UsageError naming the option, UnknownModel."""
    known = [name for name, one in every_option().items() if caller != "build" or one.scope == BUILD]
    values = checked(caller, known, given)
    if not isinstance(suite, str | os.PathLike):
        raise UsageError(f"sw.{caller}: suite must be the name of a suite or its file, not a {type(suite).__name__}")
    place, store = place_of(home, store)
    return Chain(Request.of(os.fspath(suite), home=place, store=store, **values))


def checked(caller: str, known: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options in their own types, without those that are None. known: options of this caller.

    Raises UsageError naming the nearest option for an unknown one.
    """
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            others = (*PLACES, *(RUNNING if caller in ("run", "build") else ()))
            raise UsageError(f"sw.{caller} has no option {name!r}{nearest_known(name, [*known, *others])}")
        if value is not None:
            values[name] = with_specs(value) if name == "models" else plain(every_option()[name], value)
    return values


def plain(option: Option, value: Any) -> Any:
    """Return a value as the option takes it: one text for a list of texts, a path for a text, a number of dollars."""
    if option.type is tuple:
        return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else value
    if option.type is str and isinstance(value, os.PathLike):
        return os.fspath(value)
    if option.type is int and isinstance(value, bool):
        raise UsageError(f"{option.name} must be a whole number, not {value!r}")
    if option.name == "fresh" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if option.name == "budget" and isinstance(value, int | float) and not isinstance(value, bool):
        return format(Decimal(str(value)), "f")
    return value


def with_specs(models: Any) -> tuple[str, ...]:
    """Return the names of models; functions are made known to this process. Raises UsageError."""
    listed = as_list(models)
    specs: dict[str, FunctionOfUser] = {}
    names = []
    for one in listed:
        if isinstance(one, FunctionOfUser):
            if specs.setdefault(one.spec, one) is not one:
                raise UsageError(f"two functions have the name {one.name!r} and the revision {one.revision!r}")
            names.append(one.spec)
        elif isinstance(one, str):
            names.append(one)
        else:
            what = "a function: make it a model first, sw.model(f, name=..., revision=...)" if callable(one) else one
            raise UsageError(f"models: a name or what sw.model made is wanted, not {what}")
    for one in specs.values():
        one.adopt()
    return tuple(names)


def as_list(models: Any) -> list[Any]:
    """Return one model, or several, as a list; [] for None."""
    if models is None:
        return []
    several = isinstance(models, Iterable) and not isinstance(models, str | bytes) and not callable(models)
    return list(models) if several else [models]


def functions_in(models: Any) -> list[FunctionOfUser]:
    """Return the functions among models that `with_specs` took, each once."""
    return list({one.spec: one for one in as_list(models) if isinstance(one, FunctionOfUser)}.values())


def checked_engine(engine: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the engine and the options that it sets, as `with_engine`. Raises UsageError for another name."""
    if engine not in ENGINES:
        raise UsageError(
            f"there is no engine {engine!r}; there are: {', '.join(ENGINES)}{nearest_known(engine, ENGINES)}"
        )
    return with_engine(engine, options)
