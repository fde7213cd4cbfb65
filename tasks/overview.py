"""Stage overview: statistics of all tasks -> one page and its pictures."""

from __future__ import annotations

from collections.abc import Mapping

from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.records.statistics import Bin, Distribution
from scrollwork.reporting.page.overview import overview
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter


def fill(node: Node, inputs: Mapping[str, Artifact], shop: Workshop, writer: ArtifactWriter) -> None:
    """The rows that the page shows, the page, and each picture as a file of its own."""
    rows = writer.table("distributions", Distribution)
    bins = writer.table("histograms", Bin)
    distributions: list[Distribution] = []
    histograms: list[Bin] = []
    facts = {}
    for name, statistics in node.inputs:
        distributions += list(inputs[name].rows("distributions", Distribution))
        histograms += list(inputs[name].rows("histograms", Bin))
        facts[statistics.label("task"), statistics.label("split")] = inputs[name].facts
    for row in distributions:
        rows.add(row)
    for one in histograms:
        bins.add(one)
    made = overview(node.params, distributions, histograms, facts)
    writer.file("statistics.html", made.page.encode("utf-8"))
    for name, svg in made.pictures.items():
        writer.file(name, svg.encode("utf-8"))
    writer.facts = {"tasks": len(node.inputs), "pictures": sorted(made.pictures)}
