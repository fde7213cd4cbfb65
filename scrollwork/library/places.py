"""Where a home is that a caller names: a folder, a URL, an opened home, or the home of a result."""

from __future__ import annotations

import os
from typing import Any

from scrollwork.pipeline.errors import UsageError
from scrollwork.suites.options import from_environment


def place_and_store(home: Any, store: str = "") -> tuple[str, str]:
    """Return the path or URL of a home as a caller gave it, and the URL of its response store ("" for its own file).

    home: a text or a path, what `scrollwork.open` returned (with its store, if `store` is ""), or a result, for the
    home that it is of. store: "" for SCROLLWORK_STORE, if that is set. Raises UsageError for anything else.
    """
    if isinstance(home, str | os.PathLike):
        return str(os.fspath(home)), store or own_store()
    from scrollwork.home import Home  # not before it is needed: these load the readers of homes
    from scrollwork.library.results import BuildResult, RunResult

    if isinstance(home, Home):
        return home._home.url, store or home._home.store
    if isinstance(home, RunResult | BuildResult):
        return home.home, store or own_store()
    wanted = "a folder, a URL, what sw.open returned or a result"
    raise UsageError(f"home must be {wanted}, not of type {type(home).__name__}; home='.scrollwork'")


def place_of(home: Any, store: str = "") -> tuple[str, str]:
    """Return where the home is, as given, else SCROLLWORK_HOME, else ./.scrollwork; and its response store, as
    given, else SCROLLWORK_STORE, "" for the file in the home. Raises UsageError."""
    if home is None:
        return from_environment("SCROLLWORK_HOME") or ".scrollwork", store or own_store()
    place, store = place_and_store(home, store)
    if not place:
        raise UsageError("home is empty: leave it out for .scrollwork")
    return place, store


def own_store() -> str:
    """Return the URL of the response store that SCROLLWORK_STORE names, "" without it. Raises UsageError."""
    return from_environment("SCROLLWORK_STORE") or ""
