"""What a call of the library gives back: frames, plain values, and a leaderboard as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrollwork.frames import polars
from scrollwork.library.calls import in_keywords
from scrollwork.library.views import Board, link_to, page_path, shown
from scrollwork.models.registry import function_name, is_function
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.results import ANSWERING, Results, report_of
from scrollwork.readings.run_outcome import Outcome
from scrollwork.records.comparison import FEW_CLUSTERS
from scrollwork.records.drop import Drop
from scrollwork.suites.options import every_option

if TYPE_CHECKING:
    from scrollwork.cli.terminal.compared import Against

MOST_DROPPED = 1000  # malformed records that are listed
MOST_ROWS = 10  # failures shown in HTML
PLACE = ("task", "split", "model", "arm")
COUNTED = ("expected", "answered", "failed", "missing")
FUNCTION_KIND = "function"  # of a failure that the user's own function is the cause of
FAILURES: dict[str, Any] = {
    **dict.fromkeys((*PLACE, "example_id"), polars.String),
    "draw": polars.Int64,
    "kind": polars.String,
    "message": polars.String,
}
BOARD: dict[str, Any] = {  # what matters first: a narrow terminal shows no more
    **dict.fromkeys(("task", "model"), polars.String),
    **dict.fromkeys(("value", "low", "high"), polars.Float64),
    **dict.fromkeys(("answered", "expected"), polars.Int64),
    "complete": polars.Boolean,
    **dict.fromkeys(("split", "arm", "metric"), polars.String),
    **dict.fromkeys(("failed", "missing"), polars.Int64),
    **dict.fromkeys(("spread", "value_missing_as_zero"), polars.Float64),
    "clusters": polars.Int64,
    "interval_note": polars.String,
}
AVERAGES: dict[str, Any] = {"model": polars.String, "average": polars.Float64, "why": polars.String}


@dataclass(frozen=True, eq=False)
class RunResult:
    """The result of `scrollwork.run`.

    board: a row for each task and model; value is 0 to 100, low and high its 95 % interval, and inputs are counted.
    A value is over the answered inputs; `complete` is false where those are not all. interval_note: why low and high
    cannot be trusted (they are from fewer than ten `clusters`, groups of documents, or all runs or documents have the
    same value), null where they can.
    averages: a row for each model, null while a task or an answer is missing; why: the reason ("2 of 10 tasks").
    report: the page, None if there is none.
    failures: a row for each input without an answer, each stage that failed (kind "stage") and each malformed record
    (kind "record"). Kind "function" is an input at which a function of the user's failed. spent: as `run --json` says
    it. settings: options that differ from the suite's. notes: sentences on what is missing. row: what the home notes of
    the run, with the keys of its results, by which `scrollwork.compare` finds its own scores.

    A home has one page of a suite, so `report` shows the newest run that wrote it; `board` is of this run.
    """

    suite: str
    home: str
    board: polars.DataFrame
    averages: polars.DataFrame
    report: Path | None
    failures: polars.DataFrame
    spent: dict[str, Any]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    row: Mapping[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether something was scored, and nothing failed or is missing."""
        return bool(len(self.board)) and self.failures.is_empty() and not self.board["missing"].sum()

    def __repr__(self) -> str:
        models, tasks = self.board["model"].n_unique(), self.board["task"].n_unique()
        counted = f"{tasks} task(s), {models} model(s), {len(self.failures):,} failure(s)"
        named = ", ".join(f"{model} {average:.2f}" for model, average in self._averages().items())
        average = f"; average: {named}" if named else ""
        lacking = "".join(f"; {line}" for line in without_average(self.averages))
        return printable(f"run of {self.suite}: {counted}{average}{lacking}; report: {self.report}")

    def _averages(self) -> dict[str, float]:
        """Return the averages that there are, by the name of their row."""
        rows = self.averages.select("model", "average").rows()
        return {model: average for model, average in rows if average is not None}

    def _repr_html_(self) -> str:
        """Return the leaderboard as HTML. Every text in it is escaped."""
        tasks = list(dict.fromkeys(self.board["task"]))
        lines: dict[tuple[str, str, str], dict[str, str]] = {}
        for row in self.board.iter_rows(named=True):
            cells = lines.setdefault((row["split"], row["model"], row["arm"]), {})
            cells.setdefault(row["task"], cell_text(row))  # its first row: that of a subset follows
        several = len({(split, arm) for split, _, arm in lines}) > 1
        averages = {name: f"{value:.2f}" for name, value in self._averages().items()}
        column = bool(averages) and not several
        head = ["model", *(["split", "arm"] if several else []), *(["average"] if column else []), *tasks]
        body = [
            [
                model,
                *([split, arm] if several else []),
                *([averages.get(model, "–")] if column else []),
                *(cells.get(task, "–") for task in tasks),
            ]
            for (split, model, arm), cells in lines.items()
        ]
        page = f"<p>report: {link_to(self.report)}</p>" if self.report else ""
        failed = failures_html(self.failures) if len(self.failures) else ""
        told = [f"average: {', '.join(map(' '.join, averages.items()))}"] if averages and several else []
        notes = [*told, *without_average(self.averages), *self.notes]
        return f"<h4>{shown(self.suite)}</h4>{table_html(head, body)}{paragraphs(notes)}{page}{failed}"


