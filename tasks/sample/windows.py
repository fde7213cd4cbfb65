"""Stage sample for windows (Dolce): a row for each window of the contexts of the chosen problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.windows.observations import Observed, observed_windows
from scrollwork.preprocessing.windows.prompt_template import window_in
from scrollwork.preprocessing.windows.spans import strategy as read
from scrollwork.records.example import Example
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.sample import run as chosen
from scrollwork.tasks.sample.run import STAGE, sample_parameters, write_sample

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part


@dataclass(frozen=True, kw_only=True)
class Parameters(chosen.Parameters):
    """Parameters of run.py, which choose problems, and two more.

    observed: `windows` of the suite file (units, lengths, full, ...). strategy: which windows are shown
    (preprocessing/windows/spans.py).
    """

    observed: Mapping[str, Any]
    strategy: str

    @property
    def how(self) -> Observed:
        """Return the units that contexts are split into and the windows that may be shown."""
        told = self.observed
        return Observed(told["units"], tuple(told["lengths"]), told["full"], told.get("more"))


def declare(part: Part, curated: Node, strategy: str, units: str) -> Node:
    """Declare the choice of problems and of windows of their contexts. units: one of the task's granularities, "" for
    the task's default."""
    parameters = Parameters(**sample_parameters(part), observed=dict(part.task.observed(units)), strategy=strategy)
    return Node(STAGE, part.sampled, non_default(parameters), __name__, (), (("curated", (curated,)),))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `examples`: a row for each window that the strategy picks."""
    parameters, curated = Parameters(**node.params), inputs["curated"]
    problems, strategy = parameters.chosen(curated), read(parameters.strategy)
    seed, suite = parameters.seed, parameters.suite
    windows = observed_windows(problems, curated.texts(), parameters.how, strategy, seed=seed, suite=suite)
    writer.facts = {"largest_units": 0}
    writer.facts |= write_sample(note_largest_context(windows, writer.facts), writer)


def note_largest_context(rows: Iterable[Example], facts: dict[str, int]) -> Iterator[Example]:
    """Yield the same rows, and set facts["largest_units"] to the number of units in the largest context."""
    problem = ""
    for row in rows:
        if row.example_id != problem and (window := window_in(row)) is not None:
            problem = row.example_id
            facts["largest_units"] = max(facts["largest_units"], window["units"])
        yield row
