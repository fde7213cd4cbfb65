"""Stage curate: raw files -> documents, examples, drops, and the list of raw files. For windows (Dolce): windows.py.

A task with `shards` in the suite file is curated in as many shares, by several processes, where records of its data set
become rows one by one (BY_RECORD); together.py makes of them what one process would have made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from scrollwork.pipeline.errors import BadRecord
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node, RawQuery
from scrollwork.pipeline.raw_files import FoundFiles, found_for
from scrollwork.pipeline.session import Session
from scrollwork.preprocessing.curation import DEMONSTRATIONS, PROMPTS, RELEASE, Through, by_record, curate
from scrollwork.preprocessing.prompts.frames import frame_of
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from scrollwork.records.raw_file import RawFile
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.storage.artifacts.parts import TableWriter

if TYPE_CHECKING:
    from scrollwork.suites.parts import Part

STAGE = "curate"
TOGETHER = "scrollwork.tasks.curate.together"  # puts shares together


@dataclass(frozen=True)
class Parameters:
    """dataset: a module of preprocessing/datasets. options: its arguments. units: what contexts are split into for
    windows (preprocessing/windows/units.py), None for tasks without windows. share: [number, how many] of a node that
    curates a share of the raw files, None for all of them."""

    dataset: str
    task: str
    split: str
    options: Mapping[str, Any]
    units: Any = None
    share: Sequence[int] | None = None


def declare(part: Part, raw: RawQuery, options: Mapping[str, Any], modules: Sequence[str]) -> Node:
    """Declare the curation of raw files. options: for the data set's module. modules: those that it loads by name."""
    units = part.design.units(part.task)
    parameters = Parameters(raw.dataset, part.task.name, part.split, options, units)
    body, of = part.design.curate, part.task.shards
    node = Node(STAGE, part.base, non_default(parameters), body, tuple(modules), raw=raw, strict=part.request.strict)
    if of == 1 or body != __name__ or PROMPTS in raw.patterns or by_record(raw.dataset) is None:
        return node
    return replace(node, body=TOGETHER, inputs=(("shares", node.shares(of)),))


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the rows of the data set (`write`)."""
    write(node, session, writer)


def write(node: Node, session: Session, writer: ArtifactWriter, through: Through | None = None) -> None:
    """Write tables `documents`, `examples`, `drops` and `raw_files`, and `demonstrations` and `instructions` if any.

    The rows of the data set's module are streamed. through: transforms the stream, None for not. Raises BadRecord for a
    malformed record with --strict, TypeError for rows that a data set may not yield.
    """
    assert node.raw is not None
    found = found_for(node.raw, session)
    documents, examples, drops = tables(writer, found)
    table = cache(writer.table)  # opens a table at its first row
    reasons: Counter[str] = Counter()
    malformed: Counter[str] = Counter()
    own_literals = 0
    counts: Counter[str] = Counter()
    parameters = Parameters(**node.params)
    opened = found.opened(session.locations.raw)
    if parameters.share is not None:
        opened = found.shared(opened, by_record(parameters.dataset) or (), *parameters.share)
    told = parameters.dataset, opened, parameters.task, parameters.split, parameters.options
    for row in curate(*told, through=through):
        if isinstance(row, Document):
            documents.add(row)
            counts["documents"] += 1
        elif isinstance(row, Example):
            if row.split == DEMONSTRATIONS:
                table("demonstrations", Example).add(row)
                counts["demonstrations"] += 1
                continue
            examples.add(row)
            counts["examples"] += 1
            counts["references"] += len(row.references)
            own_literals += bool(frame_of(row))
        elif isinstance(row, Drop):
            if row.error and node.strict:
                raise BadRecord.of(row.detail)
            drops.add(row)
            reasons[row.reason] += 1
            malformed[row.reason] += row.error
        elif isinstance(row, Instruction):
            table("instructions", Instruction).add(row)
            counts["instructions"] += 1
        else:
            what = f"{parameters.dataset}: curate yields documents, examples, instructions and drops"
            raise TypeError(f"{what}, not {type(row).__name__}")
    writer.facts = {
        **counts,
        "dropped": dict(sorted(reasons.items())),
        "malformed": {reason: count for reason, count in sorted(malformed.items()) if count},
        "errors": malformed.total(),
        "raw_files": len(found.files()),
        **({"own_literals": own_literals} if parameters.dataset == RELEASE else {}),
    }
    writer.notes = {"raw": session.locations.raw}


def tables(
    writer: ArtifactWriter, found: FoundFiles
) -> tuple[TableWriter[Document], TableWriter[Example], TableWriter[Drop]]:
    """Open the tables that every curation has, and write that of the raw files."""
    opened = writer.table("documents", Document), writer.table("examples", Example), writer.table("drops", Drop)
    files = writer.table("raw_files", RawFile)
    for file in found.files():
        files.add(file)
    return opened


def refuse_drops(artifact: Artifact) -> None:
    """Apply --strict to an existing artifact: raise BadRecord for the first malformed record that it dropped."""
    if artifact.facts["errors"]:
        raise BadRecord.of(next(drop.detail for drop in artifact.rows("drops", Drop) if drop.error))
