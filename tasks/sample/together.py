"""Stage sample, of shares: choose among what several processes kept of their shares of the curated data set.

Rows and their order are those that one process would have written; where every example is chosen, the shares' parts are
taken over as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.example import Example
from scrollwork.records.key_table import KeyTable
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.tasks.sample.run import Parameters, write_sample


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write table `examples`: the chosen examples."""
    parameters, shares, curated = Parameters(**node.params), inputs.each("shares"), inputs["curated"]
    if read(shares, "examples") != curated.facts.get("examples", 0):  # of an id in two shares, curation left one out
        writer.facts = write_sample(parameters.chosen(curated), writer)
    elif parameters.takes_all:
        writer.facts = write_all(shares, curated, writer)
    else:
        writer.facts = write_sample(parameters.chosen(*shares), writer)


def write_all(shares: Sequence[Artifact], curated: Artifact, writer: ArtifactWriter) -> dict[str, int]:
    """Write table `examples` with the rows of all shares, and return the same counts as `write_sample`.

    Nothing is left to check: curation lets no id be twice.
    """
    table = writer.table("examples", Example)
    for share in shares:
        for part in share.manifest.parts("examples"):
            table.adopt(share.folder, part)
    alone = read(shares, "documents") == curated.facts.get("documents", 0)  # no document is in two shares
    return {
        "examples": table.count,
        "documents": sum(share.facts["documents"] for share in shares) if alone else documents(shares),
        "references": sum(share.facts["references"] for share in shares),
    }


def read(shares: Sequence[Artifact], what: str) -> int:
    """Return how many examples or documents the shares had to read."""
    return sum(int(share.facts["read"][what]) for share in shares)


def documents(shares: Sequence[Artifact]) -> int:
    """Count the documents of all examples."""
    seen = KeyTable()
    for share in shares:
        for (document_ids,) in share.tuples("examples", ("document_ids",)):
            for document_id in document_ids:
                seen.add(document_id)
    return len(seen)
