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
    """how: `observed` of the suite file: units, lengths, whole (False where the whole context is not observed), more."""
    own = Observed(how["units"], tuple(how["lengths"]), how.get("whole", True), how.get("more"))
    return observed(chosen, curated.texts(), own, read(strategy), seed=seed, suite=suite)
