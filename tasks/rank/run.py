"""Stage rank: scores of runs -> models ranked over data sets, their spread, dominance and stability (SEAM).

Only models whose runs drew the same are ranked together (analysis/runs/selection.py); a table lists those left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.suites.vocabularies import load
from scrollwork.tasks.report.behind_scores import ByContent, nodes_behind, scored_in

STAGE = "rank"


@dataclass(frozen=True)
class Parameters:
    """tasks: metric by task. upper_bounds: models that read the references. failures: {task, split, model, message} of
    tasks without a score. published: the paper's tables. proxies: by task, a note on a metric that stands in for the
    benchmark's. by_instance: tasks whose single instances have scores. lengths: the tokenizer that counts prompts."""

    suite: str
    tasks: Mapping[str, str]
    upper_bounds: Sequence[str]
    failures: Sequence[Mapping[str, str]]
    published: Mapping[str, Any]
    proxies: Mapping[str, str]
    by_instance: Sequence[str]
    lengths: str


def declare(parameters: Parameters, models: Sequence[str], aggregates: Sequence[Node], engine: Sequence[str]) -> Node:
    """Declare the ranking of models. aggregates: of a suite with runs. engine: the module that makes the tokenizer of
    lengths, if any. models: in the order of the request; if models drew differently, the draws of the first count."""
    labels = (("suite", parameters.suite), ("models", "+".join(models)))
    ordered = sorted(aggregates, key=lambda node: (models.index(node.label("model")), node.slot))
    inputs = (("aggregates", tuple(ordered)), ("behind", nodes_behind(aggregates)))
    return Node(STAGE, labels, non_default(parameters), __name__, tuple(engine), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the tables of the ranking (reporting/boards/ranks.py)."""
    from scrollwork.reporting.boards.ranks import TABLES
    from scrollwork.tasks.rank.ranking import ranking_of

    scored, parameters = scored_in(inputs), Parameters(**node.params)
    tasks = ByContent(inputs.each("behind")).tasks(scored)
    found = ranking_of(parameters, scored, tasks, load(parameters.lengths, session.home))
    for name, row in TABLES.items():
        table = writer.table(name, row)
        for one in getattr(found, name):
            table.add(one)
    writer.facts = {"models": len(found.ranked()), "left_out": len(found.left_out)}
