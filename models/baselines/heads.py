"""Baselines by a rule, for tables with a rule that puts mentions with one head into one cluster.

They are apart from models/baselines/naive.py, so that NLTK, an extra, is in the keys of no other baseline.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scrollwork.models.baselines.naive import Baseline


def make(name: str, table: Mapping[str, Any], revision: str) -> ByHeads:
    """Make the baseline of a table of config/models.toml. revision: digest of its code."""
    return ByHeads(name, table["rules"], int(table.get("seeds", 1)), table.get("seed"), revision)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return Porter's stem of a word. Raises ModuleNotFoundError, naming the extra, without NLTK."""
    try:
        from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        if error.name != "nltk":
            raise
        raise ModuleNotFoundError("nltk is not installed: pip install 'scrollwork[seam]'", name="nltk") from error
    return str(PorterStemmer().stem(word))


class ByHeads(Baseline):
    """The family of models/baselines/naive.py, with the stems that heads are compared by."""

    stem = staticmethod(stem)
