"""Check that the code that Python runs is the code that the keys were computed from.

Python reads a module when it is first imported; a key reads it when it is first planned, maybe hours later. So the
stamps of all our files are recorded when this module is imported, which every entry point does first. If a file's stamp
is unchanged after its module was loaded and digested, both read the same bytes, and later edits reach neither this
process nor its keys. Libraries are compared by version (source_digest.py). Modules of plug-ins are recorded when they
are first named (`watch`), before they are imported.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from scrollwork.pipeline.errors import CodeChanged

NAME = "scrollwork"
ROOT = Path(__file__).resolve().parents[1]  # holds the rooms: of a checkout, or the package itself
ROOMS = (
    "analysis", "cli", "config", "designs", "exchange", "fetching", "flows", "models", "pipeline", "preprocessing",
    "readings", "records", "reporting", "scoring", "storage", "suites", "tasks",
)  # fmt: skip
Stamp = tuple[int, ...]


def file_stamp(path: str) -> Stamp | None:
    """What changes with every write to a file, even if its modification time is reset; None if there is no file."""
    try:
        at = os.stat(path)
    except OSError:
        return None
    return at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns


def stamped_modules(root: Path) -> dict[str, tuple[str, Stamp | None]]:
    """(path, stamp) of every module of the rooms below `root`, by module name."""
    found = {}
    for room in ROOMS:
        for folder, inner, names in os.walk(root / room):
            inner[:] = [name for name in inner if name != "__pycache__"]
            package = ".".join((NAME, *os.path.relpath(folder, root).split(os.sep)))
            for name in names:
                if name.endswith(".py"):
                    path = os.path.join(folder, name)
                    module = package if name == "__init__.py" else f"{package}.{name[:-3]}"
                    found[module] = path, file_stamp(path)
    return found


_BEGAN = time.time_ns()
_NOTED = stamped_modules(ROOT)
_SURE: set[str] = set()  # modules that were loaded and digested from the same bytes


def noted_at_first() -> dict[str, tuple[str, Stamp | None]]:
    """(path, stamp) of every module when this process began, by module name."""
    return _NOTED


def take_over(noted: dict[str, tuple[str, Stamp | None]]) -> None:
    """In a worker process: compare files with the stamps that its parent process recorded when it began."""
    _NOTED.update(noted)


def watch(module: str, path: str) -> None:
    """Record the stamp of a plug-in's module before it is read or imported. A module that was imported already counts
    as changed if its file was written since this process began."""
    if module not in _NOTED:
        now = file_stamp(path)
        late = now is not None and module in sys.modules and max(now[3:]) > _BEGAN
        _NOTED[module] = path, None if late else now


def load_as_digested(modules: Iterable[str]) -> None:
    """Import digested modules before a stage uses them. Raises CodeChanged if one may have been loaded from other bytes
    than were digested."""
    waiting = [module for module in modules if module not in _SURE]
    for module in waiting:
        path, before = _NOTED.get(module, ("", None))
        if before is None or file_stamp(path) != before:
            raise CodeChanged.of(path_in_project(path) if path else module, "was written to")
    for module in waiting:
        with suppress(ImportError):  # of a library that is not installed: nobody can load that module later
            importlib.import_module(module)
    for module in waiting:
        origin = getattr(sys.modules.get(module), "__file__", None)
        if origin is not None:
            path, before = _NOTED[module]
            if file_stamp(origin) != before:
                raise CodeChanged.of(path_in_project(path), f"was written to, or another was loaded ({origin})")
            _SURE.add(module)


def path_in_project(path: str) -> str:
    """The path of a file, relative to the project's root if it is below it."""
    return os.path.relpath(path, ROOT) if Path(path).is_relative_to(ROOT) else path
