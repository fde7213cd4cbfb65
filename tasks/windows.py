"""Problems of a suite that observes, as a row for each window of their contexts (Dolce)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from preprocessing.observations import Observed, observed
from preprocessing.spans import strategy as read
from records.example import Example
from storage.artifacts import Artifact


def windows_of(
    chosen: Iterable[Example], curated: Artifact, how: Mapping[str, Any], strategy: str, *, seed: int, suite: str
) -> Iterator[Example]:
    """how: units, lengths, full and more of `windows` in the suite file."""
    own = Observed(how["units"], tuple(how["lengths"]), how["full"], how.get("more"))
    return observed(chosen, curated.texts(), own, read(strategy), seed=seed, suite=suite)
