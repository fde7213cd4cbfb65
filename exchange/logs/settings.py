"""Settings of a run as text: short, and different where the values are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrollwork.analysis.logs.log import digest_of

MOST_TEXT = 300  # characters that are kept; a digest tells longer values apart


def setting_text(value: Any) -> str:
    """Return a value as text; a list's parts with commas between them, a long text cut and with its digest."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} ... (sha256 {digest_of(text)[:12]})"


def settings_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Return settings as text, without those that are not given: None, and what is empty."""
    return {name: setting_text(value) for name, value in values.items() if value not in (None, "", [], {})}


def as_object(value: Any) -> Mapping[str, Any]:
    """Return a JSON object as it is, and an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}
