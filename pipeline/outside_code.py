"""Modules of plug-ins and libraries: find their files without importing them, and the distribution they belong to."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from scrollwork.pipeline.kernel import KEYED
from scrollwork.pipeline.loaded_code import NAME, ROOMS, ROOT


def file_of(module: str) -> Path | None:
    """The file of a module (of a package its __init__.py); None where there is none, or it has no file."""
    spec = spec_of(module)
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    path = Path(spec.origin)
    rooms = any(path.is_relative_to(ROOT / room) for room in ROOMS)  # a checkout's, under their bare names
    return path if path.is_file() and not rooms else None


def package_folders(package: str) -> Sequence[str]:
    """The folders that hold the files of a package; () for a module that is not a package."""
    spec = spec_of(package)
    return tuple(spec.submodule_search_locations or ()) if spec is not None else ()


@cache
def spec_of(module: str) -> ModuleSpec | None:
    """The spec of a module from Python's finders; None if there is none. Unlike `importlib.util.find_spec`, this does
    not import the parent packages."""
    above = module.rpartition(".")[0]
    path = None
    if above:
        parent = spec_of(above)
        if parent is None or parent.submodule_search_locations is None:
            return None
        path = list(parent.submodule_search_locations)
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        try:
            spec = find(module, path) if find else None
        except KeyError:  # the parent is a namespace package (without code): its finder needs it to be imported
            importlib.import_module(above)
            spec = find(module, path) if find else None
        if spec is not None:
            return spec  # type: ignore[no-any-return]
    return None


def is_own(name: str, importer: str) -> bool:
    """Whether a module that a plug-in imports enters a key by its source instead of a version: it belongs to the
    plug-in's own package, or no distribution installed it."""
    top = name.partition(".")[0]
    if top == NAME or top in sys.stdlib_module_names:
        return False
    return top == importer.partition(".")[0] or (is_source(top) and not distributions(top))


def is_source(top: str) -> bool:
    """Whether a top-level module has source files: a file, or a folder (also without an __init__.py)."""
    return file_of(top) is not None or bool(package_folders(top))


@cache
def distributions(top: str) -> tuple[str, ...]:
    """The installed distributions that bring a top-level module."""
    if top in KEYED:
        return (KEYED[top],)
    try:
        return (distribution(top).metadata["Name"],)  # usually the same name; packages_distributions() is slow
    except (PackageNotFoundError, ValueError):
        return tuple(sorted(set(packages_distributions().get(top, ()))))


def libraries(names: Sequence[str], importer: str) -> list[tuple[str, str]]:
    """(top-level module, distribution) of the libraries that a plug-in's module imports. A module that is not installed
    is listed as its own distribution, so that installing it changes the key."""
    found = {}
    for name in names:
        top = name.partition(".")[0]
        if top and top != NAME and top not in sys.stdlib_module_names and not is_own(name, importer):
            for one in distributions(top) or (top,):
                found[top, one] = True
    return sorted(found)
