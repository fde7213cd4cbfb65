"""What a flow run shows in Prefect's UI: the leaderboard, a table of scores, cost and failures, where the report is.

Results are in the home; these are pictures of them. Where Prefect takes none, the flow run goes on with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_link_artifact, create_table_artifact

from scrollwork.flows.chains import Chain
from scrollwork.models.engine.prices import dollars
from scrollwork.pipeline.engines.prefect import show_leaderboard
from scrollwork.pipeline.plan import Node
from scrollwork.preprocessing.raw.errors import printable
from scrollwork.readings.results import Results, report_of
from scrollwork.readings.run_outcome import Outcome
from scrollwork.readings.status import spent_by_model
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.boards.leaderboard import as_json, markdown
from scrollwork.reporting.page.text import markdown_text
from scrollwork.storage.answers.rows import Spent
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import is_remote
from scrollwork.storage.location import Location
from scrollwork.tasks.report.published import FOLDER

MOST_ROWS = 500  # of a table
LONGEST = 300  # characters of a cell
COLUMNS = (  # the same in each row: Prefect's page takes them from the first
    *("model", "task", "metric", "score", "interval", "answered", "failed", "missing", "cost", "calls", "failures"),
)
WHOLE = "all tasks"  # in place of a task, in the row of a model


def show_results(chain: Chain, outcome: Outcome, results: Results) -> None:
    """Add the artifacts of an evaluation to the flow run. Raises StorageError where a remote home does not take the
    report's page."""
    report = report_of(outcome)
    ledger = results.ledger(report)
    if ledger is None or report is None:
        return
    suite = chain.request.suite
    place = report_place(chain, outcome, results, report)

    def rows() -> list[dict[str, Any]]:
        asked, run = chain.resolved.calling.tables, outcome.request.run
        spent = spent_by_model(chain.session.home, run) if asked and run else {}
        own = {model: one for model, one in spent.items() if model in asked}
        return table(ledger.board, own, results.failures(outcome))

    told = f"Scores (0 to 100), cost and failures of {markdown_text(suite)}"
    attempt("leaderboard", lambda: show_leaderboard(suite, markdown(ledger.board)))
    attempt("table", lambda: create_table_artifact(rows(), key=key_of("results", suite), description=told))
    if place:
        name, told_place = (
            markdown_text(place.rpartition("/")[2]),
            f"{markdown_text(suite)}: {markdown_text(place, 2000)}",
        )
        attempt("report", lambda: create_link_artifact(place, name, key_of("report", suite), told_place))


def attempt(what: str, show: Callable[[], object]) -> None:
    """Make an artifact; where that fails, whatever the reason, say so in the log of the flow run."""
    try:
        show()
    except Exception as error:
        get_run_logger().warning(
            "the artifact %s was not made: %s: %s", what, type(error).__name__, printable(str(error), LONGEST)
        )


def key_of(kind: str, suite: str) -> str:
    """The key of an artifact, in the letters that Prefect takes."""
    return f"{kind}-{re.sub(r'[^a-z0-9]+', '-', suite.lower()).strip('-')}"


# ---- the report


def report_place(chain: Chain, outcome: Outcome, results: Results, report: Node) -> str:
    """The URL of the report's page in the home; "" for none. A remote home gets the page first: what `publish` wrote is
    in a folder of this worker. Raises StorageError."""
    if outcome.report is None:
        return ""
    if not is_remote(chain.session.home.url):
        return Path(outcome.report).absolute().as_uri()
    artifact = results.artifact(report)
    if artifact is None:
        return ""
    reports = Location(f"{chain.session.home.url}/reports")
    put_page(artifact, reports, outcome.report.name)
    return f"{reports.url}/{outcome.report.name}"


def put_page(artifact: Artifact, reports: Location, name: str) -> None:
    """Write the data files of a page to a remote folder, then the page, then remove data files of earlier pages.

    Raises StorageError, DamagedArtifact.
    """
    facts = artifact.facts
    for file in facts["files"]:
        reports.child(*facts["folder"].split("/")).create(file, artifact.bytes_of(file))  # its folder names its bytes
    reports.replace(name, artifact.bytes_of(facts["page"]))
    own = reports.child(f"{Path(name).stem}{FOLDER}")
    for file in own.below():
        if not f"{Path(name).stem}{FOLDER}/{file}".startswith(f"{facts['folder']}/"):
            own.remove(file)


# ---- the table


def table(board: Board, spent: Mapping[str, Spent], failures: list[str]) -> list[dict[str, Any]]:
    """Return a row for each scored task of a model, and one for each model with its average, cost and failures.

    spent: of this run, by model. failures: lines that begin with a model's name.
    """
    found = as_json(board)
    rows = [
        {
            "model": cell(one["model"] if one["arm"] == "full" else f"{one['model']} ({one['arm']})"),
            "task": cell(one["task"]),
            "metric": cell(one["metric"]),
            "score": rounded(one["value"]),
            "interval": "–".join(f"{end:.2f}" for end in one["ci"] or ()),
            "answered": f"{one['coverage']['answered']} of {one['coverage']['expected']}",
            "failed": one["coverage"]["failed"],
            "missing": one["coverage"]["missing"],
        }
        for one in found["tasks"]
    ]
    models = dict.fromkeys([*found["averages"], *spent])
    whole = [
        {
            "model": cell(model),
            "task": WHOLE,
            "metric": "average",
            "score": rounded(found["averages"].get(model)),
            **({"cost": cost(spent[model]), "calls": spent[model].calls} if model in spent else {}),
            "failures": cell("; ".join(line[len(model) + 2 :] for line in failures if line.startswith(f"{model}: "))),
        }
        for model in models
    ]
    more = len(whole) + len(rows) - MOST_ROWS
    cut = [{"task": f"and {more:,} rows more, in the report"}] if more > 0 else []
    return [{name: row.get(name, "") for name in COLUMNS} for row in [*[*whole, *rows][:MOST_ROWS], *cut]]


def cell(text: str) -> str:
    """A text of anybody's for a cell, which Prefect's page reads as Markdown: on one line, escaped, bounded."""
    return markdown_text(printable(text, LONGEST), 2 * LONGEST)


def rounded(value: float | None) -> float | None:
    """A score with two places."""
    return None if value is None else round(value, 2)


def cost(spent: Spent) -> str:
    """What a model's calls cost, in US dollars."""
    unknown = f" and {spent.cost_unknown_calls:,} calls of unknown cost" if spent.cost_unknown_calls else ""
    return f"{dollars(spent.cost_nano_usd)}{unknown}"
