"""Find suites, data sets, metrics, providers and designs that installed packages bring as entry points.

docs/plugins.md describes them for authors of such packages.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from scrollwork.pipeline import loaded_code, outside_code
from scrollwork.pipeline.errors import UsageError

SUITES = "scrollwork.suites"
DATASETS = "scrollwork.datasets"
METRICS = "scrollwork.metrics"
PROVIDERS = "scrollwork.providers"
DESIGNS = "scrollwork.designs"
WHAT = {SUITES: "suite", DATASETS: "dataset", METRICS: "metric", PROVIDERS: "provider", DESIGNS: "design"}
# By group: the names that a module must have, and whether each must be callable. A suite is a file, not a module.
CONTRACTS: Mapping[str, Mapping[str, bool]] = {
    DATASETS: {"curate": True},
    METRICS: {
        **dict.fromkeys(("NAME", "VERSION", "RANGE", "NEEDS", "COMPONENTS"), False),
        **dict.fromkeys(("score", "headline"), True),
    },
    PROVIDERS: {"make": True},
    DESIGNS: {"DESIGN": False},
}
# By group: names of a module in 0.2, and what they are now. Nothing would read them, and nobody would notice.
RENAMED: Mapping[str, Mapping[str, str]] = {METRICS: {"beside": "derived"}}


@cache
def installed_entry_points(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """Return the installed entry points of a group by name; more than one if several packages use the same name."""
    found: dict[str, list[EntryPoint]] = {}
    for one in entry_points(group=group):
        found.setdefault(one.name, []).append(one)
    return found


def entry(group: str, name: str) -> EntryPoint | None:
    """Return the entry point of that name; None if there is none.

    Raises UsageError if there are several and they do not all name the same module or file.
    """
    found = {one.value: one for one in installed_entry_points(group).get(name, ())}
    if len(found) > 1:
        origins = " and ".join(f"{package_of(one)} ({one.value})" for one in found.values())
        raise UsageError(f"two installed packages have a {WHAT[group]} {name!r} in {group}: {origins}; remove one")
    return next(iter(found.values()), None)


def package_of(one: EntryPoint) -> str:
    """Return the name of the distribution that declares an entry point, "a package" if it is not known."""
    return one.dist.name if one.dist is not None else "a package"


def checked_module(group: str, found: EntryPoint, said: str) -> str:
    """Import and check the module that an entry point names, and return its name.

    said: what messages call it, such as "design 'runs'". Raises UsageError if the entry point names more than a module,
    or if the module does not pass `check`.
    """
    if found.attr or found.extras:
        raise UsageError(f"{said}: entry point {found.value!r} of {package_of(found)} must name a module alone")
    check(group, found.module, f"{said} (entry point of {package_of(found)})")
    return found.module


@cache
def check(group: str, module: str, said: str) -> None:
    """Import a module and check that it has the names that its group requires (CONTRACTS).

    said: what messages call it. Raises UsageError if it is a module of scrollwork, cannot be found or imported, or
    lacks a name.
    """
    if module.partition(".")[0] == loaded_code.NAME:
        raise UsageError(f"{said}: a module of scrollwork has a name of its own; leave out its path")
    path = outside_code.file_of(module)
    if path is None:
        top = module.partition(".")[0]
        there = outside_code.spec_of(top) is not None
        lacks = f"package {top} has no module {module}" if there else f"there is no package {top}"
        raise UsageError(f"{said}: {lacks}; install it, or name the folder that it lies in in PYTHONPATH")
    note_files(module)
    try:
        loaded = importlib.import_module(module)
    except Exception as error:
        raise UsageError(f"{said}: {path} cannot be imported: {type(error).__name__}: {error}") from error
    shown = {name: f"{name}()" if called else name for name, called in CONTRACTS[group].items()}
    needs = f"the module of a {WHAT[group]} has {', '.join(shown.values())}"
    for name, called in CONTRACTS[group].items():
        if not hasattr(loaded, name):
            raise UsageError(f"{said}: {path} lacks {shown[name]}; {needs}")
        if called and not callable(getattr(loaded, name)):
            raise UsageError(f"{said}: {name} of {path} must be a function; {needs}")
    refuse_old_names(RENAMED.get(group, {}), loaded, f"{said}: {path}")


def refuse_old_names(renamed: Mapping[str, str], found: object, said: str) -> None:
    """Raise UsageError if what a package brings has one of the old names. renamed: the new names by the old ones."""
    for name, new in renamed.items():
        if hasattr(found, name):
            raise UsageError(f"{said} has {name}, which is named {new} now")


def note_files(module: str) -> None:
    """Record the stamps of a module's file and of the packages that contain it (loaded_code.py).

    Call it before the module is imported.
    """
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        if (path := outside_code.file_of(name)) is not None:
            loaded_code.watch(name, str(path))
