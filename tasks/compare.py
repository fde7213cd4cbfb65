"""Stage compare: all models' judged answers -> averages with intervals, and every two models on the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scrollwork.analysis.comparison.judged import COLUMNS, outcomes_from
from scrollwork.analysis.comparison.models import Measured, Who, averages, comparisons, pairs
from scrollwork.analysis.comparison.outcomes import Outcomes
from scrollwork.pipeline import progress
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.records.comparison import Average, Comparison
from scrollwork.records.prompt import FULL
from scrollwork.scoring.registry import metric, stored
from scrollwork.storage.artifacts.artifact import ArtifactWriter


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """A row a model and arm, and a row a pair and task."""
    means = writer.table("averages", Average)
    table = writer.table("comparisons", Comparison)
    compared = 0
    for measured in by_split(node, inputs):
        averaged = node.params.get("averaged", True)  # a suite that ranks models has no average over its tasks
        for average in averages(measured, node.params["upper_bounds"]) if averaged else ():
            means.add(average)
        listed = list(pairs(list(measured.outcomes), node.params["upper_bounds"]))
        for number, pair in enumerate(listed, start=1):
            for row in comparisons(measured, pair):
                if row.task or averaged:
                    table.add(row)
            progress.tell(node.title, number, len(listed))
        compared += len(listed)
    writer.facts = {"pairs": compared}


def by_split(node: Node, inputs: InputArtifacts) -> Iterator[Measured]:
    """Everything scored on one split, for each; models in the order of the request."""
    metrics = {name: metric(own) for name, own in node.params["tasks"].items()}
    for split in sorted({judged.label("split") for judged in node.each("judge")}):
        outcomes: dict[Who, dict[str, Outcomes]] = {}
        for judged, artifact in zip(node.each("judge"), inputs.each("judge"), strict=True):
            if judged.label("split") == split:
                who, task = (judged.label("model"), judged.label("arm")), judged.label("task")
                rows = artifact.columns("judgements", list(COLUMNS))
                outcomes.setdefault(who, {})[task] = outcomes_from(rows, stored(metrics[task]))

        headlines = {name: own.headline for name, own in metrics.items()}
        yield Measured(node.label("suite"), split, node.params["tasks"], headlines, in_order(outcomes, node))


def in_order(outcomes: Mapping[Who, dict[str, Outcomes]], node: Node) -> dict[Who, dict[str, Outcomes]]:
    """Models as they were asked for, each with its documents first; tasks as the suite has them."""
    models, tasks = node.params["models"], list(node.params["tasks"])
    whos = sorted(outcomes, key=lambda who: (models.index(who[0]), who[1] != FULL, who[1]))
    return {who: {task: outcomes[who][task] for task in tasks if task in outcomes[who]} for who in whos}
