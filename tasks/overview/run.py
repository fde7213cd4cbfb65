"""Stage overview: statistics of all tasks -> one page and its charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.statistics import Bin, Distribution
from scrollwork.storage.artifacts.artifact import ArtifactWriter

STAGE = "overview"


@dataclass(frozen=True)
class Parameters:
    """title: of the suite. tasks: published numbers of each task and split shown. splits: all splits of each task.

    paper: {title, short, url}. run: settings of the request that differ from the suite's. assets: digest of the page's
    files (reporting/page/files.py).
    """

    title: str
    tasks: Sequence[Mapping[str, Any]]
    splits: Mapping[str, Sequence[str]]
    paper: Mapping[str, str]
    run: Mapping[str, Any]
    assets: str


def declare(suite: str, parameters: Parameters, statistics: Sequence[Node]) -> Node:
    """Declare the page over the statistics of all tasks that could be built."""
    inputs = (("statistics", tuple(statistics)),)
    return Node(STAGE, (("suite", suite),), non_default(parameters), __name__, (), inputs)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the rows that the page shows (`distributions`, `histograms`), the page, and each chart as a file."""
    from scrollwork.reporting.page.overview import overview

    rows = writer.table("distributions", Distribution)
    bins = writer.table("histograms", Bin)
    distributions: list[Distribution] = []
    histograms: list[Bin] = []
    facts = {}
    for statistics, artifact in zip(node.each("statistics"), inputs.each("statistics"), strict=True):
        distributions += list(artifact.rows("distributions", Distribution))
        histograms += list(artifact.rows("histograms", Bin))
        facts[statistics.label("task"), statistics.label("split")] = artifact.facts
    for row in distributions:
        rows.add(row)
    for one in histograms:
        bins.add(one)
    made = overview(non_default(Parameters(**node.params)), distributions, histograms, facts)
    writer.file("statistics.html", made.page.encode("utf-8"))
    for name, svg in made.pictures.items():
        writer.file(name, svg.encode("utf-8"))
    writer.facts = {"tasks": len(facts), "pictures": sorted(made.pictures)}
