"""Stage complexity: scores of windows -> lambda, k and category of every problem (Dolce)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import ArtifactWriter

STAGE = "complexity"


@dataclass(frozen=True)
class Parameters:
    """how: settings that differ from the paper's fit (`Settings` of analysis/windows/fit/fitting.py)."""

    how: Mapping[str, Any]


def declare(aggregate: Node, twins: Sequence[Node] = ()) -> Node:
    """Declare the fit of the problems behind an aggregate, whose prompts show windows of contexts.

    twins: samples of the same task in other suites; their contexts also decide the thresholds (designs/windows.py).
    """
    inputs = tuple((name, aggregate.each(name)) for name in ("prompts", "scores"))
    others = (("twin", tuple(twins)),) if twins else ()
    return Node(STAGE, aggregate.labels, non_default(Parameters({})), __name__, (), (*inputs, *others))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write a row for each scenario of the task (`mixtures`), each problem (`complexity`), each of its window lengths
    (`tables`) and each window length (`observed`), and rows on typical problems (`planes`, `sights`, `passages`)."""
    from scrollwork.tasks.complexity.problems import fit_problems

    fit_problems(node, Parameters(**node.params).how, inputs, writer)
