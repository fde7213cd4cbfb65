"""scrollwork as a library, `import scrollwork as sw` (docs/library.md), and all of its rooms under one import name:
`scrollwork.tasks.aggregate.run` is `tasks/aggregate/run.py`.

In a checkout each room lies beside this folder and is linked here; a wheel has the rooms themselves in it. A name of
the library is imported when it is first used (PEP 562), so that the import costs next to nothing.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars

    from scrollwork import dolce as dolce
    from scrollwork import seam as seam
    from scrollwork.api import open as open
    from scrollwork.api import score as score
    from scrollwork.api import suites as suites
    from scrollwork.home import Home as Home
    from scrollwork.library.checking import Verified as Verified
    from scrollwork.library.checking import fetch as fetch
    from scrollwork.library.checking import verify as verify
    from scrollwork.library.comparing import Comparison as Comparison
    from scrollwork.library.comparing import compare as compare
    from scrollwork.library.dataset import dataset as dataset
    from scrollwork.library.functions import model as model
    from scrollwork.library.results import BuildResult as BuildResult
    from scrollwork.library.results import RunResult as RunResult
    from scrollwork.library.running import build as build
    from scrollwork.library.running import estimate as estimate
    from scrollwork.library.running import plan as plan
    from scrollwork.library.running import run as run
    from scrollwork.readings.home_artifacts import KEY as KEY

_FOLDER = os.path.dirname(__file__)
if not os.path.isfile(os.path.join(_FOLDER, "tasks", "__init__.py")):
    raise ImportError(
        f"{_FOLDER}: its links to the rooms of the checkout are lost (a copy without symbolic links, or "
        "of this folder alone): clone the repository anew, or install it"
    )

_LISTING = "scrollwork.api"  # has the function that a call of the room `suites` calls
_MODULES = ("dolce", "seam", "suites")  # names of the library that are modules
_PLACES = {  # its other names, and the modules that have them
    "BuildResult": "scrollwork.library.results",
    "Comparison": "scrollwork.library.comparing",
    "Home": "scrollwork.home",
    "KEY": "scrollwork.readings.home_artifacts",
    "RunResult": "scrollwork.library.results",
    "Verified": "scrollwork.library.checking",
    "build": "scrollwork.library.running",
    "compare": "scrollwork.library.comparing",
    "dataset": "scrollwork.library.dataset",
    "estimate": "scrollwork.library.running",
    "fetch": "scrollwork.library.checking",
    "model": "scrollwork.library.functions",
    "open": "scrollwork.api",
    "plan": "scrollwork.library.running",
    "run": "scrollwork.library.running",
    "score": "scrollwork.api",
    "verify": "scrollwork.library.checking",
}


class _Suites(ModuleType):
    """The room `scrollwork.suites`, which is a function of the library too: `sw.suites()`."""

    def __call__(self) -> polars.DataFrame:
        """Return a row for each task of each suite (scrollwork.api.suites)."""
        listed: polars.DataFrame = import_module(_LISTING).suites()
        return listed


class _Package(ModuleType):
    """This package, which learns of its rooms as Python imports them. The room itself says nothing of the library: its
    source is in the keys of stages."""

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute; the room `suites` becomes callable."""
        if name == "suites" and isinstance(value, ModuleType):
            value.__class__ = _Suites
        super().__setattr__(name, value)


def __getattr__(name: str) -> object:
    """Import a name of the library. Raises AttributeError for any other."""
    if name == "__version__":
        from importlib.metadata import version

        return version("scrollwork")
    if name in _MODULES:
        return import_module(f"scrollwork.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'scrollwork' has no attribute {name!r}")
    found: object = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the names of the library."""
    return sorted({*_PLACES, *_MODULES, *(name for name in globals() if name.startswith("__"))})


sys.modules[__name__].__class__ = _Package
