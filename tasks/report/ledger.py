"""The ledger: all the rows on a suite's scores that are shown. Pages, boards and `--json` are made from one.

It comes from a run (its artifacts), from a home (all that was ever scored in it), or from a report that was made of a
ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from scrollwork.records.base import InvalidRow, Row
from scrollwork.records.comparison import Average, Comparison, few_clusters
from scrollwork.records.judgement import AnswerMeasure, Slice
from scrollwork.records.score import SUBSETS, Aggregate
from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.boards.ranks import Ranks
from scrollwork.reporting.page.content import Findings
from scrollwork.reporting.page.sections import PageSection, sections_of
from scrollwork.storage.artifacts.artifact import Artifact, ArtifactWriter
from scrollwork.tasks.report.behind_scores import ByInputs, Shown
from scrollwork.tasks.report.sections import ReadingSection, artifact_section

JUDGED: Mapping[str, type[Row]] = {"conduct": AnswerMeasure, "slices": Slice}
COMPARED: Mapping[str, type[Row]] = {"averages": Average, "comparisons": Comparison}

Tables = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Ledger:
    """All the rows on a suite's scores. params: of the report, with `raw`, the notes on its raw files.

    rows: aggregates of families and of their members. subsets: aggregates of flagged examples. tables: rows on what was
    judged, compared and added by the design, by table. ranks: empty for a suite that does not rank models.
    """

    params: Mapping[str, Any]
    rows: Sequence[Aggregate]
    subsets: Sequence[Aggregate] = ()
    tables: Tables = field(default_factory=dict)
    ranks: Ranks = field(default_factory=Ranks)

    @cached_property
    def sections(self) -> list[PageSection]:
        """Return the sections of the page that the suite's design adds."""
        return sections_of(self.params.get("sections", ()))

    @cached_property
    def section(self) -> ReadingSection:
        """Return the one of them that reads artifacts."""
        return artifact_section(self.sections)

    @cached_property
    def board(self) -> Board:
        """Return the leaderboard."""
        return board(self.rows, self.params, self.ranks, self.subsets)

    @cached_property
    def findings(self) -> Findings:
        """Return the tables as a page takes them."""
        found = {name: [row.to_dict() for row in rows] for name, rows in self.tables.items()}
        own = {name: found.pop(name, []) for name in (*JUDGED, *COMPARED)}
        return Findings(**own, of_design=found)

    def plain(self, names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of some tables for `--json`, without the name of the suite."""
        return {name: [_plain(row) for row in self.tables.get(name, ())] for name in names}

    def write(self, writer: ArtifactWriter) -> None:
        """Write every table, so that `read_ledger` can read it again; ranks are in an artifact of their own."""
        tables: Tables = {"aggregates": self.rows, SUBSETS: self.subsets, **self.tables}
        kinds: dict[str, type[Row]] = {"aggregates": Aggregate, SUBSETS: Aggregate, **kinds_of(self.section)}
        for name, kind in kinds.items():
            out = writer.table(name, kind)
            for row in tables.get(name, ()):
                out.add(row)


def read_ledger(report: Artifact, params: Mapping[str, Any], after_all_scores: Iterable[Artifact]) -> Ledger:
    """Read the ledger that a report was made from. params: of its node. after_all_scores: its input of that name."""
    rows, subsets = (list(report.rows(name, Aggregate)) for name in ("aggregates", SUBSETS))
    empty = Ledger({**params, "raw": report.facts["raw"]}, rows, subsets)
    tables = {name: list(report.rows(name, kind)) for name, kind in kinds_of(empty.section).items()}
    return replace(empty, tables=tables, ranks=empty.section.ranks(after_all_scores))


def kinds_of(section: ReadingSection) -> dict[str, type[Row]]:
    """Return the row types of all tables except the aggregates, by table, in their order."""
    return {**JUDGED, **COMPARED, **section.tables, **section.worked_out}


def tables_of(
    params: Mapping[str, Any],
    scored: Sequence[Shown],
    judged: Iterable[Artifact],
    after_each_score: Iterable[Artifact],
    compared: Tables,
) -> dict[str, Sequence[Row]]:
    """Return the rows that were judged, compared and added by the design for these scores, by table.

    params: of the report. scored: aggregates, each with the shown row, whose model and split the returned rows have.
    judged: artifacts of stage judge; a score without one has no such rows. after_each_score: artifacts of the
    design's stage there; those of an earlier version are left out. compared: tables of COMPARED, over the same scores.
    """
    section = artifact_section(sections_of(params.get("sections", ())))
    found: dict[str, list[Row]] = {name: [] for name in JUDGED}
    for row, artifact in judged_of(scored, judged):
        for name, kind in JUDGED.items():
            found[name] += map(partial(_as_shown, row), artifact.rows(name, kind))
    own: dict[str, list[Row]] = {name: [] for name in section.tables}
    for row, readable in _readable(section, scored, after_each_score):
        for name, rows in next(filter(None, readable), {}).items():
            own[name] += map(partial(_as_shown, row), rows)
    return {**found, **compared, **own, **section.work_out(own)}


def judged_of(scored: Iterable[Shown], judged: Iterable[Artifact]) -> Iterator[Shown]:
    """Yield the rows of the scores that were judged, each with the last artifact of stage judge."""
    by_inputs = ByInputs(judged)
    for row, aggregate in scored:
        yield from ((row, artifact) for artifact in by_inputs.of(aggregate)[-1:])


def unreadable_tasks(
    params: Mapping[str, Any], scored: Iterable[Shown], after_each_score: Iterable[Artifact]
) -> list[str]:
    """List the tasks for which the design's stage left only rows of an earlier version, so that a report shows none.

    Running them again rebuilds these rows and sends no request.
    """
    section = artifact_section(sections_of(params.get("sections", ())))
    tried = _readable(section, scored, after_each_score)
    return sorted({row.task for row, readable in tried if readable and not any(readable)})


def _readable(
    section: ReadingSection, scored: Iterable[Shown], after_each_score: Iterable[Artifact]
) -> Iterator[tuple[Aggregate, list[dict[str, list[Row]]]]]:
    """Yield the row of each score, with the tables of every artifact that the design's stage made from the same inputs.

    Tables are empty if their rows are of another version of scrollwork.
    """
    by_inputs = ByInputs(after_each_score, section.reads)
    for row, aggregate in scored if section.tables else ():
        found: list[dict[str, list[Row]]] = []
        for one in by_inputs.of(aggregate):
            try:
                found.append({name: list(one.rows(name, kind)) for name, kind in section.tables.items()})
            except InvalidRow:
                found.append({})
        yield row, found


def _as_shown(shown: Aggregate, row: Any) -> Row:
    """Return the row with the model and split of its line on the page."""
    found: Row = replace(row, model=shown.model, split=shown.split)
    return found


def _plain(row: Row) -> dict[str, Any]:
    """Return a row without its suite; of a comparison also why its interval cannot be trusted."""
    told = {"interval_note": few_clusters(row.clusters) or None} if isinstance(row, Comparison) else {}
    return {**{name: value for name, value in row.to_dict().items() if name != "suite"}, **told}
