"""The resolved table of a model of a request."""

from __future__ import annotations

from typing import Any

from models.registry import LOCAL, settings
from storage.home import Home
from tasks.request import Request
from tasks.suites import load_models


def table_of(request: Request, model: str) -> dict[str, Any]:
    """The table, with what a local checkpoint says of itself. Raises UnknownModel, UsageError."""
    table = settings(model, load_models(request.models_file), request.suite, request.given)
    if table["provider"] in LOCAL:
        from tasks.checkpoints import adopted

        return adopted(model, table, Home(request.home, request.store))
    return table
