"""Load checkpoints that judge answers, and make the metric that uses them (chosen by suites/judging_models.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from scrollwork.models.local.entailment import BATCH, COVERAGE, FAITHFULNESS, SequenceToSequence, Wording
from scrollwork.scoring.metrics.fic import Fic, Pair
from scrollwork.storage.digest import sha256_of

Tables = Mapping[str, Mapping[str, Any]]  # tables of the checkpoints, by role
WORDINGS = {"faithfulness": FAITHFULNESS, "coverage": COVERAGE}  # the question put to a checkpoint, by role


class Judge:
    """A checkpoint that judges pairs of texts (Entailment of scoring/metrics/fic.py). It is loaded at the first call,
    kept loaded for later scores, and used by one thread at a time."""

    def __init__(self, role: str, table: Mapping[str, Any]) -> None:
        self.name = str(table["checkpoint"])
        self._role, self._table = role, table

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a probability for each pair. Raises CheckpointError."""
        with _TURN:
            return self._loaded()(pairs)

    def _loaded(self) -> SequenceToSequence:
        key = sha256_of([self._role, self._table])
        if key not in _LOADED:
            own = self._table.get("entailment")
            wording = Wording(**own) if own else WORDINGS[self._role]
            while len(_LOADED) >= len(WORDINGS):  # drop checkpoints of earlier runs
                del _LOADED[next(iter(_LOADED))]
            batch_size = int(self._table.get("batch_size", BATCH))
            _LOADED[key] = SequenceToSequence(self.name, self._table, wording, batch_size)
        return _LOADED[key]


def fic_of(tables: Tables) -> Fic:
    """Make the metric FIC from these checkpoints."""
    return Fic(*(Judge(role, tables[role]) for role in WORDINGS))


_TURN = Lock()
_LOADED: dict[str, SequenceToSequence] = {}
