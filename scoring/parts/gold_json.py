"""Gold that is one JSON document: objects and clusters are references too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scrollwork.scoring.outcome import GoldError


def document_in(references: Sequence[str], what: str) -> tuple[Any, str]:
    """(the document, how an error names it) of references that must be one. what: "clusters have", for the error.

    Raises GoldError.
    """
    if len(references) != 1:
        raise GoldError(f"{what} one reference, not {len(references)}")
    name = f"reference {references[0][:80]!r}"
    try:
        return json.loads(references[0]), name
    except (ValueError, RecursionError) as error:
        raise GoldError(f"{name} is no JSON: {error}") from None


def object_in(references: Sequence[str], what: str) -> tuple[dict[str, Any], str]:
    """As `document_in`, of an object."""
    found, name = document_in(references, what)
    if not isinstance(found, dict):
        raise GoldError(f"{name} is no JSON object")
    return found, name
