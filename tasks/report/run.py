"""Stage report: aggregates and the artifacts behind them, judgements, comparisons -> leaderboard and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.parameters import non_default
from scrollwork.pipeline.plan import Node
from scrollwork.pipeline.session import Session
from scrollwork.records.score import SUBSETS, Aggregate
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.tasks.report.behind_scores import ByContent, nodes_behind, scored_in

STAGE = "report"


@dataclass(frozen=True)
class Parameters:
    """What the page shows besides its rows (tasks/report/parameters.py).

    tasks: its columns, {name, short, metric, paper, parts, units}. published: rows of the paper. upstream_files: known
    digests of raw files. failures: tasks of models without a score, and why. run: settings of the request that differ
    from the suite's. assets: digest of templates, styles and scripts. upper_bounds: models that read the references.
    decoding: by model, if it differs from the suite's. observed, ranked: whether the suite's design observes windows or
    ranks models. upstream: upstream's name for the test split, by task. extends: title of the suite that this one
    extends, "" for none. sections: modules of the design's sections.
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


def declare(
    parameters: Parameters, aggregates: Sequence[Node], others: Mapping[str, Sequence[Node]], modules: Sequence[str]
) -> Node:
    """Declare the page of all aggregates. modules: those of the metrics; those of the sections are added.

    others: nodes by name of the input: `judged` and `compared`, and of the design's stages `after_each_score` and
    `after_all_scores`.
    """
    labels = (("suite", parameters.suite), ("models", "+".join(parameters.models)))
    named = tuple((name, tuple(nodes)) for name, nodes in others.items())
    inputs = (("aggregates", tuple(aggregates)), ("behind", nodes_behind(aggregates)), *named)
    return Node(STAGE, labels, non_default(parameters), __name__, (*modules, *parameters.sections), inputs, exact=True)


def run(node: Node, inputs: InputArtifacts, session: Session, writer: ArtifactWriter) -> None:
    """Write the page, its data files, and the tables of the ledger that it shows."""
    from scrollwork.reporting.page.assembly import PAGE
    from scrollwork.tasks.report.known_files import known_of
    from scrollwork.tasks.report.ledger import COMPARED, Ledger, tables_of
    from scrollwork.tasks.report.pages import make

    rows, subsets = (
        [row for artifact in inputs.each("aggregates") for row in artifact.rows(table, Aggregate)]
        for table in ("aggregates", SUBSETS)
    )
    scored = scored_in(inputs)
    tasks = ByContent(inputs.each("behind")).tasks(scored)
    raw = known_of(tasks, node.params["upstream_files"])
    compared = {
        name: [row for one in inputs.each("compared") for row in one.rows(name, kind)]
        for name, kind in COMPARED.items()
    }
    tables = tables_of(node.params, scored, inputs.each("judged"), inputs.each("after_each_score"), compared)
    ledger = Ledger({**node.params, "raw": raw}, rows, subsets, tables)
    ledger = replace(ledger, ranks=ledger.section.ranks(inputs.each("after_all_scores")))
    ledger.write(writer)
    made = make(ledger, tasks, node.label("suite"), writer.file)
    writer.facts = {"rows": len(rows), "page": PAGE, "folder": made.folder, "files": made.files, "raw": raw}
