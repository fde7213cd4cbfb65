"""Check that the code that Python runs is the code that the keys were computed from.

Python reads a module's file when the module is first imported. Its digest is computed when a stage that uses it is
first planned, maybe hours later. So the stamps of all our files are recorded when this module is imported, which the
command line and the flows do first. If the stamp of a file is unchanged after its module was both loaded and digested,
both read the same bytes; later edits change neither what this process runs nor its keys. Modules of plug-ins are
recorded when they are first named (`watch`), before they are imported. Libraries are compared by version
(source_digest.py).
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
ROOT = Path(__file__).resolve().parents[1]  # contains the ROOMS: the folder of a checkout, or of the installed package
ROOMS = (  # the folders that hold our modules: scrollwork.pipeline is the folder pipeline
    "analysis", "cli", "config", "designs", "exchange", "fetching", "flows", "models", "pipeline", "preprocessing",
    "readings", "records", "reporting", "scoring", "storage", "suites", "tasks",
)  # fmt: skip
Stamp = tuple[int, ...]


def file_stamp(path: str) -> Stamp | None:
    """Return a file's stamp: device, inode, size, mtime, ctime (times in ns). None if the file cannot be found.

    The stamp changes with every write to the file, even if its modification time is reset afterwards.
    """
    try:
        at = os.stat(path)
    except OSError:
        return None
    return at.st_dev, at.st_ino, at.st_size, at.st_mtime_ns, at.st_ctime_ns


def stamped_modules(root: Path) -> dict[str, tuple[str, Stamp | None]]:
    """Return (path, stamp) of every module in the ROOMS below `root`, by module name."""
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
_SURE: set[str] = set()  # modules that are known to be loaded from the bytes that were digested


def noted_at_first() -> dict[str, tuple[str, Stamp | None]]:
    """Return the recorded (path, stamp) of every module, by module name. The caller may not change it.

    Our modules were recorded when this process began, those of plug-ins by `watch`.
    """
    return _NOTED


def take_over(noted: dict[str, tuple[str, Stamp | None]]) -> None:
    """In a worker process: use the stamps that its parent process recorded, in place of its own.

    noted: from `noted_at_first` of the parent.
    """
    _NOTED.update(noted)


def watch(module: str, path: str) -> None:
    """Record the stamp of a plug-in's module, if it has none yet. Call it before the module is read or imported.

    If the module is imported already and its file was written since this process began, it counts as changed.
    """
    if module not in _NOTED:
        now = file_stamp(path)
        late = now is not None and module in sys.modules and max(now[3:]) > _BEGAN
        _NOTED[module] = path, None if late else now


def load_as_digested(modules: Iterable[str]) -> None:
    """Import digested modules before a stage uses them.

    Raises CodeChanged if one of them may have been loaded from other bytes than were digested.
    """
    waiting = [module for module in modules if module not in _SURE]
    for module in waiting:
        path, before = _NOTED.get(module, ("", None))
        if before is None or file_stamp(path) != before:
            raise CodeChanged.of(path_in_project(path) if path else module, "was written to")
    for module in waiting:
        with suppress(ImportError):  # a library is not installed: the stage cannot import that module later either
            importlib.import_module(module)
    for module in waiting:
        origin = getattr(sys.modules.get(module), "__file__", None)
        if origin is not None:
            path, before = _NOTED[module]
            if file_stamp(origin) != before:
                raise CodeChanged.of(path_in_project(path), f"was written to, or another was loaded ({origin})")
            _SURE.add(module)


def path_in_project(path: str) -> str:
    """Return the path of a file, relative to ROOT if the file is below it."""
    return os.path.relpath(path, ROOT) if Path(path).is_relative_to(ROOT) else path
