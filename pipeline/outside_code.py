"""Find the files of modules of plug-ins and libraries without importing them, and the distributions that bring them."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from scrollwork.pipeline.kernel import KEYED
from scrollwork.pipeline.loaded_code import NAME, ROOMS, ROOT

NAMED = re.compile(r"Metadata-Version: .*\nName: (.+)\nVersion: (.+)\n")  # how the metadata of most distributions begin


def version(name: str) -> str:
    """Return the version of an installed distribution. Raises PackageNotFoundError if there is none of that name."""
    return name_and_version(distribution(name))[1]


def name_and_version(one: Distribution) -> tuple[str, str]:
    """Return the name and the version of a distribution as `importlib.metadata` does, in a tenth of its time.

    That parses the whole file as an email, with the README of the project, for each of the two.
    """
    found = NAMED.match(one.read_text("METADATA") or "")
    return (found[1], found[2]) if found else (one.metadata["Name"], one.version)


def file_of(module: str) -> Path | None:
    """Return the file of a module outside scrollwork (of a package its __init__.py).

    None if there is no such module, if it has no file, or if the file is in one of our own folders (ROOMS).
    """
    spec = spec_of(module)
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    path = Path(spec.origin)
    rooms = any(path.is_relative_to(ROOT / room) for room in ROOMS)  # in a checkout, "pipeline" alone is found too
    return path if path.is_file() and not rooms else None


def package_folders(package: str) -> Sequence[str]:
    """Return the folders that hold the files of a package; () if there is no package of that name."""
    spec = spec_of(package)
    return tuple(spec.submodule_search_locations or ()) if spec is not None else ()


@cache
def spec_of(module: str) -> ModuleSpec | None:
    """Return the spec of a module from Python's finders; None if there is none.

    Unlike `importlib.util.find_spec`, this does not import the parent packages, except a namespace package whose finder
    needs that.
    """
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
        except KeyError:  # the parent is a namespace package: its finder needs it imported, and it has no code to run
            importlib.import_module(above)
            spec = find(module, path) if find else None
        if spec is not None:
            return spec  # type: ignore[no-any-return]
    return None


def is_own(name: str, importer: str) -> bool:
    """Return whether a module that a plug-in imports enters keys by its source, not by the version of a library.

    That is so if it belongs to the plug-in's own top-level package, or if no distribution brings it. importer: name of
    the plug-in's module.
    """
    top = name.partition(".")[0]
    if top == NAME or top in sys.stdlib_module_names:
        return False
    return top == importer.partition(".")[0] or (is_source(top) and not distributions(top))


def is_source(top: str) -> bool:
    """Return whether a top-level module is found as a file or as a folder (also one without an __init__.py)."""
    return file_of(top) is not None or bool(package_folders(top))


@cache
def distributions(top: str) -> tuple[str, ...]:
    """Return the names of the distributions that bring a top-level module; () if none does.

    For a library in KEYED this is its distribution there, whether or not it is installed.
    """
    if top in KEYED:
        return (KEYED[top],)
    try:
        return (distribution(top).metadata["Name"],)  # usually it has the module's name; the other way is slow
    except (PackageNotFoundError, ValueError):
        return tuple(sorted(set(packages_distributions().get(top, ()))))


def libraries(names: Sequence[str], importer: str) -> list[tuple[str, str]]:
    """List (top-level module, distribution) of the libraries that a plug-in's module imports, sorted.

    names: the modules that it imports. importer: its own name. A module that is not installed is listed with its own
    name as distribution, so that the key changes when it is installed.
    """
    found = {}
    for name in names:
        top = name.partition(".")[0]
        if top and top != NAME and top not in sys.stdlib_module_names and not is_own(name, importer):
            for one in distributions(top) or (top,):
                found[top, one] = True
    return sorted(found)