@dataclass(frozen=True, eq=False)
class BuildResult:
    """The result of `scrollwork.build`.

    tasks: a row for each task and split. report, failures: as in RunResult. against: for each task and split that was
    compared with a release, what `build --json` says of it; {error} where the release cannot be read.
    """

    suite: str
    home: str
    tasks: polars.DataFrame
    report: Path | None
    failures: polars.DataFrame
    against: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether something was built and nothing failed."""
        return bool(len(self.tasks)) and self.failures.is_empty()

    def __repr__(self) -> str:
        counted = f"{len(self.tasks)} task(s), {len(self.failures):,} failure(s)"
        return printable(f"build of {self.suite}: {counted}; statistics: {self.report}")

    def _repr_html_(self) -> str:
        """Return the tasks as HTML. Every text in it is escaped."""
        rows = [["–" if value is None else number(value) for value in row] for row in self.tasks.iter_rows()]
        failed = failures_html(self.failures) if len(self.failures) else ""
        page = f"<p>statistics: {link_to(self.report)}</p>" if self.report else ""
        return f"<h4>{shown(self.suite)}</h4>{table_html(self.tasks.columns, rows)}{page}{failed}"


def board_frame(rows: Sequence[dict[str, Any]]) -> Board:
    """Return the tasks of `run --json` as a frame."""
    plain = []
    for row in rows:
        low, high = row["ci"] or (None, None)
        counted = {name: row["coverage"][name] for name in COUNTED}
        plain.append({**{name: row[name] for name in BOARD if name in row}, "low": low, "high": high, **counted})
        plain[-1]["complete"] = row["value"] is not None and counted["answered"] == counted["expected"]
    return Board(plain, schema=BOARD)


def failures_frame(results: Results, outcome: Outcome) -> polars.DataFrame:
    """Return a row for each input without an answer, each stage that failed, each malformed record that was dropped.

    Messages are on one line, with control characters escaped.
    """
    rows: list[dict[str, Any]] = []
    functions = {function_name(one) for one in outcome.request.models if is_function(one)}
    for one in outcome.failed:
        place = {name: one.node.label(name) or None for name in PLACE}
        rows.append({**place, "kind": "stage", "message": f"{one.node.title} failed: {one.error}"})
    for node in (one.node for one in outcome.finished if one.node.stage in ANSWERING and not one.error):
        artifact = results.artifact(node)
        columns = [*PLACE, "example_id", "draw", "kind", "message"]
        of_function = {"kind": FUNCTION_KIND} if node.label("model") in functions else {}
        rows += [] if artifact is None else [{**row, **of_function} for row in artifact.columns("failures", columns)]
    dropped: list[Drop] = [] if outcome.request.strict else results.bad_records(MOST_DROPPED)[1]
    rows += [{"task": drop.task, "split": drop.split, "kind": "record", "message": drop.detail} for drop in dropped]
    told = [{**dict.fromkeys(FAILURES), **row, "message": printable(row["message"])} for row in rows]
    return polars.DataFrame(told, schema=FAILURES)


def cell_text(row: dict[str, Any]) -> str:
    """Return value and interval of a task, and how many inputs they are over, marked as on the page if not all."""
    if row["value"] is None:
        return "–"
    from_few = f" from {row['clusters']} documents" if row["clusters"] and row["clusters"] < FEW_CLUSTERS else ""
    few = f" ⚠{from_few}" if row["interval_note"] else ""
    interval = "" if row["low"] is None else f" ({row['low']:.1f} to {row['high']:.1f}{few})"
    lacking = row["expected"] - row["answered"]
    return f"{row['value']:.2f}{interval}" + (
        f"; ⚠ {row['answered']:,} of {row['expected']:,} inputs answered"
        if lacking
        else f"; {row['expected']:,} inputs"
    )


def without_average(averages: polars.DataFrame) -> list[str]:
    """Return a sentence for each reason why models have no average, with the models if they are not all."""
    found: dict[str, list[str]] = {}
    for model, average, why in averages.select("model", "average", "why").rows():
        if average is None and why:
            found.setdefault(why, []).append(model)
    return [
        (why if "no average" in why else f"no average: {why}")
        + (f" ({', '.join(models)})" if len(models) < len(averages) else "")
        for why, models in found.items()
    ]


def failures_html(failures: polars.DataFrame) -> str:
    """Return the first failures as a table, and how many there are."""
    columns = ["kind", "task", "model", "example_id", "message"]
    rows = [["" if value is None else str(value) for value in row] for row in failures.select(columns).rows()]
    more = f", the first {MOST_ROWS} of them" if len(rows) > MOST_ROWS else ""
    return f"<p>{len(rows):,} failure(s){more}:</p>{table_html(columns, rows[:MOST_ROWS])}"


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts, each escaped."""
    top = "".join(f"<th>{shown(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{shown(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def paragraphs(lines: Sequence[str]) -> str:
    """Return lines as HTML, each escaped."""
    return "".join(f"<p>{shown(line)}</p>" for line in lines)


def number(value: object) -> str:
    """Format a value of a row."""
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def result_of_run(results: Results, outcome: Outcome, spent: dict[str, Any], remarks: Sequence[str] = ()) -> RunResult:
    """Return the result of a run from its artifacts. remarks: sentences for its notes."""
    from scrollwork.reporting.boards.leaderboard import as_json

    report = report_of(outcome)
    ledger = results.ledger(report)
    found: dict[str, Any] = as_json(ledger.board) if ledger is not None else {"tasks": [], "averages": {}}
    lacking = [f"unanswered: {gap}" for gap in (results.unanswered(report) if report is not None else [])]
    lacking += [f"not scored: {line}" for line in results.without_gold(outcome)]
    lacking += [] if outcome.request.strict and outcome.failed else [f"left out: {one}" for one in results.dropped()]
    sections = ledger.board.sections if ledger is not None else ()
    lines = [line for section in sections for line in section.lines]  # in the order of `averages`
    averages = [
        {"model": name, "average": value, "why": line.average.reason or None}
        for (name, value), line in zip(found["averages"].items(), lines, strict=True)
    ]
    return RunResult(
        suite=outcome.request.suite,
        home=outcome.request.home,
        board=board_frame(found["tasks"]),
        averages=polars.DataFrame(averages, schema=AVERAGES),
        report=page_path(outcome.report),
        failures=failures_frame(results, outcome),
        spent=spent,
        settings=dict(found.get("settings", {})),
        notes=tuple(printable(in_keywords(line, every_option())) for line in (*lacking, *remarks)),
        row=outcome.row,
    )


TASKS: dict[str, Any] = {
    **dict.fromkeys(("task", "split"), polars.String),
    **dict.fromkeys(("examples", "documents", "references"), polars.Int64),
    **dict.fromkeys(("mean_words", "words_out", "spread_median"), polars.Float64),
    **dict.fromkeys(("dropped", "malformed", "errors"), polars.Int64),
    "artifact": polars.String,
}


def result_of_build(results: Results, outcome: Outcome, releases: Against | None) -> BuildResult:
    """Return the result of a build from its artifacts. releases: what it was compared with, None for nothing."""
    rows, against = [], {}
    for row in results.built():
        if releases is not None and (told := releases.as_json(row)):
            against[row["task"], row["split"]] = told["against"]
        counts = {name: sum(row[name].values()) for name in ("dropped", "malformed")}
        rows.append({**{name: row[name] for name in TASKS if name in row}, **counts})
    frame = polars.DataFrame(rows, schema=TASKS)
    request = outcome.request
    failures = failures_frame(results, outcome)
    return BuildResult(request.suite, request.home, frame, page_path(outcome.report), failures, against)
