"""Stage report: aggregates with all that is behind them, what was judged and compared -> leaderboard and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import stated
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.score import SUBSETS, Aggregate
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.report.behind_scores import behind, lots_of

STAGE = "report"


@dataclass(frozen=True)
class Parameters:
    """What the page shows beside its rows (tasks/report/parameters.py).

    tasks: its columns, {name, short, metric, paper, parts, units}. published: rows of the paper. upstream_files: known
    digests of raw files. failures: tasks of models without a score, and why. run: what of the request differs from the
    suite's way. assets: digest of templates, styles and scripts. upper_bounds: models that read the references.
    decoding: by model, how it decodes where that is not the suite's way. observed, ranked: the suite's design.
    upstream: what upstream calls the test split of a task. extends: the title of the suite that it extends. sections:
    modules of those that the design has.
    """

    suite: str
    title: str
    tasks: Sequence[Mapping[str, Any]]
    published: Mapping[str, Any]
    models: Sequence[str]
    failures: Sequence[Mapping[str, str]]
    upstream_files: Mapping[str, Any]
    run: Mapping[str, Any]
    assets: str
    upper_bounds: Sequence[str] = ()
    decoding: Mapping[str, str] = field(default_factory=dict)
    observed: bool = False
    ranked: bool = False
    upstream: Mapping[str, str] | None = None
    extends: str = ""
    sections: Sequence[str] = ()


def declare(parameters: Parameters, aggregates: Sequence[Node], beside: Sequence[Node], modules: Sequence[str]) -> Node:
    """Make one page of all aggregates. beside: what was judged, compared, ranked and fitted of them. modules: those of
    the metrics; those of the sections are added."""
    labels = (("suite", parameters.suite), ("models", "+".join(parameters.models)))
    by_stage: dict[str, list[Node]] = {}
    for node in beside:
        by_stage.setdefault(node.stage, []).append(node)
    others = tuple((stage, tuple(nodes)) for stage, nodes in by_stage.items())
    inputs = (("aggregates", tuple(aggregates)), ("behind", behind(aggregates)), *others)
    return Node(STAGE, labels, stated(parameters), __name__, (*modules, *parameters.sections), inputs, exact=True)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the page and its data files, and the tables that it shows."""
    from scrollwork.reporting.boards.leaderboard import board
    from scrollwork.reporting.page.assembly import PAGE
    from scrollwork.reporting.page.content import Beside
    from scrollwork.reporting.page.sections import sections_of
    from scrollwork.tasks.report.known_files import told_of
    from scrollwork.tasks.report.pages import make
    from scrollwork.tasks.report.sections import reading
    from scrollwork.tasks.report.tables import AGREEMENTS, agreed, copied, ranks_in

    table = writer.table("aggregates", Aggregate)
    rows = [row for artifact in inputs.each("aggregates") for row in artifact.rows("aggregates", Aggregate)]
    for row in rows:
        table.add(row)
    subsets = [row for artifact in inputs.each("aggregates") for row in artifact.rows(SUBSETS, Aggregate)]
    some = writer.table(SUBSETS, Aggregate)
    for row in subsets:
        some.add(row)
    beside = copied(inputs, writer)
    lots = lots_of(node, inputs)
    raw = told_of(lots, node.params["upstream_files"])
    content = board(rows, {**node.params, "raw": raw}, ranks_in(inputs), subsets)
    section = reading(sections_of(node.params.get("sections", ())))
    beside[AGREEMENTS] = list(agreed(section, beside, writer))
    own = Beside(**{name: [row.to_dict() for row in found] for name, found in beside.items()})
    made = make(content, node.params, lots, node.label("suite"), writer.file, own)
    writer.facts = {"rows": len(rows), "page": PAGE, "folder": made.folder, "files": made.files, "raw": raw}
