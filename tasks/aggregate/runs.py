"""Stage aggregate for runs (SEAM): it also writes a row for each run."""

from __future__ import annotations

from scrollwork.analysis.comparison.summary import nothing_derived
from scrollwork.analysis.runs.summary import summarize_runs
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.run_score import RunScore
from scrollwork.records.score import Aggregate
from scrollwork.scoring.registry import metric
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.aggregate.members import labels_of, members_of, scorable_inputs


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write tables `aggregates` (a row for each member and one for the family) and `runs` (the same for each run)."""
    own = metric(node.params["metric"])
    inputs_asked, without_gold = scorable_inputs(inputs, own)
    members = members_of(inputs, inputs_asked)
    drawn, derive = manifest_digests(inputs), getattr(own, "derived", nothing_derived)
    found = summarize_runs(labels_of(node), inputs_asked, members, own.headline, drawn, derive)
    aggregates, runs = writer.table("aggregates", Aggregate), writer.table("runs", RunScore)
    for run in found.runs:
        runs.add(run)
    for aggregate in found.aggregates:
        aggregates.add(aggregate)
    writer.facts = {"members": len(members), "without_gold": without_gold}


def manifest_digests(inputs: InputArtifacts) -> dict[int, str]:
    """Return the digest of each run's manifest, which lists what it drew, by number of the run."""
    return {sample.manifest.ingredients.params["run"]: sample.facts["manifest"] for sample in inputs.each("sample")}
