"""Stage overview: statistics of all tasks -> one page and its pictures."""

from __future__ import annotations

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Workshop
from scrollwork.records.statistics import Bin, Distribution
from scrollwork.reporting.page.overview import overview
from scrollwork.storage.artifacts.artifact import ArtifactWriter


def fill(node: Node, inputs: InputArtifacts, shop: Workshop, writer: ArtifactWriter) -> None:
    """The rows that the page shows, the page, and each picture as a file of its own."""
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
    made = overview(node.params, distributions, histograms, facts)
    writer.file("statistics.html", made.page.encode("utf-8"))
    for name, svg in made.pictures.items():
        writer.file(name, svg.encode("utf-8"))
    writer.facts = {"tasks": len(facts), "pictures": sorted(made.pictures)}
