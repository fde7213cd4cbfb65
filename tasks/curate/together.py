"""Stage curate, of shares: what several processes curated becomes the artifact that one would have made.

Rows and their order are the same; only the borders of parts differ. Parts are taken over as they are, but for documents
that an earlier share has, too. Where that cannot do (an example's id is in two shares; no share has an example), all
raw files are curated here, as if there were no shares: such data sets are broken, and the same is said of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.raw_files import found_for
from scrollwork.pipeline.session import Session
from scrollwork.records.document import Document
from scrollwork.records.key_table import KeyTable
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.storage.artifacts.parts import TableWriter
from scrollwork.tasks.curate.run import refuse_drops, tables, write

__all__ = ["refuse_drops", "run"]

SUMS = ("examples", "references", "errors")
COUNTS = ("dropped", "malformed")
OTHERS = {"demonstrations", "instructions"}  # which no data set with BY_RECORD is to yield


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the tables of `write`, of all shares."""
    shares = inputs.each("shares")
    if not can_be_joined(shares):
        write(node, session, writer)
        return
    assert node.raw is not None
    found = found_for(node.raw, session)
    documents, examples, drops = tables(writer, found)
    unique(shares, documents)
    for share in shares:
        for table in (examples, drops):
            adopt(table, share)
    writer.facts = {
        **{name: sum(share.facts.get(name, 0) for share in shares) for name in SUMS},
        "documents": documents.count,
        **{name: dict(sorted(total(shares, name).items())) for name in COUNTS},
        "raw_files": len(found.files()),
    }
    writer.notes = {"raw": session.locations.raw}


def can_be_joined(shares: Sequence[Artifact]) -> bool:
    """Return whether there are examples, none with the id of another, and no rows of other kinds."""
    seen = KeyTable()
    ids = (one for share in shares for (one,) in share.tuples("examples", ("example_id",)))
    return (
        all(seen.add(one) is None for one in ids)
        and bool(seen)
        and not any(OTHERS & {*share.facts} for share in shares)
    )


def unique(shares: Sequence[Artifact], table: TableWriter[Document]) -> None:
    """Write the documents of all shares, each once, as in the first share that has it."""
    seen = KeyTable()
    for number, share in enumerate(shares):
        twice = 0
        for (document_id,) in share.tuples("documents", ("document_id",)):
            twice += seen.add(document_id, number) is not None
        if not twice:
            adopt(table, share)
            continue
        for row in share.rows("documents", Document):
            if seen.get(row.document_id) == number:
                table.add(row)


def adopt(table: TableWriter[Any], share: Artifact) -> None:
    """Take over a share's parts of a table."""
    for part in share.manifest.parts(table.table):
        table.adopt(share.folder, part)


def total(shares: Sequence[Artifact], name: str) -> Counter[str]:
    """Return the sums of counts by reason."""
    found: Counter[str] = Counter()
    for share in shares:
        found.update(share.facts[name])
    return found
