"""What a home notes of the code of functions: digests of their source texts, by revision (`function_code`)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scrollwork.models.registry import FUNCTION_PREFIX
from scrollwork.storage.home import Home

FILE = "cache/functions.json"  # by spec: digests of the code that was to be asked, and by which version of Python


def codes_of(noted: dict[str, Any], spec: str) -> dict[str, str]:
    """Return the version of Python that made each digest of a function; {} for none, or for what is no such note."""
    own = noted.get(spec)
    return {digest: one for digest, one in own.items() if isinstance(one, str)} if isinstance(own, dict) else {}


def mixed_code(home: Home, name: str) -> str:
    """Say that a function (NAME@REVISION) was asked by several codes, so that its revision is mixed; "" if not.

    Digests that different versions of Python made cannot be compared.
    """
    versions = Counter(codes_of(home.remembered(FILE), f"{FUNCTION_PREFIX}{name}").values())
    most = max(versions.values(), default=0)
    if most < 2:
        return ""
    return f"mixed, {name}: {most} codes of the function were asked in this revision; give the newest another revision"
