"""Gold that is one JSON document, such as an object or a list of clusters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scrollwork.scoring.outcome import GoldError


def document_in(references: Sequence[str], what: str) -> tuple[Any, str]:
    """Return (the document, its name in errors) from references that must be just one.

    what: the start of an error, such as "clusters have". Raises GoldError.
    """
    if len(references) != 1:
        raise GoldError(f"{what} one reference, not {len(references)}")
    name = f"reference {references[0][:80]!r}"
    try:
        return json.loads(references[0]), name
    except (ValueError, RecursionError) as error:
        raise GoldError(f"{name} is no JSON: {error}") from None


def object_in(references: Sequence[str], what: str) -> tuple[dict[str, Any], str]:
    """Return what `document_in` returns, for a JSON object. Raises GoldError for other JSON too."""
    found, name = document_in(references, what)
    if not isinstance(found, dict):
        raise GoldError(f"{name} is no JSON object")
    return found, name
